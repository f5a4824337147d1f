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
			}
		}
		return all;
	}

}
