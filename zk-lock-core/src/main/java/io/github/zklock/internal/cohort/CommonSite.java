package io.github.zklock.internal.cohort;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

import io.github.zklock.internal.concurrent.StepFailures;

/**
 * What the cohorts of a client have in common.
 */
final class CommonSite implements CohortSite.Host {

	private final Later later;

	private final LongSupplier clock;

	private final BooleanSupplier reachable;

	private final StepFailures failures;

	private final RetainedGrants retained;

	private final QuickReturns returns = new QuickReturns();

	private final GrantSlots slots = new GrantSlots();

	private volatile boolean closed;

	CommonSite(Later later, LongSupplier clock, BooleanSupplier reachable, StepFailures failures, int maxRetained) {
		this.later = later;
		this.clock = clock;
		this.reachable = reachable;
		this.failures = failures;
		this.retained = new RetainedGrants(maxRetained);
	}

	/** Nothing is retained, or lingers, from now on. */
	void close() {
		this.closed = true;
	}

	@Override
	public Runnable after(long nanos, Runnable step) {
		return this.later.run(nanos, step);
	}

	@Override
	public long now() {
		return this.clock.getAsLong();
	}

	@Override
	public boolean isReachable() {
		return this.reachable.getAsBoolean();
	}

	@Override
	public boolean isClosed() {
		return this.closed;
	}

	@Override
	public RetainedGrants retained() {
		return this.retained;
	}

	@Override
	public GrantSlots slots() {
		return this.slots;
	}

	@Override
	public QuickReturns returns() {
		return this.returns;
	}

	@Override
	public StepFailures failures() {
		return this.failures;
	}

	/** Runs steps later. */
	@FunctionalInterface
	interface Later {

		/**
		 * Runs a step some time later.
		 * @param nanos in how many nanoseconds
		 * @param step what to do
		 * @return cancels the step
		 */
		Runnable run(long nanos, Runnable step);

	}

}
