package io.github.zklock.internal.cohort;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;

/**
 * Times for how long nobody here wants a grant. A part of {@link CohortGrant}, in the
 * cohort's serial executor.
 */
final class Idleness {

	/*-
	 * One step at most is under way, however often the grant is taken and given back: it finds out
	 * itself whether it has come too early, or the grant is held.
	 */

	private final CohortSite site;

	private final Executor steps;

	private final Runnable due;

	private long since;

	private long nanos;

	private long timedAt;

	private int timings;

	private @Nullable CompletableFuture<Void> end;

	private @Nullable Runnable cancel;

	/**
	 * Creates a time that does not run yet.
	 * @param site the cohort's clock and timer
	 * @param steps runs steps as long as the grant is not being released
	 * @param due a step that looks whether the time is over
	 */
	Idleness(CohortSite site, Executor steps, Runnable due) {
		this.site = site;
		this.steps = steps;
		this.due = due;
	}

	/**
	 * Nobody wants the grant from now on.
	 * @param most for how long that may be, in nanoseconds
	 */
	void begin(long most) {
		this.since = this.site.now();
		this.nanos = most;
		Runnable running = this.cancel;
		if (running != null && this.timedAt - (this.since + most) > 0) {
			running.run();
			this.cancel = null;
		}
		time(most);
	}

	/**
	 * The grant was wanted meanwhile.
	 * @param until until when, in nanoseconds of the clock
	 */
	void interrupted(long until) {
		this.since = until;
	}

	/**
	 * Returns whether it has lasted for as long as it may; if not, it goes on.
	 * @return whether the time is over
	 */
	boolean isOver() {
		long left = this.nanos - (this.site.now() - this.since);
		if (left > 0) {
			time(left);
		}
		return left <= 0;
	}

	/**
	 * Returns the end of a moment for which the grant lingers.
	 * @return completes when a caller has the grant, or its node is gone
	 */
	CompletionStage<Void> end() {
		if (this.end == null) {
			this.end = new CompletableFuture<>();
		}
		return this.end;
	}

	/** A caller has the grant. */
	void ended() {
		ended(CompletableFuture.completedStage(null));
	}

	/**
	 * The grant is released.
	 * @param gone completes when its node is gone
	 */
	void ended(CompletionStage<Void> gone) {
		CompletableFuture<Void> awaited = this.end;
		this.end = null;
		if (awaited != null) {
			gone.thenRun(() -> awaited.complete(null));
		}
	}

	/** It is not timed any more. */
	void stop() {
		if (this.cancel != null) {
			this.cancel.run();
		}
	}

	private void time(long left) {
		if (this.cancel == null) {
			int current = ++this.timings;
			this.timedAt = this.site.now() + left;
			this.cancel = this.site.common().after(left, () -> this.steps.execute(() -> {
				if (current == this.timings) {
					this.cancel = null;
					this.due.run();
				}
			}));
		}
	}

}
