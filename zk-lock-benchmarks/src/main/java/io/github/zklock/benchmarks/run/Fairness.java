package io.github.zklock.benchmarks.run;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import io.github.zklock.benchmarks.worker.GrantWindows;

/**
 * How evenly the locks were granted: Jain's index of the numbers of locks that each was
 * granted in a window, as the mean over all windows in which anybody was granted one. It
 * is one if all had as many, and one n-th if one of n had all.
 *
 * @param amongProcesses among the processes; not a number if there is only one
 * @param amongThreads among the threads of all processes; not a number if there is only
 * one
 */
public record Fairness(double amongProcesses, double amongThreads) {

	static Fairness of(GrantWindows windows, int processes) {
		List<List<Integer>> ofThreads = windows.ofThreads();
		return new Fairness(mean(ofThreads, processes), mean(ofThreads, ofThreads.size()));
	}

	// The threads come process by process, and each process has as many
	private static double mean(List<List<Integer>> ofThreads, int groups) {
		if (groups < 2) {
			return Double.NaN;
		}
		int ofGroup = ofThreads.size() / groups;
		return IntStream.range(0, ofThreads.get(0).size())
			.mapToObj((window) -> IntStream.range(0, groups)
				.mapToLong((group) -> granted(ofThreads.subList(group * ofGroup, (group + 1) * ofGroup), window))
				.toArray())
			.filter((granted) -> LongStream.of(granted).sum() > 0)
			.mapToDouble(Fairness::jain)
			.average()
			.orElse(Double.NaN);
	}

	private static long granted(List<List<Integer>> ofThreads, int window) {
		return ofThreads.stream().mapToLong((windows) -> windows.get(window)).sum();
	}

	/**
	 * Returns Jain's index: the square of the sum by the number of shares times the sum
	 * of the squares.
	 * @param shares what each one got; not all zero
	 * @return from one by the number of shares to one
	 */
	static double jain(long... shares) {
		double sum = 0;
		double squares = 0;
		for (long share : shares) {
			sum += share;
			squares += (double) share * share;
		}
		return sum * sum / (shares.length * squares);
	}

}
