package io.github.zklock.zookeeper;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import org.apache.curator.framework.CuratorFramework;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.zklock.internal.client.Jobs;
import io.github.zklock.internal.client.LockAcquirer;
import io.github.zklock.internal.client.OpenAcquisitions;
import io.github.zklock.internal.client.RequestRules;
import io.github.zklock.internal.cohort.Cohorts;
import io.github.zklock.internal.concurrent.CallbackExecutor;
import io.github.zklock.internal.concurrent.StackProbe;
import io.github.zklock.internal.session.SessionSource;

/**
 * What a client consists of: put together in its order, and taken apart.
 */
final class ClientParts {

	private static final Logger log = LoggerFactory.getLogger(ClientParts.class);

	private final AtomicBoolean closed = new AtomicBoolean();

	private final LockSessions sessions;

	private final boolean ownsSessions;

	private final RequestRules rules;

	private final Executor callbacks;

	private final OpenAcquisitions open;

	private final Cohorts cohorts;

	private final LockAcquirer acquirer;

	private final ZooKeeperJobMarks jobMarks;

	/**
	 * Puts a client together.
	 * @param settings its settings
	 * @param built gives its sessions, once the settings are known to be good
	 * @param ownsSessions whether they end with it
	 */
	ClientParts(ClientSettings settings, Supplier<LockSessions> built, boolean ownsSessions) {
		settings.check();
		this.sessions = built.get();
		this.ownsSessions = ownsSessions;
		SessionSource source = source();
		this.rules = settings.rules(this.sessions);
		this.callbacks = settings.callbacks(source.timer());
		this.open = ZooKeeperContention.open(settings, this.callbacks, source);
		this.cohorts = new Cohorts((nanos, step) -> cancelling(source.deadlines().after(nanos, step)), source.clock(),
				settings.handoffs(), source::isConfirmed, source.failures(), settings.maxRetained());
		this.jobMarks = new ZooKeeperJobMarks(source, this.open.holds());
		this.acquirer = new LockAcquirer(this.rules, this.open, this.cohorts, this.callbacks, settings.slowWait(),
				settings.slowWaitInterval(), source.clock());
	}

	private static Runnable cancelling(Future<?> step) {
		return () -> step.cancel(false);
	}

	Jobs jobs() {
		return new Jobs(this.jobMarks, this.rules, this.callbacks);
	}

	LockAcquirer acquirer() {
		return this.acquirer;
	}

	OpenAcquisitions open() {
		return this.open;
	}

	Executor callbacks() {
		return this.callbacks;
	}

	Supplier<CuratorFramework> connections() {
		return this.sessions.connections();
	}

	SessionSource source() {
		return this.sessions.source();
	}

	/**
	 * Returns the strategies that a request may name.
	 * @return their names, sorted
	 */
	Set<String> strategies() {
		return this.rules.names();
	}

	/**
	 * Counts what the client keeps: nothing when nobody acquires, holds or is being
	 * removed. The marks of jobs are not counted: they are watched until it is closed.
	 * @return the number of pending acquisitions, holds and cohorts, and of what the
	 * sessions count
	 */
	int openCount() {
		return this.open.count() + this.cohorts.count() + this.rules.shares().count() + source().openCount()
				- this.jobMarks.watchCount();
	}

	/**
	 * Ends whatever is pending or held, and everything that comes later.
	 * @return completes when the servers have confirmed, and nobody is about to enter any
	 * more
	 */
	CompletableFuture<Void> leaveAll() {
		CompletableFuture<Void> leaving = CompletableFuture.allOf(this.open.close(), this.cohorts.stopRetaining());
		return CompletableFuture.allOf(leaving, this.cohorts.whenEmpty());
	}

	/** Ends the client, and waits a short time for the servers to confirm. */
	void close() {
		StackProbe.require();
		if (this.closed.compareAndSet(false, true)) {
			this.jobMarks.close();
			CompletableFuture<Void> left = leaveAll();
			source().goOnUntil(left);
			if (this.ownsSessions) {
				this.sessions.close();
			}
			else {
				awaitShortly(left);
			}
			if (this.callbacks instanceof CallbackExecutor threads) {
				threads.shutdown();
			}
		}
	}

	private static void awaitShortly(CompletableFuture<Void> left) {
		try {
			left.get(SessionSource.CLOSE_SECONDS, TimeUnit.SECONDS);
		}
		catch (TimeoutException | ExecutionException ex) {
			log.warn("ZooKeeper has not yet confirmed the removal of all lock nodes; they will be removed "
					+ "as soon as it answers, or with the session", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
