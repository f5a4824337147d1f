package io.github.zklock.internal.cohort;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.zklock.Handoff;
import io.github.zklock.LockException;
import io.github.zklock.LockMode;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.ContenderListener;
import io.github.zklock.spi.LockAttempt;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Callers of one key: their order, their one contender, and what is left of them.
 */
class CohortTests extends HandPlayedCohorts {

	@Test
	void i1CallersAreServedInTheirOrder() {
		LocalContender one = enter("one", LockMode.EXCLUSIVE);
		LocalContender two = enter("two", LockMode.EXCLUSIVE);
		enter("three", LockMode.EXCLUSIVE);
		this.strategy.entries.get(0).grant();
		assertThat(this.served).containsExactly("one");
		one.leave();
		two.leave();
		assertThat(this.served).containsExactly("one", "two", "three");
	}

	@Test
	void i2WhileManyThatWereGivenUpHaveNotGoneNoneEnters() {
		for (int i = 0; i < 2 * Departures.MOST; i++) {
			enter("hasty", LockMode.EXCLUSIVE).leave();
		}
		enter("patient", LockMode.EXCLUSIVE);
		assertThat(this.strategy.entries).hasSize(Departures.MOST);
		this.strategy.entries.get(0).gone.complete(null);
		runPaused();
		assertThat(this.strategy.entries).hasSize(Departures.MOST + 1);
		this.strategy.last().grant();
		assertThat(this.served).containsExactly("patient");
	}

	@Test
	void i2NorDoThoseWhoWantPermitsOfTheKey() {
		for (int i = 0; i < Departures.MOST; i++) {
			List<LocalContender> hasty = List.of(permit("one", 3), permit("two", 3), permit("three", 3));
			hasty.forEach(LocalContender::leave);
		}
		assertThat(this.strategy.entries).hasSizeLessThan(Departures.MOST + 3);
	}

	@Test
	void i2WhoGivesUpBeforeThereIsRoomLeavesNothing() {
		for (int i = 0; i < Departures.MOST; i++) {
			this.cohorts
				.enter(new LockAttempt(List.of("key", "other"), LockMode.EXCLUSIVE, false, "hasty"), this.strategy,
						new Caller("hasty"))
				.leave();
		}
		for (int i = 0; i < 10; i++) {
			enter("one", LockMode.EXCLUSIVE).leave();
		}
		assertThat(this.strategy.entries).hasSize(Departures.MOST);
		assertThat(this.cohorts.count()).as("the keys of which many leave").isEqualTo(2);
	}

	@Test
	void i2WhatWasHeldIsNotAmongThese() {
		for (int i = 0; i <= Departures.MOST; i++) {
			enter("holder", LockMode.EXCLUSIVE);
			this.strategy.last().grant();
			this.held.get("holder").release();
		}
		assertThat(this.strategy.entries).hasSize(Departures.MOST + 1).allMatch((entry) -> entry.left);
	}

	@Test
	void i2ThereIsOneContenderHoweverManyCallersWait() {
		LocalContender one = enter("one", LockMode.EXCLUSIVE);
		enter("two", LockMode.EXCLUSIVE);
		enter("three", LockMode.WRITE);
		assertThat(this.strategy.entries).hasSize(1);
		this.strategy.entries.get(0).grant();
		assertThat(this.strategy.entries).hasSize(1);
		one.leave();
		assertThat(this.strategy.entries).hasSize(1);
	}

	@Test
	void i3AStrategyThatIsNotFairEntersAgainAfterItsNodeIsGoneAndAPause() {
		this.strategy.fair = false;
		this.cohorts = cohorts(new Handoff(1, Duration.ofMinutes(1), Duration.ZERO));
		LocalContender one = enter("one", LockMode.EXCLUSIVE);
		LocalContender two = enter("two", LockMode.EXCLUSIVE);
		enter("three", LockMode.EXCLUSIVE);
		Entry first = this.strategy.entries.get(0);
		first.grant();
		one.leave();
		first.contended.complete(null);
		two.leave();
		assertThat(first.left).isTrue();
		assertThat(this.strategy.entries).hasSize(1);
		assertThat(this.paused).isEmpty();
		first.gone.complete(null);
		assertThat(this.strategy.entries).hasSize(1);
		this.paused.remove(0).run();
		assertThat(this.strategy.entries).hasSize(2);
	}

	@Test
	void i4WhoGivesUpTouchesNobodyElse() {
		LocalContender one = enter("one", LockMode.EXCLUSIVE);
		enter("two", LockMode.EXCLUSIVE);
		one.leave();
		assertThat(this.strategy.entries).hasSize(1).noneMatch((entry) -> entry.left);
		this.strategy.entries.get(0).grant();
		assertThat(this.served).containsExactly("two");
	}

	@Test
	void i4WhatTheNextCallerHasNoUseForIsWithdrawn() {
		LocalContender reader = enter("reader", LockMode.READ);
		enter("writer", LockMode.WRITE);
		reader.leave();
		assertThat(this.strategy.entries.get(0).left).isTrue();
		assertThat(this.strategy.entries).hasSize(2);
		assertThat(this.strategy.entries.get(1).attempt.mode()).isEqualTo(LockMode.WRITE);
	}

	@Test
	@Tag("QueuedContender.I1")
	void whoHasLeftIsNotServed() {
		LocalContender one = enter("one", LockMode.EXCLUSIVE);
		one.leave();
		this.strategy.entries.get(0).grant();
		assertThat(this.served).isEmpty();
	}

	@Test
	@Tag("Cohort.I4")
	void whatBecomesOfAContenderThatHasLeftIsNothingToThoseWhoComeLater() {
		LocalContender one = enter("one", LockMode.EXCLUSIVE);
		Entry left = this.strategy.last();
		one.leave();
		LocalContender two = enter("two", LockMode.EXCLUSIVE);
		left.listener.blocked(new Blocker("key", "another client", true, null));
		left.listener.failed(new LockException("planted"));
		assertThat(this.served).isEmpty();
		assertThat(two.blocker()).isNull();
		this.strategy.last().grant();
		assertThat(this.served).containsExactly("two");
	}

	@Test
	@Tag("QueuedContender.I1")
	void whoHasLeftDoesNotLose() {
		LocalContender one = enter("one", LockMode.READ);
		enter("two", LockMode.READ);
		this.strategy.entries.get(0).grant();
		one.leave();
		this.strategy.entries.get(0).lose();
		assertThat(this.served).containsExactly("one", "two", "two lost");
	}

	@Test
	@Tag("QueuedContender.I2")
	void aReleaseEndsWithTheNodeUnlessTheGrantIsHandedOff() {
		LocalContender one = enter("one", LockMode.EXCLUSIVE);
		LocalContender two = enter("two", LockMode.EXCLUSIVE);
		this.strategy.entries.get(0).grant();
		assertThat(one.leave()).isCompleted();
		CompletionStage<Void> gone = two.leave();
		assertThat(gone).isNotCompleted();
		this.strategy.entries.get(0).gone.complete(null);
		assertThat(gone).isCompleted();
	}

	@Test
	@Tag("CohortMap.I1")
	void aCohortIsKnownUntilItsNodeIsGone() {
		LocalContender one = enter("one", LockMode.EXCLUSIVE);
		one.leave();
		assertThat(this.cohorts.count()).as("it, and its key, of which one leaves").isEqualTo(2);
		this.strategy.entries.get(0).gone.complete(null);
		assertThat(this.cohorts.count()).isZero();
	}

	@Test
	@Tag("CohortMap.I1")
	void aClientIsNotClosedBecauseItHadNothingToDoBefore() {
		enter("one", LockMode.EXCLUSIVE).leave();
		this.strategy.last().gone.complete(null);
		enter("two", LockMode.EXCLUSIVE).leave();
		assertThat(this.cohorts.stopRetaining()).isCompleted();
		CompletableFuture<Void> closed = this.cohorts.whenEmpty();
		assertThat(closed).isNotCompleted();
		this.strategy.last().gone.complete(null);
		assertThat(closed).isCompleted();
		assertThat(cohorts(Handoff.DEFAULT).whenEmpty()).as("of a client that has done nothing").isCompleted();
	}

	@Test
	@Tag("CohortContender.I3")
	void aGrantThatIsNotValidIsGivenToNobody() {
		LocalContender one = enter("one", LockMode.EXCLUSIVE);
		enter("two", LockMode.EXCLUSIVE);
		Entry first = this.strategy.entries.get(0);
		first.grant();
		first.valid = false;
		one.leave();
		assertThat(this.served).containsExactly("one");
		assertThat(first.left).isTrue();
		assertThat(this.strategy.entries).hasSize(2);
	}

	@Test
	void noStrategyIsAskedToReplaceAContenderOfAnother() {
		HandPlayedStrategy another = new HandPlayedStrategy() {
			@Override
			public Contender enterInstead(Contender former, LockAttempt attempt, ContenderListener listener) {
				CohortTests.this.served.add("instead");
				return super.enterInstead(former, attempt, listener);
			}
		};
		enterAndGrant("one");
		this.cohorts.enter(new LockAttempt(List.of("key"), LockMode.EXCLUSIVE, false, "two"), another,
				new Caller("two"));
		release("one");
		assertThat(this.strategy.last().left).isTrue();
		another.last().grant();
		assertThat(this.served).containsExactly("one", "two");
	}

	@Test
	void noStrategyIsAskedToReplaceWhatWasLost() {
		this.cohorts = cohorts(new Handoff(64, Duration.ZERO, Duration.ZERO));
		HandPlayedStrategy replacing = new HandPlayedStrategy() {
			@Override
			public Contender enterInstead(Contender former, LockAttempt attempt, ContenderListener listener) {
				CohortTests.this.served.add("instead");
				return super.enterInstead(former, attempt, listener);
			}
		};
		for (String name : List.of("one", "two")) {
			this.cohorts.enter(new LockAttempt(List.of("key"), LockMode.EXCLUSIVE, false, name), replacing,
					new Caller(name));
		}
		Entry first = replacing.last();
		first.grant();
		release("one");
		first.lose();
		assertThat(first.left).isTrue();
		replacing.last().grant();
		assertThat(this.served).containsExactly("one", "two");
	}

	@Test
	@Tag("MultiKeyContender.I2")
	void whoGivesUpWithoutHavingEnteredHasGoneAtOnce() {
		for (int i = 0; i < Departures.MOST; i++) {
			several("hasty", false).leave();
		}
		assertThat(several("next", false).leave()).isCompleted();
		this.strategy.entries.forEach((entry) -> entry.gone.complete(null));
		runPaused();
		assertThat(this.strategy.entries).hasSize(Departures.MOST);
		assertThat(this.cohorts.count()).isZero();
	}

	@Test
	@Tag("MultiKeyContender.I2")
	void whoGivesUpWhileItIsLetInNeverEnters() {
		for (int i = 0; i < Departures.MOST; i++) {
			several("hasty", false).leave();
		}
		LocalContender next = several("next", false);
		assertThat(this.strategy.entries).hasSize(Departures.MOST);
		this.strategy.entries.get(0).gone.complete(null);
		CompletionStage<Void> gone = next.leave();
		assertThat(gone).isNotCompleted();
		runPaused();
		assertThat(gone).isCompleted();
		assertThat(this.strategy.entries).hasSize(Departures.MOST);
		this.strategy.entries.forEach((entry) -> entry.gone.complete(null));
		assertThat(this.cohorts.count()).isZero();
	}

}
