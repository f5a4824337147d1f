package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.ACLProvider;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.zklock.HandOver;
import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockListener;
import io.github.zklock.LockLostException;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.LockUpgradeException;
import io.github.zklock.LostReason;
import io.github.zklock.internal.client.Acquisition;
import io.github.zklock.internal.client.Events;
import io.github.zklock.internal.client.HeldLock;
import io.github.zklock.internal.client.Hold;
import io.github.zklock.internal.client.Holds;
import io.github.zklock.internal.client.LocalCaller;
import io.github.zklock.internal.client.SlowWait;
import io.github.zklock.internal.client.ThreadLocks;
import io.github.zklock.internal.cohort.Cohorts;
import io.github.zklock.internal.cohort.Share;
import io.github.zklock.internal.concurrent.Deadline;
import io.github.zklock.internal.concurrent.Timer;
import io.github.zklock.internal.session.SessionSource;
import io.github.zklock.spi.Grant;
import io.github.zklock.spi.LockEntry;
import io.github.zklock.spi.LockStrategy;

/*
 * OPEN -> CLOSED. I1: an acquisition that begins while `close` runs is ended by one of the
 * two: it looks at `closed` after it has joined `pending`, `close` reads `pending` after it
 * has set `closed`. A grant that comes later finds its outcome decided and is released.
 * I2: a hold that is made while `close` runs is given up by one of the two: it looks at
 *     `closed` after it was added, `close` reads the holds after it has set `closed`.
 */
/**
 * The lock client on ZooKeeper.
 *
 * @since 0.1.0
 */
public final class ZooKeeperLockClient implements LockClient {

	private static final Logger log = LoggerFactory.getLogger(ZooKeeperLockClient.class);

	private static final Duration LONGEST_WAIT = Duration.ofDays(36_500);

	private final LockSessions sessions;

	private final boolean ownsSessions;

	private final Map<String, LockStrategy> strategies;

	private final String defaultStrategy;

	private final Duration defaultTimeout;

	private final KeyRules rules;

	private final Duration slowWait;

	private final Executor callbacks;

	private final @Nullable ThreadPoolExecutor ownCallbacks;

	private final Events events;

	private final Cohorts cohorts;

	private final Holds holds = new Holds();

	private final Acquisition.Host host = new Common();

	private final ThreadLocks threadLocks = new ThreadLocks(this, this::acquireUninterruptibly);

	private final Set<Acquisition> pending = ConcurrentHashMap.newKeySet();

	private final AtomicBoolean closed = new AtomicBoolean();

	private ZooKeeperLockClient(Builder builder, LockSessions sessions, boolean ownsSessions,
			Map<String, LockStrategy> strategies, KeyRules rules) {
		this.sessions = sessions;
		this.ownsSessions = ownsSessions;
		this.strategies = Map.copyOf(strategies);
		this.defaultStrategy = builder.defaultStrategy;
		this.defaultTimeout = builder.timeout;
		this.rules = rules;
		this.slowWait = builder.slowWait;
		this.ownCallbacks = (builder.callbacks == null) ? newCallbacks() : null;
		this.callbacks = (builder.callbacks != null) ? builder.callbacks : Objects.requireNonNull(this.ownCallbacks);
		this.events = new Events(builder.listeners, this::callBack, source().clock());
		HandOver general = builder.handOver;
		this.cohorts = new Cohorts(source().timer()::run, source().clock(), (key) -> rules.handOver(key, general),
				source()::isConfirmed);
	}

	private static ThreadPoolExecutor newCallbacks() {
		AtomicInteger number = new AtomicInteger();
		return new ThreadPoolExecutor(0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), (task) -> {
			Thread thread = new Thread(task, "zk-lock-callback-" + number.incrementAndGet());
			thread.setDaemon(true);
			return thread;
		});
	}

	/**
	 * Starts to build a client with sessions of its own.
	 * @param curator a started Curator client; it is not closed by the lock client
	 * @return the builder
	 */
	public static Builder builder(CuratorFramework curator) {
		return new Builder(LockSessions.builder(curator), null);
	}

	/**
	 * Starts to build a client on sessions that exist, for strategies that are made
	 * outside.
	 * @param sessions the sessions; they are not closed by the lock client
	 * @return the builder
	 */
	public static Builder builder(LockSessions sessions) {
		return new Builder(null, sessions);
	}

	/**
	 * Returns the strategies that a request may name.
	 * @return their names, sorted
	 */
	public Set<String> strategies() {
		return new TreeSet<>(this.strategies.keySet());
	}

	@Override
	public LockHandle acquire(LockRequest request) throws InterruptedException {
		if (Thread.interrupted()) {
			throw new InterruptedException("Interrupted before " + Acquisition.named(request) + " was asked for");
		}
		return begin(request, Thread.currentThread()).await();
	}

	@Override
	public Optional<LockHandle> tryAcquire(LockRequest request) throws InterruptedException {
		try {
			return Optional.of(acquire(request));
		}
		catch (LockTimeoutException busy) {
			return Optional.empty();
		}
	}

	/**
	 * Acquires without a deadline and without regard to interrupts.
	 * @param request the request; its time-out does not count
	 * @return the handle
	 */
	LockHandle acquireUninterruptibly(LockRequest request) {
		return begin(request, Thread.currentThread()).awaitUninterruptibly();
	}

	@Override
	@SuppressWarnings("FutureReturnValueIgnored") // the stages behind ours only pass its
													// outcome on
	public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
		checkStrategy(request);
		CompletableFuture<LockHandle> users = new CompletableFuture<>();
		Acquisition acquisition;
		try {
			acquisition = begin(request, new Object());
		}
		catch (LockUpgradeException | LockLostException | LockUnavailableException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		acquisition.expireBy(source().timer());
		acquisition.outcome().whenComplete((handle, failure) -> callBack(() -> {
			if (handle == null) {
				users.completeExceptionally(failure);
			}
			else if (!users.complete(handle)) {
				handle.release();
			}
		}));
		users.whenComplete((handle, failure) -> {
			if (!acquisition.isDecided()) {
				acquisition.fail((failure != null) ? failure
						: new LockUnavailableException("The future was completed by its user"));
			}
		});
		return users;
	}

	void callBack(Runnable task) {
		try {
			this.callbacks.execute(task);
		}
		catch (RuntimeException ex) {
			log.debug("The callback executor takes no more, so a thread is made", ex);
			Thread thread = new Thread(task, "zk-lock-callback");
			thread.setDaemon(true);
			thread.start();
		}
	}

	private LockStrategy checkStrategy(LockRequest request) {
		if (request.strategy() != null) {
			strategy(request.strategy());
		}
		return strategy(strategyName(request));
	}

	private LockStrategy strategy(String name) {
		LockStrategy strategy = this.strategies.get(name);
		if (strategy == null) {
			throw unknownStrategy(name, strategies());
		}
		return strategy;
	}

	private static IllegalArgumentException unknownStrategy(String name, Set<String> known) {
		return new IllegalArgumentException("Unknown lock strategy '" + name + "'; known are " + known);
	}

	private String strategyName(LockRequest request) {
		String named = (request.strategy() != null) ? request.strategy() : this.defaultStrategy;
		return this.rules.find(request.keys(), KeyRule::strategy).orElse(named);
	}

	private Duration timeout(LockRequest request) {
		return (request.timeout() != null) ? request.timeout()
				: this.rules.find(request.keys(), KeyRule::timeout).orElse(this.defaultTimeout);
	}

	private Acquisition begin(LockRequest request, Object defaultOwner) {
		LockStrategy strategy = checkStrategy(request);
		Object owner = (request.owner() != null) ? request.owner() : defaultOwner;
		Deadline deadline = Deadline.in(timeout(request), source().clock());
		if (this.closed.get()) {
			throw closedException(request);
		}
		Acquisition acquisition = new Acquisition(this.host, request, strategyName(request), owner, deadline,
				reenter(owner, request));
		this.events.asked(acquisition.event());
		LockEntry entry = acquisition.entry();
		if (entry == null) {
			acquisition.reenter();
			return acquisition;
		}
		this.pending.add(acquisition);
		if (this.closed.get()) {
			acquisition.fail(closedException(request));
		}
		else if (!acquisition.isDecided()) {
			acquisition.entered(this.cohorts.enter(entry, strategy, acquisition));
			watchSlowness(acquisition, entry, strategy);
		}
		return acquisition;
	}

	private void watchSlowness(Acquisition acquisition, LockEntry entry, LockStrategy strategy) {
		if (!this.slowWait.isZero()) {
			SlowWait slow = new SlowWait(acquisition, entry, strategy, this.slowWait, this::callBack);
			acquisition.warnBy(timer(), this.slowWait.toNanos(), slow::tell);
		}
	}

	private static LockUnavailableException closedException(LockRequest request) {
		return new LockUnavailableException(
				"Could not acquire " + Acquisition.named(request) + ": the lock client is closed");
	}

	private List<Hold> reenter(Object owner, LockRequest request) {
		List<Hold> entered = new ArrayList<>(1);
		try {
			for (String key : request.keys()) {
				Hold hold = this.holds.find(owner, key);
				if (hold != null && hold.enter()) {
					entered.add(hold);
					checkReentry(hold, request);
				}
			}
			return entered;
		}
		catch (LockLostException | LockUpgradeException ex) {
			entered.forEach(Hold::exit);
			throw ex;
		}
	}

	private static void checkReentry(Hold hold, LockRequest request) {
		if (!hold.isValid()) {
			LostReason reason = hold.lostReason();
			throw new LockLostException("Could not enter the lock '%s' again: it was lost because %s"
				.formatted(hold.key(), ((reason != null) ? reason : LostReason.LEASE_EXPIRED).description()));
		}
		if (hold.mode() == LockMode.READ && request.mode() != LockMode.READ) {
			throw new LockUpgradeException(
					"Could not acquire the lock '%s' in mode %s: its owner holds it in mode READ and would wait for itself; release the READ first, or ask for WRITE from the start"
						.formatted(hold.key(), request.mode()));
		}
	}

	/**
	 * Finds the grants behind a handle.
	 * @param handle a handle of this client, or one that passes on to it
	 * @return one grant for each key; none if the handle was released, or is another
	 * client's
	 */
	List<Grant> grantsOf(LockHandle handle) {
		List<Grant> grants = new ArrayList<>(1);
		for (String key : handle.keys()) {
			Hold hold = this.holds.withToken(key, handle.fencingToken(key));
			if (hold == null) {
				return List.of();
			}
			grants.add(hold.grant());
		}
		return grants;
	}

	/**
	 * Tells what the owners of this client hold and wait for.
	 * @return one for each owner
	 */
	Collection<LocalCaller> localCallers() {
		Map<Object, LocalCaller> callers = new HashMap<>();
		this.holds.all()
			.forEach((hold) -> callers.computeIfAbsent(hold.owner(), LocalCaller::of).holds().add(hold.key()));
		this.pending.forEach((acquisition) -> {
			LockEntry entry = acquisition.entry();
			if (entry != null && !acquisition.isDecided()) {
				LocalCaller caller = callers.computeIfAbsent(acquisition.owner(), LocalCaller::of);
				entry.keys().forEach((key) -> caller.wants().put(key, entry.mode()));
			}
		});
		return callers.values();
	}

	Acquisition.Host host() {
		return this.host;
	}

	SessionSource source() {
		return this.sessions.source();
	}

	Timer timer() {
		return source().timer();
	}

	@Override
	public Lock asLock(String key) {
		return this.threadLocks.view(LockRequest.exclusive(key));
	}

	@Override
	public ReadWriteLock asReadWriteLock(String key) {
		return this.threadLocks.readWriteView(key);
	}

	/**
	 * Counts what this client keeps: nothing when nobody acquires, holds or is being
	 * removed.
	 * @return the number of pending acquisitions, holds, cohorts, views that are locked,
	 * and of what the sessions count
	 */
	int openCount() {
		return this.pending.size() + this.holds.count() + this.cohorts.count() + this.threadLocks.count()
				+ source().openCount();
	}

	@Override
	public void close() {
		if (this.closed.compareAndSet(false, true)) {
			CompletableFuture<Void> leaving = leaveAll();
			if (this.ownsSessions) {
				this.sessions.close();
			}
			if (!this.ownsSessions || source().isSettled()) {
				awaitShortly(CompletableFuture.allOf(leaving, this.cohorts.whenEmpty()));
			}
			if (this.ownCallbacks != null) {
				this.ownCallbacks.shutdown();
			}
		}
	}

	/**
	 * Ends whatever is pending or held, and everything that comes later.
	 * @return completes when the servers have confirmed
	 */
	CompletableFuture<Void> leaveAll() {
		this.closed.set(true);
		List<CompletableFuture<Void>> leaving = new ArrayList<>();
		this.pending.forEach((acquisition) -> {
			if (acquisition.fail(closedException(acquisition.request()))) {
				leaving.add(acquisition.whenLeft().toCompletableFuture());
			}
		});
		this.holds.all().forEach((hold) -> leaving.add(hold.close().toCompletableFuture()));
		leaving.add(this.cohorts.stopRetaining());
		return CompletableFuture.allOf(leaving.toArray(CompletableFuture[]::new));
	}

	private void awaitShortly(CompletableFuture<Void> leaving) {
		try {
			leaving.get(SessionSource.CLOSE_SECONDS, TimeUnit.SECONDS);
		}
		catch (TimeoutException | ExecutionException ex) {
			log.warn("ZooKeeper has not yet confirmed the removal of all lock nodes; they will be removed "
					+ "as soon as it answers, or with the session", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/** What all acquisitions have in common. */
	private final class Common implements Acquisition.Host {

		@Override
		public Hold newHold(Object owner, Share share) {
			Hold hold = new Hold(ZooKeeperLockClient.this.holds, owner, share);
			ZooKeeperLockClient.this.holds.add(hold);
			if (ZooKeeperLockClient.this.closed.get()) {
				hold.close();
			}
			return hold;
		}

		@Override
		public HeldLock newHandle(LockListener.Event acquired, LockRequest request, List<Hold> parts) {
			return new HeldLock(acquired, request, parts, ZooKeeperLockClient.this::callBack,
					ZooKeeperLockClient.this.events);
		}

		@Override
		public void ended(Acquisition acquisition, @Nullable Throwable cause) {
			ZooKeeperLockClient.this.pending.remove(acquisition);
			if (cause == null) {
				ZooKeeperLockClient.this.events.acquired(acquisition.event());
			}
			else {
				ZooKeeperLockClient.this.events.notAcquired(acquisition.event(), cause);
			}
		}

		@Override
		public Timer timer() {
			return source().timer();
		}

		@Override
		public String servers() {
			return source().servers();
		}

	}

	/**
	 * Builds a client.
	 */
	public static final class Builder {

		private final LockSessions.@Nullable Builder ownSessions;

		private final @Nullable LockSessions givenSessions;

		private final Map<String, LockStrategy> strategies = new TreeMap<>();

		private final List<LockListener> listeners = new ArrayList<>();

		private String defaultStrategy = SequentialLockStrategy.NAME;

		private Duration timeout = Duration.ofSeconds(10);

		private Duration slowWait = Duration.ZERO;

		private HandOver handOver = HandOver.DEFAULT;

		private final List<KeyRule> rules = new ArrayList<>();

		private @Nullable Executor callbacks;

		private Builder(LockSessions.@Nullable Builder ownSessions, @Nullable LockSessions givenSessions) {
			this.ownSessions = ownSessions;
			this.givenSessions = givenSessions;
		}

		LockSessions.Builder sessions() {
			if (this.ownSessions == null) {
				throw new IllegalStateException("This belongs to the LockSessions that were given");
			}
			return this.ownSessions;
		}

		/**
		 * Sets below which node the locks are.
		 * @param root an absolute path; {@code /zk-lock} unless set
		 * @return this builder
		 * @throws IllegalStateException if the client is built on given sessions
		 */
		public Builder root(String root) {
			sessions().root(root);
			return this;
		}

		/**
		 * Sets who may touch the locks. The provider is asked for the root, for the nodes
		 * above it and for the place of each key, by their full paths; what stands in a
		 * place has the place's ACL. It is asked on threads of the engine, which serve
		 * other keys too: it must answer at once.
		 * @param aclProvider gives the ACLs; open to all unless set
		 * @return this builder
		 * @throws IllegalStateException if the client is built on given sessions
		 */
		public Builder aclProvider(ACLProvider aclProvider) {
			sessions().aclProvider(aclProvider);
			return this;
		}

		/**
		 * Names the application, for people who look at the nodes.
		 * @param application any text
		 * @return this builder
		 * @throws IllegalStateException if the client is built on given sessions
		 */
		public Builder application(String application) {
			sessions().application(application);
			return this;
		}

		/**
		 * Names this instance of the application, for people who look at the nodes.
		 * @param instance any text; application, host and process id unless set
		 * @return this builder
		 * @throws IllegalStateException if the client is built on given sessions
		 */
		public Builder instance(String instance) {
			sessions().instance(instance);
			return this;
		}

		/**
		 * Chooses the strategy of requests that name none.
		 * @param name {@code sequential} unless set
		 * @return this builder
		 */
		public Builder strategy(String name) {
			this.defaultStrategy = name;
			return this;
		}

		/**
		 * Adds a strategy, or replaces a built-in one.
		 * @param name the name by which requests choose it
		 * @param strategy the strategy
		 * @return this builder
		 */
		public Builder strategy(String name, LockStrategy strategy) {
			this.strategies.put(name, strategy);
			return this;
		}

		/**
		 * Sets the time-out of requests that have none.
		 * @param timeout ten seconds unless set
		 * @return this builder
		 * @throws IllegalArgumentException if negative
		 */
		public Builder timeout(Duration timeout) {
			if (timeout.isNegative()) {
				throw new IllegalArgumentException("The default time-out must not be negative, but is " + timeout);
			}
			this.timeout = timeout;
			return this;
		}

		/**
		 * Sets after how long a warning says that a caller waits, and who holds what it
		 * waits for; once for each call.
		 * @param slowWait up to a hundred years; zero, which it is unless set, for never
		 * @return this builder
		 * @throws IllegalArgumentException if negative or too long
		 */
		public Builder slowWait(Duration slowWait) {
			if (slowWait.isNegative() || slowWait.compareTo(LONGEST_WAIT) > 0) {
				throw new IllegalArgumentException(
						"The time after which a wait is slow must be zero to a hundred years, but is " + slowWait);
			}
			this.slowWait = slowWait;
			return this;
		}

		/**
		 * Sets how long local callers may pass a lock on among themselves.
		 * @param handOver the bounds; {@link HandOver#DEFAULT} unless set
		 * @return this builder
		 */
		public Builder handOver(HandOver handOver) {
			this.handOver = handOver;
			return this;
		}

		/**
		 * Adds a rule for some of the keys. Its strategy counts also for requests that
		 * name another, its time-out for those that have none. Of several rules that
		 * match a key the narrower one counts first; of several keys in one request the
		 * first one for which a rule says anything.
		 * @param rule the rule
		 * @return this builder
		 */
		public Builder rule(KeyRule rule) {
			this.rules.add(rule);
			return this;
		}

		/**
		 * Sets where the user's code runs: continuations of futures, onLost actions,
		 * listeners.
		 * @param executor not shut down by the client; daemon threads made as needed
		 * unless set
		 * @return this builder
		 */
		public Builder callbackExecutor(Executor executor) {
			this.callbacks = executor;
			return this;
		}

		/**
		 * Adds a listener.
		 * @param listener hears of all acquisitions
		 * @return this builder
		 */
		public Builder listener(LockListener listener) {
			this.listeners.add(listener);
			return this;
		}

		/**
		 * Builds the client.
		 * @return the client, to be closed
		 * @throws IllegalStateException if Curator was not started
		 * @throws IllegalArgumentException if the default strategy, or that of a rule, is
		 * not known, if two rules contradict each other, or if the root is not a legal
		 * path
		 */
		public ZooKeeperLockClient build() {
			Set<String> known = new TreeSet<>(this.strategies.keySet());
			known.addAll(Set.of(SequentialLockStrategy.NAME, NaiveLockStrategy.NAME));
			if (!known.contains(this.defaultStrategy)) {
				throw unknownStrategy(this.defaultStrategy, known);
			}
			for (KeyRule rule : this.rules) {
				if (rule.strategy() != null && !known.contains(rule.strategy())) {
					throw unknownStrategy(rule.strategy(), known);
				}
			}
			KeyRules ordered = new KeyRules(this.rules);
			boolean own = this.givenSessions == null;
			LockSessions sessions = own ? sessions().build() : Objects.requireNonNull(this.givenSessions);
			Map<String, LockStrategy> all = new TreeMap<>();
			all.put(SequentialLockStrategy.NAME, new SequentialLockStrategy(sessions));
			all.put(NaiveLockStrategy.NAME, new NaiveLockStrategy(sessions));
			all.putAll(this.strategies);
			return new ZooKeeperLockClient(this, sessions, own, all, ordered);
		}

	}

}
