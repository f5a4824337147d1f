package io.github.zklock.sample.contest;

import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.utils.ZookeeperFactory;

import io.github.zklock.LockClient;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.zookeeper.ZooKeeperLockClient;

/**
 * A ZooKeeper session of a client's own, as every process in the world outside has one.
 */
final class OwnSession implements AutoCloseable {

	/** Below it are the keys of contests, apart from those of the shop. */
	static final String ROOT = "/zk-lock-contests";

	private static final int SESSION_TIMEOUT_MILLIS = 30_000;

	private static final int CONNECTION_TIMEOUT_MILLIS = 10_000;

	private final CuratorFramework curator;

	private OwnSession(CuratorFramework curator) {
		this.curator = curator;
	}

	static OwnSession connect(String connectString, ZookeeperFactory handles) throws InterruptedException {
		CuratorFramework curator = CuratorFrameworkFactory.builder()
			.connectString(connectString)
			.sessionTimeoutMs(SESSION_TIMEOUT_MILLIS)
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

	LockClient lockClient(ContestSpec spec, int client) {
		// tag::builder[]
		return ZooKeeperLockClient.builder(this.curator)
			.root(ROOT)
			.strategy(spec.strategy())
			.timeout(spec.timeout())
			.instance("client " + client)
			.build();
		// end::builder[]
	}

	@Override
	public void close() {
		this.curator.close();
	}

}
