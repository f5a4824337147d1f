package io.github.zklock.benchmarks;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.github.zklock.benchmarks.peer.Contestant;
import io.github.zklock.benchmarks.run.Plan;
import io.github.zklock.benchmarks.run.Workload;

/**
 * What the command line says.
 */
final class Arguments {

	static final String USAGE = """
			-help               say this
			-quick              one short round on one server, into the working directory: a look whether all works
			-rounds <n>         how often each contestant's turn comes (5)
			-first <s>          how long each turn of the first round is, which does not count (10)
			-seconds <s>        how long a turn is measured (2)
			-warm-up <s>        how long it warms up (1)
			-servers <n,...>    on how many ZooKeeper servers (1,3)
			-workloads <w,...>  which workloads, by their names in Workload, or none (all)
			-contestants <c,...> who takes part, by their names in Contestant (all)
			-herds <n,...>      how many waiters there are when one releases, or none (10,30,100,300,1000)
			-releases <n>       how many releases are measured for each (10)
			-no-redis           leave Redis out, even if it is installed
			-no-jmh             leave out what is measured in one JVM
			-into <directory>   where performance.md is
			-work <directory>   where data and logs go
			-recordings <directory>  let all JVMs make flight recordings""";

	private List<Integer> servers = List.of(1, 3);

	private List<Workload> workloads = List.of(Workload.values());

	private Set<Contestant> contestants = EnumSet.allOf(Contestant.class);

	private int rounds = 5;

	private Duration first = Duration.ofSeconds(10);

	private Duration warmUp = Duration.ofSeconds(1);

	private Duration measured = Duration.ofSeconds(2);

	private List<Integer> herds = List.of(10, 30, 100, 300, 1000);

	private int releases = 10;

	private boolean redis = true;

	private boolean jmh = true;

	private boolean quick;

	private Path into = Path.of("docs");

	private Path work = Path.of("target", "performance").toAbsolutePath();

	private @Nullable Path recordings;

	private Arguments() {
	}

	static Arguments parse(String... args) {
		Arguments arguments = new Arguments();
		Deque<String> words = new ArrayDeque<>(Arrays.asList(args));
		while (!words.isEmpty()) {
			arguments.take(words.remove(), words);
		}
		if (arguments.quick) {
			arguments.into = arguments.work;
		}
		return arguments;
	}

	private void take(String option, Deque<String> words) {
		switch (option) {
			case "-quick" -> hurry();
			case "-rounds" -> {
				this.rounds = Integer.parseInt(words.remove());
			}
			case "-seconds" -> {
				this.measured = seconds(words.remove());
			}
			case "-first" -> {
				this.first = seconds(words.remove());
			}
			case "-warm-up" -> {
				this.warmUp = seconds(words.remove());
			}
			case "-servers" -> {
				this.servers = numbers(words.remove());
			}
			case "-workloads" -> {
				this.workloads = list(words.remove()).stream()
					.map((name) -> Workload.valueOf(name.toUpperCase(Locale.ROOT)))
					.toList();
			}
			case "-contestants" -> {
				this.contestants = list(words.remove()).stream()
					.map((name) -> Contestant.valueOf(name.toUpperCase(Locale.ROOT)))
					.collect(Collectors.toCollection(() -> EnumSet.noneOf(Contestant.class)));
			}
			case "-herds" -> {
				this.herds = numbers(words.remove());
			}
			case "-releases" -> {
				this.releases = Integer.parseInt(words.remove());
			}
			case "-no-redis" -> {
				this.redis = false;
			}
			case "-no-jmh" -> {
				this.jmh = false;
			}
			case "-into" -> {
				this.into = Path.of(words.remove());
			}
			case "-work" -> {
				this.work = Path.of(words.remove()).toAbsolutePath();
			}
			case "-recordings" -> {
				this.recordings = Path.of(words.remove());
			}
			default -> throw new IllegalArgumentException("Unknown option " + option + "\n" + USAGE);
		}
	}

	private void hurry() {
		this.quick = true;
		this.servers = List.of(1);
		this.rounds = 1;
		this.warmUp = Duration.ofMillis(200);
		this.first = Duration.ofMillis(300);
		this.measured = Duration.ofMillis(300);
		this.herds = List.of(5, 20);
		this.releases = 3;
	}

	private static Duration seconds(String text) {
		return Duration.ofMillis(Math.round(Double.parseDouble(text) * 1000));
	}

	private static List<String> list(String text) {
		return text.equals("none") ? List.of() : List.of(text.split(",", -1));
	}

	private static List<Integer> numbers(String text) {
		return list(text).stream().map(Integer::valueOf).toList();
	}

	Plan plan() {
		return new Plan(this.servers, this.workloads, this.contestants, this.rounds, this.first, this.warmUp,
				this.measured, this.herds, this.releases, this.redis, this.work, this.recordings);
	}

	boolean jmh() {
		return this.jmh;
	}

	boolean quick() {
		return this.quick;
	}

	Path into() {
		return this.into;
	}

}
