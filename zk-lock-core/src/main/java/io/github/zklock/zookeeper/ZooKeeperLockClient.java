package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.Supplier;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.ACLProvider;
import org.jspecify.annotations.Nullable;

import io.github.zklock.Handoff;
import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockListener;
import io.github.zklock.LockRequest;
import io.github.zklock.internal.client.LockAcquirer;
import io.github.zklock.internal.client.ThreadOwnedLocks;
import io.github.zklock.spi.LockStrategy;

/**
 * The lock client on ZooKeeper.
 *
 * @since 0.1.0
 */
public final class ZooKeeperLockClient implements LockClient {

	private final ClientParts parts;

	private final LockAcquirer acquirer;

	private final ThreadOwnedLocks threadOwnedLocks;

	private ZooKeeperLockClient(ClientParts parts) {
		this.parts = parts;
		this.acquirer = parts.core().acquirer();
		this.threadOwnedLocks = new ThreadOwnedLocks(this, this.acquirer::acquireUninterruptibly);
	}

	/**
	 * Starts to build a client with sessions of its own. It does not know which session
	 * time-out was asked for, so it does not notice if the servers cut or raise it: for
	 * that, build it on {@link LockSessions#builder(CuratorFramework)} with
	 * {@link LockSessions.Builder#askedSessionTimeout}.
	 * @param curator a Curator client, started before {@link Builder#build()}; it is not
	 * closed by the lock client
	 * @return the builder
	 */
	public static Builder builder(CuratorFramework curator) {
		return new Builder(LockSessions.builder(curator), null);
	}

	/**
	 * Starts to build a client on sessions that exist, for strategies that are made
	 * outside. To those who look at nodes, clients on the same sessions are one client:
	 * the inspector shows the callers of all of them as ours, and no {@code onContended}
	 * reports the callers of the other clients.
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
		return this.parts.core().rules().names();
	}

	@Override
	public LockHandle acquire(LockRequest request) throws InterruptedException {
		return this.acquirer.acquire(request);
	}

	@Override
	public Optional<LockHandle> tryAcquire(LockRequest request) throws InterruptedException {
		return this.acquirer.tryAcquire(request);
	}

	@Override
	public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
		return this.acquirer.acquireAsync(request);
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

	@Override
	public void close() {
		this.parts.close();
	}

	ClientParts parts() {
		return this.parts;
	}

	/**
	 * Counts what this client keeps: nothing when nobody acquires, holds or is being
	 * removed.
	 * @return the number of what its parts count, and of views that are locked
	 */
	int openCount() {
		return this.parts.openCount() + this.threadOwnedLocks.count();
	}

	/**
	 * Builds a client.
	 */
	public static final class Builder {

		private final LockSessions.@Nullable Builder ownSessions;

		private final @Nullable LockSessions givenSessions;

		private final ClientSettings settings = new ClientSettings();

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
		 * Sets what each key begins with in ZooKeeper, as
		 * {@link LockSessions.Builder#keyPrefix} does.
		 * @param keyPrefix the prefix; empty unless set
		 * @return this builder
		 * @throws IllegalArgumentException if keys cannot begin with it
		 * @throws IllegalStateException if the client is built on given sessions
		 */
		public Builder keyPrefix(String keyPrefix) {
			sessions().keyPrefix(keyPrefix);
			return this;
		}

		/**
		 * Sets whether a {@code /} in a key makes a path, as
		 * {@link LockSessions.Builder#nestedKeys} does.
		 * @param nestedKeys whether it does; false unless set
		 * @return this builder
		 * @throws IllegalStateException if the client is built on given sessions
		 */
		public Builder nestedKeys(boolean nestedKeys) {
			sessions().nestedKeys(nestedKeys);
			return this;
		}

		/**
		 * Sets who may touch the locks. The provider is asked for the root, for the nodes
		 * above it and for the node of each key, by their full paths; with nested keys
		 * also for the nodes on the way to that. What is below a key node has its ACL, as
		 * have the marks of a job and the nodes by which holders are asked; the parents
		 * of these have the root's. It is asked on threads of the engine, which serve
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
			this.settings.defaultStrategy(name);
			return this;
		}

		/**
		 * Adds a strategy, or replaces a built-in one.
		 * @param name the name by which requests choose it
		 * @param strategy the strategy
		 * @return this builder
		 */
		public Builder strategy(String name, LockStrategy strategy) {
			this.settings.strategy(name, strategy);
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
		 * Sets after how long a warning says that a caller waits, and who holds what it
		 * waits for.
		 * @param slowWait up to a hundred years; zero, which it is unless set, for never
		 * @return this builder
		 * @throws IllegalArgumentException if negative or too long
		 */
		public Builder slowWait(Duration slowWait) {
			this.settings.slowWait(slowWait);
			return this;
		}

		/**
		 * Sets the interval in which each key has at most one slow-wait warning, however
		 * many callers wait for it. In that interval at most 1,000 keys have one.
		 * @param interval up to a hundred years; a minute unless set, zero for a warning
		 * for each call
		 * @return this builder
		 * @throws IllegalArgumentException if negative or too long
		 */
		public Builder slowWaitInterval(Duration interval) {
			this.settings.slowWaitInterval(interval);
			return this;
		}

		/**
		 * Sets how many keys a request may have. A larger one is refused with an
		 * {@link IllegalArgumentException}. Its nodes are made by one transaction, so one
		 * that would be larger than {@code jute.maxbuffer} is refused too.
		 * @param keys 1,000 unless set
		 * @return this builder
		 * @throws IllegalArgumentException if less than one
		 */
		public Builder maxKeysPerRequest(int keys) {
			this.settings.maxKeysPerRequest(keys);
			return this;
		}

		/**
		 * Sets the maximum number of locks that the client retains although nobody here
		 * wants them. Beyond that, the one that was used least recently is given up.
		 * @param locks 1,000 unless set
		 * @return this builder
		 * @throws IllegalArgumentException if less than one
		 * @see Handoff#retain()
		 */
		public Builder maxRetained(int locks) {
			this.settings.maxRetained(locks);
			return this;
		}

		/**
		 * Sets how long local callers may hand a lock off to each other.
		 * @param handoff the bounds; {@link Handoff#DEFAULT} unless set
		 * @return this builder
		 */
		public Builder handoff(Handoff handoff) {
			this.settings.handoff(handoff);
			return this;
		}

		/**
		 * Adds a rule for some of the keys. Its strategy also applies to requests that
		 * name another, its time-out to those that have none. Of several rules that match
		 * a key the narrower one applies first; of several keys in one request the first
		 * one for which a rule says anything.
		 * @param rule the rule
		 * @return this builder
		 */
		public Builder rule(KeyRule rule) {
			this.settings.rule(rule);
			return this;
		}

		/**
		 * Sets where the user's code runs: continuations of futures, onLost actions,
		 * listeners. Threads of the client hand that code to the executor, wait if it has
		 * no room, and run what it refuses. The executor must run or refuse what it is
		 * given: a future whose completion it drops never completes. What is given to an
		 * {@link ExecutorService} that is already shut down is run by threads of the
		 * client; what a later {@code shutdownNow()} discards is not.
		 * @param executor not shut down by the client; daemon threads made as needed
		 * unless set
		 * @return this builder
		 */
		public Builder callbackExecutor(Executor executor) {
			this.settings.callbacks(executor);
			return this;
		}

		Builder bareCallbackExecutor(Executor executor) {
			this.settings.bareCallbacks(executor);
			return this;
		}

		/**
		 * Sets how many threads the client makes at most for the user's code. What comes
		 * when all are busy waits for one of them.
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
		 * Builds the client.
		 * @return the client, to be closed
		 * @throws IllegalStateException if Curator was not started
		 * @throws IllegalArgumentException if the default strategy, or that of a rule, is
		 * not known, if two rules contradict each other, or if the root is not a legal
		 * path
		 */
		public ZooKeeperLockClient build() {
			LockSessions given = this.givenSessions;
			Supplier<LockSessions> built = (given != null) ? () -> given : sessions()::build;
			return new ZooKeeperLockClient(new ClientParts(this.settings, built, given == null));
		}

	}

}
