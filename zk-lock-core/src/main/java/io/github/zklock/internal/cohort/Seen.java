package io.github.zklock.internal.cohort;

import java.time.Duration;

import io.github.zklock.spi.Obstacle;

/**
 * An obstacle, and when it was seen.
 *
 * @param obstacle who was in the way
 * @param at when, in nanoseconds of the monotonic clock
 */
public record Seen(Obstacle obstacle, long at) {

	/**
	 * Returns the obstacle as it is by now.
	 * @param now nanoseconds of the same clock
	 * @return the obstacle with its age now
	 */
	public Obstacle by(long now) {
		return this.obstacle.after(Duration.ofNanos(now - this.at));
	}

}
