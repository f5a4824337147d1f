package io.github.zklock.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The connections of a test, and the lock clients on them.
 */
public abstract class ConnectingFixture {

	/** The session time-out of clients that do not choose another. */
	public static final Duration SESSION = Duration.ofSeconds(6);

	/**
	 * A ZooKeeper handle takes a tenth of a second to close; the next test need not wait.
	 */
	private static final ThreadPoolExecutor CLOSER = new ThreadPoolExecutor(16, 16, 1, TimeUnit.SECONDS,
			new LinkedBlockingQueue<>(), (task) -> {
				Thread thread = new Thread(task, "test-closer");
				thread.setDaemon(true);
				return thread;
			});

	/** The executor's own counts leave out a task whose thread has not begun. */
	private static final AtomicInteger CLOSING = new AtomicInteger();

	private final Map<AutoCloseable, CuratorFramework> clients = new LinkedHashMap<>();

	private final List<CuratorFramework> curators = new ArrayList<>();

	/**
	 * Returns the servers.
	 * @return the servers
	 */
	public abstract TestServers servers();

	/**
	 * Returns the lock clients that were taken over.
	 * @return their connections, by client
	 */
	final Map<AutoCloseable, CuratorFramework> clients() {
		return this.clients;
	}

	/**
	 * Takes over a lock client; it is closed after the test.
	 * @param <T> its type
	 * @param client the client
	 * @param connection its connection
	 * @return the client
	 */
	public <T extends AutoCloseable> T closing(T client, CuratorFramework connection) {
		this.clients.put(client, connection);
		return client;
	}

	/**
	 * Opens a connection; it is closed after the test.
	 * @param session the session time-out
	 * @return the connection
	 */
	public CuratorFramework curator(Duration session) {
		return curator(session, servers().connectString());
	}

	/**
	 * Opens a connection to some address; it is closed after the test.
	 * @param session the session time-out
	 * @param connectString the address
	 * @return the connection, connected if a server is there
	 */
	public CuratorFramework curator(Duration session, String connectString) {
		return curator(CuratorFrameworkFactory.builder().sessionTimeoutMs((int) session.toMillis()), connectString);
	}

	/**
	 * Opens a connection as described; it is closed after the test.
	 * @param builder the description
	 * @param connectString the address
	 * @return the connection
	 */
	public CuratorFramework curator(CuratorFrameworkFactory.Builder builder, String connectString) {
		CuratorFramework curator = builder.connectString(connectString)
			.connectionTimeoutMs(5_000)
			.retryPolicy(new RetryOneTime(50))
			.ensembleTracker(false)
			.build();
		curator.start();
		this.curators.add(curator);
		return curator;
	}

	/**
	 * Returns the connection of a client.
	 * @param client one that was taken over
	 * @return its connection
	 */
	public CuratorFramework curatorOf(AutoCloseable client) {
		return this.clients.get(client);
	}

	/**
	 * Returns the session of a client.
	 * @param client one that was taken over
	 * @return the session's id
	 */
	public long sessionOf(AutoCloseable client) {
		try {
			return curatorOf(client).getZookeeperClient().getZooKeeper().getSessionId();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Returns a connection to do things with that are no concern of the engine's.
	 * @return the first one that was opened, or a new one
	 */
	final CuratorFramework anyCurator() {
		if (this.curators.isEmpty()) {
			return curator(SESSION);
		}
		return this.curators.get(0);
	}

	/** Closes all connections soon. */
	final void closeConnections() {
		this.curators.forEach(ConnectingFixture::closeLater);
	}

	/** Waits until the connections of earlier tests are closed. */
	static void awaitOthersClosed() {
		await("earlier sessions are closed").atMost(Actor.PATIENCE).until(() -> CLOSING.get() == 0);
	}

	private static void closeLater(CuratorFramework curator) {
		CLOSING.incrementAndGet();
		CLOSER.execute(() -> {
			try {
				curator.close();
			}
			finally {
				CLOSING.decrementAndGet();
			}
		});
	}

	/**
	 * Waits until a connection is connected.
	 * @param connection the connection
	 */
	public static void awaitConnected(CuratorFramework connection) {
		try {
			assertThat(connection.blockUntilConnected((int) Actor.PATIENCE.toSeconds(), TimeUnit.SECONDS))
				.as("connected")
				.isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
