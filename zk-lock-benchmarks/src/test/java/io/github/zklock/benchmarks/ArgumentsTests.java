package io.github.zklock.benchmarks;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

import io.github.zklock.benchmarks.peer.Contestant;
import io.github.zklock.benchmarks.run.Heat;
import io.github.zklock.benchmarks.run.Plan;
import io.github.zklock.benchmarks.run.Workload;

import static org.assertj.core.api.Assertions.assertThat;

class ArgumentsTests {

	@TempDir
	Path directory;

	private final StringWriter printed = new StringWriter();

	private final StringWriter refused = new StringWriter();

	private int run(String... args) {
		return PerformanceMain.commandLine()
			.setOut(new PrintWriter(this.printed, true))
			.setErr(new PrintWriter(this.refused, true))
			.execute(args);
	}

	private static Arguments parse(String... args) {
		Arguments arguments = new Arguments();
		new CommandLine(CommandLine.Model.CommandSpec.create()
			.addMixin("arguments", CommandLine.Model.CommandSpec.forAnnotatedObject(arguments))).parseArgs(args);
		return arguments;
	}

	@ParameterizedTest
	@ValueSource(strings = { "-fast", "-rounds", "-rounds many", "-seconds long", "-servers one", "-workloads rest",
			"-contestants nobody", "-contestants other_build", "-herds 1,", "-disk -1", "-disk NaN", "-disk slow",
			"-other-build nowhere.jar", "more" })
	void mistakesAreRefusedWithWhatThereIs(String args) {
		assertThat(run(args.split(" ", -1))).isEqualTo(2);
		assertThat(this.refused.toString()).contains(args.split(" ", -1)[0]).contains("-quick");
	}

	@Test
	void everyOptionIsExplained() {
		assertThat(run("-help")).isZero();
		assertThat(this.printed.toString()).contains("-help", "-quick", "-short", "-rounds", "-first", "-heat",
				"-heat-compiled", "-heat-at-most", "-seconds", "-warm-up", "-servers", "-workloads", "-contestants",
				"-herds", "-queues", "-kills", "-distant", "-disk", "-releases", "-no-redis", "-no-jmh", "-into",
				"-work", "-recordings", "-other-build");
	}

	@Test
	void everyOptionMatters() {
		Arguments arguments = parse("-rounds", "3", "-first", "4", "-heat", "500", "-heat-compiled", "20",
				"-heat-at-most", "6", "-seconds", "0.5", "-warm-up", "0.25", "-servers", "3,5", "-workloads",
				"own,fresh", "-contestants", "naive", "-herds", "7", "-queues", "8", "-kills", "9", "-distant", "5",
				"-disk", "0.25", "-releases", "2", "-no-redis", "-no-jmh", "-into", "there", "-work",
				this.directory.toString(), "-recordings", "tapes", "-other-build", this.directory.toString());
		Plan plan = arguments.plan();
		assertThat(plan.rounds()).isEqualTo(3);
		assertThat(plan.heat()).isEqualTo(new Heat(500, 20, Duration.ofSeconds(6)));
		assertThat(plan.first()).isEqualTo(Duration.ofSeconds(4));
		assertThat(plan.measured()).isEqualTo(Duration.ofMillis(500));
		assertThat(plan.warmUp()).isEqualTo(Duration.ofMillis(250));
		assertThat(plan.serverCounts()).containsExactly(3, 5);
		assertThat(plan.disk()).isEqualTo(Duration.ofNanos(250_000));
		assertThat(plan.workloads()).containsExactly(Workload.OWN, Workload.FRESH);
		assertThat(plan.contestants()).containsExactlyInAnyOrder(Contestant.NAIVE, Contestant.OTHER_BUILD);
		assertThat(plan.herds()).containsExactly(7);
		assertThat(plan.further().queues()).containsExactly(8);
		assertThat(plan.further().kills()).isEqualTo(9);
		assertThat(plan.further().far()).containsExactly(5);
		assertThat(plan.herdReleases()).isEqualTo(2);
		assertThat(plan.redis()).isFalse();
		assertThat(plan.work()).isEqualTo(this.directory);
		assertThat(plan.recordings()).isEqualTo(Path.of("tapes"));
		assertThat(plan.otherBuild()).isEqualTo(this.directory);
		assertThat(arguments.jmh()).isFalse();
		assertThat(arguments.into()).isEqualTo(Path.of("there"));
	}

	@Test
	void withoutOptionsTheUsualIsMeasured() {
		Arguments arguments = parse();
		Plan plan = arguments.plan();
		assertThat(plan.workloads()).isEqualTo(usual());
		assertThat(plan.contestants()).isEqualTo(EnumSet.complementOf(EnumSet.of(Contestant.OTHER_BUILD)));
		assertThat(plan.redis()).isTrue();
		assertThat(arguments.jmh()).isTrue();
		assertThat(arguments.quick()).isFalse();
		assertThat(arguments.into()).isEqualTo(Path.of("docs"));
	}

	@Test
	void allWorkloadsOrTheUsualOnesAndOthersCanBeChosen() {
		assertThat(parse("-workloads", "all").plan().workloads()).containsExactly(Workload.values());
		assertThat(parse("-workloads", "processes_4_held_long,usual").plan().workloads()).hasSize(usual().size() + 1)
			.startsWith(Workload.PROCESSES_4_HELD_LONG)
			.containsAll(usual());
		assertThat(parse("-workloads", "none").plan().workloads()).isEmpty();
	}

	@Test
	void workloadsThatAreNotUsualAreNamed() {
		assertThat(run("-help")).isZero();
		assertThat(Arrays.stream(Workload.values()).filter((workload) -> !workload.isUsual())).isNotEmpty()
			.allSatisfy((workload) -> assertThat(this.printed.toString()).contains(workload.name()));
	}

	private static List<Workload> usual() {
		return Arrays.stream(Workload.values()).filter(Workload::isUsual).toList();
	}

	@Test
	void aShortRunComparesWithCuratorAlone() {
		Arguments arguments = parse("-short", "-rounds", "2");
		Plan plan = arguments.plan();
		assertThat(plan.serverCounts()).containsExactly(1);
		assertThat(plan.workloads()).isEqualTo(usual());
		assertThat(plan.contestants()).doesNotContain(Contestant.SPRING_INTEGRATION, Contestant.REDISSON_ALWAYS)
			.contains(Contestant.SEQUENTIAL, Contestant.CURATOR_PER_CALL, Contestant.LIMIT, Contestant.FAIR_LOCK);
		assertThat(plan.rounds()).isEqualTo(2);
		assertThat(plan.redis()).isFalse();
		assertThat(arguments.jmh()).isFalse();
		assertThat(arguments.into()).isEqualTo(Path.of("docs"));
	}

	@Test
	void aQuickLookDoesNotTouchTheDocumentation() {
		Arguments arguments = parse("-into", "docs", "-quick", "-work", this.directory.toString());
		assertThat(arguments.into()).isEqualTo(this.directory);
	}

}
