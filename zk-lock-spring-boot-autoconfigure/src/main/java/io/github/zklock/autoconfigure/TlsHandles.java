package io.github.zklock.autoconfigure;

import org.apache.curator.utils.ZookeeperFactory;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;

/**
 * Makes ZooKeeper handles that find the files of the SSL bundle.
 *
 * @param handles makes the handles
 * @param tls has the files
 */
record TlsHandles(ZookeeperFactory handles, ClientTls tls) implements ZookeeperFactory {

	@Override
	public ZooKeeper newZooKeeper(String connectString, int sessionTimeout, Watcher watcher, boolean canBeReadOnly)
			throws Exception {
		this.tls.restore();
		return this.handles.newZooKeeper(connectString, sessionTimeout, watcher, canBeReadOnly);
	}

	@Override
	public ZooKeeper newZooKeeper(String connectString, int sessionTimeout, Watcher watcher, boolean canBeReadOnly,
			ZKClientConfig config) throws Exception {
		this.tls.restore();
		return this.handles.newZooKeeper(connectString, sessionTimeout, watcher, canBeReadOnly, config);
	}

}
