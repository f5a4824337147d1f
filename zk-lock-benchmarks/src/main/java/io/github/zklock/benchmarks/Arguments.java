package io.github.zklock.benchmarks;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;
import picocli.CommandLine.TypeConversionException;

import io.github.zklock.benchmarks.peer.Contestant;
import io.github.zklock.benchmarks.run.Further;
import io.github.zklock.benchmarks.run.Heat;
import io.github.zklock.benchmarks.run.Plan;
import io.github.zklock.benchmarks.run.Workload;

/**
 * What the command line says. Of two options that say different things the later one
 * wins.
 */
final class Arguments {

	private static final String NONE = "none";

	@Spec(Target.MIXEE)
	private @Nullable CommandSpec command;

	private List<Integer> servers = List.of(1, 3);

	private List<Workload> workloads = list(Workload::isUsual);

	private Set<Contestant> contestants = EnumSet.complementOf(EnumSet.of(Contestant.OTHER_BUILD));

	private List<Integer> herds = List.of(10, 30, 100, 300, 1000);

	private List<Integer> queues = List.of(1000, 5000);

	private List<Integer> far = List.of(3, 5);

	private Duration disk = Duration.ZERO;

	private boolean quick;

	private @Nullable Path otherBuild;

	private Path work = Path.of("target", "performance").toAbsolutePath();

	@Option(names = "-help", usageHelp = true, description = "say this")
	boolean help;

	@Option(names = "-rounds", paramLabel = "<n>", description = "how often each contestant's turn comes (5)")
	private int rounds = 5;

	@Option(names = "-first", paramLabel = "<s>", converter = Seconds.class,
			description = "how long each turn of the first round is, which does not count (3)")
	private Duration first = Duration.ofSeconds(3);

	@Option(names = "-heat", paramLabel = "<n>",
			description = "how many locks each worker JVM is granted, contended as measured, before the first round (10000)")
	private int heat = 10_000;

	@Option(names = "-heat-compiled", paramLabel = "<percent>",
			description = "and which part of the processors' time that the workers use their compilers use then, at most (10)")
	private int heatCompiled = 10;

	@Option(names = "-heat-at-most", paramLabel = "<s>", converter = Seconds.class,
			description = "how long that may take for each contestant of a workload (40)")
	private Duration heatAtMost = Duration.ofSeconds(40);

	@Option(names = "-seconds", paramLabel = "<s>", converter = Seconds.class,
			description = "how long a turn is measured (2)")
	private Duration measured = Duration.ofSeconds(2);

	@Option(names = "-warm-up", paramLabel = "<s>", converter = Seconds.class, description = "how long it warms up (1)")
	private Duration warmUp = Duration.ofSeconds(1);

	@Option(names = "-disk", paramLabel = "<ms>",
			description = "how much longer a forced write takes on the servers than on this machine's disk (0)")
	void disk(double millis) {
		if (millis < 0 || !Double.isFinite(millis)) {
			throw refused("-disk %s: that is no time by which a disk can be slower".formatted(millis));
		}
		this.disk = Duration.ofNanos(Math.round(millis * 1e6));
	}

	@Option(names = "-releases", paramLabel = "<n>", description = "how many releases are measured for each (10)")
	private int releases = 10;

	@Option(names = "-kills", paramLabel = "<n>",
			description = "how often a holder is killed, and on three servers a leader, for each (3)")
	private int kills = 3;

	@Option(names = "-no-redis", description = "leave Redis out, even if it is installed")
	private boolean withoutRedis;

	@Option(names = "-no-jmh", description = "leave out what is measured in one JVM")
	private boolean withoutJmh;

	@Option(names = "-into", paramLabel = "<directory>", description = "where performance.md is")
	private Path into = Path.of("docs");

	@Option(names = "-recordings", paramLabel = "<directory>", description = "let all JVMs make flight recordings")
	private @Nullable Path recordings;

	@Option(names = "-other-build", paramLabel = "<jar>",
			description = "a jar of zk-lock-core, or a directory of its classes, whose locks take part beside ours")
	void otherBuild(Path jar) {
		if (!Files.exists(jar)) {
			throw refused("There is no '%s'".formatted(jar));
		}
		this.otherBuild = jar.toAbsolutePath();
	}

	@Option(names = "-quick",
			description = "one short round on one server, into the working directory: a look whether all works")
	void hurry(boolean hurry) {
		if (!hurry) {
			return;
		}
		this.quick = true;
		this.servers = List.of(1);
		this.rounds = 1;
		this.heat = 100;
		this.heatCompiled = 100;
		this.heatAtMost = Duration.ofSeconds(1);
		this.warmUp = Duration.ofMillis(200);
		this.first = Duration.ofMillis(300);
		this.measured = Duration.ofMillis(300);
		this.herds = List.of(5, 20);
		this.queues = List.of(20);
		this.kills = 0;
		this.far = List.of();
		this.releases = 3;
	}

	@Option(names = "-short",
			description = "what takes about three quarters of an hour: three short rounds on one server, ours beside Curator's alone")
	void shorten(boolean shorten) {
		if (!shorten) {
			return;
		}
		this.servers = List.of(1);
		this.contestants = EnumSet.copyOf(Arrays.stream(Contestant.values())
			.filter((one) -> one != Contestant.SPRING_INTEGRATION && one != Contestant.OTHER_BUILD && !one.usesRedis())
			.toList());
		this.rounds = 3;
		this.heatAtMost = Duration.ofSeconds(20);
		this.first = Duration.ofSeconds(2);
		this.warmUp = Duration.ofMillis(500);
		this.measured = Duration.ofMillis(1500);
		this.herds = List.of(10, 1000);
		this.queues = List.of(1000);
		this.kills = 1;
		this.far = List.of();
		this.withoutRedis = true;
		this.withoutJmh = true;
	}

	@Option(names = "-servers", paramLabel = "<n,...>", description = "on how many ZooKeeper servers (1,3)")
	void servers(String text) {
		this.servers = numbers(text);
	}

	@Option(names = "-workloads", paramLabel = "<w,...>", completionCandidates = FurtherWorkloads.class,
			description = "which workloads, by their names in Workload, all, usual, or none (usual); to the usual ones"
					+ " do not belong, because the page would take too long: ${COMPLETION-CANDIDATES}")
	void workloads(String text) {
		Set<Workload> chosen = new LinkedHashSet<>();
		for (String word : list(text)) {
			switch (word.toLowerCase(Locale.ROOT)) {
				case "all" -> chosen.addAll(list((workload) -> true));
				case "usual" -> chosen.addAll(list(Workload::isUsual));
				default -> chosen.addAll(names(word, Workload.class));
			}
		}
		this.workloads = List.copyOf(chosen);
	}

	@Option(names = "-contestants", paramLabel = "<c,...>",
			description = "who takes part, by their names in Contestant (all); -other-build adds its own")
	void contestants(String text) {
		this.contestants = EnumSet.noneOf(Contestant.class);
		this.contestants.addAll(names(text, Contestant.class));
	}

	@Option(names = "-herds", paramLabel = "<n,...>",
			description = "how many waiters there are when one releases, or none (10,30,100,300,1000)")
	void herds(String text) {
		this.herds = numbers(text);
	}

	@Option(names = "-queues", paramLabel = "<n,...>",
			description = "how many sessions queue for one key that is then drained, or none (1000,5000)")
	void queues(String text) {
		this.queues = numbers(text);
	}

	@Option(names = "-distant", paramLabel = "<n,...>",
			description = "on how many servers far away, and with slow disks, locks are measured too, or none (3,5)")
	void far(String text) {
		this.far = numbers(text);
	}

	@Option(names = "-work", paramLabel = "<directory>", description = "where data and logs go")
	void work(Path directory) {
		this.work = directory.toAbsolutePath();
	}

	private static List<Workload> list(Predicate<Workload> which) {
		return Arrays.stream(Workload.values()).filter(which).toList();
	}

	private static List<String> list(String text) {
		return text.equals(NONE) ? List.of() : List.of(text.split(",", -1));
	}

	private List<Integer> numbers(String text) {
		try {
			return list(text).stream().map(Integer::valueOf).toList();
		}
		catch (NumberFormatException ex) {
			throw refused("'%s' is not a list of numbers".formatted(text));
		}
	}

	private <E extends Enum<E>> List<E> names(String text, Class<E> type) {
		try {
			return list(text).stream().map((name) -> Enum.valueOf(type, name.toUpperCase(Locale.ROOT))).toList();
		}
		catch (IllegalArgumentException ex) {
			throw refused("'%s' does not name some of %s".formatted(text, Arrays.toString(type.getEnumConstants())));
		}
	}

	private ParameterException refused(String message) {
		CommandSpec spec = this.command;
		return new ParameterException((spec != null) ? spec.commandLine() : new CommandLine(this), message);
	}

	Plan plan() {
		return new Plan(this.servers, this.disk, this.workloads, takingPart(), this.rounds,
				new Heat(this.heat, this.heatCompiled, this.heatAtMost), this.first, this.warmUp, this.measured,
				this.herds, this.releases, new Further(this.queues, this.kills, this.far), !this.withoutRedis,
				this.work, this.recordings, this.otherBuild);
	}

	private Set<Contestant> takingPart() {
		if (this.otherBuild == null) {
			if (this.contestants.contains(Contestant.OTHER_BUILD)) {
				throw refused("-contestants has other_build, but -other-build does not say where that is");
			}
			return this.contestants;
		}
		Set<Contestant> all = EnumSet.of(Contestant.OTHER_BUILD);
		all.addAll(this.contestants);
		return all;
	}

	boolean jmh() {
		return !this.withoutJmh;
	}

	boolean quick() {
		return this.quick;
	}

	Path into() {
		return this.quick ? this.work : this.into;
	}

	/** The workloads that are not usual. */
	static final class FurtherWorkloads implements Iterable<String> {

		@Override
		public Iterator<String> iterator() {
			return list((workload) -> !workload.isUsual()).stream().map(Workload::name).iterator();
		}

	}

	/** A number of seconds, with or without a fraction. */
	static final class Seconds implements ITypeConverter<Duration> {

		@Override
		public Duration convert(String text) {
			try {
				return Duration.ofMillis(Math.round(Double.parseDouble(text) * 1000));
			}
			catch (NumberFormatException ex) {
				throw new TypeConversionException("'%s' is not a number of seconds".formatted(text));
			}
		}

	}

}
