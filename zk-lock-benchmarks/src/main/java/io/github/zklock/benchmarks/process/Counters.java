package io.github.zklock.benchmarks.process;

/**
 * What the servers had counted at a moment, or between two.
 *
 * @param requests packets that clients sent, without the questions that were asked for
 * these counters
 * @param transactions the newest transaction's number, which counts failed ones too
 * @param watchEvents watches that fired because a node was deleted
 * @param otherWatchEvents watches that fired because a node was made or changed, or a
 * list was
 */
public record Counters(long requests, long transactions, long watchEvents, long otherWatchEvents) {

	/**
	 * Subtracts what was counted earlier.
	 * @param earlier the earlier counters
	 * @return what came in between
	 */
	public Counters since(Counters earlier) {
		return new Counters(this.requests - earlier.requests, this.transactions - earlier.transactions,
				this.watchEvents - earlier.watchEvents, this.otherWatchEvents - earlier.otherWatchEvents);
	}

}
