package io.github.zklock.benchmarks.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import org.HdrHistogram.Histogram;

import io.github.zklock.benchmarks.jvm.JvmFigure;
import io.github.zklock.benchmarks.run.HerdResult;
import io.github.zklock.benchmarks.run.Measurements;
import io.github.zklock.benchmarks.run.Medians;
import io.github.zklock.benchmarks.run.OpenLoopResult;
import io.github.zklock.benchmarks.run.Result;
import io.github.zklock.benchmarks.run.Turn;
import io.github.zklock.benchmarks.run.Workload;

/**
 * Makes tables of what was measured.
 */
final class Tables {

	private final Measurements measurements;

	Tables(Measurements measurements) {
		this.measurements = measurements;
	}

	String workload(Workload workload, int servers) {
		List<Result> results = this.measurements.of(workload, servers);
		boolean awaited = results.stream().anyMatch((result) -> result.awaited().isPresent());
		boolean readers = workload.load().readPercent() > 0;
		boolean processes = workload.processes() > 1;
		boolean threads = workload.threads() > 1;
		List<String> head = new ArrayList<>(List.of("lock", "locks/s", "x Curator", "p50 ms", "p99 ms", "p99.9 ms",
				"longest ms", "requests", "transactions", "client CPU µs", "compiler CPU µs", "server CPU µs",
				"client bytes", "server bytes", "heated"));
		if (awaited) {
			head.addAll(List.of("awaited", "key nodes left"));
		}
		if (readers) {
			head.addAll(List.of("writers' p99 ms", "writers' longest ms"));
		}
		if (processes) {
			head.add("Jain, JVMs");
		}
		if (threads) {
			head.add("Jain, threads");
		}
		if (processes || threads) {
			head.addAll(List.of("fewest", "most"));
		}
		Table table = new Table(head);
		for (Result result : results) {
			List<String> row = new ArrayList<>(
					List.of(result.contestant().title(), Numbers.of(result.median(Turn::perSecond)), ratio(result)));
			row.addAll(waits(result));
			boolean redis = result.contestant().usesRedis();
			row.add(redis ? "" : Numbers.of(result.median(Turn::requests)));
			row.add(redis ? "" : Numbers.of(result.median(Turn::transactions)));
			row.add(Numbers.of(result.median(Turn::clientMicros)));
			row.add(Numbers.of(result.median(Turn::compilerMicros)));
			row.add(Numbers.of(result.median(Turn::serverMicros)));
			row.add(Numbers.of(result.median(Turn::clientBytes)));
			row.add(redis ? "" : Numbers.of(result.median(Turn::serverBytes)));
			row.add(Numbers.count((double) result.heated()));
			if (awaited) {
				row.add(result.awaited().isPresent() ? Numbers.of(result.awaited().getAsDouble()) : "");
				row.add(redis ? "" : Numbers.count(result.median(Turn::places)));
			}
			if (readers) {
				Histogram writers = result.writerWaits();
				row.add(Numbers.millis(writers.getValueAtPercentile(99)));
				row.add(Numbers.millis(writers.getMaxValue()));
			}
			if (processes) {
				row.add(Numbers.of(result.median((turn) -> turn.fairness().amongProcesses())));
			}
			if (threads) {
				row.add(Numbers.of(result.median((turn) -> turn.fairness().amongThreads())));
			}
			if (processes || threads) {
				row.add(Numbers.count(result.median(Turn::fewest)));
				row.add(Numbers.count(result.median(Turn::most)));
			}
			table.add(row);
		}
		return table.toString();
	}

	private String ratio(Result result) {
		Optional<Result> curator = this.measurements.bestOfCurator(result.workload(), result.servers());
		if (curator.isEmpty()) {
			return "";
		}
		if (curator.get().contestant() == result.contestant()) {
			return "1";
		}
		return ratio(result, curator.get());
	}

	static String ratio(Result result, Result other) {
		double[] ratios = result.ratios(other);
		return "%s (%s to %s)".formatted(Numbers.of(Medians.of(ratios)),
				Numbers.of(Arrays.stream(ratios).min().orElseThrow()),
				Numbers.of(Arrays.stream(ratios).max().orElseThrow()));
	}

	String openLoops(Workload workload, int servers) {
		Table table = new Table(List.of("lock", "% of capacity", "arrivals/s", "granted/s", "p50 ms", "p99 ms",
				"p99.9 ms", "longest ms", "client CPU µs", "server CPU µs"));
		for (OpenLoopResult result : this.measurements.openLoops(workload, servers)) {
			Result served = result.served();
			List<String> row = new ArrayList<>(List.of(served.contestant().title(), Numbers.count(result.percent()),
					Numbers.of(result.arrivals()), Numbers.of(served.median(Turn::perSecond))));
			row.addAll(waits(served));
			row.add(Numbers.of(served.median(Turn::clientMicros)));
			row.add(Numbers.of(served.median(Turn::serverMicros)));
			table.add(row);
		}
		return table.toString();
	}

	static List<String> waits(Result result) {
		Histogram waits = result.waits();
		return List.of(Numbers.millis(waits.getValueAtPercentile(50)), Numbers.millis(waits.getValueAtPercentile(99)),
				Numbers.millis(Math.min(waits.getValueAtPercentile(99.9), result.longest())),
				Numbers.millis(result.longest()));
	}

	String herds(boolean permits, int servers) {
		Table table = new Table(List.of("waiters", "lock", "watch events", "requests", "transactions",
				"next grant ms, median", "longest"));
		for (HerdResult herd : this.measurements.herds(permits, servers)) {
			table.add(List.of(Numbers.count(herd.waiters()), herd.contestant().title(),
					Numbers.count(herd.median(HerdResult.Release::watchEvents)),
					Numbers.count(herd.median(HerdResult.Release::requests)),
					Numbers.count(herd.median(HerdResult.Release::transactions)),
					Numbers.of(herd.median(HerdResult.Release::grantMillis)),
					Numbers.of(herd.releases()
						.stream()
						.mapToDouble(HerdResult.Release::grantMillis)
						.max()
						.orElseThrow())));
		}
		return table.toString();
	}

	static String jvm(List<JvmFigure> figures) {
		Table table = new Table(List.of("benchmark", "mean", "±", "unit"));
		figures.forEach((figure) -> table
			.add(List.of(figure.name(), Numbers.of(figure.score()), Numbers.of(figure.error()), figure.unit())));
		return table.toString();
	}

}
