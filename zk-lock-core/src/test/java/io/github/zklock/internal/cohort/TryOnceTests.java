package io.github.zklock.internal.cohort;

import java.time.Duration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.zklock.LockException;
import io.github.zklock.LockMode;
import io.github.zklock.spi.Blocker;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Callers who take the lock only if it is free at once.
 */
class TryOnceTests extends HandPlayedCohorts {

	@Test
	void whoTriesOnceIsNotRefusedBecauseOfOneThatLeftBeforeTheGrant() {
		enter("reader", LockMode.READ);
		Entry entry = this.strategy.last();
		entry.listener.blocked(new Blocker("key", "another client", true, null));
		entry.grant();
		this.now += Duration.ofMinutes(1).toNanos();
		tryOnce("another reader", LockMode.READ);
		assertThat(this.served).as("it is not known whether others wait").containsExactly("reader");
		entry.looked.complete(false);
		assertThat(this.served).containsExactly("reader", "another reader");
	}

	@Test
	@Tag("Cohort.I6")
	void ofThoseWhoTryOnceNobodyIsForgottenWhenAStepFails() {
		enter("one", LockMode.EXCLUSIVE);
		tryOnce("two", LockMode.EXCLUSIVE);
		tryOnce("three", LockMode.EXCLUSIVE);
		this.failing = "two";
		this.strategy.last().listener.blocked(new Blocker("key", "another contender", true, null));
		assertThat(this.served).startsWith("two busy").contains("one failed", "two failed", "three failed");
		assertThat(this.cohorts.count()).as("a contender that is leaving").isOne();
		this.strategy.last().gone.complete(null);
		assertThat(this.cohorts.count()).isZero();
	}

	@Test
	@Tag("Cohort.I6")
	@Tag("QueuedContender.I1")
	void whoTriesOnceAndCannotBeRefusedIsNotifiedOfTheFailure() {
		enter("one", LockMode.EXCLUSIVE);
		this.strategy.last().grant();
		this.failing = "two";
		tryOnce("two", LockMode.EXCLUSIVE);
		assertThat(this.served).containsExactly("one", "two busy", "one lost", "two failed");
	}

	@Test
	@Tag("Cohort.I6")
	@Tag("QueuedContender.I1")
	void whoCannotBeNotifiedOfARefusalOfTheServersIsNotifiedOfTheFailure() {
		enter("one", LockMode.EXCLUSIVE);
		this.failingOnce = "one";
		this.strategy.last().listener.failed(new LockException("planted"));
		assertThat(this.served).containsExactly("one failed", "one failed");
	}

	@Test
	@Tag("PermitCohort.I4")
	void whoTriesOnceAndCannotBeRefusedAPermitIsNotifiedOfTheFailure() {
		permit("one", 1);
		this.strategy.last().grant();
		this.failing = "two";
		once("two", 1);
		assertThat(this.served).containsExactly("one", "two busy", "two failed");
	}

	@Test
	@Tag("PermitCohort.I4")
	void whoCannotBeRefusedInALaneIsNotifiedOfTheFailure() {
		once("one", 1);
		this.failing = "one";
		this.strategy.last().listener.busy(new Blocker("key", "another contender", true, null));
		assertThat(this.served).containsExactly("one busy", "one failed");
		assertThat(this.strategy.last().left).isTrue();
		this.strategy.last().gone.complete(null);
		assertThat(this.cohorts.count()).isZero();
	}

	@Test
	void whoTriesOnceAndAwaitsARetainedNodeHasSeenWhoIsInTheWay() {
		LocalContender one = tryOnce("one", LockMode.EXCLUSIVE);
		Entry first = this.strategy.entries.get(0);
		assertThat(one.blocker()).isNull();
		Blocker blocker = new Blocker("key", "another contender", true, null);
		first.listener.awaits(blocker);
		assertThat(this.served).isEmpty();
		assertThat(one.blocker()).isEqualTo(blocker);
		first.listener.busy(blocker);
		assertThat(this.served).containsExactly("one busy");
		assertThat(first.left).isTrue();
	}

	@Test
	void whoTriesOnceInAnOutageIsBusyOnceItIsKnownAgainWhoIsInTheWay() {
		enter("one", LockMode.EXCLUSIVE);
		this.strategy.last().listener.blocked(new Blocker("key", "another client", true, null));
		this.reachable = false;
		tryOnce("two", LockMode.EXCLUSIVE);
		runPaused();
		assertThat(this.served).isEmpty();
		this.reachable = true;
		runPaused();
		assertThat(this.served).containsExactly("two busy");
		assertThat(this.paused).isEmpty();
		this.strategy.last().grant();
		assertThat(this.served).containsExactly("two busy", "one");
	}

	@Test
	@Tag("Cohort.I4")
	void whoTriesOnceInAnOutageDoesNotWaitInPlaceOfOneWhoGaveUp() {
		LocalContender one = enter("one", LockMode.EXCLUSIVE);
		Entry first = this.strategy.last();
		first.listener.blocked(new Blocker("key", "another client", true, null));
		this.reachable = false;
		tryOnce("two", LockMode.EXCLUSIVE);
		one.leave();
		first.grant();
		assertThat(this.served).isEmpty();
		assertThat(first.left).isTrue();
		Entry second = this.strategy.last();
		assertThat(second.attempt.tryOnce()).isTrue();
		second.listener.busy(new Blocker("key", "another client", true, null));
		assertThat(this.served).containsExactly("two busy");
		runPaused();
		assertThat(this.paused).isEmpty();
	}

	@Test
	@Tag("Cohort.I5")
	void whoWaitsBehindOneThatTriedOnceHasAContenderOfItsOwnThen() {
		tryOnce("hasty", LockMode.EXCLUSIVE);
		enter("patient", LockMode.EXCLUSIVE);
		Entry first = this.strategy.last();
		first.listener.busy(new Blocker("key", "another client", true, null));
		assertThat(this.served).containsExactly("hasty busy");
		assertThat(first.left).isTrue();
		assertThat(this.strategy.entries).hasSize(2);
		this.strategy.last().grant();
		assertThat(this.served).containsExactly("hasty busy", "patient");
	}

	@Test
	@Tag("Cohort.I4")
	void whoWaitsBehindOneThatTriedOnceDoesNotInheritWhatLooksOnly() {
		LocalContender hasty = tryOnce("hasty", LockMode.EXCLUSIVE);
		enter("patient", LockMode.EXCLUSIVE);
		whatTheHastyOneLeavesIsReplaced(hasty);
	}

	@Test
	@Tag("Cohort.I4")
	void norDoesWhoGetsTheLaneOfOneThatTriedOnce() {
		LocalContender hasty = once("hasty", 1);
		permit("patient", 1);
		whatTheHastyOneLeavesIsReplaced(hasty);
	}

	@Test
	@Tag("Cohort.I4")
	void whoWaitsBehindOneThatTriedOnceInheritsWhatIsUnderWay() {
		LocalContender hasty = tryOnce("hasty", LockMode.EXCLUSIVE);
		enter("patient", LockMode.EXCLUSIVE);
		hasty.leave();
		assertThat(this.strategy.entries).singleElement().satisfies((entry) -> assertThat(entry.left).isFalse());
		this.strategy.last().grant();
		assertThat(this.served).containsExactly("patient");
	}

	@Test
	@Tag("Cohort.I4")
	void whatIsInheritedOfOneThatTriedOnceIsReplacedWhenItHasToLookAgain() {
		LocalContender hasty = tryOnce("hasty", LockMode.EXCLUSIVE);
		enter("patient", LockMode.EXCLUSIVE);
		hasty.leave();
		Entry first = this.strategy.last();
		first.listener.disturbed(new LockException("planted"));
		assertThat(first.left).isTrue();
		assertThat(this.strategy.entries).hasSize(2);
		this.strategy.last().grant();
		assertThat(this.served).containsExactly("patient");
	}

	@Test
	@Tag("Cohort.I4")
	void whoTriesOnceBehindOneThatTriedOnceGoesOnWithItsContender() {
		LocalContender one = tryOnce("one", LockMode.EXCLUSIVE);
		tryOnce("two", LockMode.EXCLUSIVE);
		one.leave();
		assertThat(this.strategy.entries).singleElement().satisfies((entry) -> assertThat(entry.left).isFalse());
		this.strategy.last().grant();
		assertThat(this.served).containsExactly("two");
	}

	private void whatTheHastyOneLeavesIsReplaced(LocalContender hasty) {
		Entry first = this.strategy.last();
		first.listener.disturbed(new LockException("planted"));
		assertThat(first.left).isFalse();
		hasty.leave();
		assertThat(first.left).isTrue();
		assertThat(this.strategy.entries).hasSize(2);
		assertThat(this.strategy.last().attempt.tryOnce()).isFalse();
		first.grant();
		assertThat(this.served).isEmpty();
		this.strategy.last().grant();
		assertThat(this.served).containsExactly("patient");
	}

}
