package io.github.zklock.test;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.zookeeper.CuratorBlueprint;

/**
 * Does to an application what other instances and bad networks do: holds its locks, and
 * ends its session.
 *
 * @since 0.1.0
 */
public final class LockTester implements AutoCloseable {

	private static final Duration PATIENCE = ConnectedClient.PATIENCE;

	private static final Duration MOMENT = Duration.ofMillis(500);

	private final CuratorFramework tested;

	private final String root;

	private final String keyPrefix;

	private final boolean nestedKeys;

	private final CuratorBlueprint connections;

	private @Nullable ConnectedClient rival;

	/**
	 * Creates a tester of an application whose keys have neither a prefix nor are nested.
	 * @param tested the connection of the application under test
	 * @param root the node that has its locks below it
	 */
	public LockTester(CuratorFramework tested, String root) {
		this(tested, root, "");
	}

	/**
	 * Creates a tester of an application whose keys have a prefix, and are not nested.
	 * @param tested the connection of the application under test
	 * @param root the node that has its locks below it
	 * @param keyPrefix what its keys begin with in ZooKeeper
	 */
	public LockTester(CuratorFramework tested, String root, String keyPrefix) {
		this(tested, root, keyPrefix, false);
	}

	/**
	 * Creates a tester. It must look where the application has its keys: elsewhere it
	 * finds them free, and excludes nobody.
	 * @param tested the connection of the application under test
	 * @param root the node that has its locks below it
	 * @param keyPrefix what its keys begin with in ZooKeeper; may be empty
	 * @param nestedKeys whether a {@code /} in a key makes a path
	 */
	public LockTester(CuratorFramework tested, String root, String keyPrefix, boolean nestedKeys) {
		this(tested, root, keyPrefix, nestedKeys, () -> another(tested));
	}

	/**
	 * Creates a tester whose other instance connects as the application does.
	 * @param tested the connection of the application under test
	 * @param root the node that has its locks below it
	 * @param keyPrefix what its keys begin with in ZooKeeper
	 * @param nestedKeys whether a {@code /} in a key makes a path
	 * @param connections makes the connection of the other instance
	 */
	LockTester(CuratorFramework tested, String root, String keyPrefix, boolean nestedKeys,
			CuratorBlueprint connections) {
		this.tested = tested;
		this.root = root;
		this.keyPrefix = keyPrefix;
		this.nestedKeys = nestedKeys;
		this.connections = connections;
	}

	static CuratorFramework another(CuratorFramework tested) {
		CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder()
			.connectString(tested.getZookeeperClient().getCurrentConnectionString())
			.ensembleTracker(false)
			.retryPolicy(new RetryOneTime(100));
		if (!tested.getNamespace().isEmpty()) {
			builder.namespace(tested.getNamespace());
		}
		return builder.build();
	}

	/**
	 * Returns the lock client of another instance: the same servers, credentials and
	 * root, with a session of its own. It is closed with the tester. It knows the
	 * credentials of a connection that is made of the {@code zk-lock} properties, and not
	 * those of a {@code CuratorFramework} bean of the user's.
	 * @return the client
	 * @throws LockUnavailableException if it gets no session within ten seconds, or the
	 * servers refuse
	 */
	public synchronized LockClient rival() {
		if (this.rival == null) {
			this.rival = ConnectedClient.start(this.connections.build(),
					(builder) -> builder.root(this.root)
						.keyPrefix(this.keyPrefix)
						.nestedKeys(this.nestedKeys)
						.application("rival")
						.timeout(PATIENCE));
		}
		return this.rival.client();
	}

	/**
	 * Holds a key as another instance, in mode EXCLUSIVE, until the handle is released.
	 * Waits for up to ten seconds until the key is free.
	 * @param key the key
	 * @return the handle
	 * @throws LockTimeoutException if the key does not become free
	 * @throws LockUnavailableException if ZooKeeper gave no answer in time or refused, or
	 * this is closed
	 */
	public LockHandle hold(String key) {
		LockRequest request = LockRequest.exclusive(key).owner(new Object());
		return acquire(request)
			.orElseThrow(() -> new LockTimeoutException("Lock '" + key + "' did not become free within " + PATIENCE));
	}

	/**
	 * Returns whether another instance could take a key within half a second: a release
	 * does not wait for the server, so a key that was just released may still be busy. If
	 * ZooKeeper gives no answer in that time, it asks again, for up to ten seconds.
	 * @param key the key
	 * @return false if it is held, in whatever mode
	 * @throws LockUnavailableException as {@link #hold}
	 */
	public boolean isFree(String key) {
		LockRequest request = LockRequest.exclusive(key).timeout(MOMENT).owner(new Object());
		long begin = System.nanoTime();
		while (true) {
			long asked = System.nanoTime();
			try {
				Optional<LockHandle> handle = acquire(request);
				handle.ifPresent((held) -> held.releaseAsync().join());
				return handle.isPresent();
			}
			catch (LockUnavailableException ex) {
				long now = System.nanoTime();
				// What is thrown sooner is an answer
				if (now - asked < MOMENT.toNanos() || now - begin > PATIENCE.toNanos()) {
					throw ex;
				}
			}
		}
	}

	private Optional<LockHandle> acquire(LockRequest request) {
		try {
			return rival().tryAcquire(request);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while asking for a lock", ex);
		}
	}

	/**
	 * Ends the session of the application under test, as its servers do with one that
	 * they have not touched for too long. All its locks are lost and free when this
	 * returns; it gets a new session by itself.
	 * @throws IllegalStateException if that takes longer than ten seconds
	 */
	public void expireSession() {
		try {
			ZooKeeper handle = connected();
			CountDownLatch connected = new CountDownLatch(1);
			try (ZooKeeper same = new ZooKeeper(this.tested.getZookeeperClient().getCurrentConnectionString(),
					(int) PATIENCE.toMillis(), (event) -> {
						if (event.getState() == KeeperState.SyncConnected) {
							connected.countDown();
						}
					}, handle.getSessionId(), handle.getSessionPasswd())) {
				if (!connected.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
					throw new IllegalStateException("The session could not be taken over");
				}
			}
			awaitDead(handle);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while ending the session", ex);
		}
		catch (IllegalStateException ex) {
			throw ex;
		}
		catch (Exception ex) {
			throw new IllegalStateException("The session could not be ended", ex);
		}
	}

	// A session that has ended is followed by another one, which takes a moment
	private ZooKeeper connected() throws Exception {
		long begin = System.nanoTime();
		while (true) {
			ZooKeeper handle = this.tested.getZookeeperClient().getZooKeeper();
			if (handle.getState().isConnected()) {
				return handle;
			}
			if (System.nanoTime() - begin > PATIENCE.toNanos()) {
				throw new IllegalStateException("The application has no session");
			}
			TimeUnit.MILLISECONDS.sleep(5);
		}
	}

	private static void awaitDead(ZooKeeper handle) throws InterruptedException {
		long begin = System.nanoTime();
		while (handle.getState().isAlive()) {
			if (System.nanoTime() - begin > PATIENCE.toNanos()) {
				throw new IllegalStateException("The application has not noticed the end of its session");
			}
			TimeUnit.MILLISECONDS.sleep(5);
		}
	}

	/**
	 * Closes the other instance, if there is one, so that it holds nothing any more.
	 */
	@Override
	public synchronized void close() {
		if (this.rival != null) {
			this.rival.close();
		}
	}

}
