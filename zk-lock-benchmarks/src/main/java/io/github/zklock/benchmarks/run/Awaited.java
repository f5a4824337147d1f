package io.github.zklock.benchmarks.run;

import java.time.Duration;
import java.util.EnumSet;
import java.util.OptionalDouble;
import java.util.Set;

import io.github.zklock.benchmarks.peer.Contestant;

/**
 * Counts the answers that one lock and its release wait for one after the other: by how
 * much longer they take if the wire is longer.
 */
final class Awaited {

	private static final Set<Workload> ONE_CLIENT = EnumSet.of(Workload.OWN, Workload.FRESH, Workload.KEYS_2,
			Workload.KEYS_8);

	private static final Duration SHORT = Duration.ofMillis(10);

	private static final Duration LONG = Duration.ofMillis(30);

	/** No contestant waits for more answers to lock and unlock one key. */
	private static final int MOST_ANSWERS = 8;

	private static final int CYCLES = 4;

	private final Site site;

	Awaited(Site site) {
		this.site = site;
	}

	/**
	 * Measures what a contestant waits for.
	 * @param measured what it did in a workload
	 * @return how many answers; empty if that cannot be seen, or if it does not ask
	 * anything for most locks
	 */
	OptionalDouble measure(Result measured) {
		Workload workload = measured.workload();
		Contestant contestant = measured.contestant();
		if (contestant.usesRedis() || !ONE_CLIENT.contains(workload) || measured.median(Turn::requests) < 1) {
			return OptionalDouble.empty();
		}
		long longer = cycleNanos(workload, contestant, LONG) - cycleNanos(workload, contestant, SHORT);
		return OptionalDouble.of((double) longer / LONG.minus(SHORT).toNanos());
	}

	private long cycleNanos(Workload workload, Contestant contestant, Duration roundTrip) {
		Duration slowest = roundTrip.multipliedBy((long) MOST_ANSWERS * workload.load().atOnce());
		Duration measured = Duration
			.ofMillis(Math.max(this.site.plan().measured().toMillis(), slowest.multipliedBy(CYCLES).toMillis()));
		try (Wires wires = new Wires(this.site, roundTrip);
				Crew crew = Crew.start(this.site, contestant, 1, 1, workload.load(),
						(process) -> wires.open(contestant, process))) {
			Turn turn = crew.turn(slowest, measured);
			if (turn.most() < 2) {
				throw new IllegalStateException(
						"%s did not lock twice within %s".formatted(contestant.title(), measured));
			}
			return turn.cycleNanos();
		}
	}

}
