package io.github.zklock.internal.concurrent;

import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts and logs the steps of the engine that have ended with a throwable. There is one
 * for all that live in the same sessions.
 */
public final class StepFailures {

	/*-
	 * I1: reporting never fails: what logging throws is dropped, the count comes first and makes
	 *     no object.
	 */

	private static final Logger log = LoggerFactory.getLogger(StepFailures.class);

	private final AtomicLong count = new AtomicLong();

	// Of tests: called around each step that has an owner, and may throw
	private volatile @Nullable StepHook hook;

	/**
	 * Creates a count of zero.
	 */
	public StepFailures() {
	}

	/**
	 * Notes that a step has failed.
	 * @param owner whose step it was
	 * @param failure what it threw
	 */
	public void report(Object owner, Throwable failure) {
		this.count.incrementAndGet();
		try {
			log.error("A step of {} failed", owner.getClass().getSimpleName(), failure);
		}
		catch (Throwable ex) {
			// It is counted, and the engine goes on.
		}
	}

	/**
	 * Does a part of something whose other parts are to be done in any case.
	 * @param owner whose part it is
	 * @param part what to do
	 */
	public void contain(Object owner, Runnable part) {
		try {
			part.run();
		}
		catch (Throwable ex) {
			report(owner, ex);
		}
	}

	/**
	 * Takes parts from a queue until it is empty, and does each whatever the others
	 * throw.
	 * @param owner whose parts
	 * @param parts what to do, or null for nothing
	 */
	public void containAll(Object owner, @Nullable Queue<Runnable> parts) {
		if (parts != null) {
			for (Runnable next = parts.poll(); next != null; next = parts.poll()) {
				contain(owner, next);
			}
		}
	}

	/**
	 * Counts the failures.
	 * @return how many steps have failed so far
	 */
	public long count() {
		return this.count.get();
	}

	void hook(@Nullable StepHook around) {
		this.hook = around;
	}

	void before(Object owner) {
		StepHook around = this.hook;
		if (around != null) {
			around.before(owner);
		}
	}

	void after(Object owner) {
		StepHook around = this.hook;
		if (around != null) {
			around.after(owner);
		}
	}

	/** Is called around each step. */
	interface StepHook {

		void before(Object owner);

		void after(Object owner);

	}

}
