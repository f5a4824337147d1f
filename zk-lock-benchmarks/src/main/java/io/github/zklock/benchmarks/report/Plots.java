package io.github.zklock.benchmarks.report;

import java.awt.Color;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

import org.jspecify.annotations.Nullable;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.internal.chartpart.Chart;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.Styler;

import io.github.zklock.benchmarks.peer.Contestant;
import io.github.zklock.benchmarks.run.HerdResult;
import io.github.zklock.benchmarks.run.Measurements;
import io.github.zklock.benchmarks.run.Result;
import io.github.zklock.benchmarks.run.Turn;
import io.github.zklock.benchmarks.run.Workload;

/**
 * Draws what was measured.
 */
final class Plots {

	private final Measurements measurements;

	private final int servers;

	private final Path directory;

	/**
	 * Prepares to draw.
	 * @param measurements what was measured
	 * @param servers on how many servers
	 * @param directory where the pictures go
	 */
	Plots(Measurements measurements, int servers, Path directory) {
		this.measurements = measurements;
		this.servers = servers;
		this.directory = directory;
	}

	/**
	 * Names the pictures of which there is something to draw.
	 * @return the file names, each with what it shows
	 */
	Map<String, String> pictures() {
		Map<String, String> pictures = new LinkedHashMap<>();
		if (!this.measurements.herds(false, this.servers).isEmpty()) {
			pictures.put(file("herd-events"), "Watch events of one release against the number of waiters");
			pictures.put(file("herd-grant"), "Time from one release to the next grant against the number of waiters");
		}
		if (!this.measurements.results().isEmpty()) {
			pictures.put(file("locks"),
					"Locks per second of each workload and lock; of ours and of Curator's the fastest usage");
		}
		return pictures;
	}

	/**
	 * Draws them.
	 */
	void draw() {
		if (!this.measurements.herds(false, this.servers).isEmpty()) {
			save(herd("Watch events of one release", "watch events", HerdResult.Release::watchEvents), "herd-events");
			save(herd("From one release to the next grant", "milliseconds", HerdResult.Release::grantMillis),
					"herd-grant");
		}
		if (!this.measurements.results().isEmpty()) {
			save(locks(this.measurements.results().stream().map(Result::workload).distinct().toList()), "locks");
		}
	}

	private String file(String name) {
		return name + "-" + this.servers + ".png";
	}

	private XYChart herd(String title, String unit, ToDoubleFunction<HerdResult.Release> figure) {
		XYChart chart = new XYChartBuilder().width(760)
			.height(420)
			.title(title + " (" + serversText() + ")")
			.xAxisTitle("waiters")
			.yAxisTitle(unit)
			.build();
		style(chart.getStyler());
		chart.getStyler().setXAxisLogarithmic(true);
		Map<Contestant, List<HerdResult>> series = new LinkedHashMap<>();
		this.measurements.herds(false, this.servers)
			.forEach((herd) -> series.computeIfAbsent(herd.contestant(), (key) -> new ArrayList<>()).add(herd));
		series.forEach((contestant, herds) -> chart.addSeries(contestant.title(),
				herds.stream().mapToDouble(HerdResult::waiters).toArray(),
				herds.stream().mapToDouble((herd) -> herd.median(figure)).toArray()));
		return chart;
	}

	private CategoryChart locks(List<Workload> workloads) {
		CategoryChart chart = new CategoryChartBuilder().width(1200)
			.height(860)
			.title("Locks per second (" + serversText() + ")")
			.yAxisTitle("locks/s")
			.build();
		style(chart.getStyler());
		// Names that overlapped would be left out
		chart.getStyler().setXAxisLabelRotation(90);
		chart.getStyler().setXAxisLabelAlignmentVertical(AxesChartStyler.TextAlignment.Right);
		chart.getStyler().setAvailableSpaceFill(0.85);
		List<String> names = workloads.stream().map(Workload::title).toList();
		bars(chart, "zk-lock, best usage", names, workloads, (workload) -> best(workload, Contestant::isOurs));
		bars(chart, "Curator, best usage", names, workloads, (workload) -> best(workload, Contestant::isCurator));
		bars(chart, Contestant.SPRING_INTEGRATION.title(), names, workloads,
				(workload) -> best(workload, (contestant) -> contestant == Contestant.SPRING_INTEGRATION));
		bars(chart, Contestant.REDISSON_ALWAYS.title(), names, workloads,
				(workload) -> best(workload, (contestant) -> contestant == Contestant.REDISSON_ALWAYS));
		bars(chart, Contestant.REDISSON_EVERYSEC.title(), names, workloads,
				(workload) -> best(workload, (contestant) -> contestant == Contestant.REDISSON_EVERYSEC));
		bars(chart, Contestant.LIMIT.title(), names, workloads,
				(workload) -> best(workload, (contestant) -> contestant == Contestant.LIMIT));
		double[] heights = chart.getSeriesMap()
			.values()
			.stream()
			.flatMap((series) -> series.getYData().stream())
			.filter((height) -> height != null)
			.mapToDouble(Number::doubleValue)
			.toArray();
		// Bars would begin at zero, which has no logarithm
		chart.getStyler().setYAxisMin(Math.pow(10, Math.floor(Math.log10(Arrays.stream(heights).min().orElse(1)))));
		chart.getStyler()
			.setYAxisMax(Math.pow(10, Math.ceil(Math.log10(Arrays.stream(heights).max().orElse(1)) + 0.1)));
		return chart;
	}

	private static void bars(CategoryChart chart, String name, List<String> names, List<Workload> workloads,
			Function<Workload, @Nullable Double> heights) {
		List<@Nullable Double> values = new ArrayList<>();
		workloads.forEach((workload) -> values.add(heights.apply(workload)));
		if (values.stream().anyMatch((value) -> value != null)) {
			chart.addSeries(name, names, values);
		}
	}

	private @Nullable Double best(Workload workload, Predicate<Contestant> who) {
		return this.measurements.of(workload, this.servers)
			.stream()
			.filter((result) -> who.test(result.contestant()))
			.map((result) -> result.median(Turn::perSecond))
			.filter((perSecond) -> perSecond > 0)
			.max(Double::compare)
			.orElse(null);
	}

	private String serversText() {
		return (this.servers == 1) ? "one server" : this.servers + " servers";
	}

	private static void style(AxesChartStyler styler) {
		styler.setChartBackgroundColor(Color.WHITE);
		styler.setYAxisLogarithmic(true);
		styler.setLegendPosition(Styler.LegendPosition.OutsideS);
		styler.setLegendLayout(Styler.LegendLayout.Horizontal);
	}

	private void save(Chart<?, ?> chart, String name) {
		try {
			Files.createDirectories(this.directory);
			BitmapEncoder.saveBitmap(chart, this.directory.resolve(file(name)).toString(),
					BitmapEncoder.BitmapFormat.PNG);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
