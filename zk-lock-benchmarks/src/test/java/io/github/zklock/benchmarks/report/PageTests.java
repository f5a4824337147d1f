package io.github.zklock.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.github.zklock.benchmarks.jvm.JvmFigure;
import io.github.zklock.benchmarks.peer.Contestant;
import io.github.zklock.benchmarks.run.DrainResult;
import io.github.zklock.benchmarks.run.FailoverResult;
import io.github.zklock.benchmarks.run.FarResult;
import io.github.zklock.benchmarks.run.Further;
import io.github.zklock.benchmarks.run.Heat;
import io.github.zklock.benchmarks.run.Measurements;
import io.github.zklock.benchmarks.run.OpenLoopResult;
import io.github.zklock.benchmarks.run.Plan;
import io.github.zklock.benchmarks.run.Result;
import io.github.zklock.benchmarks.run.Workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class PageTests {

	private static final Measurements NOTHING = new Measurements(List.of(), List.of(), List.of());

	@TempDir
	Path directory;

	private Plan plan;

	@BeforeEach
	void plan() {
		this.plan = onDisk(Duration.ZERO);
	}

	private Plan onDisk(Duration disk) {
		return new Plan(List.of(1), disk, List.of(), Set.of(), 5, new Heat(10_000, 10, Duration.ofSeconds(40)),
				Duration.ofSeconds(10), Duration.ofSeconds(1), Duration.ofSeconds(2), List.of(), 1, Further.none(),
				false, this.directory, null, null);
	}

	@Test
	void howSlowTheDiskWasMadeIsShown() {
		assertThat(page(0).text(NOTHING, List.of())).doesNotContain("disk of the servers");
		this.plan = onDisk(Duration.ofNanos(250_000));
		assertThat(page(0).text(NOTHING, List.of()))
			.contains("| disk of the servers | a forced write takes 0.25 ms longer |\n");
	}

	@Test
	void aTableHasARowForEachContestant() {
		Measurements measurements = new Measurements(
				List.of(Figures.result(Workload.PROCESSES_4, Contestant.SEQUENTIAL, 3000, 1000, 2000),
						Figures.result(Workload.PROCESSES_4, Contestant.CURATOR_SHARED, 1000, 1000, 1000),
						Figures.result(Workload.PROCESSES_4, Contestant.REDISSON_ALWAYS, 500, 500, 500)),
				List.of(), List.of());
		assertThat(page(0).text(measurements, List.of())).contains(
				"| zk-lock sequential | 2,000 | 2.00 (1.00 to 3.00) | 1.50 | 1.50 | 1.50 | 4.50 | 3.00 | 2.00 | 250 | 50.0 | 125 | 1,500 | 2,500 | 7,000 | 1.00 | 0 | 0.750 | 10 | 20 |\n",
				"| Curator mutex, shared object | 1,000 | 1 | 1.50 |",
				"| Redisson, appendfsync always | 500 | 0.500 (0.500 to 0.500) | 1.50 | 1.50 | 1.50 | 4.50 |  |  |");
	}

	@Test
	void fairnessIsShownAmongThoseWhoCompete() {
		assertThat(heads(Workload.PROCESSES_4_THREADS_8)).contains("| Jain, JVMs | Jain, threads | fewest | most |");
		assertThat(heads(Workload.PROCESSES_4)).contains("| Jain, JVMs | fewest | most |");
		assertThat(heads(Workload.THREADS_16)).contains(
				"| server CPU µs | client bytes | server bytes | heated | awaited | key nodes left | Jain, threads |")
			.doesNotContain("Jain, JVMs");
		assertThat(heads(Workload.OWN)).doesNotContain("Jain", "fewest");
	}

	@Test
	void callersThatComeByThemselvesHaveATable() {
		Result closed = Figures.result(Workload.OPEN_LOOP, Contestant.SEQUENTIAL, 1000);
		Measurements measurements = new Measurements(List.of(closed), List.of(),
				List.of(new OpenLoopResult(30, 300, Figures.result(Workload.OPEN_LOOP, Contestant.SEQUENTIAL, 299)),
						new OpenLoopResult(90, 900, Figures.result(Workload.OPEN_LOOP, Contestant.SEQUENTIAL, 850))));
		assertThat(page(0).text(measurements, List.of())).contains(
				"| zk-lock sequential | 30 | 300 | 299 | 1.50 | 1.50 | 1.50 | 4.50 | 250 | 125 |\n",
				"| zk-lock sequential | 90 | 900 | 850 | 1.50 |");
		assertThat(heads(Workload.OPEN_LOOP)).doesNotContain("% of capacity");
	}

	@Test
	void handoffsStandBesideTheStrictOrder() {
		Measurements measurements = new Measurements(
				List.of(Figures.result(Workload.PROCESSES_4, Contestant.SEQUENTIAL, 3000),
						Figures.result(Workload.PROCESSES_4, Contestant.STRICT, 1000),
						Figures.result(Workload.PROCESSES_4, Contestant.CURATOR_SHARED, 500),
						Figures.result(Workload.PROCESSES_4, Contestant.CURATOR_PER_CALL, 900),
						Figures.result(Workload.OWN, Contestant.SEQUENTIAL, 3000),
						Figures.result(Workload.OWN, Contestant.STRICT, 3000)),
				List.of(), List.of());
		String text = page(0).text(measurements, List.of());
		assertThat(text.substring(text.indexOf("## What handoff costs, on one server")))
			.contains(
					"""
							| one key, 4 JVMs x 1 thread | zk-lock sequential | 3,000 | 1.50 | 1.50 | 1.50 | 4.50 | 0.750 | 10 | 20 |
							| one key, 4 JVMs x 1 thread | zk-lock sequential, max-count=0 | 1,000 | 1.50 | 1.50 | 1.50 | 4.50 | 0.750 | 10 | 20 |
							| one key, 4 JVMs x 1 thread | Curator mutex, one per call | 900 |""")
			.doesNotContain("own key");
		assertThat(heads(Workload.PROCESSES_4)).doesNotContain("What handoff costs");
	}

	@Test
	void twoBuildsStandBesideEachOther() {
		Measurements measurements = new Measurements(
				List.of(Figures.result(Workload.OWN, Contestant.SEQUENTIAL, 3000, 1000, 2000),
						Figures.result(Workload.OWN, Contestant.OTHER_BUILD, 1000, 1000, 500),
						Figures.result(Workload.FRESH, Contestant.SEQUENTIAL, 1000)),
				List.of(), List.of());
		String text = page(0).text(measurements, List.of());
		assertThat(text.substring(text.indexOf("## Two builds by turns, on one server"))).contains("""
				| own key, 1 client | this | 2,000 | 3.00 (1.00 to 4.00) | 1.50 | 1.50 | 1.50 | 4.50 | 250 | 125 |
				| own key, 1 client | the other | 1,000 | 1 | 1.50 | 1.50 | 1.50 | 4.50 | 250 | 125 |
				""").doesNotContain("fresh keys");
		assertThat(heads(Workload.OWN)).doesNotContain("Two builds");
	}

	@Test
	void queuesKillsAndDistancesHaveTables() {
		Histogram handoffs = new Histogram(3);
		handoffs.recordValue(2_000_000);
		Measurements measurements = new Measurements(List.of(), List.of(), List.of(),
				List.of(new DrainResult(Contestant.SEQUENTIAL, 1, 1000, 500, 4_000_000_000L, handoffs, 500, 50_000,
						1_500_000)),
				List.of(new FailoverResult(Contestant.NAIVE, 1, FailoverResult.Victim.HOLDER, 5000,
						List.of(new FailoverResult.Kill(3000, 1), new FailoverResult.Kill(5000, 0),
								new FailoverResult.Kill(4000, 2)))),
				List.of(new FarResult(Duration.ofMillis(4),
						Figures.result(Workload.PROCESSES_4_AT_1_MS, Contestant.STRICT, 300)),
						new FarResult(Duration.ofMillis(4),
								Figures.result(Workload.PROCESSES_4_AT_1_MS, Contestant.CURATOR_PER_CALL, 200)),
						new FarResult(Duration.ZERO,
								Figures.result(Workload.PROCESSES_4_AT_1_MS, Contestant.CURATOR_PER_CALL, 50))));
		assertThat(page(0).text(measurements, List.of())).contains("1,000 sessions were wanted",
				"| 500 | zk-lock sequential | 4.00 | 2.00 | 2.00 | 2.00 | 1.00 | 100 | 3,000 |\n",
				"| 500 sessions in one queue, drained |", "| 1.00 watch events, 3,000 bytes | **not reached** |",
				"lease, are 5 s", "| holder | zk-lock naive | 3 | 4,000 | 5,000 | 3 |\n",
				"| 1 | 1 | 4 | zk-lock sequential, max-count=0 | 300 | 1.50 |");
	}

	private String heads(Workload workload) {
		return page(0).text(
				new Measurements(List.of(Figures.result(workload, Contestant.SEQUENTIAL, 1000)), List.of(), List.of()),
				List.of());
	}

	@Test
	void herdsAndJvmFiguresHaveTables() {
		Measurements measurements = new Measurements(List.of(), List.of(Figures.herd(Contestant.NAIVE, 1000, 1000)),
				List.of());
		assertThat(page(0).text(measurements, List.of(new JvmFigure("Reentry.handle", 120.4, Double.NaN, "ns/op"))))
			.contains("| 1,000 | zk-lock naive | 1,000 | 1,000 | 1 | 500 | 500 |\n",
					"| Reentry.handle | 120 |  | ns/op |\n", "performance/herd-events-1.png");
	}

	@Test
	void theCommandAndTheMachineAreNamed() {
		assertThat(page(0).text(NOTHING, List.of())).contains("    ./measure -all\n",
				"| heated | until each worker JVM was granted 10,000 locks, and the compilers used at most 10 % of",
				"that the workers used in a session of 2 s; or for 40 s |",
				"| sessions | last 60 s, those of many waiters 300 s, of all contestants |",
				"2 cores, Linux amd64, JVM 17", "ZooKeeper 3.", "Curator 5.", "Redisson 4.", "Spring Integration 7.")
			.doesNotContain("Others used the machine");
	}

	@Test
	void aLoadedMachineIsNoSecret() {
		assertThat(page(4).text(NOTHING, List.of())).contains("**Others used the machine meanwhile**");
	}

	@Test
	void whatPeopleWroteStays() throws IOException {
		Path file = this.directory.resolve("performance.md");
		Files.writeString(file,
				"# Ours\n\n<!-- measured: begin -->\nold\n<!-- measured: end -->\n\n## What bounds it\n\nThe disk.\n");
		page(0).save("new", NOTHING, this.directory);
		assertThat(file).hasContent(
				"# Ours\n\n<!-- measured: begin -->\nnew\n<!-- measured: end -->\n\n## What bounds it\n\nThe disk.\n");
	}

	@Test
	void aPageIsMadeIfThereIsNone() {
		page(0).save("new", NOTHING, this.directory.resolve("docs"));
		assertThat(this.directory.resolve("docs/performance.md")).content()
			.startsWith("# Performance")
			.contains("\nnew\n");
	}

	@Test
	void aPageWithoutMarksIsNotOverwritten() throws IOException {
		Path file = Files.writeString(this.directory.resolve("performance.md"), "# Ours\n");
		assertThatIllegalStateException().isThrownBy(() -> page(0).save("new", NOTHING, this.directory))
			.withMessageContaining("performance.md lacks the marks");
		assertThat(file).hasContent("# Ours\n");
	}

	private Page page(double load) {
		return new Page(this.plan, new Machine(2, "Linux amd64", "JVM 17", 80, load), "./measure -all");
	}

}
