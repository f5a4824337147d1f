package io.github.zklock.autoconfigure;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;

/**
 * Waits at start-up until a ZooKeeper server has answered.
 */
final class StartupConnection {

	private StartupConnection() {
	}

	/**
	 * Waits for a server.
	 * @param curator a started client
	 * @param timeout how long to wait at most
	 * @throws ZkLockStartupException if none has answered by then
	 */
	static void await(CuratorFramework curator, Duration timeout) {
		if (!isConnected(curator, timeout)) {
			throw new ZkLockStartupException(
					"No ZooKeeper server at '%s' answered within %s."
						.formatted(curator.getZookeeperClient().getCurrentConnectionString(), readable(timeout)),
					"""
							Check that a server runs there, that this host can reach it, and that zk-lock.connect-string is right. \
							To wait longer, set zk-lock.connection-timeout. To start without a server, set zk-lock.fail-fast=false: \
							locks are unavailable until one answers. For development, zk-lock.embedded.enabled=true without a connect \
							string starts a server inside the application.""",
					null);
		}
	}

	private static boolean isConnected(CuratorFramework curator, Duration timeout) {
		try {
			return curator.blockUntilConnected(Math.toIntExact(timeout.toMillis()), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new ZkLockStartupException("Interrupted while waiting for a ZooKeeper server.",
					"Start the application again.", ex);
		}
	}

	private static String readable(Duration timeout) {
		return (timeout.toMillisPart() == 0) ? timeout.toSeconds() + "s" : timeout.toMillis() + "ms";
	}

}
