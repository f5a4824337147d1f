package io.github.zklock.autoconfigure;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;

import org.apache.zookeeper.server.DatadirCleanupManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.util.FileSystemUtils;

/**
 * A ZooKeeper server inside this JVM, reachable from this host only. It is ZooKeeper's
 * own one and not the one of Curator's tests, which ends the JVM when its port is in use.
 */
final class EmbeddedZooKeeperServer implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(EmbeddedZooKeeperServer.class);

	/** Classes that a server needs and that do not come with the ZooKeeper client. */
	static final List<String> REQUIRED_CLASSES = List.of("com.codahale.metrics.Reservoir",
			"org.xerial.snappy.SnappyInputStream");

	private static final String LOOPBACK = "127.0.0.1";

	/** Allows sessions of 2 to 20 seconds. */
	private static final Duration TICK = Duration.ofSeconds(1);

	/** How many are kept, with the transactions since the oldest of them. */
	private static final int SNAPSHOTS = 3;

	private static final int HOURS_BETWEEN_PURGES = 1;

	private final Path directory;

	private final boolean temporary;

	private final @Nullable DirectoryLock lock;

	private final EmbeddedServerThread server;

	private final DatadirCleanupManager purges;

	private final String connectString;

	/**
	 * Starts a server.
	 * @param port the port, or 0 for a free one
	 * @param dataDirectory where the data stays, or null for a temporary directory
	 * @throws ZkLockStartupException if it cannot be started
	 */
	EmbeddedZooKeeperServer(int port, @Nullable File dataDirectory) {
		this.temporary = dataDirectory == null;
		Path made = null;
		DirectoryLock locked = null;
		try {
			made = (dataDirectory != null) ? Files.createDirectories(dataDirectory.toPath())
					: Files.createTempDirectory("zk-lock-server");
			locked = (dataDirectory != null) ? lock(made) : null;
			this.server = start(made, port);
			this.connectString = LOOPBACK + ":" + this.server.port();
			this.directory = made;
			this.lock = locked;
			File data = data(made);
			// A server that is embedded does not do so itself
			this.purges = new DatadirCleanupManager(data, data, SNAPSHOTS, HOURS_BETWEEN_PURGES);
			this.purges.start();
			log.warn(
					"Locks are kept by a ZooKeeper server in this process, which zk-lock.embedded.enabled has started at {}: they exclude only clients that are connected to it. In production set zk-lock.connect-string",
					this.connectString);
		}
		catch (ZkLockStartupException ex) {
			throw ex;
		}
		catch (Exception ex) {
			if (this.temporary && made != null) {
				FileSystemUtils.deleteRecursively(made.toFile());
			}
			unlock(locked, ex);
			throw new ZkLockStartupException(
					"The embedded ZooKeeper server could not be started on port %d: %s.".formatted(port,
							NestedExceptionUtils.getMostSpecificCause(ex)),
					"Check that the port is free, or set zk-lock.embedded.port=0 for a free one; check that zk-lock.embedded.data-directory can be written, and that its file system can lock files.",
					ex);
		}
	}

	private static DirectoryLock lock(Path directory) throws IOException {
		DirectoryLock lock = DirectoryLock.tryLock(directory);
		if (lock == null) {
			throw new ZkLockStartupException(
					"Another embedded ZooKeeper server, of this process or another, serves the directory '%s'."
						.formatted(directory),
					"Set zk-lock.connect-string to the address of that server, which its application logs at start and zk-lock.embedded.port fixes, as in zk-lock.connect-string=localhost:2181; or stop that application, or set another zk-lock.embedded.data-directory.");
		}
		return lock;
	}

	private static void unlock(@Nullable DirectoryLock lock, Exception failure) {
		try {
			if (lock != null) {
				lock.close();
			}
		}
		catch (IOException ex) {
			failure.addSuppressed(ex);
		}
	}

	private static EmbeddedServerThread start(Path directory, int port) throws Exception {
		Properties configuration = new Properties();
		configuration.setProperty("dataDir", data(directory).getAbsolutePath());
		configuration.setProperty("clientPort", Integer.toString(port));
		configuration.setProperty("clientPortAddress", LOOPBACK);
		configuration.setProperty("tickTime", Long.toString(TICK.toMillis()));
		configuration.setProperty("maxClientCnxns", "0");
		configuration.setProperty("admin.enableServer", "false");
		return EmbeddedServerThread.start(configuration);
	}

	private static File data(Path directory) {
		return directory.resolve("data").toFile();
	}

	String connectString() {
		return this.connectString;
	}

	@Override
	public void close() throws IOException {
		this.purges.shutdown();
		try {
			this.server.close();
			if (this.temporary) {
				FileSystemUtils.deleteRecursively(this.directory);
			}
		}
		finally {
			if (this.lock != null) {
				this.lock.close();
			}
		}
	}

}
