package io.github.zklock.benchmarks.run;

import java.util.List;
import java.util.function.Consumer;

import io.github.zklock.benchmarks.peer.Contestant;

/**
 * Carries out a plan from its beginning to its end.
 */
public final class Expedition {

	private final Plan plan;

	private final Consumer<String> progress;

	/**
	 * Prepares it.
	 * @param plan what to measure
	 * @param progress gets a line about every step
	 */
	public Expedition(Plan plan, Consumer<String> progress) {
		this.plan = plan;
		this.progress = progress;
	}

	/**
	 * Measures everything.
	 * @return what was measured
	 * @throws ExclusionViolatedException if two were inside at once
	 * @throws IllegalStateException if something fails, or the check of exclusion is
	 * blind
	 */
	public Measurements measure() {
		Measurements all = Measurements.none();
		for (int servers : this.plan.serverCounts()) {
			try (Site site = new Site(this.plan, servers)) {
				Canary.check(site);
				this.progress.accept("Workers without a lock are found out");
				MeasuredRounds rounds = new MeasuredRounds(site, this.progress);
				for (Workload workload : this.plan.workloads()) {
					all = all.plus(rounds.measure(workload));
				}
				Herd herd = new Herd(site);
				for (int waiters : this.plan.herds()) {
					for (Contestant contestant : site.present(Herd.CONTESTANTS)) {
						HerdResult result = herd.measure(contestant, waiters);
						this.progress.accept("%d x ZooKeeper, %d waiters: %s %.0f watch events".formatted(servers,
								waiters, contestant.title(), result.median(HerdResult.Release::watchEvents)));
						all = all.plus(new Measurements(List.of(), List.of(result), List.of()));
					}
				}
				all = all.plus(permitHerds(site)).plus(further(site));
			}
		}
		return all.plus(new Far(this.plan, this.progress).measure());
	}

	private Measurements permitHerds(Site site) {
		Measurements all = Measurements.none();
		PermitHerd herd = new PermitHerd(site);
		for (int waiters : this.plan.herds()) {
			for (Contestant contestant : site.present(PermitHerd.CONTESTANTS)) {
				HerdResult result = herd.measure(contestant, waiters);
				this.progress.accept("%d x ZooKeeper, %d waiters for a permit: %s %.0f watch events".formatted(
						site.zooKeeper().size(), waiters, contestant.title(),
						result.median(HerdResult.Release::watchEvents)));
				all = all.plus(new Measurements(List.of(), List.of(result), List.of()));
			}
		}
		return all;
	}

	private Measurements further(Site site) {
		Measurements all = Measurements.none();
		int servers = site.zooKeeper().size();
		// What it costs to drain a queue does not depend on the number of servers
		if (servers == this.plan.serverCounts().get(0)) {
			Drain drain = new Drain(site);
			for (int sessions : this.plan.further().queues()) {
				for (Contestant contestant : site.present(Drain.CONTESTANTS)) {
					DrainResult result = drain.measure(contestant, sessions);
					this.progress.accept("%d x ZooKeeper, %d sessions in one queue: %s %d ms".formatted(servers,
							result.waiters(), contestant.title(), result.nanos() / 1_000_000));
					all = all.plus(Measurements.of(result));
				}
			}
		}
		return all.plus(failovers(site));
	}

	private Measurements failovers(Site site) {
		Measurements all = Measurements.none();
		if (this.plan.further().kills() == 0) {
			return all;
		}
		Failover failover = new Failover(site);
		for (FailoverResult.Victim victim : FailoverResult.Victim.values()) {
			for (Contestant contestant : site.present(Failover.CONTESTANTS)) {
				if (failover.isPossible(contestant, victim)) {
					FailoverResult result = failover.measure(contestant, victim);
					this.progress.accept("%d x ZooKeeper, killed %s: %s %.0f ms".formatted(site.zooKeeper().size(),
							victim, contestant.title(), result.median(FailoverResult.Kill::grantMillis)));
					all = all.plus(Measurements.of(result));
				}
			}
		}
		return all;
	}

}
