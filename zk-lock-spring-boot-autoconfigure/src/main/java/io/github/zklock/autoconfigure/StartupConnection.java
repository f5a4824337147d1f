package io.github.zklock.autoconfigure;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;

/**
 * Waits at start-up until a ZooKeeper server has answered.
 */
final class StartupConnection {

	private static final String ACTION = """
			Check that a server runs there, that this host can reach it, and that zk-lock.connect-string is right. \
			To wait longer, set zk-lock.connection-timeout. To start without a server, set zk-lock.fail-fast=false: \
			locks are unavailable until one answers. For development, zk-lock.embedded.enabled=true without a connect \
			string starts a server inside the application.""";

	private static final String TLS = """
			The connection is to use TLS: check that the servers expect it on that port, that the SSL bundle of \
			zk-lock.ssl.bundle trusts their certificate and has a certificate that they trust, and that the name in the \
			connect string is in theirs. The log of org.apache.zookeeper says more.\s""";

	private StartupConnection() {
	}

	/**
	 * Waits for a server.
	 * @param curator a started client
	 * @param timeout how long to wait at most
	 * @param tls whether the connection is encrypted
	 * @throws ZkLockStartupException if none has answered by then
	 */
	static void await(CuratorFramework curator, Duration timeout, boolean tls) {
		if (!isConnected(curator, timeout)) {
			throw new ZkLockStartupException(
					"No ZooKeeper server at '%s' answered within %s."
						.formatted(curator.getZookeeperClient().getCurrentConnectionString(), readable(timeout)),
					(tls ? TLS : "") + ACTION, null);
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
