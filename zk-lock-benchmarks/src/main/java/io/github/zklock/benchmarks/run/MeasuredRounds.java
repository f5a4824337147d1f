package io.github.zklock.benchmarks.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

import io.github.zklock.benchmarks.peer.Contestant;

/**
 * Carries out a workload: in every round each contestant has its turn, in an order that
 * is turned by one from round to round, so that what disturbs the machine for a while
 * disturbs all.
 */
final class MeasuredRounds {

	private final Site site;

	private final Consumer<String> progress;

	MeasuredRounds(Site site, Consumer<String> progress) {
		this.site = site;
		this.progress = progress;
	}

	List<Result> measure(Workload workload) {
		Plan plan = this.site.plan();
		List<Contestant> contestants = this.site.present(workload.contestants());
		Map<Contestant, Crew> crews = new EnumMap<>(Contestant.class);
		Map<Contestant, List<Turn>> turns = new EnumMap<>(Contestant.class);
		Map<Contestant, Long> heated = new EnumMap<>(Contestant.class);
		try {
			for (Contestant contestant : contestants) {
				crews.put(contestant, Crew.start(this.site, contestant, workload.processes(), workload.threads(),
						workload.load(), (process) -> this.site.connection(contestant, process)));
				turns.put(contestant, new ArrayList<>());
			}
			crews.forEach((contestant, crew) -> heat(workload, contestant, crew));
			for (int round = 0; round <= plan.rounds(); round++) {
				for (int i = 0; i < contestants.size(); i++) {
					Contestant contestant = contestants.get((round + i) % contestants.size());
					Turn turn = turn(workload, contestant, crews, (round == 0) ? plan.first() : plan.measured());
					if (round == 0) {
						heated.put(contestant, crew(crews, contestant).coldest());
					}
					else {
						List<Turn> all = turns.get(contestant);
						if (all != null) {
							all.add(turn);
						}
					}
				}
			}
		}
		finally {
			crews.values().forEach(Crew::close);
		}
		Awaited awaited = new Awaited(this.site);
		return contestants.stream()
			.map((contestant) -> new Result(workload, contestant, this.site.zooKeeper().size(),
					List.copyOf(turns.getOrDefault(contestant, List.of())), heated.getOrDefault(contestant, 0L),
					awaited.measure(workload, contestant)))
			.toList();
	}

	private void heat(Workload workload, Contestant contestant, Crew crew) {
		crew.heat(this.site.plan().heat(), this.site.plan().heatAtMost());
		this.progress.accept("%d x ZooKeeper, %s: %s is heated by %d locks".formatted(this.site.zooKeeper().size(),
				workload.title(), contestant.title(), crew.coldest()));
	}

	private static Crew crew(Map<Contestant, Crew> crews, Contestant contestant) {
		return Objects.requireNonNull(crews.get(contestant));
	}

	private Turn turn(Workload workload, Contestant contestant, Map<Contestant, Crew> crews, Duration measured) {
		Turn turn = crew(crews, contestant).turn(this.site.plan().warmUp(), measured);
		this.progress.accept("%d x ZooKeeper, %s: %s %.0f/s".formatted(this.site.zooKeeper().size(), workload.title(),
				contestant.title(), turn.perSecond()));
		return turn;
	}

}
