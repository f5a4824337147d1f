package io.github.zklock.internal.cohort;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.Handoff;
import io.github.zklock.LockMode;
import io.github.zklock.LostReason;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.ContenderListener;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.spi.LockStrategy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Steps, strategies and callers that throw: everybody is told, and nobody waits for ever.
 */
class CohortFailureTests extends HandPlayedCohorts {

	@Test
	@Tag("Cohort.I6")
	void aLossIsReportedToAllAlsoIfOneOfThemFails() {
		this.cohorts.enter(new LockAttempt(List.of("key"), LockMode.READ, false, "one"), this.strategy,
				new Caller("one") {
					@Override
					public void lost(String key, LostReason reason) {
						throw new NoClassDefFoundError("planted");
					}
				});
		enter("two", LockMode.READ);
		this.strategy.last().grant();
		this.strategy.last().lose();
		assertThat(this.served).containsExactly("one", "two", "two lost");
	}

	@Test
	@Tag("Cohort.I6")
	void aStepThatThrowsEndsItsCohortAndLaterCallersFindAnotherOne() {
		this.failing = "one";
		LocalContender one = enter("one", LockMode.EXCLUSIVE);
		enter("two", LockMode.EXCLUSIVE);
		Entry first = this.strategy.entries.get(0);
		first.grant();
		assertThat(this.served).as("who was granted it may not know")
			.containsExactly("one", "one lost", "two failed", "one failed");
		assertThat(first.left).isTrue();
		enter("three", LockMode.EXCLUSIVE);
		assertThat(this.strategy.entries).hasSize(2);
		this.strategy.entries.get(1).grant();
		assertThat(this.served).endsWith("three");
		assertThat(this.cohorts.count()).as("one that is given up, and one").isEqualTo(2);
		one.leave();
		first.gone.complete(null);
		assertThat(this.cohorts.count()).isOne();
	}

	@Test
	@Tag("Cohort.I6")
	void aCallerWhoCannotBeGrantedTheLockIsNotifiedOfTheFailure() {
		this.failing = "one";
		enter("one", LockMode.EXCLUSIVE);
		this.strategy.entries.get(0).grant();
		assertThat(this.served).endsWith("one failed");
	}

	@Test
	@Tag("CohortMap.I1")
	void whoLeavesACohortThatHasFailedIsNotTakenForACallerOfTheNextOne() {
		enter("one", LockMode.READ);
		enter("two", LockMode.READ);
		this.strategy.last().grant();
		this.failing = "hasty";
		tryOnce("hasty", LockMode.EXCLUSIVE);
		LocalContender late = enter("late", LockMode.EXCLUSIVE);
		release("one");
		release("two");
		this.strategy.entries.get(0).gone.complete(null);
		assertThat(this.cohorts.count()).isOne();
		late.leave();
		this.strategy.last().gone.complete(null);
		assertThat(this.cohorts.count()).isZero();
	}

	@Test
	@Tag("CohortMap.I1")
	void aClientIsClosedOnceNothingIsLeftOfWhatHasFailed() {
		this.failing = "one";
		enter("one", LockMode.EXCLUSIVE).leave();
		this.failing = "";
		enter("two", LockMode.EXCLUSIVE);
		Entry first = this.strategy.last();
		first.failing = "token";
		first.grant();
		assertThat(this.served).containsExactly("two failed");
		assertThat(this.cohorts.stopRetaining()).isCompleted();
		CompletableFuture<Void> closed = this.cohorts.whenEmpty();
		this.strategy.entries.get(0).gone.complete(null);
		assertThat(closed).isNotCompleted();
		first.gone.complete(null);
		assertThat(closed).isCompleted();
	}

	@Test
	void aStrategyThatReturnsNoContenderForSeveralKeysHasFailed() {
		LockStrategy nothing = new HandPlayedStrategy() {
			@Override
			public Contender enter(LockAttempt attempt, ContenderListener listener) {
				return null;
			}
		};
		LocalContender one = this.cohorts.enter(
				new LockAttempt(List.of("key", "other"), LockMode.EXCLUSIVE, false, "one"), nothing, new Caller("one"));
		assertThat(this.served).containsExactly("one failed");
		assertThat(one.leave()).isCompleted();
	}

	@Test
	void aStrategyThatReturnsNoContenderHasFailed() {
		LockStrategy nothing = new HandPlayedStrategy() {
			@Override
			public Contender enter(LockAttempt attempt, ContenderListener listener) {
				return null;
			}
		};
		LocalContender one = this.cohorts.enter(new LockAttempt(List.of("key"), LockMode.EXCLUSIVE, false, "one"),
				nothing, new Caller("one"));
		enter("two", LockMode.EXCLUSIVE);
		one.leave();
		assertThat(this.served).containsExactly("one failed");
		this.strategy.entries.get(0).grant();
		assertThat(this.served).containsExactly("one failed", "two");
	}

	@ParameterizedTest
	@ValueSource(strings = { "token", "contended" })
	@Tag("Cohort.I6")
	void whoWasJustBeingServedGetsTheFailureToo(String what) {
		LocalContender one = enter("one", LockMode.EXCLUSIVE);
		enter("two", LockMode.EXCLUSIVE);
		Entry first = this.strategy.entries.get(0);
		first.grant();
		first.failing = what;
		one.leave();
		assertThat(this.served).startsWith("one").endsWith("two failed");
		assertThat(first.left).isTrue();
		first.gone.complete(null);
		assertThat(this.cohorts.count()).isZero();
	}

	@Test
	@Tag("Cohort.I6")
	void whoWasFirstToBeServedGetsTheFailureToo() {
		enter("one", LockMode.EXCLUSIVE);
		Entry first = this.strategy.entries.get(0);
		first.failing = "token";
		first.grant();
		assertThat(this.served).containsExactly("one failed");
		assertThat(first.left).isTrue();
	}

	@Test
	@Tag("PermitCohorts.I1")
	void aCallerWhoseEntryFailsIsNotCounted() {
		this.cohorts = cohorts(Handoff.DEFAULT, () -> (step) -> {
			throw new RejectedExecutionException("planted");
		});
		assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(() -> permit("one", 2));
		assertThat(this.cohorts.count()).isZero();
		assertThatExceptionOfType(RejectedExecutionException.class).as("another number")
			.isThrownBy(() -> permit("one", 3));
	}

}
