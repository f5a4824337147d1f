package io.github.zklock;

import java.time.Duration;

/**
 * For how long the callers of one client, a cohort, hand a lock off among themselves
 * while other clients wait for it: for a tenure, which lasts ten times as long as it
 * takes to pass the lock to another client, as measured lately
 * ({@link io.github.zklock.spi.Grant#leastChangeNanos()}). Where callers hold for long it
 * is less, but those who waited here when it began are served in it, ten at most, if
 * {@code maxDuration} allows: so the others wait about as long as in one queue with all
 * of them. Within the same bounds a released grant lingers for a moment, 200 microseconds
 * at most, if its callers were seen to come back that fast, and is taken by them for as
 * long while the thread that is next wakes. Local readers who hold are joined by others,
 * past a local writer that waits, as writers are followed by others past a local reader.
 * A read grant that others wait for lasts for one change only, unless most of the queue
 * hold the key with it.
 *
 * @param maxCount after how many handoffs between local callers the cohort queues again
 * at the latest, readers apart, who hold together; zero means that no grant is handed
 * off, is retained or lingers: it is released, and the next local caller queues behind
 * all who wait
 * @param minDuration how long a tenure is at least, unless {@code maxDuration} is shorter
 * @param maxDuration how long a tenure is at most
 * @param retain how long a grant that nobody here wants is kept as long as nobody else
 * wants it either; zero gives it up at once
 * @since 0.1.0
 */
public record Handoff(int maxCount, Duration minDuration, Duration maxDuration, Duration retain) {

	// What the monotonic clock counts
	private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

	/** 256 handoffs, tenures of 1 ms to 100 ms, nothing retained. */
	public static final Handoff DEFAULT = new Handoff(256, Duration.ofMillis(1), Duration.ofMillis(100), Duration.ZERO);

	/**
	 * Creates the bounds. A duration of more than 292 years becomes one of 292 years.
	 * @throws IllegalArgumentException if one is negative
	 */
	public Handoff {
		if (maxCount < 0) {
			throw new IllegalArgumentException("The number of handoffs must not be negative, but is " + maxCount);
		}
		if (minDuration.isNegative()) {
			throw new IllegalArgumentException(
					"The least duration of handoffs must not be negative, but is " + minDuration);
		}
		if (maxDuration.isNegative()) {
			throw new IllegalArgumentException("The duration of handoffs must not be negative, but is " + maxDuration);
		}
		if (retain.isNegative()) {
			throw new IllegalArgumentException("The time to retain a lock must not be negative, but is " + retain);
		}
		maxDuration = bounded(maxDuration);
		minDuration = bounded(minDuration);
		retain = bounded(retain);
	}

	/**
	 * Creates bounds with tenures that all last equally long, whatever a change takes.
	 * @param maxCount after how many handoffs the cohort queues again
	 * @param tenure after how long it does so
	 * @param retain how long a grant is kept that nobody here wants
	 * @throws IllegalArgumentException if one is negative
	 */
	public Handoff(int maxCount, Duration tenure, Duration retain) {
		this(maxCount, tenure, tenure, retain);
	}

	private static Duration bounded(Duration duration) {
		return (duration.compareTo(LONGEST) > 0) ? LONGEST : duration;
	}

}
