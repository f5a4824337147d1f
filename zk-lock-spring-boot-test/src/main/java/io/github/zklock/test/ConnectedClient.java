package io.github.zklock.test;

import java.time.Duration;
import java.util.function.UnaryOperator;

import org.apache.curator.framework.CuratorFramework;

import io.github.zklock.LockRequest;
import io.github.zklock.zookeeper.ZooKeeperLockClient;

/**
 * A lock client that has a session, and its connection.
 *
 * @param curator the connection
 * @param client the lock client
 */
record ConnectedClient(CuratorFramework curator, ZooKeeperLockClient client) implements AutoCloseable {

	static final Duration PATIENCE = Duration.ofSeconds(10);

	/**
	 * Starts a connection and a lock client, and waits until it has a session, so that
	 * even a call without a time-out is answered. If that fails nothing is left running.
	 * @param curator the connection, not started yet
	 * @param settings configures the client
	 * @return both, to be closed
	 */
	static ConnectedClient start(CuratorFramework curator, UnaryOperator<ZooKeeperLockClient.Builder> settings) {
		try {
			return connect(curator, settings);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while connecting", ex);
		}
	}

	private static ConnectedClient connect(CuratorFramework curator,
			UnaryOperator<ZooKeeperLockClient.Builder> settings) throws InterruptedException {
		try {
			curator.start();
			ZooKeeperLockClient client = settings.apply(ZooKeeperLockClient.builder(curator)).build();
			try {
				client.acquire(LockRequest.exclusive("zk-lock-test-ready").owner(new Object()).timeout(PATIENCE))
					.release();
				return new ConnectedClient(curator, client);
			}
			catch (Throwable ex) {
				client.close();
				throw ex;
			}
		}
		catch (Throwable ex) {
			curator.close();
			throw ex;
		}
	}

	@Override
	public void close() {
		this.client.close();
		this.curator.close();
	}

}
