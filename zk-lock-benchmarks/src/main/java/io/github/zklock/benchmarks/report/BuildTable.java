package io.github.zklock.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.github.zklock.benchmarks.peer.Contestant;
import io.github.zklock.benchmarks.run.Measurements;
import io.github.zklock.benchmarks.run.Result;
import io.github.zklock.benchmarks.run.Turn;
import io.github.zklock.benchmarks.run.Workload;

/**
 * Writes what a change brings: our lock of this build and of another one, by turns.
 */
final class BuildTable {

	private final Measurements measurements;

	private final int servers;

	BuildTable(Measurements measurements, int servers) {
		this.measurements = measurements;
		this.servers = servers;
	}

	@Override
	public String toString() {
		Table table = new Table(List.of("workload", "build", "locks/s", "x the other", "p50 ms", "p99 ms", "p99.9 ms",
				"longest ms", "client CPU µs", "server CPU µs"));
		boolean any = false;
		for (Workload workload : Workload.values()) {
			Optional<Result> ours = this.measurements.of(workload, Contestant.SEQUENTIAL, this.servers);
			Optional<Result> other = this.measurements.of(workload, Contestant.OTHER_BUILD, this.servers);
			if (ours.isPresent() && other.isPresent()) {
				any = true;
				table.add(row("this", ours.get(), Tables.ratio(ours.get(), other.get())));
				table.add(row("the other", other.get(), "1"));
			}
		}
		return any ? "\n## Two builds by turns, on %s\n\n%s".formatted(Page.serversText(this.servers), table) : "";
	}

	private static List<String> row(String build, Result result, String ratio) {
		List<String> row = new ArrayList<>(
				List.of(result.workload().title(), build, Numbers.of(result.median(Turn::perSecond)), ratio));
		row.addAll(Tables.waits(result));
		row.add(Numbers.of(result.median(Turn::clientMicros)));
		row.add(Numbers.of(result.median(Turn::serverMicros)));
		return row;
	}

}
