package io.github.zklock.internal.cohort;

import java.time.Duration;

import io.github.zklock.spi.Blocker;

/**
 * A blocker, and when it was seen.
 *
 * @param blocker who was in the way
 * @param at when, in nanoseconds of the monotonic clock
 */
record BlockerSighting(Blocker blocker, long at) {

	/**
	 * Returns the blocker as it is by now.
	 * @param now nanoseconds of the same clock
	 * @return the blocker with its age now
	 */
	Blocker by(long now) {
		return this.blocker.after(Duration.ofNanos(now - this.at));
	}

}
