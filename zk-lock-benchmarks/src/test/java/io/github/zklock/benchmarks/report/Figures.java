package io.github.zklock.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

import org.HdrHistogram.Histogram;

import io.github.zklock.benchmarks.peer.Contestant;
import io.github.zklock.benchmarks.run.Fairness;
import io.github.zklock.benchmarks.run.HerdResult;
import io.github.zklock.benchmarks.run.Result;
import io.github.zklock.benchmarks.run.Turn;
import io.github.zklock.benchmarks.run.Workload;

/**
 * Made-up measurements on one server.
 */
final class Figures {

	private Figures() {
	}

	static Result result(Workload workload, Contestant contestant, double... perSecond) {
		return costing(workload, contestant, 3, 2, 1, perSecond);
	}

	static Result costing(Workload workload, Contestant contestant, double requests, double transactions,
			double awaited, double... perSecond) {
		List<Turn> turns = new ArrayList<>();
		for (double rate : perSecond) {
			Histogram waits = new Histogram(3);
			waits.recordValue(1_500_000);
			turns.add(new Turn(rate, waits, waits, 4_500_000, new Fairness(0.75, 0.5), 1_000_000, 10, 20, requests,
					transactions, 250, 50, 125, 1500, 2500, 0));
		}
		return new Result(workload, contestant, 1, turns, 7000, OptionalDouble.of(awaited));
	}

	/**
	 * A turn of a rate of 1,000 that is unfair, or not, and makes wait for long, or not.
	 */
	static Result waiting(Workload workload, Contestant contestant, double jain, int p99Millis, int longestMillis) {
		Histogram waits = new Histogram(3);
		waits.recordValueWithCount(1_000_000, 98);
		waits.recordValueWithCount(p99Millis * 1_000_000L, 2);
		return new Result(
				workload, contestant, 1, List.of(new Turn(1000, waits, waits, longestMillis * 1_000_000L,
						new Fairness(jain, jain), 1_000_000, 10, 20, 3, 2, 250, 50, 125, 1500, 2500, 0)),
				7000, OptionalDouble.empty());
	}

	/** A turn in which 0.4 % wait for long, and the others do not. */
	static Result tailed(Workload workload, Contestant contestant, int tailMillis) {
		Histogram waits = new Histogram(3);
		waits.recordValueWithCount(1_000, 996);
		waits.recordValueWithCount(tailMillis * 1_000_000L, 4);
		return new Result(
				workload, contestant, 1, List.of(new Turn(1000, waits, waits, tailMillis * 1_000_000L,
						new Fairness(1, 1), 1_000_000, 10, 20, 3, 2, 250, 50, 125, 1500, 2500, 0)),
				7000, OptionalDouble.empty());
	}

	static HerdResult herd(Contestant contestant, int waiters, long watchEvents) {
		return herd(contestant, 0, waiters, watchEvents);
	}

	static HerdResult herd(Contestant contestant, int permits, int waiters, long watchEvents) {
		return new HerdResult(contestant, permits, 1, waiters,
				List.of(new HerdResult.Release(watchEvents, watchEvents, 1, 0.5 * watchEvents)));
	}

}
