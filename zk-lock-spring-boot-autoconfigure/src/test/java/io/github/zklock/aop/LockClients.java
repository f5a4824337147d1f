package io.github.zklock.aop;

import java.time.Duration;

import org.apache.curator.framework.CuratorFramework;

import io.github.zklock.LockClient;
import io.github.zklock.testing.ServerFixture;
import io.github.zklock.zookeeper.ZooKeeperLockClient;

/**
 * Opens lock clients on the server of a test.
 */
public final class LockClients {

	private LockClients() {
	}

	/**
	 * Opens a client on a connection of its own; it is closed after the test.
	 * @param zk the fixture of the test
	 * @return the client, connected
	 */
	public static LockClient open(ServerFixture zk) {
		CuratorFramework connection = zk.curator(ServerFixture.SESSION);
		LockClient client = zk.closing(
				ZooKeeperLockClient.builder(connection).root(zk.root()).timeout(Duration.ofSeconds(15)).build(),
				connection);
		ServerFixture.awaitConnected(connection);
		return client;
	}

}
