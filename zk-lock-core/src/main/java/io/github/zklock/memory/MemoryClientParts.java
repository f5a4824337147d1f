package io.github.zklock.memory;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.zklock.internal.client.Jobs;
import io.github.zklock.internal.client.LockAcquirer;
import io.github.zklock.internal.client.OpenAcquisitions;
import io.github.zklock.internal.client.RequestRules;
import io.github.zklock.internal.cohort.Cohorts;
import io.github.zklock.internal.concurrent.CallbackExecutor;
import io.github.zklock.internal.concurrent.StackProbe;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.concurrent.Timer;

/**
 * What a client consists of: put together in its order, and taken apart.
 */
final class MemoryClientParts {

	private static final Logger log = LoggerFactory.getLogger(MemoryClientParts.class);

	private static final long CLOSE_SECONDS = 5;

	private final AtomicBoolean closed = new AtomicBoolean();

	private final MemoryLockStrategy strategy;

	private final Timer deadlines;

	private final RequestRules rules;

	private final CallbackExecutor callbacks;

	private final OpenAcquisitions open;

	private final Cohorts cohorts;

	private final LockAcquirer acquirer;

	MemoryClientParts(MemoryClientSettings settings, String servers) {
		this.strategy = settings.strategy();
		this.rules = settings.rules(this.strategy);
		LongSupplier clock = this.strategy.clock();
		StepFailures failures = this.strategy.failures();
		this.deadlines = new Timer("zk-lock-deadline", failures);
		this.callbacks = new CallbackExecutor(settings.callbacks, settings.maxCallbackThreads, this.deadlines);
		this.open = MemoryContention.open(settings, this.strategy, this.callbacks, this.deadlines, servers);
		this.cohorts = new Cohorts((nanos, step) -> cancelling(this.deadlines.after(nanos, step)), clock,
				settings.handoffs(), () -> true, failures, 1);
		this.acquirer = new LockAcquirer(this.rules, this.open, this.cohorts, this.callbacks, settings.slowWait,
				settings.slowWaitInterval, clock);
	}

	private static Runnable cancelling(Future<?> step) {
		return () -> step.cancel(false);
	}

	LockAcquirer acquirer() {
		return this.acquirer;
	}

	Jobs jobs() {
		return new Jobs(this.strategy.marks(), this.rules, this.callbacks);
	}

	MemoryLockStrategy strategy() {
		return this.strategy;
	}

	OpenAcquisitions open() {
		return this.open;
	}

	long failedSteps() {
		return this.strategy.failures().count();
	}

	Set<String> strategies() {
		return this.rules.names();
	}

	int openCount() {
		return this.open.count() + this.cohorts.count() + this.rules.shares().count();
	}

	boolean isClosed() {
		return this.closed.get();
	}

	/** Ends whatever is pending or held, and waits a short time until it is gone. */
	void close() {
		StackProbe.require();
		if (this.closed.compareAndSet(false, true)) {
			CompletableFuture<Void> leaving = CompletableFuture.allOf(this.open.close(), this.cohorts.stopRetaining());
			awaitShortly(CompletableFuture.allOf(leaving, this.cohorts.whenEmpty()));
			this.deadlines.stop();
			this.callbacks.shutdown();
		}
	}

	private static void awaitShortly(CompletableFuture<Void> leaving) {
		try {
			leaving.get(CLOSE_SECONDS, TimeUnit.SECONDS);
		}
		catch (TimeoutException | ExecutionException ex) {
			log.warn("Some locks in memory are not yet released", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
