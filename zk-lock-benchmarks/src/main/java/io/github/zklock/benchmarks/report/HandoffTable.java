package io.github.zklock.benchmarks.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import io.github.zklock.benchmarks.peer.Contestant;
import io.github.zklock.benchmarks.run.Measurements;
import io.github.zklock.benchmarks.run.Result;
import io.github.zklock.benchmarks.run.Turn;
import io.github.zklock.benchmarks.run.Workload;

/**
 * Writes what handoffs cost: the same lock with and without them, beside Curator's, where
 * several processes want one key.
 */
final class HandoffTable {

	private final Measurements measurements;

	private final int servers;

	HandoffTable(Measurements measurements, int servers) {
		this.measurements = measurements;
		this.servers = servers;
	}

	private List<Workload> workloads() {
		return Arrays.stream(Workload.values())
			.filter((workload) -> workload.processes() > 1 && of(workload, Contestant.SEQUENTIAL).isPresent()
					&& of(workload, Contestant.STRICT).isPresent())
			.toList();
	}

	private Optional<Result> of(Workload workload, Contestant contestant) {
		return this.measurements.of(workload, contestant, this.servers);
	}

	@Override
	public String toString() {
		List<Workload> workloads = workloads();
		if (workloads.isEmpty()) {
			return "";
		}
		Table table = new Table(List.of("workload", "lock", "locks/s", "p50 ms", "p99 ms", "p99.9 ms", "longest ms",
				"Jain, JVMs", "fewest", "most"));
		for (Workload workload : workloads) {
			of(workload, Contestant.SEQUENTIAL).ifPresent((result) -> table.add(row(result)));
			of(workload, Contestant.STRICT).ifPresent((result) -> table.add(row(result)));
			this.measurements.bestOfCurator(workload, this.servers).ifPresent((result) -> table.add(row(result)));
		}
		return "\n## What handoff costs, on %s\n\n".formatted(Page.serversText(this.servers))
				+ "A JVM that holds a key hands it off to its own callers, and lingers for those who come back, until"
				+ " its tenure is over. That saves answers of the servers, and callers of other JVMs pay for it: they"
				+ " wait for whole tenures. `max-count=0` has neither, so the difference of the first two rows of a"
				+ " workload is what handoff gains and costs. Look at *p50* with care: callers who are served in a row"
				+ " are counted as often. The cost is in *p99.9*, *longest* and *Jain*.\n\n" + table;
	}

	private static List<String> row(Result result) {
		List<String> row = new ArrayList<>(List.of(result.workload().title(), result.contestant().title(),
				Numbers.of(result.median(Turn::perSecond))));
		row.addAll(Tables.waits(result));
		row.addAll(List.of(Numbers.of(result.median((turn) -> turn.fairness().amongProcesses())),
				Numbers.count(result.median(Turn::fewest)), Numbers.count(result.median(Turn::most))));
		return row;
	}

}
