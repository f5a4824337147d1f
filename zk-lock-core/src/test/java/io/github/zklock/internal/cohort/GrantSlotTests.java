package io.github.zklock.internal.cohort;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.Handoff;
import io.github.zklock.LockMode;
import io.github.zklock.internal.concurrent.SerialExecutor;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.concurrent.StepFaults;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.Grant;
import io.github.zklock.spi.LockAttempt;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A grant that is taken and given back without a step of its cohort.
 */
class GrantSlotTests extends HandPlayedCohorts {

	@Test
	void whatNobodyWantsIsTakenFromItsSlot() {
		Entry entry = heat(this.strategy);
		CompletionStage<Void> gone = release("hot");
		for (int i = 1; i <= 3; i++) {
			SlotGrant taken = take("caller");
			assertThat(taken.token()).isEqualTo(this.held.get("hot").token() + i);
			assertThat(taken.isValid()).isTrue();
			assertThat(taken.isHandedOff()).isTrue();
			assertThat(offered()).as("while it is held").isNull();
			assertThat(taken.release(true)).isNotCompleted();
			assertThat(taken.isValid()).isFalse();
		}
		assertThat(entry.left).isFalse();
		assertThat(gone).isNotCompleted();
		enter("another", LockMode.EXCLUSIVE);
		assertThat(gone).isCompleted();
		assertThat(this.held.get("another").token()).isEqualTo(this.held.get("hot").token() + 4);
	}

	@Test
	@Tag("GrantSlot.I1")
	void nothingIsLeftOfASlotThatIsClosed() {
		Entry entry = heat(this.strategy);
		release("hot");
		assertThat(this.cohorts.slots()).extracting("open").asInstanceOf(InstanceOfAssertFactories.MAP).hasSize(1);
		entry.contended.complete(null);
		this.now += LINGER;
		runPaused();
		assertThat(entry.left).isTrue();
		assertThat(this.cohorts.slots()).extracting("open").asInstanceOf(InstanceOfAssertFactories.MAP).isEmpty();
	}

	@Test
	void onlyTheLikeIsTakenFromASlot() {
		heat(this.strategy);
		release("hot");
		assertThat(this.cohorts.slots().offered("key", LockMode.WRITE, this.strategy)).isNull();
		assertThat(this.cohorts.slots().offered("key", LockMode.EXCLUSIVE, new HandPlayedStrategy())).isNull();
		assertThat(this.cohorts.slots().offered("other", LockMode.EXCLUSIVE, this.strategy)).isNull();
		assertThat(offered()).isNotNull();
	}

	@Test
	void aReadIsNotTakenFromASlot() {
		retaining();
		enter("reader", LockMode.READ);
		this.strategy.last().grant();
		release("reader");
		assertThat(this.strategy.last().left).isFalse();
		assertThat(this.cohorts.slots().offered("key", LockMode.READ, this.strategy)).isNull();
	}

	@Test
	@Tag("GrantSlot.I1")
	void aCallerThatWasStalledDoesNotTakeFromASlotThatIsClosed() {
		heat(this.strategy);
		release("hot");
		SlotGrant stalled = offered();
		enter("another", LockMode.EXCLUSIVE);
		assertThat(stalled.take(new Caller("stalled"))).isFalse();
		release("another");
		assertThat(stalled.take(new Caller("stalled"))).as("although it is idle again").isFalse();
		assertThat(stalled.isValid()).isFalse();
		assertThat(take("caller").token()).isEqualTo(this.held.get("another").token() + 1);
	}

	@Test
	@Tag("GrantSlot.I2")
	void aTokenIsTakenOnce() {
		heat(this.strategy);
		release("hot");
		SlotGrant first = offered();
		SlotGrant second = offered();
		assertThat(first.token()).isEqualTo(second.token());
		assertThat(first.take(new Caller("first"))).isTrue();
		assertThat(second.take(new Caller("second"))).isFalse();
		first.release(true);
		assertThat(second.take(new Caller("second"))).isFalse();
		assertThat(second.isValid()).isFalse();
	}

	@Test
	@Tag("GrantSlot.I3")
	void aSlotEndsWithTheTenureWhereOthersMayWait() {
		Entry entry = heat(this.strategy);
		release("hot");
		SlotGrant taken = take("caller");
		this.now += 10 * CHANGE;
		assertThat(offered()).isNull();
		taken.release(true);
		assertThat(entry.left).isTrue();
		assertThat(this.strategy.last()).as("queued again in its stead").isNotSameAs(entry);
	}

	@Test
	@Tag("GrantSlot.I3")
	void aSlotEndsWithTheCountWhereOthersMayWait() {
		this.cohorts = cohorts(new Handoff(8, Duration.ofMinutes(1), Duration.ofMinutes(1)));
		enterAndGrant("caller");
		release("caller");
		assertThat(useUp()).isEqualTo(8);
		this.strategy.last().looked.complete(false);
		assertThat(useUp()).as("until its tokens are used up").isEqualTo(Grant.TOKENS - 9);
		assertThat(this.strategy.entries).as("the next one is on its way").hasSize(2);
	}

	@Test
	@Tag("GrantSlot.I3")
	void theLargestCountThereIsEndsNoSlotBeforeItsTokensDo() {
		this.cohorts = cohorts(new Handoff(Integer.MAX_VALUE, Duration.ofMinutes(1), Duration.ofMinutes(1)));
		enterAndGrant("caller");
		release("caller");
		assertThat(useUp()).isEqualTo(Grant.TOKENS - 1);
	}

	@Test
	@Tag("GrantSlot.I4")
	void whatIsNotValidAnyMoreIsNotTaken() {
		Entry entry = heat(this.strategy);
		release("hot");
		entry.valid = false;
		assertThat(offered().take(new Caller("caller"))).isFalse();
		assertThat(entry.left).isTrue();
		assertThat(offered()).isNull();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	@Tag("GrantSlot.I5")
	void whatIsForfeitedIsHandedToNobodyAndGivenBackOnce(boolean another) {
		Entry entry = heat(this.strategy);
		release("hot");
		SlotGrant taken = take("caller");
		if (another) {
			enter("another", LockMode.EXCLUSIVE);
		}
		CompletionStage<Void> gone = taken.forfeit();
		assertThat(taken.isValid()).isFalse();
		assertThat(entry.left).isTrue();
		assertThat(this.served).doesNotContain("another");
		assertThat(taken.release(true)).isSameAs(gone).isNotCompleted();
		entry.gone.complete(null);
		assertThat(gone).isCompleted();
		assertThat(this.cohorts.count()).isEqualTo(another ? 1 : 0);
	}

	@Test
	@Tag("GrantSlot.I6")
	void whatIsForfeitedWhileAStepRunsIsHandedToNobody() {
		Entry entry = heat(this.strategy);
		release("hot");
		SlotGrant taken = take("caller");
		enter("another", LockMode.EXCLUSIVE);
		LockAttempt once = new LockAttempt(List.of("key"), LockMode.EXCLUSIVE, true, "hasty");
		List<CompletionStage<Void>> released = new ArrayList<>();
		this.cohorts.enter(once, this.strategy, new Caller("hasty") {
			@Override
			public void busy(Blocker blocker) {
				super.busy(blocker);
				CompletionStage<Void> gone = taken.forfeit();
				assertThat(taken.isValid()).isFalse();
				assertThat(taken.release(true)).isSameAs(gone);
				released.add(gone);
			}
		});
		assertThat(this.served).endsWith("hasty busy");
		assertThat(entry.left).isTrue();
		assertThat(released).hasSize(1);
		assertThat(released.get(0)).isNotCompleted();
		entry.gone.complete(null);
		assertThat(released.get(0)).isCompleted();
	}

	@Test
	@Tag("GrantSlot.I5")
	void whatWasGivenBackIsNotForfeitedAnyMore() {
		Entry entry = heat(this.strategy);
		release("hot");
		SlotGrant taken = take("caller");
		taken.release(true);
		SlotGrant next = take("next");
		taken.forfeit();
		assertThat(taken.release(false)).as("another caller has it").isCompleted();
		assertThat(next.isValid()).isTrue();
		next.release(true);
		assertThat(entry.left).isFalse();
	}

	@Test
	void whoComesWhileTheSlotIsTakenWaitsAndIsServedNext() {
		Entry entry = heat(this.strategy);
		release("hot");
		SlotGrant taken = take("caller");
		LocalContender next = enter("next", LockMode.EXCLUSIVE);
		tryOnce("hasty", LockMode.EXCLUSIVE);
		assertThat(this.served).doesNotContain("next").endsWith("hasty busy");
		assertThat(next.blocker()).hasToString(taken.asHolder().toString());
		assertThat(taken.isValid()).isTrue();
		taken.release(true);
		assertThat(this.served).endsWith("next");
		assertThat(this.held.get("next").token()).isEqualTo(taken.token() + 1);
		assertThat(entry.left).isFalse();
	}

	@Test
	@Tag("OrderedTaker.I1")
	void whatIsLostIsReportedToWhoHasTakenIt() {
		Entry entry = heat(this.strategy);
		release("hot");
		SlotGrant taken = take("caller");
		entry.lose();
		assertThat(this.served).endsWith("caller", "caller lost");
		assertThat(taken.isValid()).isFalse();
		assertThat(entry.left).as("while it is held").isFalse();
		taken.release(true);
		assertThat(entry.left).isTrue();
	}

	@Test
	@Tag("Cohort.I6")
	void whoHasTakenAGrantFromItsSlotIsNotifiedOfTheEndOfTheCohort() {
		Entry entry = heat(this.strategy);
		release("hot");
		SlotGrant taken = take("caller");
		StepFaults.in(this.failures, 1, false);
		enter("another", LockMode.EXCLUSIVE);
		assertThat(this.served).endsWith("caller lost", "another failed");
		assertThat(entry.left).isTrue();
		assertThat(this.cohorts.slots()).extracting("open").asInstanceOf(InstanceOfAssertFactories.MAP).isEmpty();
		CompletionStage<Void> gone = taken.release(true);
		assertThat(gone).isNotCompleted();
		entry.gone.complete(null);
		assertThat(gone).isCompleted();
	}

	@Test
	@Tag("OrderedTaker.I1")
	void whatIsLostWhileItIsBeingNotedIsReportedBehindThat() {
		Entry entry = heat(this.strategy);
		release("hot");
		offered().take(new Caller("caller") {
			@Override
			public void granted(List<LocalGrant> localGrants) {
				entry.lose();
				super.granted(localGrants);
			}
		});
		assertThat(this.served).endsWith("caller", "caller lost");
	}

	@Test
	void theMomentBeginsWithTheLastReleaseIntoTheSlot() {
		Entry entry = heat(this.strategy);
		release("hot");
		this.now += LINGER / 2;
		SlotGrant taken = take("caller");
		this.now += LINGER / 4;
		taken.release(true);
		this.now += LINGER / 4;
		runPaused();
		assertThat(entry.left).isFalse();
		assertThat(offered()).isNotNull();
		this.now += LINGER * 3 / 4;
		runPaused();
		assertThat(entry.left).isTrue();
	}

	@Test
	void whoHoldsForLongIsNotTimed() {
		Entry entry = heat(this.strategy);
		release("hot");
		SlotGrant taken = take("caller");
		this.now += LINGER;
		runPaused();
		assertThat(this.paused).isEmpty();
		assertThat(taken.isValid()).isTrue();
		taken.release(true);
		assertThat(entry.left).as("lingers again").isFalse();
		assertThat(offered()).isNotNull();
	}

	@Test
	@Tag("CohortGrant.I2")
	void whatWasRetainedBeforeLingersForAMomentOnlyOnceOthersWait() {
		retaining();
		this.strategy.changeNanos = CHANGE;
		enterAndGrant("one");
		for (int i = 0; i < QuickReturns.QUICK; i++) {
			release("one");
			enter("one", LockMode.EXCLUSIVE);
		}
		this.strategy.last().contended.complete(null);
		release("one");
		assertThat(this.strategy.last().left).isFalse();
		assertThat(this.timed).isEqualTo(LINGER);
	}

	@Test
	void whatIsTakenWhileTheClientIsClosedIsReleasedForGood() {
		Entry entry = heat(this.strategy);
		release("hot");
		SlotGrant taken = take("caller");
		CompletionStage<Void> closed = this.cohorts.stopRetaining();
		assertThat(closed).isCompleted();
		assertThat(entry.left).isFalse();
		taken.release(true);
		assertThat(entry.left).isTrue();
		entry.gone.complete(null);
		assertThat(this.cohorts.count()).isZero();
	}

	// The release has closed the slot, and its step comes behind the end of the moment
	@Test
	void whatIsReleasedForGoodWhileItIsBeingGivenUpIsOverWithItsNode() {
		Queue<Runnable> steps = new ArrayDeque<>();
		AtomicBoolean later = new AtomicBoolean();
		SerialExecutor serial = new SerialExecutor(new StepFailures());
		this.cohorts = cohorts(Handoff.DEFAULT, () -> (step) -> {
			if (later.get()) {
				steps.add(step);
			}
			else {
				serial.execute(step);
			}
		});
		Entry entry = heat(this.strategy);
		release("hot");
		SlotGrant taken = take("caller");
		later.set(true);
		CompletionStage<Void> gone = taken.release(false);
		later.set(false);
		entry.contended.complete(null);
		this.now += LINGER;
		runPaused();
		assertThat(entry.left).isTrue();
		steps.forEach(serial::execute);
		assertThat(gone).isNotCompleted();
		entry.gone.complete(null);
		assertThat(gone).isCompleted();
	}

	@Test
	@Tag("Cohort.I6")
	void aReleaseOfWhatWasTakenFromASlotEndsAlsoIfItsStepFails() {
		Entry entry = heat(this.strategy);
		release("hot");
		SlotGrant taken = take("caller");
		enter("next", LockMode.EXCLUSIVE);
		entry.failing = "valid";
		CompletionStage<Void> gone = taken.release(true);
		assertThat(this.served).endsWith("next failed");
		assertThat(entry.left).isTrue();
		assertThat(gone).isNotCompleted();
		entry.gone.complete(null);
		assertThat(gone).isCompleted();
		assertThat(this.cohorts.count()).isZero();
	}

	@Test
	void whatIsUsedInItsSlotIsNotGivenUpForWhatIsNot() {
		retaining();
		for (String key : List.of("one", "two")) {
			enter(key, key, LockMode.EXCLUSIVE);
			this.strategy.last().grant();
			release(key);
		}
		SlotGrant taken = (SlotGrant) this.cohorts.slots().offered("one", LockMode.EXCLUSIVE, this.strategy);
		taken.take(new Caller("caller"));
		taken.release(true);
		enter("three", "three", LockMode.EXCLUSIVE);
		this.strategy.last().grant();
		release("three");
		assertThat(this.strategy.entries).extracting((entry) -> entry.left).containsExactly(false, true, false);
	}

	@Test
	@Tag("RetainedGrants.I1")
	void whatIsHeldFromItsSlotIsNotGivenUpForWhatIsNot() {
		retaining();
		for (String key : List.of("one", "two")) {
			enter(key, key, LockMode.EXCLUSIVE);
			this.strategy.last().grant();
			release(key);
			this.cohorts.slots().offered(key, LockMode.EXCLUSIVE, this.strategy).take(new Caller(key + " again"));
		}
		enter("three", "three", LockMode.EXCLUSIVE);
		this.strategy.last().grant();
		release("three");
		assertThat(this.strategy.entries).hasSize(3).noneMatch((entry) -> entry.left);
	}

	private int useUp() {
		int uses = 0;
		while (offered() != null) {
			take("caller").release(true);
			uses++;
		}
		return uses;
	}

}
