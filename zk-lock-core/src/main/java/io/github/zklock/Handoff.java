package io.github.zklock;

import java.time.Duration;

/**
 * How long a cohort may keep a grant for itself.
 *
 * @param maxCount after how many handoffs between local callers the cohort queues again
 * if others wait; zero means that no grant is handed off: it is released, and the next
 * local caller queues behind all who wait
 * @param maxDuration after how long it does so
 * @param retain how long a grant that nobody here wants is kept as long as nobody else
 * wants it either; zero gives it up at once
 * @since 0.1.0
 */
public record Handoff(int maxCount, Duration maxDuration, Duration retain) {

	// What the monotonic clock counts
	private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

	/** 64 handoffs, 100 ms, nothing retained. */
	public static final Handoff DEFAULT = new Handoff(64, Duration.ofMillis(100), Duration.ZERO);

	/**
	 * Creates the bounds. A duration of more than 292 years becomes one of 292 years.
	 * @throws IllegalArgumentException if one is negative
	 */
	public Handoff {
		if (maxCount < 0) {
			throw new IllegalArgumentException("The number of handoffs must not be negative, but is " + maxCount);
		}
		if (maxDuration.isNegative()) {
			throw new IllegalArgumentException("The duration of handoffs must not be negative, but is " + maxDuration);
		}
		if (retain.isNegative()) {
			throw new IllegalArgumentException("The time to retain a lock must not be negative, but is " + retain);
		}
		maxDuration = atMostLongest(maxDuration);
		retain = atMostLongest(retain);
	}

	private static Duration atMostLongest(Duration duration) {
		return (duration.compareTo(LONGEST) > 0) ? LONGEST : duration;
	}

}
