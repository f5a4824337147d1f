package io.github.zklock.benchmarks.report;

import java.util.List;

import org.junit.jupiter.api.Test;

import io.github.zklock.benchmarks.peer.Contestant;
import io.github.zklock.benchmarks.run.HerdResult;
import io.github.zklock.benchmarks.run.Measurements;
import io.github.zklock.benchmarks.run.Result;
import io.github.zklock.benchmarks.run.Workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

class GoalsTests {

	@Test
	void aRatioIsTheMedianOfTheRounds() {
		assertThat(verdicts(Figures.result(Workload.THREADS_16, Contestant.SEQUENTIAL, 4000, 6000, 100_000),
				Figures.result(Workload.THREADS_16, Contestant.CURATOR_SHARED, 100, 100, 100)))
			.singleElement()
			.satisfies((verdict) -> assertThat(verdict.measured()).isEqualTo("60.0 x"))
			.satisfies((verdict) -> assertThat(verdict.reached()).isTrue());
	}

	@Test
	void itIsComparedWithTheBestUsageOfCurator() {
		assertThat(verdicts(Figures.result(Workload.THREADS_16, Contestant.SEQUENTIAL, 6000),
				Figures.result(Workload.THREADS_16, Contestant.CURATOR_SHARED, 100),
				Figures.result(Workload.THREADS_16, Contestant.CURATOR_PER_CALL, 1000)))
			.singleElement()
			.satisfies((verdict) -> assertThat(verdict.measured()).isEqualTo("6.00 x"))
			.satisfies((verdict) -> assertThat(verdict.reached()).isFalse());
	}

	@Test
	void threadsOfOneProcessAreComparedWithAFairLock() {
		Result fair = Figures.result(Workload.THREADS_16, Contestant.FAIR_LOCK, 1100);
		assertThat(verdicts(Figures.result(Workload.THREADS_16, Contestant.SEQUENTIAL, 1001), fair)).singleElement()
			.satisfies((verdict) -> assertThat(verdict.goal()).isEqualTo("at least 0.91 x a fair ReentrantLock"))
			.satisfies((verdict) -> assertThat(verdict.reached()).isTrue());
		assertThat(verdicts(Figures.result(Workload.THREADS_16, Contestant.SEQUENTIAL, 999), fair)).singleElement()
			.satisfies((verdict) -> assertThat(verdict.reached()).isFalse());
	}

	@Test
	void lingeringAndStrictOrderHaveGoalsOfTheirOwn() {
		assertThat(verdicts(Figures.result(Workload.OWN, Contestant.SEQUENTIAL, 9_900),
				Figures.result(Workload.OWN, Contestant.STRICT, 160),
				Figures.result(Workload.OWN, Contestant.CURATOR_SHARED, 100)))
			.extracting(Goals.Verdict::workload, Goals.Verdict::goal, Goals.Verdict::reached)
			.contains(tuple("own key, 1 client", "at least 100 x Curator", false),
					tuple("own key, 1 client, max-count=0", "at least 1.60 x Curator", true));
	}

	@Test
	void anOwnKeyCostsExactlyWhatItShould() {
		assertThat(verdicts(Figures.costing(Workload.OWN, Contestant.STRICT, 3.001, 2, 1.02, 100))).singleElement()
			.satisfies((verdict) -> assertThat(verdict.reached()).isTrue());
		assertThat(verdicts(Figures.costing(Workload.OWN, Contestant.STRICT, 2.9, 2, 1, 100))).singleElement()
			.satisfies((verdict) -> assertThat(verdict.reached()).isFalse());
		assertThat(verdicts(Figures.costing(Workload.OWN, Contestant.STRICT, 3, 2, 2, 100))).singleElement()
			.satisfies((verdict) -> assertThat(verdict.reached()).isFalse());
	}

	@Test
	void whatIsUnfairOrMakesWaitForLongIsNotReached() {
		Result curator = Figures.waiting(Workload.PROCESSES_4, Contestant.CURATOR_SHARED, 1, 10, 20);
		assertThat(verdicts(Figures.waiting(Workload.PROCESSES_4, Contestant.SEQUENTIAL, 0.98, 10, 60), curator))
			.extracting(Goals.Verdict::goal, Goals.Verdict::reached)
			.contains(tuple("Jain's index of the JVMs at least 0.980", true),
					tuple("p99 at most 1 x Curator's 10.0 ms", true),
					tuple("longest wait at most 3 x Curator's 20.0 ms", true));
		assertThat(verdicts(Figures.waiting(Workload.PROCESSES_4, Contestant.SEQUENTIAL, 0.97, 11, 61), curator))
			.extracting(Goals.Verdict::measured, Goals.Verdict::reached)
			.contains(tuple("0.970", false), tuple("11.0 ms", false), tuple("61.0 ms", false));
	}

	@Test
	void whatOneOfHundredsOfLocksInARowWaitsIsSeen() {
		Result curator = Figures.waiting(Workload.PROCESSES_4, Contestant.CURATOR_SHARED, 1, 10, 20);
		Result ours = Figures.tailed(Workload.PROCESSES_4, Contestant.SEQUENTIAL, 30);
		assertThat(verdicts(ours, curator)).extracting(Goals.Verdict::goal, Goals.Verdict::reached)
			.contains(tuple("p99 at most 1 x Curator's 10.0 ms", true),
					tuple("p99.9 at most 1 x Curator's 10.0 ms", false));
	}

	@Test
	void writersAreComparedWithTheUsageOfCuratorThatServesThemSoonest() {
		Result fastest = Figures.waiting(Workload.READ_MOSTLY_95, Contestant.CURATOR_READ_WRITE_SHARED, 1, 20, 20);
		Result soonest = Figures.waiting(Workload.READ_MOSTLY_95, Contestant.CURATOR_READ_WRITE_PER_CALL, 1, 15, 20);
		assertThat(
				verdicts(Figures.waiting(Workload.READ_MOSTLY_95, Contestant.SEQUENTIAL, 1, 18, 60), fastest, soonest))
			.extracting(Goals.Verdict::goal, Goals.Verdict::reached)
			.contains(tuple("a writer's p99 at most 1 x Curator's 15.0 ms", false));
	}

	@Test
	void whatIsRetainedHasABoundOfBytes() {
		assertThat(verdicts(Figures.result(Workload.RETAIN, Contestant.RETAINED, 100)))
			.extracting(Goals.Verdict::goal, Goals.Verdict::measured, Goals.Verdict::reached)
			.containsExactly(tuple("less than 300 client bytes a lock", "1,500 bytes", false));
	}

	@Test
	void manyThreadsAreToBeAsFairAsCurators() {
		Result curator = Figures.waiting(Workload.PROCESSES_4_THREADS_8, Contestant.CURATOR_SHARED, 0.99, 10, 20);
		assertThat(verdicts(Figures.waiting(Workload.PROCESSES_4_THREADS_8, Contestant.SEQUENTIAL, 0.986, 10, 60),
				curator))
			.extracting(Goals.Verdict::goal, Goals.Verdict::reached)
			.contains(tuple("Jain's index of the JVMs at least 0.990, Curator's, but for 0.005", true));
		assertThat(verdicts(Figures.waiting(Workload.PROCESSES_4_THREADS_8, Contestant.SEQUENTIAL, 0.984, 10, 60),
				curator))
			.extracting(Goals.Verdict::measured, Goals.Verdict::reached)
			.contains(tuple("0.984", false));
	}

	@Test
	void fairnessThatWasNotSeenIsNoVerdictInFavour() {
		assertThat(verdicts(Figures.waiting(Workload.PROCESSES_4_HELD, Contestant.SEQUENTIAL, Double.NaN, 10, 60)))
			.extracting(Goals.Verdict::measured, Goals.Verdict::reached)
			.containsExactly(tuple("?", false));
	}

	@Test
	void theLargestHerdCounts() {
		assertThat(verdicts(Figures.herd(Contestant.SEQUENTIAL, 10, 4), Figures.herd(Contestant.SEQUENTIAL, 100, 5),
				Figures.herd(Contestant.NAIVE, 10, 3), Figures.herd(Contestant.NAIVE, 100, 100)))
			.extracting(Goals.Verdict::reached)
			.containsExactly(false, true);
		assertThat(verdicts(Figures.herd(Contestant.SEQUENTIAL, 100, 4), Figures.herd(Contestant.NAIVE, 100, 99)))
			.extracting(Goals.Verdict::reached)
			.containsExactly(true, false);
	}

	@Test
	void herdsForPermitsAreJudgedApart() {
		assertThat(verdicts(Figures.herd(Contestant.SEQUENTIAL, 10, 4), Figures.herd(Contestant.SEQUENTIAL, 5, 100, 3)))
			.extracting(Goals.Verdict::workload, Goals.Verdict::reached)
			.containsExactly(tuple("10 waiters, one release, zk-lock sequential", true),
					tuple("100 waiters for one of 5 permits, one release, zk-lock sequential", false));
	}

	@Test
	void whatWasNotMeasuredHasNoVerdict() {
		assertThat(verdicts(Figures.result(Workload.THREADS_16, Contestant.SEQUENTIAL, 6000))).isEmpty();
	}

	private static List<Goals.Verdict> verdicts(Result... results) {
		return new Goals(new Measurements(List.of(results), List.of(), List.of()), 1).verdicts();
	}

	private static List<Goals.Verdict> verdicts(HerdResult... herds) {
		return new Goals(new Measurements(List.of(), List.of(herds), List.of()), 1).verdicts();
	}

}
