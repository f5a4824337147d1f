package io.github.zklock.internal.cohort;

import io.github.zklock.Handoff;
import io.github.zklock.spi.Grant;

/**
 * How long this client has been served without a break. A strategy that is not fair lets
 * it win again and again, so it stops by itself after a number of grants or a time.
 */
final class ServingStreak {

	private int grants;

	private long began;

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
	 * Returns whether it is the local contender of other clients.
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
