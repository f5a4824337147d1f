package io.github.zklock.benchmarks.run;

import java.util.Comparator;
import java.util.List;

import org.HdrHistogram.Histogram;

import io.github.zklock.benchmarks.peer.Contestant;

/**
 * How a queue of sessions was drained.
 *
 * @param contestant whose lock it was
 * @param servers on how many servers
 * @param wanted how many sessions were to queue
 * @param waiters how many did
 * @param nanos from the first release to the last grant
 * @param handoffs from each release to the next grant, in nanoseconds
 * @param watchEvents how many watches fired meanwhile
 * @param bytesToQueue how much all read until they were queued
 * @param bytesToDrain how much all read from the first release on
 */
public record DrainResult(Contestant contestant, int servers, int wanted, int waiters, long nanos, Histogram handoffs,
		long watchEvents, long bytesToQueue, long bytesToDrain) {

	static DrainResult of(Contestant contestant, int servers, int wanted, List<Drain.Moment> moments, long watchEvents,
			long bytesToQueue, long bytesToDrain) {
		List<Drain.Moment> sorted = moments.stream().sorted(Comparator.comparingLong(Drain.Moment::nanos)).toList();
		Histogram handoffs = new Histogram(3);
		for (int i = 0; i < sorted.size(); i++) {
			if (sorted.get(i).granted() != (i % 2 == 1)) {
				throw new ExclusionViolatedException(
						"%s let two of a queue inside at once".formatted(contestant.title()));
			}
			if (sorted.get(i).granted()) {
				handoffs.recordValue(sorted.get(i).nanos() - sorted.get(i - 1).nanos());
			}
		}
		int waiters = sorted.size() / 2;
		long nanos = sorted.get(2 * waiters - 1).nanos() - sorted.get(0).nanos();
		return new DrainResult(contestant, servers, wanted, waiters, nanos, handoffs, watchEvents, bytesToQueue,
				bytesToDrain);
	}

	/**
	 * Returns how many watches fired for each waiter.
	 * @return the mean
	 */
	public double watchEventsEach() {
		return (double) this.watchEvents / this.waiters;
	}

	/**
	 * Returns how much each waiter read from the first release on.
	 * @return the mean, in bytes
	 */
	public double bytesToDrainEach() {
		return (double) this.bytesToDrain / this.waiters;
	}

	/**
	 * Returns how much each waiter read until it was queued.
	 * @return the mean, in bytes
	 */
	public double bytesToQueueEach() {
		return (double) this.bytesToQueue / this.waiters;
	}

}
