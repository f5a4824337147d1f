package io.github.zklock.benchmarks.run;

import java.util.List;
import java.util.function.ToDoubleFunction;

import io.github.zklock.benchmarks.peer.Contestant;

/**
 * What the death of a holder or a leader did to those who waited.
 *
 * @param contestant whose lock it was
 * @param servers on how many servers
 * @param victim who was killed
 * @param sessionMillis the session time-out
 * @param kills what was seen each time
 */
public record FailoverResult(Contestant contestant, int servers, Victim victim, int sessionMillis, List<Kill> kills) {

	/**
	 * Returns the median over the kills.
	 * @param figure of which figure
	 * @return its median
	 */
	public double median(ToDoubleFunction<Kill> figure) {
		return Medians.of(this.kills.stream().mapToDouble(figure).toArray());
	}

	/**
	 * Finds the longest time without a holder.
	 * @return the longest, in milliseconds
	 */
	public double longestMillis() {
		return this.kills.stream().mapToDouble(Kill::grantMillis).max().orElseThrow();
	}

	/**
	 * Adds up what waiters were refused.
	 * @return how many attempts failed, so that the caller had to ask again
	 */
	public long refusals() {
		return this.kills.stream().mapToLong(Kill::refusals).sum();
	}

	/**
	 * What was seen from one kill to the next grant.
	 *
	 * @param grantMillis how long it took
	 * @param refusals how many attempts of waiters failed meanwhile
	 */
	public record Kill(double grantMillis, long refusals) {

	}

	/** Who was killed. */
	public enum Victim {

		/** The process of the client that holds the key. */
		HOLDER,

		/** The server that leads. */
		LEADER

	}

}
