package io.github.zklock.sample.contest;

import java.time.Duration;
import java.util.Objects;

/**
 * What a contest is like.
 *
 * @param strategy the lock strategy's name
 * @param mode what keeps the clients apart
 * @param clients how many contend, each with a ZooKeeper session of its own
 * @param thinkTime how long each is at the counter
 * @param timeout how long each queues at most
 */
public record ContestSpec(String strategy, ContestMode mode, int clients, Duration thinkTime, Duration timeout) {

	/** A client costs a connection and a handful of threads. */
	public static final int MAX_CLIENTS = 500;

	/** Most of what a client does at the counter. */
	public static final int MAX_THINK_MILLIS = 1_000;

	/** Longest that a client queues. */
	public static final int MAX_TIMEOUT_MILLIS = 600_000;

	/**
	 * Creates a specification.
	 */
	public ContestSpec {
		Objects.requireNonNull(strategy);
		Objects.requireNonNull(mode);
		if (clients < 1 || clients > MAX_CLIENTS) {
			throw new IllegalArgumentException("A contest has 1 to %d clients, not %d".formatted(MAX_CLIENTS, clients));
		}
		if (thinkTime.isNegative() || thinkTime.toMillis() > MAX_THINK_MILLIS) {
			throw new IllegalArgumentException(
					"A client thinks for 0 to %d ms, not %s".formatted(MAX_THINK_MILLIS, thinkTime));
		}
		if (timeout.isNegative() || timeout.toMillis() > MAX_TIMEOUT_MILLIS) {
			throw new IllegalArgumentException(
					"A client queues for 0 to %d ms, not %s".formatted(MAX_TIMEOUT_MILLIS, timeout));
		}
	}

}
