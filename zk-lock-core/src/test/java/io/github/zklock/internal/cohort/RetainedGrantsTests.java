package io.github.zklock.internal.cohort;

import java.time.Duration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.zklock.Handoff;
import io.github.zklock.LockMode;
import io.github.zklock.spi.LockAttempt;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Grants that are kept although nobody wants them.
 */
class RetainedGrantsTests extends HandPlayedCohorts {

	@Test
	@Tag("CohortMap.I1")
	void aCohortThatRetainsAGrantIsTheOneThatIsJoined() {
		this.cohorts = cohorts(new Handoff(64, Duration.ofMinutes(1), Duration.ofMinutes(1)));
		LocalContender one = enter("one", LockMode.EXCLUSIVE);
		this.strategy.entries.get(0).grant();
		assertThat(one.leave()).isCompleted();
		assertThat(this.cohorts.count()).isOne();
		enter("two", LockMode.EXCLUSIVE);
		assertThat(this.served).containsExactly("one", "two");
		assertThat(this.strategy.entries).hasSize(1);
	}

	@Test
	@Tag("RetainedGrants.I1")
	void ofTooManyRetainedGrantsTheOneIsGivenUpThatWasUsedLeastRecently() {
		retaining();
		Entry first = retained("first");
		Entry second = retained("second");
		LocalContender again = enter("first", "first again", LockMode.EXCLUSIVE);
		again.leave();
		Entry third = retained("third");
		assertThat(second.left).isTrue();
		assertThat(first.left || third.left).isFalse();
		assertThat(this.served).containsExactly("first", "second", "first again", "third");
	}

	@Test
	@Tag("RetainedGrants.I1")
	void aGrantThatIsHeldIsNoneOfTheRetainedOnes() {
		retaining();
		Entry first = retained("first");
		LocalContender again = enter("first", "first again", LockMode.EXCLUSIVE);
		Entry second = retained("second");
		Entry third = retained("third");
		assertThat(first.left || second.left || third.left).isFalse();
		again.leave();
		assertThat(second.left).isTrue();
		assertThat(first.left || third.left).isFalse();
	}

	@Test
	@Tag("RetainedGrants.I1")
	void aRetainedGrantThatWasLostOrGivenUpMakesRoom() {
		retaining();
		Entry first = retained("first");
		Entry second = retained("second");
		first.lose();
		second.contended.complete(null);
		assertThat(first.left && second.left).isTrue();
		Entry third = retained("third");
		Entry fourth = retained("fourth");
		assertThat(third.left || fourth.left).isFalse();
	}

	@Test
	@Tag("RetainedGrants.I1")
	void theTimerKeepsNothingOfAGrantThatWasGivenUp() {
		retaining();
		for (int i = 0; i < 20; i++) {
			retained("key-" + i);
		}
		assertThat(this.paused).as("times until which a grant is retained").hasSize(2);
	}

	@Test
	void aGrantBeyondTheBoundIsRetained() {
		this.cohorts = cohorts(new Handoff(64, Duration.ZERO, Duration.ofMinutes(1)));
		LocalContender one = enter("one", LockMode.EXCLUSIVE);
		Entry first = this.strategy.entries.get(0);
		first.grant();
		one.leave();
		assertThat(first.left).isFalse();
		enter("two", LockMode.EXCLUSIVE);
		assertThat(this.served).containsExactly("one");
		first.looked.complete(false);
		assertThat(this.served).containsExactly("one", "two");
	}

	@Test
	void onlyWhatMayBeRetainedSaysSo() {
		Handoff retaining = new Handoff(64, Duration.ofMinutes(1), Duration.ofMinutes(1));
		assertThat(attempt(Handoff.DEFAULT, true).mayBeRetained()).isFalse();
		assertThat(attempt(new Handoff(0, Duration.ZERO, Duration.ofMinutes(1)), true).mayBeRetained()).isFalse();
		assertThat(attempt(retaining, false).mayBeRetained()).isFalse();
		assertThat(attempt(retaining, true).mayBeRetained()).isTrue();
	}

	private Entry retained(String key) {
		LocalContender local = enter(key, key, LockMode.EXCLUSIVE);
		Entry entry = this.strategy.entries.get(this.strategy.entries.size() - 1);
		entry.grant();
		local.leave();
		return entry;
	}

	private LockAttempt attempt(Handoff handoff, boolean fair) {
		this.strategy.fair = fair;
		this.cohorts = cohorts(handoff);
		enter("one", LockMode.EXCLUSIVE);
		return this.strategy.entries.get(this.strategy.entries.size() - 1).attempt;
	}

}
