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

	private final FencedWriter writer;

	Settings(CuratorFramework curator, FencedWriter writer) {
		this.curator = curator;
		this.writer = writer;
	}

	// tag::write[]
	@DistributedLock(key = "settings")
	public void replace(byte[] content, byte[] history) throws Exception {
		this.writer.write(LockContext.current(), this.curator.transactionOp().setData().forPath("/settings", content),
				this.curator.transactionOp().create().forPath("/settings/previous", history));
	}
	// end::write[]

}
