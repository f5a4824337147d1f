package io.github.zklock.autoconfigure;

import java.util.concurrent.Callable;

import org.apache.curator.utils.ZookeeperFactory;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;

/**
 * Makes ZooKeeper handles whose threads are named after this library, and which find the
 * files of the SSL bundle. ZooKeeper names the threads after the one that makes the
 * handle, which may be that of any request.
 *
 * @param handles makes the handles
 * @param tls has the files
 */
record ConfiguredHandles(ZookeeperFactory handles, ClientTls tls) implements ZookeeperFactory {

	private static final String NAME = "zk-lock";

	@Override
	public ZooKeeper newZooKeeper(String connectString, int sessionTimeout, Watcher watcher, boolean canBeReadOnly)
			throws Exception {
		return make(() -> this.handles.newZooKeeper(connectString, sessionTimeout, watcher, canBeReadOnly));
	}

	@Override
	public ZooKeeper newZooKeeper(String connectString, int sessionTimeout, Watcher watcher, boolean canBeReadOnly,
			ZKClientConfig config) throws Exception {
		return make(() -> this.handles.newZooKeeper(connectString, sessionTimeout, watcher, canBeReadOnly, config));
	}

	private ZooKeeper make(Callable<ZooKeeper> making) throws Exception {
		this.tls.restore();
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
