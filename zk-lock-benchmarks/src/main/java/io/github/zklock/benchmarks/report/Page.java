package io.github.zklock.benchmarks.report;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;

import io.github.zklock.benchmarks.jvm.JvmFigure;
import io.github.zklock.benchmarks.process.ZooKeeperServers;
import io.github.zklock.benchmarks.run.Heat;
import io.github.zklock.benchmarks.run.Measurements;
import io.github.zklock.benchmarks.run.Plan;
import io.github.zklock.benchmarks.run.Workload;

/**
 * The page about performance. What is between two marks is written again; what people
 * wrote around it stays.
 */
public final class Page {

	private static final String BEGIN = "<!-- measured: begin -->";

	private static final String END = "<!-- measured: end -->";

	private static final String PICTURES = "performance";

	private final Plan plan;

	private final Machine machine;

	private final String command;

	/**
	 * Prepares the page.
	 * @param plan what was to be measured
	 * @param machine on what it was measured
	 * @param command how to measure it again
	 */
	public Page(Plan plan, Machine machine, String command) {
		this.plan = plan;
		this.machine = machine;
		this.command = command;
	}

	/**
	 * Writes down what was measured.
	 * @param measurements what was measured by processes
	 * @param figures what was measured in one JVM
	 * @return what is between the marks
	 */
	public String text(Measurements measurements, List<JvmFigure> figures) {
		StringBuilder text = new StringBuilder();
		head(text);
		for (int servers : this.plan.serverCounts()) {
			goals(text, measurements, servers);
		}
		for (int servers : this.plan.serverCounts()) {
			measured(text, measurements, servers);
		}
		for (int servers : this.plan.serverCounts()) {
			text.append(new HandoffTable(measurements, servers)).append(new BuildTable(measurements, servers));
		}
		text.append(FurtherTables.far(measurements));
		if (!figures.isEmpty()) {
			text.append("\n## In one JVM\n\nMeasured with JMH.\n\n").append(Tables.jvm(figures));
		}
		return text.toString();
	}

	/**
	 * Changes the page and draws its pictures.
	 * @param text what is to be between the marks
	 * @param measurements what is to be drawn
	 * @param directory where {@code performance.md} is, or will be; pictures go to
	 * {@code performance} below it
	 */
	public void save(String text, Measurements measurements, Path directory) {
		save(text, directory.resolve("performance.md"));
		for (int servers : this.plan.serverCounts()) {
			new Plots(measurements, servers, directory.resolve(PICTURES)).draw();
		}
	}

	private void head(StringBuilder text) {
		text.append("\nMeasured on ")
			.append(LocalDate.now(ZoneOffset.UTC))
			.append(" by\n\n    ")
			.append(this.command)
			.append("\n\n");
		text.append("| | |\n|---|---|\n");
		text.append("| machine | ").append(this.machine).append(" |\n");
		if (!this.plan.disk().isZero()) {
			text.append("| disk of the servers | a forced write takes %s ms longer |%n"
				.formatted(Numbers.count(this.plan.disk().toNanos() / 1e6)));
		}
		text.append("| versions | ").append(Versions.text()).append(" |\n");
		text.append(
				"| rounds | %d after a first one of %s s that is left out; each contestant's turn %s s after %s s of warm-up |%n"
					.formatted(this.plan.rounds(), seconds(this.plan.first()), seconds(this.plan.measured()),
							seconds(this.plan.warmUp())));
		Heat heat = this.plan.heat();
		text.append(
				"| heated | until each worker JVM was granted %s locks, and the compilers used at most %d %% of the time of the processors that the workers used in a session of %s s; or for %s s |%n"
					.formatted(Numbers.count(heat.locks()), heat.compilerPercent(), seconds(Heat.SESSION),
							seconds(heat.atMost())));
		text.append("| sessions | last %s s, those of many waiters %s s, of all contestants |%n".formatted(
				Numbers.count(Plan.SESSION_MILLIS / 1e3), Numbers.count(ZooKeeperServers.MAX_SESSION_MILLIS / 1e3)));
		if (this.machine.isLoaded()) {
			text.append("\n**Others used the machine meanwhile** (load average before it began: ")
				.append(Numbers.of(this.machine.load()))
				.append("). Counts hold; times and ratios may not.\n");
		}
	}

	private static String seconds(Duration time) {
		return Numbers.count(time.toMillis() / 1e3);
	}

	private static void goals(StringBuilder text, Measurements measurements, int servers) {
		Goals goals = new Goals(measurements, servers);
		if (!goals.verdicts().isEmpty()) {
			text.append("\n## Goals, on ").append(serversText(servers)).append("\n\n").append(goals);
		}
	}

	private static void measured(StringBuilder text, Measurements measurements, int servers) {
		Tables tables = new Tables(measurements);
		text.append("\n## On ").append(serversText(servers)).append('\n');
		Map<String, String> pictures = new Plots(measurements, servers, Path.of(PICTURES)).pictures();
		pictures.forEach((file, shows) -> text.append("\n![%s](%s/%s)%n".formatted(shows, PICTURES, file)));
		for (Workload workload : Workload.values()) {
			if (!measurements.of(workload, servers).isEmpty()) {
				text.append("\n### ")
					.append(workload.title())
					.append("\n\n")
					.append(tables.workload(workload, servers));
				if (!measurements.openLoops(workload, servers).isEmpty()) {
					text.append("\nThe same with callers that come at a share of the locks/s above,"
							+ " whether or not earlier ones were served:\n\n")
						.append(tables.openLoops(workload, servers));
				}
			}
		}
		if (!measurements.herds(false, servers).isEmpty()) {
			text.append("\n### many waiters, one release\n\n").append(tables.herds(false, servers));
		}
		measurements.herds(true, servers)
			.stream()
			.findFirst()
			.ifPresent((herd) -> text
				.append("\n### many waiters for one of %d permits, one release\n\n".formatted(herd.permits()))
				.append(tables.herds(true, servers)));
		new FurtherTables(measurements, servers).sections().forEach(text::append);
	}

	static String serversText(int servers) {
		return (servers == 1) ? "one server" : servers + " servers";
	}

	private static void save(String text, Path file) {
		try {
			Files.createDirectories(file.toAbsolutePath().getParent());
			String old = Files.exists(file) ? Files.readString(file) : "# Performance\n\n" + BEGIN + END + "\n";
			int begin = old.indexOf(BEGIN);
			int end = old.indexOf(END);
			if (begin < 0 || end < begin) {
				throw new IllegalStateException(
						"%s lacks the marks %s and %s".formatted(file.getFileName(), BEGIN, END));
			}
			Files.writeString(file, old.substring(0, begin) + BEGIN + "\n" + text + "\n" + old.substring(end));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
