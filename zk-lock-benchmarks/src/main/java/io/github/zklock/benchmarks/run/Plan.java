package io.github.zklock.benchmarks.run;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.github.zklock.benchmarks.peer.Contestant;

/**
 * What is to be measured, and for how long.
 *
 * @param serverCounts on how many ZooKeeper servers, one after the other
 * @param disk how much longer their forced writes take than this machine's disk
 * @param workloads which workloads
 * @param contestants who takes part, where a workload compares them
 * @param rounds how often every contestant's turn comes
 * @param heat what the workers do before all else
 * @param first how long each turn of a first round is that does not count
 * @param warmUp how long a turn warms up
 * @param measured how long a turn is measured
 * @param herds how many waiters there are when one lock is released
 * @param herdReleases how many releases are measured for each number of waiters
 * @param further what else
 * @param redis whether Redis takes part if it is installed
 * @param work where data and logs go
 * @param recordings where flight recordings go, if there are to be any
 * @param otherBuild the jar, or the classes, of another build of the core, if its locks
 * take part
 */
public record Plan(List<Integer> serverCounts, Duration disk, List<Workload> workloads, Set<Contestant> contestants,
		int rounds, Heat heat, Duration first, Duration warmUp, Duration measured, List<Integer> herds,
		int herdReleases, Further further, boolean redis, Path work, @Nullable Path recordings,
		@Nullable Path otherBuild) {

	/**
	 * How long sessions last: so long that neither pings nor a lease's renewals count.
	 */
	public static final int SESSION_MILLIS = 60_000;

	/**
	 * Checks the numbers.
	 */
	public Plan {
		if (serverCounts.isEmpty() || disk.isNegative() || rounds < 1 || measured.isZero() || measured.isNegative()) {
			throw new IllegalArgumentException("Nothing to measure");
		}
	}

}
