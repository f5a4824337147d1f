package io.github.zklock.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;

import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;

/**
 * A ZooKeeper server inside the JVM of a test, on a free port of this host only.
 *
 * @since 0.1.0
 */
public final class EmbeddedZooKeeper implements AutoCloseable {

	private static final String LOOPBACK = "127.0.0.1";

	/** Sessions last two ticks at least. */
	private static final int TICK_MILLIS = 100;

	private final TestingServer server;

	private EmbeddedZooKeeper(TestingServer server) {
		this.server = server;
	}

	/**
	 * Starts a server.
	 * @return the server, to be closed
	 * @throws IllegalStateException if it cannot be started
	 */
	public static EmbeddedZooKeeper start() {
		try {
			return new EmbeddedZooKeeper(new TestingServer(onThisHostOnly(), true));
		}
		catch (NoClassDefFoundError ex) {
			throw new IllegalStateException(
					"A ZooKeeper server for tests needs org.apache.curator:curator-test on the class path", ex);
		}
		catch (Exception ex) {
			throw new IllegalStateException("The ZooKeeper server could not be started", ex);
		}
	}

	// A free port, a temporary directory, and whatever session time-out the application
	// has
	private static InstanceSpec onThisHostOnly() {
		Map<String, Object> properties = Map.of("clientPortAddress", LOOPBACK, "maxSessionTimeout",
				Integer.toString(Integer.MAX_VALUE));
		return new InstanceSpec(null, -1, -1, -1, true, -1, TICK_MILLIS, -1, properties, LOOPBACK);
	}

	/**
	 * Returns where the server is.
	 * @return {@code host:port}
	 */
	public String connectString() {
		return this.server.getConnectString();
	}

	/**
	 * Stops the server and deletes its data.
	 */
	@Override
	public void close() {
		try {
			this.server.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
