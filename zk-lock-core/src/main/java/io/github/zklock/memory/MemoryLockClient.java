package io.github.zklock.memory;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockListener;
import io.github.zklock.LockRequest;
import io.github.zklock.LockSessionStatus;
import io.github.zklock.inspect.LockInspector;
import io.github.zklock.internal.client.RequestRules;
import io.github.zklock.internal.client.ShareBound;
import io.github.zklock.internal.client.ThreadOwnedLocks;

/**
 * A lock client that needs no server, for tests and for one instance in development. It
 * behaves as the one on ZooKeeper does while sessions last, but excludes nobody outside
 * this process. All clients of a process that have the same root exclude each other.
 *
 * @since 0.1.0
 */
public final class MemoryLockClient implements LockClient, LockSessionStatus {

	private static final Logger log = LoggerFactory.getLogger(MemoryLockClient.class);

	private static final String SERVERS = "none: locks are in memory and exclude nobody outside this process";

	private final MemoryClientParts parts;

	private final ThreadOwnedLocks threadOwnedLocks;

	private MemoryLockClient(Builder builder) {
		this.parts = new MemoryClientParts(builder.settings, SERVERS);
		this.threadOwnedLocks = new ThreadOwnedLocks(this, this.parts.core().acquirer()::acquireUninterruptibly);
		log.warn("Locks are in memory and exclude nobody outside this process");
	}

	/**
	 * Starts to build a client.
	 * @return the builder
	 */
	public static Builder builder() {
		return new Builder();
	}

	/**
	 * Returns the strategies that a request may name. All are the same here.
	 * @return their names, sorted
	 */
	public Set<String> strategies() {
		return this.parts.core().rules().names();
	}

	/**
	 * Returns an inspector of the locks below the root, of all clients of this process.
	 * @return the inspector; closing it does nothing
	 */
	public LockInspector inspector() {
		return new MemoryLockInspector(this.parts.strategy(), this.parts.core().open());
	}

	@Override
	public LockHandle acquire(LockRequest request) throws InterruptedException {
		return this.parts.core().acquirer().acquire(request);
	}

	@Override
	public Optional<LockHandle> tryAcquire(LockRequest request) throws InterruptedException {
		return this.parts.core().acquirer().tryAcquire(request);
	}

	@Override
	public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
		return this.parts.core().acquirer().acquireAsync(request);
	}

	@Override
	public LockClient notAgainWithin(Duration within, boolean takesOver) {
		return this.parts.jobs().view(this, within, takesOver);
	}

	@Override
	public Lock asLock(String key) {
		return this.threadOwnedLocks.view(LockRequest.exclusive(key));
	}

	@Override
	public ReadWriteLock asReadWriteLock(String key) {
		return this.threadOwnedLocks.readWriteView(key);
	}

	/**
	 * Returns whether locks can be acquired.
	 * @return {@code CONNECTED} until the client is closed
	 */
	@Override
	public State state() {
		return this.parts.core().isClosed() ? State.LOST : State.CONNECTED;
	}

	@Override
	public long sessionId() {
		return 0;
	}

	@Override
	public Duration sessionTimeout() {
		return Duration.ZERO;
	}

	/**
	 * Says that there are no servers.
	 * @return a text for people
	 */
	@Override
	public String servers() {
		return SERVERS;
	}

	@Override
	public long watchEvents() {
		return 0;
	}

	@Override
	public long leftoversRemoved() {
		return 0;
	}

	@Override
	public long engineFailures() {
		return this.parts.strategy().failures().count();
	}

	@Override
	public void close() {
		this.parts.close();
	}

	/**
	 * Counts what this client keeps: nothing when nobody acquires or holds.
	 * @return the number of what its parts count, and of views that are locked
	 */
	int openCount() {
		return this.parts.core().openCount() + this.threadOwnedLocks.count();
	}

	/**
	 * Builds a client.
	 */
	public static final class Builder {

		private final MemoryClientSettings settings = new MemoryClientSettings(InstantSource.system());

		private Builder() {
		}

		/**
		 * Sets below which path the locks are. Clients with different roots do not
		 * exclude each other.
		 * @param root any text; {@code /zk-lock} unless set
		 * @return this builder
		 */
		public Builder root(String root) {
			this.settings.root = root;
			return this;
		}

		/**
		 * Names the application, for people who look at the queues.
		 * @param application any text
		 * @return this builder
		 */
		public Builder application(String application) {
			this.settings.application = application;
			return this;
		}

		/**
		 * Names this instance of the application, for people who look at the queues.
		 * @param instance any text; application and process id unless set
		 * @return this builder
		 */
		public Builder instance(String instance) {
			this.settings.instance = instance;
			return this;
		}

		/**
		 * Chooses the name of the strategy that is reported for requests that name none.
		 * @param name {@code sequential} unless set
		 * @return this builder
		 */
		public Builder strategy(String name) {
			this.settings.defaultStrategy(name);
			return this;
		}

		/**
		 * Adds names of strategies that requests may use. All keys are served first come
		 * first served, whatever strategy a request names; only callers of one client may
		 * hand a key off among themselves, for a tenth of a second at most.
		 * @param names besides {@code sequential} and {@code naive}
		 * @return this builder
		 */
		public Builder strategies(Collection<String> names) {
			this.settings.strategies.addAll(names);
			return this;
		}

		/**
		 * Sets the time-out of requests that have none.
		 * @param timeout ten seconds unless set
		 * @return this builder
		 * @throws IllegalArgumentException if negative
		 */
		public Builder timeout(Duration timeout) {
			this.settings.timeout(timeout);
			return this;
		}

		/**
		 * Sets the time-out of requests that have none, for some of the keys.
		 * @param pattern which keys; {@code *} stands for any text
		 * @param timeout how long they queue at most
		 * @return this builder
		 * @throws IllegalArgumentException if negative
		 */
		public Builder timeout(String pattern, Duration timeout) {
			this.settings.timeouts.add(new MemoryClientSettings.TimeoutRule(pattern,
					RequestRules.notNegative("The time-out of " + pattern, timeout)));
			return this;
		}

		/**
		 * Sets how many of some keys this client holds at a time.
		 * @param pattern which keys; {@code *} stands for any text
		 * @param keys how many of them
		 * @return this builder
		 * @throws IllegalArgumentException if less than one
		 */
		public Builder maxHeld(String pattern, int keys) {
			this.settings.bounds.add(new ShareBound(pattern, keys));
			return this;
		}

		/**
		 * Sets after how long a warning says that a caller waits, and who holds what it
		 * waits for.
		 * @param slowWait zero, which it is unless set, for never
		 * @return this builder
		 * @throws IllegalArgumentException if negative, or longer than a hundred years
		 */
		public Builder slowWait(Duration slowWait) {
			this.settings.slowWait(slowWait);
			return this;
		}

		/**
		 * Sets in which time a slow wait is warned of once at most for each key.
		 * @param interval a minute unless set, zero for a warning for each call
		 * @return this builder
		 * @throws IllegalArgumentException if negative, or longer than a hundred years
		 */
		public Builder slowWaitInterval(Duration interval) {
			this.settings.slowWaitInterval(interval);
			return this;
		}

		/**
		 * Sets how many keys a request may have. A larger one is refused with an
		 * {@link IllegalArgumentException}.
		 * @param keys 1,000 unless set
		 * @return this builder
		 * @throws IllegalArgumentException if less than one
		 */
		public Builder maxKeysPerRequest(int keys) {
			this.settings.maxKeysPerRequest(keys);
			return this;
		}

		/**
		 * Sets where the user's code runs, as for the client on ZooKeeper.
		 * @param executor not shut down by the client; daemon threads made as needed
		 * unless set
		 * @return this builder
		 */
		public Builder callbackExecutor(Executor executor) {
			this.settings.callbacks(executor);
			return this;
		}

		/**
		 * Sets how many threads the client makes at most for the user's code.
		 * @param threads 256 unless set
		 * @return this builder
		 * @throws IllegalArgumentException if less than one
		 */
		public Builder maxCallbackThreads(int threads) {
			this.settings.maxCallbackThreads(threads);
			return this;
		}

		/**
		 * Sets how many events wait at most behind a listener that does not return.
		 * Acquisitions that begin while as many wait are not reported, and the log warns.
		 * @param events 100,000 unless set
		 * @return this builder
		 * @throws IllegalArgumentException if less than one
		 */
		public Builder maxWaitingEvents(int events) {
			this.settings.maxWaitingEvents(events);
			return this;
		}

		/**
		 * Adds a listener.
		 * @param listener is notified of all acquisitions
		 * @return this builder
		 */
		public Builder listener(LockListener listener) {
			this.settings.listener(listener);
			return this;
		}

		/**
		 * Builds the client, and warns in the log that it excludes nobody outside this
		 * process.
		 * @return the client, to be closed
		 * @throws IllegalArgumentException if the default strategy is not known, or if
		 * two time-outs, or bounds, contradict each other
		 */
		public MemoryLockClient build() {
			return new MemoryLockClient(this);
		}

	}

}
