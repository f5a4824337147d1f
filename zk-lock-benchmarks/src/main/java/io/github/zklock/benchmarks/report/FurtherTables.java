package io.github.zklock.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import io.github.zklock.benchmarks.run.DrainResult;
import io.github.zklock.benchmarks.run.FailoverResult;
import io.github.zklock.benchmarks.run.FarResult;
import io.github.zklock.benchmarks.run.Measurements;
import io.github.zklock.benchmarks.run.Medians;
import io.github.zklock.benchmarks.run.Result;
import io.github.zklock.benchmarks.run.Turn;

/**
 * Writes the sections about what is measured besides workloads and herds.
 */
final class FurtherTables {

	private final Measurements measurements;

	private final int servers;

	FurtherTables(Measurements measurements, int servers) {
		this.measurements = measurements;
		this.servers = servers;
	}

	/**
	 * Writes the sections.
	 * @return those for which something was measured
	 */
	List<String> sections() {
		List<String> sections = new ArrayList<>();
		drains(sections);
		failovers(sections);
		return sections;
	}

	private void drains(List<String> sections) {
		List<DrainResult> drains = this.measurements.drains()
			.stream()
			.filter((drain) -> drain.servers() == this.servers)
			.toList();
		if (drains.isEmpty()) {
			return;
		}
		Table table = new Table(List.of("sessions", "lock", "drained in s", "p50 ms", "p99 ms", "longest ms",
				"watch events each", "bytes read each, to queue", "bytes read each, to drain"));
		for (DrainResult drain : drains) {
			table.add(List.of(Numbers.count(drain.waiters()), drain.contestant().title(),
					Numbers.of(drain.nanos() / 1e9), Numbers.millis(drain.handoffs().getValueAtPercentile(50)),
					Numbers.millis(drain.handoffs().getValueAtPercentile(99)),
					Numbers.millis(drain.handoffs().getMaxValue()), Numbers.of(drain.watchEventsEach()),
					Numbers.of(drain.bytesToQueueEach()), Numbers.of(drain.bytesToDrainEach())));
		}
		StringBuilder text = new StringBuilder("\n### many sessions in one queue, drained\n\n")
			.append("All sessions queue for one key. Then each releases as soon as it is granted the lock, until all"
					+ " were granted it once. *p50* to *longest* are from a release to the next grant; *bytes read*"
					+ " are what a session's socket read.");
		drains.stream()
			.filter((drain) -> drain.waiters() < drain.wanted())
			.findFirst()
			.ifPresent((drain) -> text.append(" %s sessions were wanted; this machine has threads for %s."
				.formatted(Numbers.count(drain.wanted()), Numbers.count(drain.waiters()))));
		sections.add(text.append("\n\n").append(table).toString());
	}

	/**
	 * Writes the section about servers that are far away or have slow disks.
	 * @param measurements what was measured
	 * @return the section; empty if nothing of it was measured
	 */
	static String far(Measurements measurements) {
		if (measurements.far().isEmpty()) {
			return "";
		}
		Table table = new Table(List.of("servers", "network ms", "disk ms", "lock", "locks/s", "x Curator", "p50 ms",
				"p99 ms", "p99.9 ms", "longest ms", "Jain, JVMs"));
		for (FarResult far : measurements.far()) {
			Result result = far.result();
			Optional<Result> curator = measurements.far()
				.stream()
				.filter((other) -> other.disk().equals(far.disk()))
				.map(FarResult::result)
				.filter((other) -> other.workload() == result.workload() && other.servers() == result.servers()
						&& other.contestant().isCurator())
				.findFirst();
			List<String> row = new ArrayList<>(List.of(Numbers.count(result.servers()),
					Numbers.count((double) result.workload().roundTrip().toMillis()),
					Numbers.count(far.disk().toNanos() / 1e6), result.contestant().title(),
					Numbers.of(result.median(Turn::perSecond)),
					curator.map((other) -> Numbers.of(Medians.of(result.ratios(other)))).orElse("")));
			row.addAll(Tables.waits(result));
			row.add(Numbers.of(result.median((turn) -> turn.fairness().amongProcesses())));
			table.add(row);
		}
		return "\n## On several servers, far away and with slow disks\n\nOne key, 4 JVMs x 1 thread. *network* is by how"
				+ " much longer a request and its answer are under way between a client and its server (not between"
				+ " servers); *disk* is by how much longer each server takes to force its log. All servers share this"
				+ " machine's processors.\n\n" + table;
	}

	private void failovers(List<String> sections) {
		List<FailoverResult> failovers = this.measurements.failovers()
			.stream()
			.filter((failover) -> failover.servers() == this.servers)
			.toList();
		if (failovers.isEmpty()) {
			return;
		}
		Table table = new Table(
				List.of("killed", "lock", "kills", "next grant ms, median", "longest", "attempts that failed"));
		for (FailoverResult failover : failovers) {
			table.add(List.of(failover.victim().name().toLowerCase(Locale.ROOT), failover.contestant().title(),
					Numbers.count(failover.kills().size()),
					Numbers.of(failover.median(FailoverResult.Kill::grantMillis)), Numbers.of(failover.longestMillis()),
					Numbers.count((double) failover.refusals())));
		}
		sections
			.add("\n### from a kill to the next grant\n\nOne client holds a key, three wait for it. Then the holder's"
					+ " process is killed (`kill -9`), or the leader of the servers is, and the holder releases right"
					+ " after. Session time-outs, and Redisson's lease, are %s s; a client that was refused asks again.\n\n"
						.formatted(Numbers.count(failovers.get(0).sessionMillis() / 1e3))
					+ table);
	}

}
