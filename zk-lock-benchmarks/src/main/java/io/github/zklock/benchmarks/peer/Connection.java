package io.github.zklock.benchmarks.peer;

import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;

/**
 * Where a library finds its servers.
 *
 * @param servers the connect string
 * @param root below which node, or with which prefix, its locks are
 * @param sessionMillis the session time-out
 */
public record Connection(String servers, String root, int sessionMillis) {

	/**
	 * Connects to ZooKeeper.
	 * @return a client with its session, to be closed
	 */
	public CuratorFramework curator() {
		CuratorFramework curator = CuratorFrameworkFactory.builder()
			.connectString(this.servers)
			.sessionTimeoutMs(this.sessionMillis)
			.connectionTimeoutMs(30_000)
			.retryPolicy(new RetryOneTime(100))
			.ensembleTracker(false)
			.build();
		curator.start();
		try {
			if (!curator.blockUntilConnected(30, TimeUnit.SECONDS)) {
				throw new IllegalStateException("No connection to " + this.servers);
			}
			return curator;
		}
		catch (InterruptedException ex) {
			curator.close();
			throw new IllegalStateException("Interrupted", ex);
		}
	}

}
