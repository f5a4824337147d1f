package io.github.zklock.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

import io.github.zklock.benchmarks.peer.Contestant;
import io.github.zklock.benchmarks.run.HerdResult;
import io.github.zklock.benchmarks.run.Measurements;
import io.github.zklock.benchmarks.run.Medians;
import io.github.zklock.benchmarks.run.Result;
import io.github.zklock.benchmarks.run.Turn;
import io.github.zklock.benchmarks.run.Workload;

/**
 * What was to be reached, and whether it was. Ratios are the medians of the rounds, to
 * the usage of Curator that was the fastest.
 */
final class Goals {

	// A ping or a renewal of the lease may fall between
	private static final double EXACTLY = 0.02;

	// What a wire that is longer shows is not exact
	private static final double ABOUT = 0.2;

	// So many waiters at the front watch all who are before them
	private static final int FRONT = 4;

	/** The first waiter, and the one behind it, which is woken by its mark. */
	private static final int PERMIT_FRONT = 2;

	private static final int DRAINED = 1000;

	// Two locks that are equally fair differ by as much from run to run
	private static final double AS_FAIR = 0.005;

	private static final double AS_FAST = 0.9;

	private final Measurements measurements;

	private final int servers;

	private final List<Verdict> verdicts = new ArrayList<>();

	Goals(Measurements measurements, int servers) {
		this.measurements = measurements;
		this.servers = servers;
		atLeast(Workload.OWN, Contestant.SEQUENTIAL, 100);
		atLeast(Workload.OWN, Contestant.STRICT, 1.6);
		ratio(Workload.OWN, Contestant.STRICT, measurements.of(Workload.OWN, Contestant.LIMIT, servers), "the limit",
				0.85);
		cost(Workload.OWN, Contestant.STRICT, "exactly 3 requests, 2 transactions, 1 awaited",
				(turn) -> Math.abs(turn.requests() - 3) < EXACTLY && Math.abs(turn.transactions() - 2) < EXACTLY, true);
		atLeast(Workload.FRESH, Contestant.SEQUENTIAL, 4);
		ratio(Workload.FRESH, Contestant.SEQUENTIAL, measurements.of(Workload.FRESH, Contestant.LIMIT, servers),
				"the limit", 0.85);
		cost(Workload.FRESH, Contestant.SEQUENTIAL, "at most 3 requests, 2 transactions, no container left",
				(turn) -> turn.requests() < 3 + EXACTLY && turn.transactions() < 2 + EXACTLY && turn.places() == 0,
				false);
		atLeast(Workload.THREADS_16, Contestant.SEQUENTIAL, 60);
		ratio(Workload.THREADS_16, Contestant.SEQUENTIAL,
				measurements.of(Workload.THREADS_16, Contestant.FAIR_LOCK, servers), "a fair ReentrantLock", 1 / 1.1);
		atLeast(Workload.PROCESSES_4, Contestant.SEQUENTIAL, 50);
		atLeast(Workload.PROCESSES_4, Contestant.STRICT, 1);
		jain(Workload.PROCESSES_4, 0.98);
		p99(Workload.PROCESSES_4, 1);
		// Of hundreds of locks in a row one waits for another JVM, which no p99 shows
		beside(Workload.PROCESSES_4, (ours, curator) -> wait(Workload.PROCESSES_4, "p99.9",
				ours.waits().getValueAtPercentile(99.9), curator.waits().getValueAtPercentile(99.9), 1));
		longest(Workload.PROCESSES_4, 3);
		atLeast(Workload.PROCESSES_4_THREADS_8, Contestant.SEQUENTIAL, 100);
		jainOfCurator(Workload.PROCESSES_4_THREADS_8);
		p99(Workload.PROCESSES_4_THREADS_8, 1);
		atLeast(Workload.PROCESSES_4_HELD, Contestant.SEQUENTIAL, 1.2);
		jain(Workload.PROCESSES_4_HELD, 0.97);
		p99(Workload.PROCESSES_4_HELD, 1.1);
		atLeast(Workload.PROCESSES_4_AT_4_MS, Contestant.STRICT, 1.5);
		atLeast(Workload.READ_MOSTLY, Contestant.SEQUENTIAL, 5);
		atLeast(Workload.READ_MOSTLY_95, Contestant.SEQUENTIAL, 6);
		writersP99(Workload.READ_MOSTLY_95);
		atLeast(Workload.RETAIN, Contestant.RETAINED, 1500);
		bytes(Workload.RETAIN, Contestant.RETAINED, 300);
		largestHerd(false, Contestant.SEQUENTIAL, "%d watch events for each release at most".formatted(FRONT), false);
		largestHerd(false, Contestant.NAIVE, "1 watch event for each waiter", true);
		largestHerd(true, Contestant.SEQUENTIAL, "%d watch events for each release at most".formatted(PERMIT_FRONT),
				false);
		drained();
		atLeast(Workload.KEYS_8, Contestant.SEQUENTIAL, 6);
		atLeast(Workload.PERMITS_OWN, Contestant.STRICT, 2);
		atLeast(Workload.PERMITS_THREADS_16, Contestant.SEQUENTIAL, 20);
	}

	private void atLeast(Workload workload, Contestant contestant, double goal) {
		ratio(workload, contestant, this.measurements.bestOfCurator(workload, this.servers), "Curator", goal);
	}

	private void ratio(Workload workload, Contestant contestant, Optional<Result> other, String name, double goal) {
		Optional<Result> ours = this.measurements.of(workload, contestant, this.servers);
		if (ours.isPresent() && other.isPresent()) {
			double ratio = Medians.of(ours.get().ratios(other.get()));
			this.verdicts.add(new Verdict(title(workload, contestant),
					"at least %s x %s".formatted(Numbers.count(goal), name), Numbers.of(ratio) + " x", ratio >= goal));
		}
	}

	private void jain(Workload workload, double goal) {
		this.measurements.of(workload, Contestant.SEQUENTIAL, this.servers)
			.ifPresent((ours) -> jain(workload, "at least " + Numbers.of(goal), jain(ours), goal));
	}

	private void jainOfCurator(Workload workload) {
		beside(workload,
				(ours, curator) -> jain(workload,
						"at least %s, Curator's, but for %s".formatted(Numbers.of(jain(curator)), Numbers.of(AS_FAIR)),
						jain(ours), jain(curator) - AS_FAIR));
	}

	private void jain(Workload workload, String goal, double jain, double least) {
		this.verdicts.add(new Verdict(workload.title(), "Jain's index of the JVMs " + goal,
				Double.isNaN(jain) ? "?" : Numbers.of(jain), jain >= least));
	}

	private static double jain(Result result) {
		return result.median((turn) -> turn.fairness().amongProcesses());
	}

	private void p99(Workload workload, double times) {
		beside(workload, (ours, curator) -> wait(workload, "p99", ours.waits().getValueAtPercentile(99),
				curator.waits().getValueAtPercentile(99), times));
	}

	// Of Curator's usages that are about as fast the one whose writers wait for the least
	private void writersP99(Workload workload) {
		beside(workload, (ours, fastest) -> {
			double fast = AS_FAST * fastest.median(Turn::perSecond);
			long shortest = this.measurements.of(workload, this.servers)
				.stream()
				.filter((result) -> result.contestant().isCurator() && result.median(Turn::perSecond) >= fast)
				.mapToLong((result) -> result.writerWaits().getValueAtPercentile(99))
				.min()
				.orElseThrow();
			wait(workload, "a writer's p99", ours.writerWaits().getValueAtPercentile(99), shortest, 1);
		});
	}

	private void bytes(Workload workload, Contestant contestant, double most) {
		this.measurements.of(workload, contestant, this.servers).ifPresent((ours) -> {
			double bytes = ours.median(Turn::clientBytes);
			this.verdicts.add(new Verdict(title(workload, contestant),
					"less than %s client bytes a lock".formatted(Numbers.count(most)), Numbers.of(bytes) + " bytes",
					bytes < most));
		});
	}

	private void longest(Workload workload, double times) {
		beside(workload, (ours, curator) -> wait(workload, "longest wait", ours.longest(), curator.longest(), times));
	}

	private void wait(Workload workload, String what, long ours, long curator, double times) {
		this.verdicts.add(new Verdict(workload.title(),
				"%s at most %s x Curator's %s ms".formatted(what, Numbers.count(times), Numbers.millis(curator)),
				Numbers.millis(ours) + " ms", ours <= times * curator));
	}

	private void beside(Workload workload, BiConsumer<Result, Result> judge) {
		Optional<Result> curator = this.measurements.bestOfCurator(workload, this.servers);
		this.measurements.of(workload, Contestant.SEQUENTIAL, this.servers)
			.ifPresent((ours) -> curator.ifPresent((other) -> judge.accept(ours, other)));
	}

	private static String title(Workload workload, Contestant contestant) {
		return (contestant == Contestant.STRICT) ? workload.title() + ", max-count=0" : workload.title();
	}

	private void cost(Workload workload, Contestant contestant, String goal, Predicate<Turn> isCheap,
			boolean awaitsOne) {
		this.measurements.of(workload, contestant, this.servers).ifPresent((ours) -> {
			OptionalDouble awaited = ours.awaited();
			String seen = "%s requests, %s transactions, %s awaited, %s key nodes left".formatted(
					Numbers.of(ours.median(Turn::requests)), Numbers.of(ours.median(Turn::transactions)),
					awaited.isPresent() ? Numbers.of(awaited.getAsDouble()) : "?",
					Numbers.count(ours.median(Turn::places)));
			boolean reached = ours.turns().stream().allMatch(isCheap);
			if (awaitsOne) {
				reached &= awaited.isPresent() && Math.abs(awaited.getAsDouble() - 1) < ABOUT;
			}
			this.verdicts.add(new Verdict(title(workload, contestant), goal, seen, reached));
		});
	}

	private void largestHerd(boolean permits, Contestant contestant, String goal, boolean wakesAll) {
		this.measurements.herds(permits, this.servers)
			.stream()
			.filter((herd) -> herd.contestant() == contestant)
			.reduce((one, other) -> (other.waiters() > one.waiters()) ? other : one)
			.ifPresent((herd) -> this.verdicts.add(new Verdict(
					"%s waiters%s, one release, %s".formatted(Numbers.count(herd.waiters()),
							permits ? " for one of %d permits".formatted(herd.permits()) : "", contestant.title()),
					goal, Numbers.count(herd.median(HerdResult.Release::watchEvents)) + " watch events",
					herd.releases()
						.stream()
						.mapToLong(HerdResult.Release::watchEvents)
						.allMatch((events) -> wakesAll ? events == herd.waiters()
								: events <= (permits ? PERMIT_FRONT : FRONT)))));
	}

	private void drained() {
		this.measurements.drains()
			.stream()
			.filter((drain) -> drain.contestant() == Contestant.SEQUENTIAL && drain.servers() == this.servers
					&& drain.wanted() == DRAINED)
			.forEach((drain) -> this.verdicts
				.add(new Verdict("%s sessions in one queue, drained".formatted(Numbers.count(drain.waiters())),
						"1 watch event each, and at most 2,048 bytes read each",
						"%s watch events, %s bytes".formatted(Numbers.of(drain.watchEventsEach()),
								Numbers.of(drain.bytesToDrainEach())),
						drain.watchEventsEach() <= 1 + EXACTLY && drain.bytesToDrainEach() <= 2048)));
	}

	List<Verdict> verdicts() {
		return List.copyOf(this.verdicts);
	}

	@Override
	public String toString() {
		Table table = new Table(List.of("workload", "goal", "measured", ""));
		this.verdicts.forEach((verdict) -> table.add(List.of(verdict.workload(), verdict.goal(), verdict.measured(),
				verdict.reached() ? "reached" : "**not reached**")));
		return table.toString();
	}

	/**
	 * What became of a goal.
	 *
	 * @param workload in which workload
	 * @param goal the goal
	 * @param measured what was seen
	 * @param reached whether that is enough
	 */
	record Verdict(String workload, String goal, String measured, boolean reached) {

	}

}
