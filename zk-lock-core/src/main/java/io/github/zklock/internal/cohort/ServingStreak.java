package io.github.zklock.internal.cohort;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.github.zklock.Handoff;
import io.github.zklock.spi.Grant;

/**
 * How long this client has been served without a break. A strategy that is not fair lets
 * it win again and again, so it stops by itself after a number of grants or a time, for a
 * short random pause. A part of {@link Cohort}, in its serial executor.
 */
final class ServingStreak {

	private static final long MIN_PAUSE = TimeUnit.MICROSECONDS.toNanos(500);

	private static final long MAX_PAUSE = TimeUnit.MILLISECONDS.toNanos(3);

	private int grants;

	private long began;

	private boolean pausing;

	/**
	 * A local caller was served.
	 * @param now nanoseconds of the monotonic clock
	 */
	void served(long now) {
		if (this.grants++ == 0) {
			this.began = now;
		}
	}

	/** Another client was served, or was given the chance to be. */
	void end() {
		this.grants = 0;
	}

	/**
	 * Ends with a pause, in which the cohort does not enter; with none where it cannot be
	 * timed.
	 * @param gone completes when the node of the last grant is gone
	 * @param site the cohort's clock
	 * @param then a step that goes on
	 */
	void endWithPause(CompletionStage<Void> gone, CohortSite site, Runnable then) {
		end();
		this.pausing = true;
		Runnable goOn = () -> {
			this.pausing = false;
			then.run();
		};
		gone.thenRun(() -> {
			try {
				site.after(ThreadLocalRandom.current().nextLong(MIN_PAUSE, MAX_PAUSE), goOn);
			}
			catch (Throwable ex) {
				site.failures().report(this, ex);
				site.serialExecutor().execute(goOn);
			}
		});
	}

	boolean isPausing() {
		return this.pausing;
	}

	/**
	 * Returns whether other clients are to be served now.
	 * @param handoff the bounds of the key; the default ones if it has none
	 * @param now nanoseconds of the monotonic clock
	 * @return whether the bounds are exceeded
	 */
	boolean exceeds(Handoff handoff, long now) {
		Handoff bounds = (handoff.maxCount() > 0) ? handoff : Handoff.DEFAULT;
		return this.grants > Math.min(bounds.maxCount(), Grant.TOKENS - 1)
				|| (this.grants > 0 && now - this.began > bounds.maxDuration().toNanos());
	}

}
