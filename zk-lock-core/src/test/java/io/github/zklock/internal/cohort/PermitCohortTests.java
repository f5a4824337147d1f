package io.github.zklock.internal.cohort;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.zklock.Handoff;
import io.github.zklock.LockException;
import io.github.zklock.LockMode;
import io.github.zklock.LostReason;
import io.github.zklock.internal.concurrent.SerialExecutor;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.LockAttempt;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Callers of the permits of one key.
 */
class PermitCohortTests extends HandPlayedCohorts {

	@Test
	@Tag("PermitCohort.I1")
	void callersOfPermitsTakeTheLanesThereAreAndTheOthersWait() {
		permit("one", 2);
		LocalContender two = permit("two", 2);
		LocalContender three = permit("three", 2);
		permit("four", 2);
		assertThat(this.strategy.entries).hasSize(2);
		this.strategy.entries.get(0).grant();
		assertThat(this.served).containsExactly("one");
		three.leave();
		two.leave();
		this.held.get("one").release();
		assertThat(this.served).as("in the lane of one who gave up").containsExactly("one");
		assertThat(this.strategy.entries).hasSize(2);
		this.strategy.entries.get(1).grant();
		assertThat(this.served).containsExactly("one", "four");
	}

	@Test
	@Tag("PermitCohort.I5")
	void whoCameFirstGetsThePermitThatAnotherLaneIsGranted() {
		LocalContender one = permit("one", 2);
		LocalContender two = permit("two", 2);
		this.strategy.entries.get(1).grant();
		assertThat(this.served).containsExactly("one");
		two.leave();
		assertThat(this.strategy.entries.get(0).left).as("the lane that it has now").isTrue();
		assertThat(this.strategy.entries.get(1).left).isFalse();
		one.leave();
		assertThat(this.strategy.entries.get(1).left).isTrue();
		this.strategy.entries.forEach((entry) -> entry.gone.complete(null));
		assertThat(this.cohorts.count()).isZero();
	}

	@Test
	@Tag("PermitCohort.I5")
	void whoWaitsForALaneThatOthersGetFirstIsNotPassedByWhoComesLater() {
		permit("one", 2);
		this.strategy.entries.get(0).grant();
		permit("two", 2);
		this.strategy.entries.get(1).listener.blocked(new Blocker("key", "another", true, null));
		LocalContender three = permit("three", 2);
		this.held.get("one").release();
		assertThat(this.served).containsExactly("one", "two");
		assertThat(three.blocker()).isNotNull();
		assertThat(three.blocker().who()).as("in the lane that it has now").isEqualTo("another");
		this.strategy.entries.get(1).grant();
		assertThat(this.served).containsExactly("one", "two", "three");
		assertThat(this.strategy.entries).hasSize(2);
	}

	@Test
	@Tag("PermitCohort.I5")
	void whoHasBegunToLeaveTakesNoPermitFromOthers() {
		Queue<Runnable> steps = new ArrayDeque<>();
		List<Executor> executors = new ArrayList<>(List.of(steps::add));
		this.cohorts = cohorts(Handoff.DEFAULT,
				() -> executors.isEmpty() ? new SerialExecutor(new StepFailures()) : executors.remove(0));
		LocalContender one = permit("one", 2);
		permit("two", 2);
		runAll(steps);
		this.strategy.entries.get(1).grant();
		one.leave();
		runAll(steps);
		assertThat(this.served).containsExactly("two");
		assertThat(this.strategy.entries.get(0).left).isTrue();
		assertThat(this.strategy.entries.get(1).left).isFalse();
	}

	@Test
	@Tag("PermitCohort.I5")
	void whoHasFailedAndIsAboutToLeaveTakesNoPermitFromOthers() {
		permit("one", 2);
		permit("two", 2);
		this.decided.add("one");
		this.strategy.entries.get(1).grant();
		assertThat(this.served).containsExactly("two");
	}

	@Test
	@Tag("PermitCohort.I5")
	void whoTriesOnceNeitherTakesAPermitFromOthersNorGetsTheirLane() {
		permit("one", 2);
		once("two", 2);
		this.strategy.entries.get(1).grant();
		assertThat(this.served).containsExactly("two");
		this.strategy.entries.get(0).grant();
		assertThat(this.served).containsExactly("two", "one");
	}

	@Test
	@Tag("PermitCohort.I5")
	void aPermitOfOneStrategyGoesToNobodyWhoAskedForAnother() {
		HandPlayedStrategy another = new HandPlayedStrategy();
		permit("one", 2);
		this.cohorts.enter(
				new LockAttempt(List.of("key"), List.of(LockMode.EXCLUSIVE), List.of(2), false, "two", false), another,
				new Caller("two"));
		another.last().grant();
		assertThat(this.served).containsExactly("two");
	}

	@Test
	@Tag("PermitCohort.I5")
	void whatIsLostOrFailsInALaneIsReportedToWhoHasItNow() {
		permit("one", 2);
		permit("two", 2);
		this.strategy.entries.get(1).grant();
		this.strategy.entries.get(1).lose();
		assertThat(this.served).containsExactly("one", "one lost");
		this.strategy.entries.get(0).listener.failed(new LockException("planted"));
		assertThat(this.served).containsExactly("one", "one lost", "two failed");
	}

	@Test
	@Tag("PermitCohort.I1")
	void whoWaitsGetsTheLaneInWhichAnotherOneHasFailed() {
		permit("one", 1);
		permit("two", 1);
		this.strategy.last().listener.failed(new LockException("planted"));
		assertThat(this.served).containsExactly("one failed");
		assertThat(this.strategy.entries).hasSize(2);
		this.strategy.last().grant();
		assertThat(this.served).containsExactly("one failed", "two");
	}

	@Test
	void whoFindsNoLaneSeesOneWhoHoldsAlsoIfAnotherOneCameFirst() {
		permit("unanswered", 2);
		once("holding", 2);
		this.strategy.entries.get(1).grant();
		assertThat(this.served).containsExactly("holding");
		Blocker blocker = permit("late", 2).blocker();
		assertThat(blocker).isNotNull();
		assertThat(blocker.who()).contains("holding");
	}

	// In whatever order they are looked at
	@RepeatedTest(20)
	void whoFindsNoLaneSeesWhoIsInTheWayOfOneWhoWasAnswered() {
		permit("unanswered", 3);
		permit("blocked", 3);
		permit("unanswered too", 3);
		this.strategy.entries.get(1).listener.blocked(new Blocker("key", "another", true, null));
		Blocker blocker = permit("late", 3).blocker();
		assertThat(blocker).isNotNull();
		assertThat(blocker.who()).isEqualTo("another");
	}

	@Test
	void whoFindsNoLaneSeesWhatDisturbsThoseInTheLanes() {
		LocalContender one = permit("one", 1);
		LocalContender two = permit("two", 1);
		assertThat(two.disturbance()).isNull();
		Exception disturbance = new LockException("planted");
		this.strategy.last().listener.disturbed(disturbance);
		assertThat(one.disturbance()).isSameAs(disturbance);
		assertThat(two.disturbance()).isSameAs(disturbance);
	}

	@Test
	@Tag("PermitCohort.I2")
	void aPermitThatIsLostGoesToNobodyElse() {
		permit("one", 1);
		permit("two", 1);
		Entry first = this.strategy.last();
		first.grant();
		first.lose();
		assertThat(this.served).containsExactly("one", "one lost");
		this.held.get("one").release();
		assertThat(first.left).isTrue();
		assertThat(this.strategy.entries).hasSize(2);
		this.strategy.last().grant();
		assertThat(this.served).containsExactly("one", "one lost", "two");
	}

	@Test
	@Tag("PermitCohort.I1")
	void nobodyWaitsForWhoHasLostAPermit() {
		permit("one", 1);
		permit("two", 1);
		Entry first = this.strategy.last();
		first.grant();
		first.lose();
		first.listener.lost(first, LostReason.SESSION_ENDED);
		assertThat(this.strategy.entries).hasSize(2);
		Entry second = this.strategy.last();
		second.grant();
		assertThat(this.served).containsExactly("one", "one lost", "two");
		permit("three", 1);
		CompletionStage<Void> gone = this.held.get("one").release();
		assertThat(first.left).isTrue();
		assertThat(gone).isNotCompleted();
		first.gone.complete(null);
		assertThat(gone).isCompleted();
		assertThat(second.left).isFalse();
		assertThat(this.served).containsExactly("one", "one lost", "two");
		this.held.get("two").release();
		assertThat(this.served).containsExactly("one", "one lost", "two", "three");
		assertThat(this.strategy.entries).hasSize(2);
		this.held.get("three").release();
		second.gone.complete(null);
		assertThat(this.cohorts.count()).isZero();
	}

	@Test
	@Tag("PermitCohort.I1")
	void whoAsksOnceIsNotBusyBecauseOfOneWhoHasLostAPermit() {
		permit("one", 1);
		Entry first = this.strategy.last();
		first.grant();
		first.lose();
		LocalContender two = once("two", 1);
		assertThat(two.blocker()).isNull();
		this.strategy.last().grant();
		assertThat(this.served).containsExactly("one", "one lost", "two");
		this.held.get("one").forfeit();
		this.held.get("two").release();
		this.strategy.entries.forEach((entry) -> entry.gone.complete(null));
		assertThat(this.strategy.entries).hasSize(2).allMatch((entry) -> entry.left);
		assertThat(this.cohorts.count()).isZero();
	}

	@Test
	@Tag("PermitCohort.I4")
	void whoHasLostAPermitLeavesAlsoIfItsLaneCouldNotBePassed() {
		permit("one", 1);
		failPermits("two", 1);
		Entry first = this.strategy.last();
		first.grant();
		first.lose();
		assertThat(this.served).containsExactly("one", "one lost", "two failed");
		CompletionStage<Void> gone = this.held.get("one").release();
		assertThat(first.left).isTrue();
		first.gone.complete(null);
		assertThat(gone).isCompleted();
		assertThat(this.cohorts.count()).isZero();
	}

	@Test
	@Tag("PermitCohort.I2")
	void aPermitThatIsForfeitedGoesToNobodyElse() {
		permit("one", 1);
		permit("two", 1);
		Entry first = this.strategy.last();
		first.grant();
		this.held.get("one").forfeit();
		assertThat(this.held.get("one").isValid()).isFalse();
		assertThat(first.left).isTrue();
		assertThat(this.served).containsExactly("one");
		this.strategy.last().grant();
		assertThat(this.served).containsExactly("one", "two");
	}

	@Test
	void whoAsksOnceForAPermitThatCallersHereHaveIsBusy() {
		permit("one", 1);
		this.strategy.last().grant();
		LocalContender two = once("two", 1);
		assertThat(this.served).containsExactly("one", "two busy");
		assertThat(two.leave()).isCompleted();
		assertThat(this.strategy.entries).hasSize(1);
	}

	@Test
	@Tag("PermitCohort.I3")
	void theLaneWhosePermitIsRetainedIsTakenAgain() {
		this.cohorts = cohorts(new Handoff(64, Duration.ofMinutes(1), Duration.ofMinutes(1)));
		permit("one", 3);
		permit("two", 3);
		this.strategy.entries.get(0).grant();
		this.strategy.entries.get(1).grant();
		this.held.get("two").release();
		permit("three", 3);
		assertThat(this.served).containsExactly("one", "two", "three");
		assertThat(this.strategy.entries).hasSize(2);
		this.held.get("one").release();
		this.held.get("three").release();
		permit("four", 3);
		permit("five", 3);
		assertThat(this.served).endsWith("three", "four", "five");
		assertThat(this.strategy.entries).hasSize(2);
	}

	@Test
	@Tag("PermitCohort.I3")
	void theLaneWhosePermitIsLostComesAfterOneWhosePermitIsRetained() {
		this.cohorts = cohorts(new Handoff(64, Duration.ofMinutes(1), Duration.ofMinutes(1)));
		permit("one", 2);
		permit("two", 2);
		this.strategy.entries.get(0).grant();
		this.strategy.entries.get(1).grant();
		this.held.get("two").release();
		this.strategy.entries.get(0).lose();
		permit("three", 2);
		assertThat(this.served).containsExactly("one", "two", "one lost", "three");
		assertThat(this.strategy.entries).hasSize(2);
	}

	@Test
	void aPermitThatIsRetainedIsNotHandedToWhoAsksWithAnotherNumber() {
		this.cohorts = cohorts(new Handoff(64, Duration.ofMinutes(1), Duration.ofMinutes(1)));
		permit("one", 10);
		Entry first = this.strategy.last();
		first.grant();
		release("one");
		assertThat(first.left).as("it is retained").isFalse();
		permit("two", 2);
		assertThat(this.served).containsExactly("one");
		assertThat(first.left).isTrue();
		assertThat(this.strategy.last().attempt.permits()).containsExactly(2);
		this.strategy.last().grant();
		assertThat(this.served).containsExactly("one", "two");
	}

	@Test
	@Tag("PermitCohort.I6")
	void afterASmallerNumberThereAreAsManyLanesAsPermits() {
		permit("one", 4);
		this.strategy.last().grant();
		release("one");
		permit("two", 1);
		this.strategy.last().grant();
		release("two");
		for (int i = 0; i < 4; i++) {
			permit("late " + i, 4);
			this.strategy.last().grant();
		}
		assertThat(this.served).containsExactly("one", "two", "late 0", "late 1", "late 2", "late 3");
		assertThat(this.strategy.entries).hasSize(6);
	}

	@Test
	@Tag("PermitCohort.I6")
	void withASmallerNumberThereAreNoMoreLanesThanPermits() {
		permit("one", 4);
		this.strategy.last().grant();
		release("one");
		permit("two", 2);
		permit("three", 2);
		permit("four", 2);
		assertThat(this.strategy.entries).hasSize(3);
	}

	@Test
	@Tag("PermitCohort.I4")
	void aStepThatThrowsEndsTheWaitOfAllAndNoHold() {
		permit("one", 1);
		failPermits("two", 1);
		permit("three", 1);
		Entry first = this.strategy.last();
		first.grant();
		this.held.get("one").release();
		assertThat(this.served).containsExactly("one", "two failed", "three failed");
		assertThat(first.left).isTrue();
		permit("four", 1);
		this.strategy.last().grant();
		assertThat(this.served).endsWith("four");
		this.held.get("four").release();
		this.strategy.entries.forEach((entry) -> entry.gone.complete(null));
		assertThat(this.cohorts.count()).isZero();
	}

	@Test
	@Tag("PermitCohort.I4")
	void aPermitThatNobodyCouldBeGivenIsGivenBack() {
		permit("one", 2);
		this.failing = "two";
		permit("two", 2);
		this.strategy.entries.get(0).grant();
		this.strategy.entries.get(1).grant();
		assertThat(this.served).containsExactly("one", "two", "two failed");
		assertThat(this.strategy.entries.get(0).left).isFalse();
		assertThat(this.strategy.entries.get(1).left).isTrue();
		this.held.get("one").release();
		this.strategy.entries.forEach((entry) -> entry.gone.complete(null));
		assertThat(this.cohorts.count()).isZero();
	}

	@Test
	@Tag("PermitCohorts.I2")
	void whoComesAfterAFailureDoesNotWaitForWhoHoldsWhileAPermitIsFree() {
		permit("one", 3);
		this.strategy.last().grant();
		permit("two", 3);
		this.strategy.last().grant();
		failPermits("three", 3);
		permit("late", 3);
		assertThat(this.strategy.entries).hasSize(3);
		this.strategy.last().grant();
		assertThat(this.served).containsExactly("one", "two", "three failed", "late");
		this.held.get("late").release();
		this.held.get("two").release();
		this.held.get("one").release();
		assertThat(this.strategy.entries).allMatch((entry) -> entry.left);
		this.strategy.entries.forEach((entry) -> entry.gone.complete(null));
		assertThat(this.cohorts.count()).isZero();
	}

	@Test
	@Tag("PermitCohorts.I1")
	void whoLeavesAFailedPermitCohortIsNotTakenForACallerOfTheNextOne() {
		permit("one", 1);
		Entry first = this.strategy.last();
		first.grant();
		failPermits("two", 1);
		release("one");
		permit("late", 1);
		first.gone.complete(null);
		assertThat(this.served).containsExactly("one", "two failed");
		assertThat(this.cohorts.count()).as("the caller, and its lane").isEqualTo(2);
	}

	@Test
	@Tag("PermitCohorts.I1")
	void aPermitCohortLastsAsLongAsItsCallers() {
		LocalContender one = permit("one", 1);
		LocalContender two = permit("two", 1);
		assertThat(this.cohorts.count()).as("the callers, and a lane").isEqualTo(2);
		permit("three", 2);
		assertThat(this.served).containsExactly("three failed");
		two.leave();
		one.leave();
		assertThat(this.cohorts.count()).as("its node is not known to be gone").isPositive();
		this.strategy.last().gone.complete(null);
		assertThat(this.cohorts.count()).isZero();
		permit("four", 2);
		assertThat(this.served).containsExactly("three failed");
	}

	@Test
	@Tag("PermitCohort.I6")
	void whileOneHoldsAPermitNobodyAsksWithAnotherNumber() {
		permit("one", 1);
		this.strategy.last().grant();
		permit("two", 2);
		assertThat(this.served).containsExactly("one", "two failed");
		assertThat(this.strategy.entries).hasSize(1);
	}

	@Test
	@Tag("PermitCohorts.I1")
	void whoKnowsThatTheLastPermitHasGoneMayAskWithAnotherNumber() {
		permit("one", 1);
		Entry first = this.strategy.last();
		first.grant();
		this.held.get("one").release().thenRun(() -> permit("two", 2));
		first.gone.complete(null);
		this.strategy.last().grant();
		assertThat(this.served).containsExactly("one", "two");
	}

	private static void runAll(Queue<Runnable> steps) {
		while (!steps.isEmpty()) {
			steps.remove().run();
		}
	}

	private void failPermits(String name, int permits) {
		LockAttempt attempt = new LockAttempt(List.of("key"), List.of(LockMode.EXCLUSIVE), List.of(permits), false,
				name, false);
		this.cohorts.enter(attempt, this.strategy, new Caller(name) {
			@Override
			public long remainingNanos() {
				throw new NoClassDefFoundError("planted");
			}
		});
	}

}
