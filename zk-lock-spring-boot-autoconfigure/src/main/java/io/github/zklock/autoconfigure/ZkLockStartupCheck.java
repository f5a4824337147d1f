package io.github.zklock.autoconfigure;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows why no lock can be acquired although servers answer: what stops the start, unless
 * {@code zk-lock.fail-fast=false}.
 */
final class ZkLockStartupCheck implements AutoCloseable {

	/*-
	 * Looks at the root of the locks at start or after the first connection, and once in each new
	 * session, because the servers may have other data by then. What is found in the way is looked at
	 * again for as long as it is asked for, because an operator may have cured it. A look that lost an
	 * answer is repeated, on the next connection too, because where nothing is in the way nobody may
	 * ever ask.
	 *
	 * Any thread asks, gets what is known, and does not wait: one look at a time is under way, on a
	 * thread of its own. A look that was not answered changes nothing. Once the servers have answered
	 * all of it, and nothing is in the way, they are not asked again in that session; before, every ten
	 * seconds at most, and after each new connection. Lost sessions are numbered, so that a look that
	 * began before a loss does not pass for one after it.
	 */

	private static final Logger log = LoggerFactory.getLogger(ZkLockStartupCheck.class);

	private static final long AGAIN = Duration.ofSeconds(10).toNanos();

	private final CuratorFramework curator;

	private final String root;

	private final ACLProvider acls;

	private final RootAccess access;

	private final @Nullable Duration sessionTimeout;

	private final ConnectionStateListener connections = (client, state) -> changed(state);

	private final AtomicBoolean looking = new AtomicBoolean();

	private volatile @Nullable ZkLockStartupException found;

	private final AtomicInteger losses = new AtomicInteger();

	/** How many sessions were lost before the look that found nothing in the way. */
	private volatile int passed = -1;

	/** Whether there was a connection since the last look began. */
	private volatile boolean reconnected;

	private volatile boolean closed;

	private volatile long lookedAt = System.nanoTime();

	/**
	 * Creates a check that has not looked yet.
	 * @param curator a started client
	 * @param root the path of the root
	 * @param nested whether key nodes are below others
	 * @param acls what the locks are to have
	 * @param sessionTimeout which session time-out is asked for, or null if it is not
	 * known
	 */
	ZkLockStartupCheck(CuratorFramework curator, String root, boolean nested, ACLProvider acls,
			@Nullable Duration sessionTimeout) {
		this.curator = curator;
		this.root = root;
		this.acls = acls;
		this.access = new RootAccess(curator, root, nested, acls);
		this.sessionTimeout = sessionTimeout;
	}

	CuratorFramework curator() {
		return this.curator;
	}

	ACLProvider acls() {
		return this.acls;
	}

	/**
	 * Looks now, again where an answer was lost, and in each new session.
	 * @throws ZkLockStartupException if no lock can be acquired
	 */
	void pass() {
		this.looking.set(true);
		this.curator.getConnectionStateListenable().addListener(this.connections);
		try {
			ask();
		}
		catch (Throwable ex) {
			close();
			throw ex;
		}
		finally {
			this.looking.set(false);
		}
		lookIfConnected();
	}

	private void ask() {
		ZkLockStartupException problem = sessionProblem();
		if (problem != null) {
			throw problem;
		}
		int before = this.losses.get();
		if (this.access.check()) {
			this.passed = before;
		}
	}

	private boolean isPassed() {
		return this.passed == this.losses.get();
	}

	/**
	 * Looks once there is a connection, without keeping anybody waiting, and in each new
	 * session. What would have stopped the start is logged.
	 */
	void passWhenConnected() {
		this.curator.getConnectionStateListenable().addListener(this.connections);
		lookIfConnected();
	}

	private void lookIfConnected() {
		if (isWritable()) {
			connected();
		}
	}

	private void changed(ConnectionState state) {
		if (state == ConnectionState.LOST) {
			this.losses.incrementAndGet();
		}
		else if (state == ConnectionState.CONNECTED || state == ConnectionState.RECONNECTED) {
			connected();
		}
	}

	private void connected() {
		this.reconnected = true;
		look();
	}

	/**
	 * Does not wait for a connection any more: it may be the user's, and outlive the
	 * application.
	 */
	@Override
	public void close() {
		this.closed = true;
		this.curator.getConnectionStateListenable().removeListener(this.connections);
	}

	/**
	 * Says why no lock can be acquired, as far as is known. Asks no server by itself.
	 * @return full sentences with what to change, or null if nothing is in the way
	 */
	@Nullable String problem() {
		ZkLockStartupException session = sessionProblem();
		ZkLockStartupException known = this.found;
		if (!isPassed() && System.nanoTime() - this.lookedAt > AGAIN && isWritable()) {
			look();
		}
		ZkLockStartupException first = (session != null) ? session : known;
		return (first != null) ? describe(first) : null;
	}

	private @Nullable ZkLockStartupException sessionProblem() {
		return (this.sessionTimeout != null) ? StartupConnection.sessionProblem(this.curator, this.sessionTimeout)
				: null;
	}

	private void look() {
		if (!this.closed && !isPassed() && this.looking.compareAndSet(false, true)) {
			Thread thread = new Thread(this::lookNow, "zk-lock-root-access");
			thread.setDaemon(true);
			thread.start();
		}
	}

	private void lookNow() {
		this.reconnected = false;
		try {
			ask();
			if (isPassed()) {
				answered();
			}
		}
		catch (ZkLockStartupException ex) {
			ZkLockStartupException before = this.found;
			if (before == null || !describe(ex).equals(describe(before))) {
				log.error(describe(ex));
			}
			this.found = ex;
		}
		catch (RuntimeException ex) {
			log.error("Whether locks can be acquired below {} is not known", this.root, ex);
		}
		finally {
			this.lookedAt = System.nanoTime();
			this.looking.set(false);
		}
		// Of the connection that lost an answer, the next one may be there already
		if (this.reconnected) {
			look();
		}
	}

	private void answered() {
		if (this.found != null) {
			this.found = null;
			log.info("Locks can be acquired below {} now", this.root);
		}
	}

	private static String describe(ZkLockStartupException problem) {
		return problem.getMessage() + " " + problem.action();
	}

	private boolean isWritable() {
		try {
			return this.curator.getZookeeperClient().isConnected()
					&& this.curator.getZookeeperClient().getZooKeeper().getState() == ZooKeeper.States.CONNECTED;
		}
		catch (Exception ex) {
			log.debug("There is no connection yet", ex);
			return false;
		}
	}

}
