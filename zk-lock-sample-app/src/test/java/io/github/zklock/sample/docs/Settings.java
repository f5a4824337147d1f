package io.github.zklock.sample.docs;

import org.apache.curator.framework.CuratorFramework;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockContext;
import io.github.zklock.zookeeper.FencedWriter;

/**
 * Settings that are kept in ZooKeeper itself.
 */
class Settings {

	private final CuratorFramework curator;

	private final FencedWriter guard;

	Settings(CuratorFramework curator, FencedWriter guard) {
		this.curator = curator;
		this.guard = guard;
	}

	// tag::write[]
	@DistributedLock(key = "settings")
	public void replace(byte[] content, byte[] history) throws Exception {
		this.guard.write(LockContext.current(), this.curator.transactionOp().setData().forPath("/settings", content),
				this.curator.transactionOp().create().forPath("/settings/previous", history));
	}
	// end::write[]

}
