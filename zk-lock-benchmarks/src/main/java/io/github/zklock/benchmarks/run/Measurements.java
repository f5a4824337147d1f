package io.github.zklock.benchmarks.run;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import io.github.zklock.benchmarks.peer.Contestant;

/**
 * All that was measured.
 *
 * @param results of the workloads
 * @param herds of the releases before many waiters
 * @param openLoops of the workloads to which callers come by themselves
 * @param drains of the queues that were drained
 * @param failovers of the holders and leaders that were killed
 * @param far of several servers that are far away or have slow disks
 */
public record Measurements(List<Result> results, List<HerdResult> herds, List<OpenLoopResult> openLoops,
		List<DrainResult> drains, List<FailoverResult> failovers, List<FarResult> far) {

	/**
	 * Makes measurements of workloads and herds alone.
	 * @param results of the workloads
	 * @param herds of the releases before many waiters
	 * @param openLoops of the workloads to which callers come by themselves
	 */
	public Measurements(List<Result> results, List<HerdResult> herds, List<OpenLoopResult> openLoops) {
		this(results, herds, openLoops, List.of(), List.of(), List.of());
	}

	static Measurements of(DrainResult drain) {
		return new Measurements(List.of(), List.of(), List.of(), List.of(drain), List.of(), List.of());
	}

	static Measurements of(FailoverResult failover) {
		return new Measurements(List.of(), List.of(), List.of(), List.of(), List.of(failover), List.of());
	}

	static Measurements far(List<FarResult> results) {
		return new Measurements(List.of(), List.of(), List.of(), List.of(), List.of(), List.copyOf(results));
	}

	static Measurements none() {
		return new Measurements(List.of(), List.of(), List.of());
	}

	Measurements plus(Measurements other) {
		return new Measurements(concat(this.results, other.results), concat(this.herds, other.herds),
				concat(this.openLoops, other.openLoops), concat(this.drains, other.drains),
				concat(this.failovers, other.failovers), concat(this.far, other.far));
	}

	private static <T> List<T> concat(List<T> one, List<T> other) {
		return Stream.concat(one.stream(), other.stream()).toList();
	}

	/**
	 * Finds how long callers waited that came by themselves.
	 * @param workload in which workload
	 * @param servers on how many servers
	 * @return the results, contestant by contestant; none if it was not measured
	 */
	public List<OpenLoopResult> openLoops(Workload workload, int servers) {
		return this.openLoops.stream()
			.filter((result) -> result.served().workload() == workload && result.served().servers() == servers)
			.toList();
	}

	/**
	 * Finds what one release did to many waiters.
	 * @param permits whether they waited for permits, or for a lock
	 * @param servers on how many servers
	 * @return the results; none if it was not measured
	 */
	public List<HerdResult> herds(boolean permits, int servers) {
		return this.herds.stream()
			.filter((herd) -> herd.permits() > 0 == permits && herd.servers() == servers)
			.toList();
	}

	/**
	 * Finds the results of a workload.
	 * @param workload which one
	 * @param servers on how many servers
	 * @return the results, in the order of the contestants; none if it was not measured
	 */
	public List<Result> of(Workload workload, int servers) {
		return this.results.stream()
			.filter((result) -> result.workload() == workload && result.servers() == servers)
			.toList();
	}

	/**
	 * Finds one result.
	 * @param workload of which workload
	 * @param contestant whose
	 * @param servers on how many servers
	 * @return the result, or empty if it was not measured
	 */
	public Optional<Result> of(Workload workload, Contestant contestant, int servers) {
		return of(workload, servers).stream().filter((result) -> result.contestant() == contestant).findFirst();
	}

	/**
	 * Finds the usage of Curator that was the fastest.
	 * @param workload in which workload
	 * @param servers on how many servers
	 * @return the result with the highest median, or empty if Curator took no part
	 */
	public Optional<Result> bestOfCurator(Workload workload, int servers) {
		return of(workload, servers).stream()
			.filter((result) -> result.contestant().isCurator())
			.max(Comparator.comparingDouble((result) -> result.median(Turn::perSecond)));
	}

}
