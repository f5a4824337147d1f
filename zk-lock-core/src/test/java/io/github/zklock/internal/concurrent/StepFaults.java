package io.github.zklock.internal.concurrent;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the steps of an engine, and lets one of them fail.
 */
public final class StepFaults implements StepFailures.StepHook {

	private final AtomicInteger counted = new AtomicInteger();

	private final int failing;

	private final boolean atTheEnd;

	private volatile String where;

	private StepFaults(int failing, boolean atTheEnd) {
		this.failing = failing;
		this.atTheEnd = atTheEnd;
	}

	/**
	 * Begins to count steps.
	 * @param failures those of the engine
	 * @param failing which step fails, from one
	 * @param atTheEnd whether it does first what it is for
	 * @return the count
	 */
	public static StepFaults in(StepFailures failures, int failing, boolean atTheEnd) {
		StepFaults faults = new StepFaults(failing, atTheEnd);
		failures.hook(faults);
		return faults;
	}

	/**
	 * Lets no step fail any more.
	 * @param failures those of the engine
	 */
	public static void end(StepFailures failures) {
		failures.hook(null);
	}

	/**
	 * Says whose step has failed.
	 * @return the owner, or null if there were fewer steps
	 */
	public String where() {
		return this.where;
	}

	@Override
	public void before(Object owner) {
		if (!this.atTheEnd) {
			count(owner);
		}
	}

	@Override
	public void after(Object owner) {
		if (this.atTheEnd) {
			count(owner);
		}
	}

	private void count(Object owner) {
		if (this.counted.incrementAndGet() == this.failing) {
			this.where = owner.getClass().getSimpleName();
			throw new PlantedError(this.failing, this.where);
		}
	}

	/** What a step throws. */
	public static final class PlantedError extends Error {

		private static final long serialVersionUID = 1L;

		private PlantedError(int number, String where) {
			super("planted in step " + number + ", of " + where);
		}

	}

}
