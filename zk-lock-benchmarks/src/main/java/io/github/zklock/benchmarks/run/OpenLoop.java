package io.github.zklock.benchmarks.run;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;

import io.github.zklock.benchmarks.peer.Contestant;

/**
 * Lets callers come to each contestant at a share of the rate that it has reached before.
 * In a closed loop a caller that is kept waiting asks for nothing meanwhile, so that the
 * worst moments are seen by few. Here callers come as they would, and each one's wait
 * begins when it comes.
 */
final class OpenLoop {

	/** Shares of the capacity, in hundredths. */
	static final List<Integer> PERCENTS = List.of(30, 60, 90);

	private static final int FIRST_PERCENT = 60;

	private final Site site;

	private final Consumer<String> progress;

	OpenLoop(Site site, Consumer<String> progress) {
		this.site = site;
		this.progress = progress;
	}

	/**
	 * Carries out all rounds.
	 * @param crews the processes of each contestant
	 * @param closed what they did before in a closed loop
	 * @return what was seen, contestant by contestant; nothing of those who were granted
	 * no lock in the closed loop
	 */
	List<OpenLoopResult> measure(Map<Contestant, Crew> crews, List<Result> closed) {
		Plan plan = this.site.plan();
		List<Result> able = closed.stream().filter((result) -> capacity(result) > 0).toList();
		// What is called for the first time here is compiled too
		for (Result result : able) {
			crew(crews, result).serve(plan.warmUp(), plan.first(), arrivals(result, FIRST_PERCENT));
		}
		Map<Contestant, Map<Integer, List<Turn>>> turns = new EnumMap<>(Contestant.class);
		for (int round = 0; round < plan.rounds(); round++) {
			for (int percent : PERCENTS) {
				for (int i = 0; i < able.size(); i++) {
					Result result = able.get((round + i) % able.size());
					Turn turn = crew(crews, result).serve(plan.warmUp(), plan.measured(), arrivals(result, percent));
					report(result, percent, turn);
					turns.computeIfAbsent(result.contestant(), (key) -> new TreeMap<>())
						.computeIfAbsent(percent, (key) -> new ArrayList<>())
						.add(turn);
				}
			}
		}
		List<OpenLoopResult> results = new ArrayList<>();
		for (Result result : able) {
			turns.getOrDefault(result.contestant(), Map.of())
				.forEach((percent, served) -> results
					.add(new OpenLoopResult(percent, arrivals(result, percent), result.inTurns(served))));
		}
		return List.copyOf(results);
	}

	private static Crew crew(Map<Contestant, Crew> crews, Result result) {
		return Objects.requireNonNull(crews.get(result.contestant()));
	}

	private void report(Result result, int percent, Turn turn) {
		this.progress.accept("%d x ZooKeeper, %s: %s at %d %% of %.0f/s waits for %.1f ms at most".formatted(
				result.servers(), result.workload().title(), result.contestant().title(), percent, capacity(result),
				turn.longest() / 1e6));
	}

	private static double capacity(Result closed) {
		return closed.median(Turn::perSecond);
	}

	private static double arrivals(Result closed, int percent) {
		return capacity(closed) * percent / 100;
	}

}
