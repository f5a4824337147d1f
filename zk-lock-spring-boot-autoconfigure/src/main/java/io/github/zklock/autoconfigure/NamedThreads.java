package io.github.zklock.autoconfigure;

import java.util.concurrent.Callable;

import org.apache.curator.utils.ZookeeperFactory;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;

/**
 * Makes ZooKeeper handles whose threads are named after this library. ZooKeeper names
 * them after the thread that makes the handle, which may be that of any request.
 *
 * @param handles makes the handles
 */
record NamedThreads(ZookeeperFactory handles) implements ZookeeperFactory {

	private static final String NAME = "zk-lock";

	@Override
	public ZooKeeper newZooKeeper(String connectString, int sessionTimeout, Watcher watcher, boolean canBeReadOnly)
			throws Exception {
		return named(() -> this.handles.newZooKeeper(connectString, sessionTimeout, watcher, canBeReadOnly));
	}

	@Override
	public ZooKeeper newZooKeeper(String connectString, int sessionTimeout, Watcher watcher, boolean canBeReadOnly,
			ZKClientConfig config) throws Exception {
		return named(() -> this.handles.newZooKeeper(connectString, sessionTimeout, watcher, canBeReadOnly, config));
	}

	private static ZooKeeper named(Callable<ZooKeeper> making) throws Exception {
		Thread thread = Thread.currentThread();
		String name = thread.getName();
		thread.setName(NAME);
		try {
			return making.call();
		}
		finally {
			thread.setName(name);
		}
	}

}
