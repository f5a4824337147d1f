package io.github.zklock.zookeeper;

import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.framework.imps.DefaultACLProvider;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.zklock.LockSessionStatus;
import io.github.zklock.concurrent.Mailbox;

/*
 * Curator makes the ZooKeeper handles; we take the raw one of each session as soon as it is
 * connected, and let go of it when the session has ended. `current` goes from null to a
 * session and from one session to the next, by CAS.
 *
 * I1: who waits for a session gets one: `await` looks at `current` after it has joined the
 *     waiting, `adopt` reads the waiting after it has set `current`. While anyone waits a
 *     timer looks too, because Curator drops events when its queue is full.
 * I2: a session object is made once for each handle: `adopt` does nothing for the handle
 *     that is current, and a handle that was found dead is not adopted.
 * I3: the threads end when this is closed and no session tracks anything.
 * I4: `unconnectedAt` is a moment when Curator was not connected, so that whatever session
 *     it has later was made, or confirmed by the leader, after it.
 * I5: Curator is never called on the timer thread, because it may keep its caller waiting:
 *     for the monitor, for one, that its event thread holds while it closes an expired
 *     session. Deadlines, leases and maxHold depend on that thread.
 * Source: Curator tech notes on session and connection states.
 */
/**
 * The sessions that a lock client's contenders live in, one after the other, on one
 * {@link CuratorFramework}; with where the locks are and who we are.
 *
 * @since 0.1.0
 */
public final class LockSessions implements LockSessionStatus, AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(LockSessions.class);

	/** How long a close waits for the servers. */
	static final int CLOSE_SECONDS = 2;

	private static final int MAILBOXES = 64;

	private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private static final long RENEWAL_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** For how long a refusal explains that there is no session. */
	private static final long REFUSED_NANOS = TimeUnit.SECONDS.toNanos(3);

	private final CuratorFramework curator;

	private final LockPaths paths;

	private final Identity identity;

	private final LongSupplier clock;

	private final @Nullable Duration asked;

	private final Timer timer = new Timer("zk-lock-timer");

	private final Timer search = new Timer("zk-lock-session");

	private final ConnectionStateListener connectionListener = this::stateChanged;

	private final AtomicReference<@Nullable LockSession> current = new AtomicReference<>();

	private final Set<Contest> waiting = ConcurrentHashMap.newKeySet();

	private final AtomicReference<@Nullable Long> unconnectedAt = new AtomicReference<>();

	private final List<Mailbox> mailboxes = Stream.generate(Mailbox::new).limit(MAILBOXES).toList();

	private final List<RecentPlaces> recentPlaces;

	private final SignalCounts counts = new SignalCounts();

	private volatile @Nullable ConnectionState connectionState;

	private volatile String servers;

	private final AtomicBoolean polling = new AtomicBoolean();

	// These two are used by the thread of the search alone
	private long nextRenewal;

	private long refusedUntil;

	private final AtomicBoolean closed = new AtomicBoolean();

	private final CountDownLatch settled = new CountDownLatch(1);

	private LockSessions(Builder builder) {
		this.curator = builder.curator;
		this.servers = this.curator.getZookeeperClient().getCurrentConnectionString();
		this.paths = LockPaths.of(Objects.requireNonNullElse(this.curator.getNamespace(), ""), builder.root,
				builder.acls);
		String host = hostName();
		long pid = ProcessHandle.current().pid();
		String instance = (builder.instance != null) ? builder.instance : builder.application + "@" + host + ":" + pid;
		this.identity = Identity.of(builder.application, instance, host, pid, builder.wallClock);
		this.clock = builder.clock;
		this.asked = builder.askedSessionTimeout;
		this.recentPlaces = Stream.generate(() -> new RecentPlaces(this.clock)).limit(MAILBOXES).toList();
		this.nextRenewal = this.clock.getAsLong();
		this.refusedUntil = this.nextRenewal;
	}

	private static String hostName() {
		try {
			return InetAddress.getLocalHost().getHostName();
		}
		catch (UnknownHostException ex) {
			log.debug("This host has no name", ex);
			return ManagementFactory.getRuntimeMXBean().getName();
		}
	}

	/**
	 * Starts to build on a Curator client.
	 * @param curator a started client; it is not closed by us
	 * @return the builder
	 */
	public static Builder builder(CuratorFramework curator) {
		return new Builder(curator);
	}

	private LockSessions start() {
		this.curator.getConnectionStateListenable().addListener(this.connectionListener);
		adoptIfConnected();
		return this;
	}

	LockPaths paths() {
		return this.paths;
	}

	Identity identity() {
		return this.identity;
	}

	LongSupplier clock() {
		return this.clock;
	}

	Timer timer() {
		return this.timer;
	}

	/**
	 * Returns where the steps of a key's contests run. Because one key's contests share
	 * it, their requests go out in the order in which they were asked for: the delete of
	 * one that leaves before the first look of one that enters next.
	 * @param key the key
	 * @return the mailbox of this key, and of others
	 */
	Mailbox mailbox(String key) {
		return this.mailboxes.get(Math.floorMod(key.hashCode(), MAILBOXES));
	}

	/**
	 * Returns what was seen lately of the place of a key; to be asked in its mailbox
	 * only.
	 * @param key the key
	 * @return the memory of all keys of that mailbox
	 */
	RecentPlaces recentPlaces(String key) {
		return this.recentPlaces.get(Math.floorMod(key.hashCode(), MAILBOXES));
	}

	@Override
	public String servers() {
		return this.servers;
	}

	@Override
	public State state() {
		LockSession session = current();
		if (session == null || session.isOver() || this.connectionState == ConnectionState.LOST) {
			return State.LOST;
		}
		return session.isConnected() ? State.CONNECTED : State.SUSPENDED;
	}

	@Override
	public long sessionId() {
		LockSession session = current();
		return (session != null) ? session.id() : 0;
	}

	@Override
	public Duration sessionTimeout() {
		LockSession session = current();
		return (session != null) ? session.timeout() : Duration.ZERO;
	}

	@Override
	public long watchEvents() {
		return this.counts.watchEvents().sum();
	}

	@Override
	public long leftoversRemoved() {
		return this.counts.leftovers().sum();
	}

	@Nullable LockSession current() {
		LockSession session = this.current.get();
		return (session != null && session.isLive()) ? session : null;
	}

	/**
	 * Tells whether a server has confirmed the session lately.
	 * @return whether there is a session with a valid lease
	 */
	boolean isConfirmed() {
		LockSession session = this.current.get();
		return session != null && session.isConfirmed();
	}

	/**
	 * Tells a contest when there is a session, at once if there is one.
	 * @param contest who waits
	 */
	void await(Contest contest) {
		this.waiting.add(contest);
		LockSession session = current();
		if (session == null) {
			poll();
			session = current();
		}
		if (session != null && this.waiting.remove(contest)) {
			contest.sessionBegan(session);
		}
	}

	void forget(Contest contest) {
		this.waiting.remove(contest);
	}

	private void poll() {
		if (this.polling.compareAndSet(false, true)) {
			this.search.run(POLL_NANOS, () -> {
				this.polling.set(false);
				if (!this.waiting.isEmpty()) {
					adoptIfConnected();
					renewIfRefused();
				}
				if (!this.waiting.isEmpty()) {
					poll();
				}
			});
		}
	}

	private void stateChanged(CuratorFramework client, ConnectionState state) {
		log.debug("Connection state {}", state);
		this.connectionState = state;
		this.servers = client.getZookeeperClient().getCurrentConnectionString();
		if (state.isConnected()) {
			adoptIfConnected();
		}
		LockSession session = this.current.get();
		if (session != null) {
			session.checkAlive();
			if (state == ConnectionState.RECONNECTED && session.isLive()) {
				session.afterSync(() -> Sweep.of(session, this.paths, this.identity));
			}
		}
	}

	private void adoptIfConnected() {
		long lookedAt = this.clock.getAsLong();
		if (this.curator.getState() != CuratorFrameworkState.STARTED
				|| !this.curator.getZookeeperClient().isConnected()) {
			this.unconnectedAt.set(lookedAt);
			return;
		}
		try {
			adopt(this.curator.getZookeeperClient().getZooKeeper());
		}
		catch (Exception ex) {
			log.debug("No ZooKeeper handle yet", ex);
		}
	}

	// Curator keeps a handle whose credentials a server has refused, and it is dead for
	// good. The server, or what it asks about us, may have been mended meanwhile.
	private void renewIfRefused() {
		try {
			if (this.curator.getState() != CuratorFrameworkState.STARTED) {
				return;
			}
			long now = this.clock.getAsLong();
			if (this.curator.getZookeeperClient().getZooKeeper().getState() == ZooKeeper.States.AUTH_FAILED) {
				this.refusedUntil = now + REFUSED_NANOS;
				tellWaiting((contest) -> contest.refused(Code.AUTHFAILED, this.paths.root()));
				if (now - this.nextRenewal >= 0) {
					this.nextRenewal = now + RENEWAL_NANOS;
					log.warn("A ZooKeeper server refused the credentials of this client; connecting anew");
					this.curator.getZookeeperClient().reset();
				}
			}
			else if (this.refusedUntil - now > 0) {
				tellWaiting((contest) -> contest.disturbed(Code.AUTHFAILED, this.paths.root()));
			}
		}
		catch (Exception ex) {
			log.debug("No ZooKeeper handle to renew", ex);
		}
	}

	private void tellWaiting(Consumer<Contest> what) {
		this.waiting.forEach((contest) -> contest.step(() -> what.accept(contest)));
	}

	private void adopt(ZooKeeper handle) {
		LockSession known = this.current.get();
		boolean fresh = known == null || !known.uses(handle);
		if (handle.getClientConfig().getBoolean(ZKClientConfig.DISABLE_AUTO_WATCH_RESET)) {
			log.error("No lock can be had from a ZooKeeper client with {}=true: it forgets watches when it reconnects, "
					+ "so that waiters would never wake", ZKClientConfig.DISABLE_AUTO_WATCH_RESET);
			return;
		}
		if (fresh && handle.getState().isConnected()) {
			LockSession session = new LockSession(handle, this.clock, this.timer, this.counts, this.unconnectedAt.get(),
					this::idle);
			if (!this.current.compareAndSet(known, session)) {
				return;
			}
			if (known != null) {
				known.end();
			}
			checkTimeout(session.timeout(), known);
			session.begin();
		}
		LockSession session = current();
		if (session != null) {
			this.waiting.forEach((contest) -> {
				if (this.waiting.remove(contest)) {
					contest.sessionBegan(session);
				}
			});
		}
	}

	// Once for each time-out, not for each session
	private void checkTimeout(Duration given, @Nullable LockSession before) {
		Duration wanted = this.asked;
		if (wanted == null || given.equals(wanted) || (before != null && given.equals(before.timeout()))) {
			return;
		}
		if (given.compareTo(wanted) > 0) {
			log.warn(
					"The ZooKeeper servers raised the session time-out from {} ms to {} ms, which is their minSessionTimeout, "
							+ "by default two ticks. Whether a lock is still held can only be known with a session time-out of "
							+ "five ticks at least: ask for more, or lower the servers' tickTime",
					wanted.toMillis(), given.toMillis());
		}
		else {
			log.warn(
					"The ZooKeeper servers cut the session time-out from {} ms to {} ms, which is their maxSessionTimeout, "
							+ "by default twenty ticks: after that time without an answer the locks of this client are free. "
							+ "Ask for no more, or raise maxSessionTimeout on all servers",
					wanted.toMillis(), given.toMillis());
		}
	}

	private void idle(LockSession session) {
		if (this.closed.get()) {
			settle();
		}
	}

	private void settle() {
		LockSession session = current();
		if (session == null || session.trackedCount() == 0) {
			this.timer.stop();
			this.search.stop();
			this.settled.countDown();
		}
	}

	/**
	 * Counts what this client has, or may have, in ZooKeeper, and what it keeps because
	 * of that; zero when nobody holds, waits or is being removed.
	 * @return the number of tracked nodes, shared watches and contests without a session
	 */
	int openCount() {
		LockSession session = current();
		return this.waiting.size() + ((session != null) ? session.trackedCount() + session.watches().count() : 0);
	}

	/**
	 * Lets go of Curator. Contenders that have not left yet go on until they have; this
	 * waits for them for a short time.
	 */
	@Override
	public void close() {
		if (this.closed.compareAndSet(false, true)) {
			settle();
		}
		try {
			if (!this.settled.await(CLOSE_SECONDS, TimeUnit.SECONDS)) {
				log.warn("ZooKeeper has not yet confirmed the removal of {} lock nodes; they will be removed "
						+ "as soon as it answers, or with the session", openCount());
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		this.curator.getConnectionStateListenable().removeListener(this.connectionListener);
	}

	/**
	 * Tells whether these are closed and have nothing left in ZooKeeper.
	 * @return true after a {@link #close} that need not give up
	 */
	boolean isSettled() {
		return this.settled.getCount() == 0;
	}

	/**
	 * Builds sessions.
	 */
	public static final class Builder {

		private final CuratorFramework curator;

		private String root = "/zk-lock";

		private ACLProvider acls = new DefaultACLProvider();

		private String application = "application";

		private @Nullable String instance;

		private @Nullable Duration askedSessionTimeout;

		private InstantSource wallClock = InstantSource.system();

		private LongSupplier clock = System::nanoTime;

		private Builder(CuratorFramework curator) {
			this.curator = curator;
		}

		/**
		 * Sets below which node the locks are, within Curator's namespace if it has one.
		 * @param root an absolute path; {@code /zk-lock} unless set
		 * @return this builder
		 */
		public Builder root(String root) {
			this.root = root;
			return this;
		}

		/**
		 * Sets who may touch the locks. The provider is asked for the root, for the nodes
		 * above it and for the place of each key, by their full paths; what stands in a
		 * place has the place's ACL. It is asked on threads of the engine, which serve
		 * other keys too: it must answer at once.
		 * @param aclProvider gives the ACLs; open to all unless set
		 * @return this builder
		 */
		public Builder aclProvider(ACLProvider aclProvider) {
			this.acls = aclProvider;
			return this;
		}

		/**
		 * Names the application, for people who look at the nodes.
		 * @param application any text
		 * @return this builder
		 */
		public Builder application(String application) {
			this.application = application;
			return this;
		}

		/**
		 * Names this instance of the application, for people who look at the nodes.
		 * @param instance any text; application, host and process id unless set
		 * @return this builder
		 */
		public Builder instance(String instance) {
			this.instance = instance;
			return this;
		}

		/**
		 * Says which session time-out Curator asks the servers for, so that a warning
		 * tells when they give another: they keep it between their
		 * {@code minSessionTimeout} and {@code maxSessionTimeout}.
		 * @param asked the time-out; nothing is compared unless set
		 * @return this builder
		 */
		public Builder askedSessionTimeout(Duration asked) {
			this.askedSessionTimeout = asked;
			return this;
		}

		Builder clock(LongSupplier nanoTime) {
			this.clock = nanoTime;
			return this;
		}

		/**
		 * Builds the sessions and takes the first one as soon as Curator is connected.
		 * @return the sessions, to be closed after all clients that use them
		 * @throws IllegalStateException if Curator was not started
		 * @throws IllegalArgumentException if the root is not a legal path of its own
		 */
		public LockSessions build() {
			if (this.curator.getState() != CuratorFrameworkState.STARTED) {
				throw new IllegalStateException(
						"The CuratorFramework must be started, but is " + this.curator.getState());
			}
			return new LockSessions(this).start();
		}

	}

}
