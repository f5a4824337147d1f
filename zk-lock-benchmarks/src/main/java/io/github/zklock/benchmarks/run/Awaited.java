package io.github.zklock.benchmarks.run;

import java.time.Duration;
import java.util.EnumSet;
import java.util.OptionalDouble;
import java.util.Set;

import io.github.zklock.benchmarks.peer.Contestant;
import io.github.zklock.benchmarks.process.DelayProxy;

/**
 * Counts the answers that one lock and its release wait for one after the other: by how
 * much longer they take if the wire is longer.
 */
final class Awaited {

	private static final Set<Workload> ONE_CLIENT = EnumSet.of(Workload.OWN, Workload.FRESH, Workload.KEYS_2,
			Workload.KEYS_8);

	private static final Duration SHORT = Duration.ofMillis(10);

	private static final Duration LONG = Duration.ofMillis(30);

	private final Site site;

	Awaited(Site site) {
		this.site = site;
	}

	OptionalDouble measure(Workload workload, Contestant contestant) {
		if (contestant.usesRedis() || !ONE_CLIENT.contains(workload)) {
			return OptionalDouble.empty();
		}
		long longer = cycleNanos(workload, contestant, LONG) - cycleNanos(workload, contestant, SHORT);
		return OptionalDouble.of((double) longer / LONG.minus(SHORT).toNanos());
	}

	private long cycleNanos(Workload workload, Contestant contestant, Duration roundTrip) {
		try (DelayProxy proxy = new DelayProxy(this.site.zooKeeper().connectString(0), roundTrip);
				Crew crew = Crew.start(this.site, contestant, 1, 1, workload.load(),
						(process) -> this.site.connection(contestant, proxy.connectString()))) {
			Duration measured = Duration.ofMillis(Math.max(1_000, this.site.plan().measured().toMillis()));
			return crew.turn(roundTrip.multipliedBy(5), measured).cycleNanos();
		}
	}

}
