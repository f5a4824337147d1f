package io.github.zklock.benchmarks.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.github.zklock.benchmarks.peer.Contestant;

/**
 * Several servers, nearby and far away, on a quick and on a slow disk.
 */
final class Far {

	private static final Duration SLOW_DISK = Duration.ofMillis(4);

	private static final List<Contestant> CONTESTANTS = List.of(Contestant.SEQUENTIAL, Contestant.STRICT,
			Contestant.CURATOR_PER_CALL);

	private static final List<Workload> DISTANCES = List.of(Workload.PROCESSES_4, Workload.PROCESSES_4_AT_1_MS,
			Workload.PROCESSES_4_AT_4_MS);

	private final Plan plan;

	private final Consumer<String> progress;

	Far(Plan plan, Consumer<String> progress) {
		this.plan = plan;
		this.progress = progress;
	}

	/**
	 * Measures.
	 * @return what was seen, nothing if it is not wanted
	 */
	Measurements measure() {
		List<FarResult> results = new ArrayList<>();
		for (int servers : this.plan.further().far()) {
			results.addAll(measure(servers, Duration.ZERO, DISTANCES));
			results.addAll(measure(servers, SLOW_DISK, List.of(Workload.PROCESSES_4)));
		}
		return Measurements.far(results);
	}

	private List<FarResult> measure(int servers, Duration disk, List<Workload> workloads) {
		List<FarResult> results = new ArrayList<>();
		try (Site site = new Site(this.plan, servers, disk)) {
			MeasuredRounds rounds = new MeasuredRounds(site,
					(line) -> this.progress.accept(line + (disk.isZero() ? "" : ", slow disk")));
			for (Workload workload : workloads) {
				rounds.measure(workload, site.present(CONTESTANTS))
					.results()
					.forEach((result) -> results.add(new FarResult(disk, result)));
			}
		}
		return results;
	}

}
