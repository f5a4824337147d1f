package io.github.zklock.benchmarks.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
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

	Measurements measure(Workload workload) {
		return measure(workload, this.site.present(workload.contestants()));
	}

	Measurements measure(Workload workload, List<Contestant> contestants) {
		Map<Contestant, Crew> crews = new EnumMap<>(Contestant.class);
		List<OpenLoopResult> openLoops = List.of();
		List<Result> results;
		try (Wires wires = new Wires(this.site, workload.roundTrip())) {
			for (Contestant contestant : contestants) {
				crews.put(contestant, Crew.start(this.site, contestant, workload.processes(), workload.threads(),
						workload.load(), (process) -> wires.open(contestant, process)));
			}
			crews.forEach((contestant, crew) -> heat(workload, contestant, crew));
			results = rounds(workload, contestants, crews);
			if (workload.isOpenLoop()) {
				openLoops = new OpenLoop(this.site, this.progress).measure(crews, results);
			}
		}
		finally {
			crews.values().forEach(Crew::close);
		}
		Awaited awaited = new Awaited(this.site);
		return new Measurements(results.stream().map((result) -> result.awaiting(awaited.measure(result))).toList(),
				List.of(), openLoops);
	}

	private List<Result> rounds(Workload workload, List<Contestant> contestants, Map<Contestant, Crew> crews) {
		Plan plan = this.site.plan();
		Map<Contestant, List<Turn>> turns = new EnumMap<>(Contestant.class);
		Map<Contestant, Long> heated = new EnumMap<>(Contestant.class);
		for (int round = 0; round <= plan.rounds(); round++) {
			for (int i = 0; i < contestants.size(); i++) {
				Contestant contestant = contestants.get((round + i) % contestants.size());
				Crew crew = Objects.requireNonNull(crews.get(contestant));
				Turn turn = turn(workload, contestant, crew, (round == 0) ? plan.first() : plan.measured());
				if (round == 0) {
					heated.put(contestant, crew.coldest());
				}
				else {
					turns.computeIfAbsent(contestant, (key) -> new ArrayList<>()).add(turn);
				}
			}
		}
		return contestants.stream()
			.map((contestant) -> new Result(workload, contestant, this.site.zooKeeper().size(),
					List.copyOf(turns.getOrDefault(contestant, List.of())), heated.getOrDefault(contestant, 0L),
					OptionalDouble.empty()))
			.toList();
	}

	private void heat(Workload workload, Contestant contestant, Crew crew) {
		crew.heat(this.site.plan().heat());
		this.progress.accept("%d x ZooKeeper, %s: %s is heated by %d locks".formatted(this.site.zooKeeper().size(),
				workload.title(), contestant.title(), crew.coldest()));
	}

	private Turn turn(Workload workload, Contestant contestant, Crew crew, Duration measured) {
		Turn turn = crew.turn(this.site.plan().warmUp(), measured);
		this.progress.accept("%d x ZooKeeper, %s: %s %.0f/s".formatted(this.site.zooKeeper().size(), workload.title(),
				contestant.title(), turn.perSecond()));
		return turn;
	}

}
