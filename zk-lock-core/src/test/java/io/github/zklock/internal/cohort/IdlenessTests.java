package io.github.zklock.internal.cohort;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.github.zklock.Handoff;
import io.github.zklock.LockException;
import io.github.zklock.LockMode;
import io.github.zklock.spi.Blocker;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A grant that nobody wants lingers for those who come back at once.
 */
class IdlenessTests extends HandPlayedCohorts {

	@Test
	@Tag("CohortGrant.I2")
	void whatCallersComeBackToAtOnceLingersForAMoment() {
		Entry entry = heat(this.strategy);
		CompletionStage<Void> gone = release("hot");
		assertThat(entry.left).isFalse();
		assertThat(gone).isNotCompleted();
		this.now += LINGER;
		enter("hot again", LockMode.EXCLUSIVE);
		assertThat(gone).isCompleted();
		assertThat(this.served).endsWith("hot", "hot again");
		assertThat(this.held.get("hot again").token()).isEqualTo(this.held.get("hot").token() + 1);
		release("hot again");
		this.now += LINGER;
		runPaused();
		assertThat(entry.left).isTrue();
		assertThat(this.strategy.last()).isSameAs(entry);
	}

	@Test
	void whereItIsNotKnownHowLongAWriteTakesNothingLingers() {
		Entry entry = heat(this.strategy);
		entry.changeNanos = Long.MAX_VALUE;
		release("hot");
		assertThat(entry.left).isTrue();
	}

	@ParameterizedTest
	@CsvSource({ "400, 100", "800, 200", "50000, 200" })
	@Tag("CohortGrant.I2")
	void theMomentIsAQuarterOfAWriteAndTwoHundredMicrosecondsAtMost(long changeMicros, long momentMicros) {
		Entry entry = heat(this.strategy);
		entry.changeNanos = TimeUnit.MICROSECONDS.toNanos(changeMicros);
		release("hot");
		assertThat(entry.left).isFalse();
		assertThat(this.timed).isEqualTo(TimeUnit.MICROSECONDS.toNanos(momentMicros));
	}

	@Test
	void eachReleaseEndsWithTheMomentOfItsOwn() {
		Entry entry = heat(this.strategy);
		assertThat(release("hot")).isNotCompleted();
		enter("hot again", LockMode.EXCLUSIVE);
		CompletionStage<Void> gone = release("hot again");
		this.now += LINGER;
		runPaused();
		assertThat(entry.left).isTrue();
		assertThat(gone).isNotCompleted();
		entry.gone.complete(null);
		assertThat(gone).isCompleted();
	}

	@Test
	void theMomentBeginsWithTheLastRelease() {
		Entry entry = heat(this.strategy);
		release("hot");
		this.now += LINGER / 2;
		enter("hot again", LockMode.EXCLUSIVE);
		release("hot again");
		this.now += LINGER / 2;
		runPaused();
		assertThat(entry.left).isFalse();
		this.now += LINGER / 2;
		runPaused();
		assertThat(entry.left).isTrue();
	}

	@Test
	void whatIsReleasedForGoodDoesNotLinger() {
		Entry entry = heat(this.strategy);
		this.held.get("hot").release(false);
		assertThat(entry.left).isTrue();
	}

	@Test
	@Tag("GrantSlot.I5")
	void whatIsReleasedForGoodIsNotGivenBackToItsSlot() {
		Entry entry = heat(this.strategy);
		release("hot");
		assertThat(take("caller").release(false)).isNotCompleted();
		assertThat(entry.left).isTrue();
		assertThat(offered()).isNull();
	}

	@Test
	@Tag("GrantSlot.I5")
	void aReleaseOfWhatIsRetainedNoMoreEndsWithItsNode() {
		retaining();
		enterAndGrant("one");
		release("one");
		Entry entry = this.strategy.last();
		SlotGrant taken = take("caller");
		entry.contended.complete(null);
		CompletionStage<Void> gone = taken.release(true);
		assertThat(entry.left).isTrue();
		assertThat(gone).isNotCompleted();
		entry.gone.complete(null);
		assertThat(gone).isCompleted();
	}

	@Test
	void whatWasForfeitedDoesNotLinger() {
		Entry entry = heat(this.strategy);
		this.held.get("hot").forfeit();
		assertThat(entry.left).isTrue();
	}

	@Test
	void aKeyThatIsUsedOnceDoesNotLinger() {
		this.strategy.changeNanos = CHANGE;
		enter("one", LockMode.EXCLUSIVE);
		Entry entry = this.strategy.last();
		entry.grant();
		assertThat(entry.attempt.mayBeRetained()).isFalse();
		release("one");
		assertThat(entry.left).isTrue();
	}

	@Test
	void aCallerWhoComesLaterIsNotExpectedAgain() {
		heat(this.strategy).gone.complete(null);
		this.held.get("hot").release(false);
		for (int i = 0; i < 2; i++) {
			this.now += LINGER + 1;
			enterAndGrant("slow");
			release("slow");
			this.now += LINGER;
			runPaused();
		}
		enterAndGrant("slow");
		assertThat(this.strategy.last().attempt.mayBeRetained()).isFalse();
		release("slow");
		assertThat(this.strategy.last().left).isTrue();
	}

	@ParameterizedTest
	@CsvSource({ "READ,true,256", "EXCLUSIVE,false,256", "EXCLUSIVE,true,0" })
	void neitherAReadLingersNorWhatIsNotFairNorWhatIsNotHandedOff(LockMode mode, boolean fair, int maxCount) {
		this.strategy.fair = fair;
		this.strategy.changeNanos = CHANGE;
		this.cohorts = cohorts(new Handoff(maxCount, Duration.ofMillis(100), Duration.ZERO));
		for (int i = 0; i < 5; i++) {
			enter("quick", mode);
			Entry entry = this.strategy.last();
			entry.grant();
			release("quick");
			assertThat(entry.left).isTrue();
			entry.gone.complete(null);
		}
	}

	@Test
	@Tag("CohortGrant.I2")
	void itLingersAlthoughOthersWaitUntilItsTenureIsOver() {
		Entry entry = heat(this.strategy);
		entry.contended.complete(null);
		release("hot");
		assertThat(entry.left).isFalse();
		enter("hot again", LockMode.EXCLUSIVE);
		assertThat(this.served).endsWith("hot again");
		this.now += 10 * CHANGE;
		release("hot again");
		assertThat(entry.left).isTrue();
		assertThat(this.strategy.last()).as("queued again in its stead").isNotSameAs(entry);
		enter("and again", LockMode.EXCLUSIVE);
		assertThat(this.served).endsWith("hot again");
		this.strategy.last().grant();
		assertThat(this.served).endsWith("and again");
	}

	@Test
	void whatWasQueuedAgainForNobodyIsWithdrawn() {
		Entry entry = heat(this.strategy);
		entry.contended.complete(null);
		this.now += 10 * CHANGE;
		release("hot");
		Entry next = this.strategy.last();
		assertThat(next).isNotSameAs(entry);
		next.listener.blocked(new Blocker("key", "another contender", true, null));
		assertThat(next.left).isTrue();
	}

	@Test
	@Tag("CohortGrant.I3")
	void theFirstWhoComesEndsTheLingering() {
		Entry entry = heat(this.strategy);
		release("hot");
		entry.looked.complete(false);
		assertThat(entry.left).isFalse();
		entry.contended.complete(null);
		assertThat(entry.left).isTrue();
	}

	@Test
	void thoseWhoWaitedBeforeDoNotEndTheLingering() {
		Entry entry = heat(this.strategy);
		release("hot");
		entry.looked.complete(true);
		assertThat(entry.left).isFalse();
		this.now += LINGER;
		runPaused();
		assertThat(entry.left).isTrue();
	}

	@Test
	void whatLingersAndIsLostIsGivenUp() {
		Entry entry = heat(this.strategy);
		CompletionStage<Void> gone = release("hot");
		entry.lose();
		assertThat(entry.left).isTrue();
		assertThat(gone).isNotCompleted();
		entry.gone.complete(null);
		assertThat(gone).isCompleted();
		assertThat(this.cohorts.count()).isZero();
		assertThat(this.paused).isEmpty();
	}

	@Test
	void aClientThatIsClosedLetsNothingLinger() {
		Entry entry = heat(this.strategy);
		release("hot");
		CompletionStage<Void> closed = this.cohorts.stopRetaining();
		assertThat(entry.left).isTrue();
		entry.gone.complete(null);
		assertThat(closed).isCompleted();
		assertThat(this.cohorts.count()).isZero();
	}

	@Test
	@Tag("CohortGrant.I1")
	void whereNobodyReportsOthersAnyMoreAGrantIsNotRetained() {
		retaining();
		enterAndGrant("caller");
		release("caller");
		Entry entry = this.strategy.last();
		entry.looked.complete(false);
		assertThat(entry.left).isFalse();
		entry.contended.completeExceptionally(new LockException("planted"));
		assertThat(entry.left).isTrue();
	}

	// The last caller holds what was entered for a key to which callers come back at once
	@Test
	@Tag("CohortGrant.I1")
	void aRetainedGrantIsNotReplacedWhileItIsNotKnownWhetherOthersWait() {
		retaining();
		this.strategy.changeNanos = CHANGE;
		enterAndGrant("caller");
		for (int i = 0; i < 64; i++) {
			release("caller");
			enter("caller", LockMode.EXCLUSIVE);
		}
		release("caller");
		assertThat(this.strategy.entries).hasSize(1);
		enter("next", LockMode.EXCLUSIVE);
		assertThat(this.served).doesNotContain("next");
		this.strategy.last().looked.complete(false);
		assertThat(this.served).endsWith("next");
	}

}
