package io.github.zklock.benchmarks.run;

import java.util.List;
import java.util.function.ToDoubleFunction;

import io.github.zklock.benchmarks.peer.Contestant;

/**
 * What one release did to many waiters.
 *
 * @param contestant whose lock it was
 * @param permits how many may hold it at a time; zero for a lock
 * @param servers on how many servers
 * @param waiters how many clients waited, each with a session of its own
 * @param releases what was seen each time
 */
public record HerdResult(Contestant contestant, int permits, int servers, int waiters, List<Release> releases) {

	/**
	 * Returns the median over the releases.
	 * @param figure of which figure
	 * @return its median
	 */
	public double median(ToDoubleFunction<Release> figure) {
		return Medians.of(this.releases.stream().mapToDouble(figure).toArray());
	}

	/**
	 * What was seen from one release until all waited again.
	 *
	 * @param watchEvents how many watches fired: of a lock those on nodes that were
	 * deleted, of permits all
	 * @param requests how many requests came
	 * @param transactions how many transactions there were
	 * @param grantMillis how long after the call of release the next one was granted the
	 * lock
	 */
	public record Release(long watchEvents, long requests, long transactions, double grantMillis) {

	}

}
