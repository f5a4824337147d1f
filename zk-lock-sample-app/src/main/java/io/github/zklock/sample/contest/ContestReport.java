package io.github.zklock.sample.contest;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What happened in a contest. Times are milliseconds since its start.
 *
 * @param contest the contest's id, which was the key and the event
 * @param strategy the lock strategy; null without a lock
 * @param mode what kept the clients apart
 * @param clients how many contended
 * @param tookMillis how long it took until the last client had left
 * @param served how many came to the counter
 * @param violations what should not have happened
 * @param tickets what was sold
 * @param waitMillis how long the served clients waited
 * @param watchEvents what ZooKeeper notified the clients of; null without a lock
 * @param line the queue of the key as an observer saw it; null without a lock
 * @param waiting how many clients waited, over time
 * @param visits who was at the counter, and when, in the order of entering; last those
 * who never came
 */
public record ContestReport(String contest, @Nullable String strategy, ContestMode mode, int clients, double tookMillis,
		int served, Violations violations, Tickets tickets, Percentiles waitMillis, @Nullable WatchEvents watchEvents,
		@Nullable Line line, List<Point> waiting, List<Turn> visits) {

	/**
	 * What a lock must prevent; each is zero if it did.
	 *
	 * @param overlaps how many came to the counter while another one was there
	 * @param lostUpdates how many sales the counter's own tally has lost
	 * @param soldTwice how many tickets had been sold before
	 * @param tokensOutOfOrder how many held a fencing token not larger than the one
	 * before
	 */
	public record Violations(int overlaps, int lostUpdates, int soldTwice, int tokensOutOfOrder) {
	}

	/**
	 * What was sold.
	 *
	 * @param capacity how many there were
	 * @param sold how many were sold
	 * @param remaining how many are left by the stock's counter
	 */
	public record Tickets(int capacity, int sold, int remaining) {
	}

	/**
	 * A distribution.
	 *
	 * @param p50 the median
	 * @param p99 what 99 of 100 did not exceed
	 * @param max the largest
	 */
	public record Percentiles(double p50, double p99, double max) {
	}

	/**
	 * The watch events that reached the clients.
	 *
	 * @param total how many
	 * @param perRelease how many for each release: about 1 without a herd
	 */
	public record WatchEvents(long total, double perRelease) {
	}

	/**
	 * The nodes of the key.
	 *
	 * @param nodesSeen how many different ones were there in all
	 * @param longest how many were there at once at most
	 * @param length how many were there, over time
	 */
	public record Line(int nodesSeen, int longest, List<Point> length) {
	}

	/**
	 * A number at some time.
	 *
	 * @param at from when on
	 * @param count how many
	 */
	public record Point(double at, int count) {
	}

	/**
	 * One client's turn.
	 *
	 * @param client which client
	 * @param asked when it asked for the lock
	 * @param entered when it held the lock; null if it never did
	 * @param left when it began to release the lock; null if it never held it
	 * @param fencingToken the lock's token; null without a lock
	 * @param ticket the ticket it bought; null if it never came to the counter
	 * @param failure why it never came to the counter; null if it did
	 */
	public record Turn(int client, double asked, @Nullable Double entered, @Nullable Double left,
			@Nullable Long fencingToken, @Nullable Integer ticket, @Nullable String failure) {
	}

}
