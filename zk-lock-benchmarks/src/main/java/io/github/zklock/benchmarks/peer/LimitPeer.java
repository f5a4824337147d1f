package io.github.zklock.benchmarks.peer;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

import io.github.zklock.LockMode;

/**
 * The least that a lock which others see can cost: one create that is waited for, and one
 * delete that is not, on the raw handle. Nobody waits for anybody, so it is of use only
 * for keys that nobody else wants.
 */
final class LimitPeer implements Peer {

	private final CuratorFramework curator;

	private final ZooKeeper zooKeeper;

	private final String root;

	LimitPeer(Connection at) {
		this.curator = at.curator();
		this.root = at.root();
		try {
			this.zooKeeper = this.curator.getZookeeperClient().getZooKeeper();
			if (this.zooKeeper.exists(this.root, false) == null) {
				this.zooKeeper.create(this.root, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
			}
		}
		catch (Exception ex) {
			throw new IllegalStateException("Could not create " + this.root, ex);
		}
	}

	@Override
	public Guard guard(List<String> keys, LockMode mode) {
		List<String> paths = keys.stream().map((key) -> this.root + "/" + key).toList();
		return (paths.size() == 1) ? new OneNode(paths.get(0)) : new SeveralNodes(paths);
	}

	@Override
	public void close() {
		this.curator.close();
	}

	/**
	 * Counts the answers that nobody waits for.
	 */
	private abstract static class Deleting implements Guard {

		private final Semaphore answers = new Semaphore(0);

		private volatile KeeperException.@Nullable Code refusal;

		private int sent;

		final void sent() {
			this.sent++;
		}

		final void answered(int code) {
			if (code != KeeperException.Code.OK.intValue()) {
				this.refusal = KeeperException.Code.get(code);
			}
			this.answers.release();
		}

		@Override
		public final void unlockAndDrain() throws Exception {
			unlock();
			this.answers.acquire(this.sent);
			this.sent = 0;
			KeeperException.Code code = this.refusal;
			if (code != null) {
				throw KeeperException.create(code);
			}
		}

	}

	private final class OneNode extends Deleting {

		private final String path;

		private final AsyncCallback.VoidCallback callback = (code, path, context) -> answered(code);

		private OneNode(String path) {
			this.path = path;
		}

		@Override
		public void lock() throws KeeperException, InterruptedException {
			LimitPeer.this.zooKeeper.create(this.path, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
		}

		@Override
		public void unlock() {
			sent();
			LimitPeer.this.zooKeeper.delete(this.path, -1, this.callback, null);
		}

	}

	private final class SeveralNodes extends Deleting {

		private final List<Op> creates = new ArrayList<>();

		private final List<Op> deletes = new ArrayList<>();

		private final AsyncCallback.MultiCallback callback = (code, path, context, results) -> answered(code);

		private SeveralNodes(List<String> paths) {
			for (String path : paths) {
				this.creates.add(Op.create(path, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL));
				this.deletes.add(Op.delete(path, -1));
			}
		}

		@Override
		public void lock() throws KeeperException, InterruptedException {
			LimitPeer.this.zooKeeper.multi(this.creates);
		}

		@Override
		public void unlock() {
			sent();
			LimitPeer.this.zooKeeper.multi(this.deletes, this.callback, null);
		}

	}

}
