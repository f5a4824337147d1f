package io.github.zklock.sample.contest;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.utils.DefaultZookeeperFactory;
import org.apache.curator.utils.ZookeeperFactory;

import io.github.zklock.LockClient;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.zookeeper.ZooKeeperLockClient;

/**
 * A ZooKeeper session of a client's own, as every process in the world outside has one.
 */
public final class OwnSession implements AutoCloseable {

	private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(30);

	private static final int CONNECTION_TIMEOUT_MILLIS = 10_000;

	private final CuratorFramework curator;

	private OwnSession(CuratorFramework curator) {
		this.curator = curator;
	}

	static OwnSession connect(String connectString, ZookeeperFactory handles) throws InterruptedException {
		return connect(connectString, SESSION_TIMEOUT, handles);
	}

	/**
	 * Opens a session.
	 * @param connectString where the servers are
	 * @param sessionTimeout after what time without a sign of life they end it
	 * @return the session
	 * @throws LockUnavailableException if no server accepted it
	 * @throws InterruptedException if interrupted; there is no session
	 */
	public static OwnSession connect(String connectString, Duration sessionTimeout) throws InterruptedException {
		return connect(connectString, sessionTimeout, new DefaultZookeeperFactory());
	}

	private static OwnSession connect(String connectString, Duration sessionTimeout, ZookeeperFactory handles)
			throws InterruptedException {
		CuratorFramework curator = CuratorFrameworkFactory.builder()
			.connectString(connectString)
			.sessionTimeoutMs((int) sessionTimeout.toMillis())
			.connectionTimeoutMs(CONNECTION_TIMEOUT_MILLIS)
			.retryPolicy(new RetryOneTime(1000))
			.zookeeperFactory(handles)
			.ensembleTracker(false)
			.build();
		OwnSession session = new OwnSession(curator);
		curator.start();
		try {
			session.awaitConnection(connectString);
			return session;
		}
		catch (InterruptedException | LockUnavailableException ex) {
			session.close();
			throw ex;
		}
	}

	private void awaitConnection(String connectString) throws InterruptedException {
		if (!this.curator.blockUntilConnected(CONNECTION_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)) {
			throw new LockUnavailableException(
					"No ZooKeeper server at %s accepted another session within %d s; does it allow enough connections (maxClientCnxns)?"
						.formatted(connectString, CONNECTION_TIMEOUT_MILLIS / 1000));
		}
	}

	CuratorFramework curator() {
		return this.curator;
	}

	/**
	 * Makes a lock client on this session. It is closed before the session.
	 * @param root the path that has the locks below it
	 * @param strategy the lock strategy's name
	 * @param timeout how long a request queues at most
	 * @param name what the lock nodes say of who made them
	 * @return the client
	 */
	public LockClient lockClient(String root, String strategy, Duration timeout, String name) {
		// tag::builder[]
		return ZooKeeperLockClient.builder(this.curator)
			.root(root)
			.strategy(strategy)
			.timeout(timeout)
			.instance(name)
			.build();
		// end::builder[]
	}

	@Override
	public void close() {
		this.curator.close();
	}

}
