package io.github.zklock.internal.cohort;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.Handoff;
import io.github.zklock.LockException;
import io.github.zklock.LockMode;
import io.github.zklock.LostReason;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.internal.concurrent.SerialExecutor;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.concurrent.StepFaults;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.ContenderListener;
import io.github.zklock.spi.Grant;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.spi.LockStrategy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Callers of one key, before a strategy that is played by hand.
 */
class CohortTests {

	private static final long CHANGE = TimeUnit.MICROSECONDS.toNanos(400);

	private static final long LINGER = CHANGE / 4;

	private final HandPlayedStrategy strategy = new HandPlayedStrategy();

	private final StepFailures failures = new StepFailures();

	private final List<Runnable> paused = new ArrayList<>();

	private final List<String> served = new ArrayList<>();

	private final Map<String, LocalGrant> held = new HashMap<>();

	private final Map<String, Long> remaining = new HashMap<>();

	private final Set<String> decided = new HashSet<>();

	private String failing = "";

	private String failingOnce = "";

	private LockMode mode = LockMode.EXCLUSIVE;

	private LocalContender last;

	private boolean reachable = true;

	private long now;

	private long timed;

	private Cohorts cohorts = cohorts(Handoff.DEFAULT);

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
	@Tag("Bypass.I1")
	void i1ReadersPassAWaitingWriterWhileReadersHoldForOneTenure() {
		LocalContender reader = enter("reader", LockMode.READ);
		Entry first = this.strategy.entries.get(0);
		first.changeNanos = CHANGE;
		first.grant();
		enter("writer", LockMode.WRITE);
		enter("second reader", LockMode.READ);
		this.now += 10 * CHANGE - 1;
		enter("third reader", LockMode.READ);
		assertThat(this.served).containsExactly("reader", "second reader", "third reader");
		assertThat(this.strategy.entries).hasSize(1);
		this.now++;
		enter("late reader", LockMode.READ);
		assertThat(this.served).containsExactly("reader", "second reader", "third reader");
		assertThat(this.strategy.entries).hasSize(2);
		assertThat(this.strategy.last().attempt.mode()).isEqualTo(LockMode.WRITE);
		reader.leave();
		assertThat(first.left).as("while other readers hold").isFalse();
	}

	@Test
	@Tag("Bypass.I1")
	void atTheEndOfThatTimeAWriteEntersWhileTheReadersDrain() {
		LocalContender reader = enter("reader", LockMode.READ);
		this.strategy.entries.get(0).changeNanos = CHANGE;
		this.strategy.entries.get(0).grant();
		enter("writer", LockMode.WRITE);
		this.now += 10 * CHANGE;
		runPaused();
		assertThat(this.strategy.entries).hasSize(2);
		assertThat(this.strategy.entries.get(0).left).isFalse();
		reader.leave();
		assertThat(this.strategy.entries.get(0).left).isTrue();
		this.strategy.last().grant();
		assertThat(this.served).containsExactly("reader", "writer");
	}

	@Test
	@Tag("Bypass.I1")
	void aWriterIsPassedForAQuarterOfTheTimeForWhichItWouldWait() {
		enter("reader", LockMode.READ);
		this.strategy.entries.get(0).grant();
		enter("writer", LockMode.WRITE);
		this.remaining.put("hasty writer", 400L);
		enter("hasty writer", LockMode.WRITE);
		this.now += 99;
		enter("second reader", LockMode.READ);
		assertThat(this.served).containsExactly("reader", "second reader");
		this.now++;
		runPaused();
		assertThat(this.strategy.entries).hasSize(2);
		enter("late reader", LockMode.READ);
		assertThat(this.served).containsExactly("reader", "second reader");
	}

	@Test
	@Tag("Bypass.I1")
	void theTimeIsOverInTimeAlsoIfNobodyComes() {
		enter("reader", LockMode.READ);
		this.strategy.entries.get(0).grant();
		enter("writer", LockMode.WRITE);
		this.remaining.put("hasty writer", 400L);
		enter("hasty writer", LockMode.WRITE);
		assertThat(this.timed).isEqualTo(100);
	}

	@Test
	@Tag("Bypass.I1")
	void aWriterWhoCameBeforeTheGrantIsPassedForAsLong() {
		this.remaining.put("writer", 400L);
		enter("reader", LockMode.READ);
		enter("writer", LockMode.WRITE);
		enter("second reader", LockMode.READ);
		this.now += 99;
		this.strategy.entries.get(0).grant();
		assertThat(this.served).containsExactly("reader", "second reader");
		this.now++;
		enter("late reader", LockMode.READ);
		assertThat(this.served).containsExactly("reader", "second reader");
		assertThat(this.strategy.entries).hasSize(2);
	}

	@Test
	@Tag("Bypass.I1")
	void aWriterWhoTriesOnceShortensTheTimeForNobody() {
		this.remaining.put("hasty writer", 400L);
		enter("reader", LockMode.READ);
		enter("writer", LockMode.WRITE);
		tryOnce("hasty writer", LockMode.WRITE);
		enter("second reader", LockMode.READ);
		this.now += 100;
		this.strategy.entries.get(0).grant();
		assertThat(this.served).containsExactlyInAnyOrder("reader", "second reader", "hasty writer busy");
	}

	@Test
	@Tag("Bypass.I1")
	void onlyThoseWhoWaitToWriteShortenTheTimeForWhichReadersPass() {
		enter("reader", LockMode.READ);
		this.strategy.entries.get(0).grant();
		enter("writer", LockMode.WRITE);
		this.remaining.put("hasty writer", 0L);
		tryOnce("hasty writer", LockMode.WRITE);
		this.remaining.put("hasty reader", 0L);
		enter("hasty reader", LockMode.READ);
		enter("late reader", LockMode.READ);
		assertThat(this.served).containsExactly("reader", "hasty writer busy", "hasty reader", "late reader");
		assertThat(this.strategy.entries).hasSize(1);
	}

	@Test
	@Tag("Bypass.I2")
	void nobodyPassesAWriteThatIsInTheQueue() {
		enter("reader", LockMode.READ);
		this.strategy.entries.get(0).changeNanos = CHANGE;
		this.strategy.entries.get(0).grant();
		enter("writer", LockMode.WRITE);
		this.now += 10 * CHANGE;
		runPaused();
		LocalContender late = enter("late reader", LockMode.READ);
		late.leave();
		enter("later reader", LockMode.READ);
		assertThat(this.served).containsExactly("reader");
		this.strategy.last().grant();
		assertThat(this.served).containsExactly("reader", "writer");
	}

	@Test
	@Tag("Bypass.I1")
	void aWriterWhoComesLaterIsPassedForATimeOfItsOwn() {
		enter("reader", LockMode.READ);
		this.strategy.entries.get(0).changeNanos = CHANGE;
		this.strategy.entries.get(0).grant();
		enter("second reader", LockMode.READ);
		this.strategy.entries.get(0).looked.complete(false);
		LocalContender writer = enter("writer", LockMode.WRITE);
		this.now += 9 * CHANGE;
		writer.leave();
		assertThat(this.paused).as("nobody is passed").isEmpty();
		enter("next writer", LockMode.WRITE);
		this.now += 9 * CHANGE;
		enter("third reader", LockMode.READ);
		assertThat(this.served).containsExactly("reader", "second reader", "third reader");
		this.now += CHANGE;
		enter("late reader", LockMode.READ);
		assertThat(this.served).doesNotContain("late reader");
		assertThat(this.strategy.last().attempt.mode()).isEqualTo(LockMode.WRITE);
	}

	@Test
	@Tag("Bypass.I1")
	void nobodyPassesAWriterOnceOthersWaitForAReadThatHasLastedForOneChange() {
		this.cohorts = cohorts(new Handoff(256, Duration.ZERO, Duration.ofMillis(100), Duration.ZERO));
		LocalContender reader = enter("reader", LockMode.READ);
		Entry first = this.strategy.entries.get(0);
		first.changeNanos = CHANGE;
		first.grant();
		enter("writer", LockMode.WRITE);
		enter("second reader", LockMode.READ);
		this.now += 2 * CHANGE;
		enter("third reader", LockMode.READ);
		assertThat(this.served).containsExactly("reader", "second reader", "third reader");
		assertThat(this.strategy.entries).hasSize(1);
		first.contended.complete(null);
		assertThat(this.strategy.entries).as("a WRITE beside the draining READ").hasSize(2);
		assertThat(this.strategy.last().attempt.mode()).isEqualTo(LockMode.WRITE);
		enter("late reader", LockMode.READ);
		reader.leave();
		assertThat(this.served).containsExactly("reader", "second reader", "third reader");
		assertThat(first.left).isFalse();
	}

	@Test
	@Tag("Bypass.I1")
	void readersPassAWriterForOneChangeAlthoughOthersWaitFromTheStart() {
		this.cohorts = cohorts(new Handoff(256, Duration.ZERO, Duration.ofMillis(100), Duration.ZERO));
		enter("reader", LockMode.READ);
		enter("writer", LockMode.WRITE);
		enter("second reader", LockMode.READ);
		Entry first = this.strategy.entries.get(0);
		first.changeNanos = CHANGE;
		first.grant();
		first.contended.complete(null);
		this.now += CHANGE - 1;
		enter("third reader", LockMode.READ);
		assertThat(this.served).containsExactly("reader", "second reader", "third reader");
		assertThat(this.strategy.entries).hasSize(1);
		this.now++;
		runPaused();
		assertThat(this.strategy.entries).hasSize(2);
		assertThat(this.strategy.last().attempt.mode()).isEqualTo(LockMode.WRITE);
	}

	@Test
	@Tag("Bypass.I1")
	void whileMostReadAReadGrantLastsForATenureAndReadersPassAWriterUntilItsEnd() {
		enter("reader", LockMode.READ);
		enter("writer", LockMode.WRITE);
		enter("second reader", LockMode.READ);
		Entry first = this.strategy.entries.get(0);
		first.changeNanos = CHANGE;
		first.heldByMost = true;
		first.grant();
		first.contended.complete(null);
		this.now += 10 * CHANGE - 1;
		enter("third reader", LockMode.READ);
		assertThat(this.served).containsExactly("reader", "second reader", "third reader");
		this.now++;
		runPaused();
		enter("late reader", LockMode.READ);
		assertThat(this.served).containsExactly("reader", "second reader", "third reader");
		assertThat(this.strategy.entries).hasSize(2);
		assertThat(this.strategy.last().attempt.mode()).isEqualTo(LockMode.WRITE);
	}

	@ParameterizedTest
	@CsvSource({ "0,100000,400", "1000,100000,1000", "0,100,100", "100000,5000,5000" })
	void aReadGrantThatOthersWaitForLastsForOneChangeWithinTheBounds(int least, int most, int micros) {
		this.cohorts = cohorts(
				new Handoff(256, Duration.ofNanos(least * 1000L), Duration.ofNanos(most * 1000L), Duration.ZERO));
		enter("reader", LockMode.READ);
		Entry first = this.strategy.entries.get(0);
		first.changeNanos = CHANGE;
		first.grant();
		enter("second reader", LockMode.READ);
		first.contended.complete(null);
		this.now += micros * 1000L - 1;
		enter("third reader", LockMode.READ);
		assertThat(this.served).containsExactly("reader", "second reader", "third reader");
		this.now++;
		enter("late reader", LockMode.READ);
		assertThat(this.served).containsExactly("reader", "second reader", "third reader");
		assertThat(this.strategy.entries).as("another READ beside the draining one").hasSize(2);
	}

	@Test
	void onceTheReadersAreGoneTheWritersWhoHaveGatheredAreServedByOneWrite() {
		LocalContender reader = enter("reader", LockMode.READ);
		this.strategy.entries.get(0).grant();
		LocalContender writer = enter("writer", LockMode.WRITE);
		LocalContender second = enter("second reader", LockMode.READ);
		enter("second writer", LockMode.WRITE);
		reader.leave();
		second.leave();
		assertThat(this.strategy.entries.get(0).left).isTrue();
		enter("late reader", LockMode.READ);
		assertThat(this.strategy.entries).hasSize(2);
		this.strategy.last().grant();
		writer.leave();
		assertThat(this.served).containsExactly("reader", "second reader", "writer", "second writer");
		assertThat(this.paused).isEmpty();
	}

	@Test
	@Tag("Bypass.I3")
	void i3WritersPassAWaitingReaderUntilTheEndOfTheTenureAlthoughNobodyElseWaits() {
		this.strategy.changeNanos = CHANGE;
		LocalContender one = enter("one", LockMode.WRITE);
		Entry first = this.strategy.last();
		first.grant();
		enter("reader", LockMode.READ);
		LocalContender two = enter("two", LockMode.WRITE);
		enter("three", LockMode.WRITE);
		enter("second reader", LockMode.READ);
		first.looked.complete(false);
		this.now += 5 * CHANGE;
		one.leave();
		assertThat(this.served).containsExactly("one", "two");
		assertThat(this.strategy.entries).hasSize(1);
		this.now += 5 * CHANGE;
		two.leave();
		assertThat(this.served).containsExactly("one", "two");
		assertThat(first.left).isTrue();
		assertThat(this.strategy.last().attempt.mode()).isEqualTo(LockMode.READ);
		this.strategy.last().grant();
		assertThat(this.served).containsExactly("one", "two", "reader", "second reader");
	}

	@Test
	@Tag("Bypass.I3")
	void writersPassAWaitingReaderAsOftenAsAGrantIsHandedOff() {
		this.cohorts = cohorts(new Handoff(1, Duration.ofMinutes(1), Duration.ZERO));
		LocalContender one = enter("one", LockMode.WRITE);
		this.strategy.last().grant();
		enter("reader", LockMode.READ);
		LocalContender two = enter("two", LockMode.WRITE);
		enter("three", LockMode.WRITE);
		this.strategy.last().looked.complete(false);
		one.leave();
		two.leave();
		assertThat(this.served).containsExactly("one", "two");
		assertThat(this.strategy.last().attempt.mode()).isEqualTo(LockMode.READ);
	}

	@Test
	@Tag("Bypass.I3")
	void aReaderIsPassedForAQuarterOfTheTimeForWhichItWouldWait() {
		LocalContender one = enter("one", LockMode.WRITE);
		this.strategy.last().grant();
		enter("reader", LockMode.READ);
		LocalContender two = enter("two", LockMode.WRITE);
		enter("three", LockMode.WRITE);
		one.leave();
		this.remaining.put("hasty reader", 400L);
		enter("hasty reader", LockMode.READ);
		this.now += 100;
		two.leave();
		assertThat(this.served).containsExactly("one", "two");
		this.strategy.last().grant();
		assertThat(this.served).containsExactly("one", "two", "reader", "hasty reader");
	}

	@Test
	@Tag("Bypass.I3")
	void whoWantsAnotherModeThanTheGrantDoesNotPass() {
		LocalContender one = enter("one", LockMode.WRITE);
		this.strategy.last().grant();
		enter("reader", LockMode.READ);
		enter("two", LockMode.EXCLUSIVE);
		one.leave();
		assertThat(this.served).containsExactly("one");
		assertThat(this.strategy.last().attempt.mode()).isEqualTo(LockMode.READ);
	}

	@Test
	void aWriterThatTriesOnceEndsNoReadGrantAndEntersNothing() {
		this.cohorts = cohorts(new Handoff(0, Duration.ZERO, Duration.ZERO));
		enter("reader", LockMode.READ);
		Entry first = this.strategy.entries.get(0);
		first.grant();
		tryOnce("writer", LockMode.WRITE);
		assertThat(this.served).containsExactly("reader", "writer busy");
		assertThat(this.strategy.entries).hasSize(1);
		assertThat(first.left).isFalse();
	}

	@Test
	void aReadGrantIsSharedHoweverManyComeWithinItsTime() {
		enter("reader", LockMode.READ);
		Entry first = this.strategy.entries.get(0);
		first.changeNanos = CHANGE;
		first.grant();
		enter("second", LockMode.READ);
		first.contended.complete(null);
		for (int i = 0; i < 2 * Handoff.DEFAULT.maxCount(); i++) {
			enter("reader " + i, LockMode.READ);
		}
		assertThat(this.strategy.entries).hasSize(1);
		this.now += 10 * CHANGE;
		enter("late", LockMode.READ);
		assertThat(this.strategy.entries).as("another READ beside the draining one").hasSize(2);
	}

	@Test
	void i2WithoutHandoffsAWriteEntersAtOnceBesideADrainingRead() {
		this.cohorts = cohorts(new Handoff(0, Duration.ZERO, Duration.ZERO));
		LocalContender reader = enter("reader", LockMode.READ);
		this.strategy.entries.get(0).grant();
		LocalContender second = enter("second reader", LockMode.READ);
		assertThat(this.strategy.entries).as("a READ beside a draining READ").hasSize(2);
		second.leave();
		enter("writer", LockMode.WRITE);
		assertThat(this.strategy.entries).as("a WRITE beside a draining READ").hasSize(3);
		assertThat(this.strategy.entries.get(0).left).isFalse();
		reader.leave();
		assertThat(this.strategy.entries.get(0).left).isTrue();
		assertThat(this.strategy.entries).hasSize(3);
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

	private void retaining() {
		this.cohorts = cohorts(new Handoff(64, Duration.ofMinutes(1), Duration.ofMinutes(1)));
	}

	private Entry retained(String key) {
		LocalContender local = enter(key, key, LockMode.EXCLUSIVE);
		Entry entry = this.strategy.entries.get(this.strategy.entries.size() - 1);
		entry.grant();
		local.leave();
		return entry;
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
	void i6AStepThatThrowsEndsItsCohortAndLaterCallersFindAnotherOne() {
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
	void i6ACallerWhoCannotBeGrantedTheLockIsNotifiedOfTheFailure() {
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

	@ParameterizedTest
	@CsvSource({ "1000, 10000", "100, 1000", "20, 1000", "10000, 100000", "50000, 100000", "9223372036854775, 100000" })
	void aContendedGrantIsHandedOffForAsLongAsTenChangesTake(long changeMicros, long turnMicros) {
		this.cohorts = cohorts(Handoff.DEFAULT);
		LocalContender one = enter("one", LockMode.EXCLUSIVE);
		LocalContender two = enter("two", LockMode.EXCLUSIVE);
		enter("three", LockMode.EXCLUSIVE);
		Entry first = this.strategy.entries.get(0);
		first.changeNanos = TimeUnit.MICROSECONDS.toNanos(changeMicros);
		first.grant();
		this.now = TimeUnit.MICROSECONDS.toNanos(turnMicros) - 1;
		one.leave();
		first.contended.complete(null);
		assertThat(this.served).containsExactly("one", "two");
		this.now++;
		two.leave();
		assertThat(this.served).containsExactly("one", "two");
		assertThat(first.left).isTrue();
	}

	@Test
	void whoIsFarFromTheServersHasTheKeyNoLongerThanTheOthers() {
		this.cohorts = cohorts(Handoff.DEFAULT);
		LocalContender one = enter("one", LockMode.EXCLUSIVE);
		LocalContender two = enter("two", LockMode.EXCLUSIVE);
		Entry first = this.strategy.entries.get(0);
		first.changeNanos = TimeUnit.MILLISECONDS.toNanos(50);
		first.othersChangeNanos = TimeUnit.MILLISECONDS.toNanos(1);
		first.grant();
		enter("three", LockMode.EXCLUSIVE);
		first.contended.complete(null);
		this.now = TimeUnit.MILLISECONDS.toNanos(10) - 1;
		one.leave();
		assertThat(this.served).containsExactly("one", "two");
		this.now++;
		two.leave();
		assertThat(this.served).containsExactly("one", "two");
		assertThat(first.left).isTrue();
	}

	@Test
	@Tag("CohortGrant.I1")
	void beyondTheBoundWhoIsNextWaitsUntilItIsKnownWhetherOthersWait() {
		this.cohorts = cohorts(new Handoff(64, Duration.ZERO, Duration.ZERO));
		LocalContender one = enter("one", LockMode.EXCLUSIVE);
		LocalContender two = enter("two", LockMode.EXCLUSIVE);
		enter("three", LockMode.EXCLUSIVE);
		Entry first = this.strategy.entries.get(0);
		first.grant();
		one.leave();
		assertThat(this.served).containsExactly("one");
		assertThat(first.left).isFalse();
		first.looked.complete(false);
		assertThat(this.served).containsExactly("one", "two");
		two.leave();
		assertThat(this.served).containsExactly("one", "two", "three");
		assertThat(this.strategy.entries).hasSize(1);
	}

	@Test
	@Tag("CohortGrant.I1")
	void beyondTheBoundWhatOthersWaitForIsGivenUp() {
		this.cohorts = cohorts(new Handoff(64, Duration.ZERO, Duration.ZERO));
		LocalContender one = enter("one", LockMode.EXCLUSIVE);
		enter("two", LockMode.EXCLUSIVE);
		Entry first = this.strategy.entries.get(0);
		first.grant();
		one.leave();
		first.looked.complete(true);
		assertThat(this.served).containsExactly("one");
		assertThat(first.left).isTrue();
		assertThat(this.strategy.entries).hasSize(2);
	}

	@Test
	@Tag("CohortGrant.I1")
	void aReaderWaitsUntilItIsKnownWhetherAWriterWaitsForAnOldRead() {
		this.cohorts = cohorts(new Handoff(64, Duration.ZERO, Duration.ZERO));
		enter("reader", LockMode.READ);
		Entry first = this.strategy.entries.get(0);
		first.grant();
		enter("second reader", LockMode.READ);
		assertThat(this.served).containsExactly("reader");
		assertThat(this.strategy.entries).hasSize(1);
		first.looked.complete(true);
		assertThat(first.left).as("it drains").isFalse();
		assertThat(this.strategy.entries).hasSize(2);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aReaderWhoTriesOncePassesNoWriter(boolean granted) {
		enter("reader", LockMode.READ);
		if (granted) {
			this.strategy.entries.get(0).grant();
		}
		enter("writer", LockMode.WRITE);
		tryOnce("hasty", LockMode.READ);
		if (!granted) {
			this.strategy.entries.get(0).grant();
		}
		assertThat(this.served).containsExactlyInAnyOrder("reader", "hasty busy");
	}

	@Test
	void aReaderWhoTriesOnceIsNotBusyBeforeItIsKnownWhetherAWriterWaits() {
		this.cohorts = cohorts(new Handoff(64, Duration.ZERO, Duration.ZERO));
		enter("reader", LockMode.READ);
		Entry first = this.strategy.entries.get(0);
		first.grant();
		tryOnce("second reader", LockMode.READ);
		assertThat(this.served).containsExactly("reader");
		tryOnce("writer", LockMode.WRITE);
		assertThat(this.served).containsExactly("reader", "writer busy");
		first.looked.complete(false);
		assertThat(this.served).containsExactly("reader", "writer busy", "second reader");
	}

	@Test
	void readersOfTwoStrategiesReadTogether() {
		HandPlayedStrategy another = new HandPlayedStrategy();
		enter("reader", LockMode.READ);
		this.strategy.entries.get(0).grant();
		enter("another", another, false);
		assertThat(another.entries).as("a READ beside a READ").hasSize(1);
		enter("third", LockMode.READ);
		another.last().grant();
		assertThat(this.served).containsExactly("reader", "another");
		this.strategy.last().grant();
		assertThat(this.served).containsExactly("reader", "another", "third");
		assertThat(this.strategy.entries).hasSize(2).noneMatch((entry) -> entry.left);
	}

	@Test
	void aReaderWhoTriesOnceFindsNoReaderOfAnotherStrategyInItsWay() {
		HandPlayedStrategy another = new HandPlayedStrategy();
		enter("reader", LockMode.READ);
		this.strategy.entries.get(0).grant();
		enter("hasty", another, true);
		assertThat(this.served).containsExactly("reader");
		another.last().grant();
		assertThat(this.served).containsExactly("reader", "hasty");
	}

	@Test
	void aReaderWhoTriedOnceBeforeAnotherStrategyGrantedIsNotBusyWithItsReader() {
		HandPlayedStrategy another = new HandPlayedStrategy();
		enter("reader", LockMode.READ);
		enter("hasty", another, true);
		this.strategy.entries.get(0).grant();
		assertThat(this.served).containsExactly("reader");
		another.last().grant();
		assertThat(this.served).containsExactly("reader", "hasty");
	}

	@Test
	void aReaderWhoTriedOnceIsNotBusyWithAReaderWhereNothingIsHandedOff() {
		this.cohorts = cohorts(new Handoff(0, Duration.ZERO, Duration.ZERO));
		enter("reader", LockMode.READ);
		tryOnce("hasty", LockMode.READ);
		tryOnce("writer", LockMode.WRITE);
		this.strategy.entries.get(0).grant();
		assertThat(this.served).containsExactly("reader");
		this.strategy.last().grant();
		assertThat(this.served).containsExactly("reader", "hasty", "writer busy");
	}

	@Test
	void aReaderOfAnotherStrategyIsNotBusyBeforeItIsKnownWhetherAWriterWaits() {
		this.cohorts = cohorts(new Handoff(64, Duration.ZERO, Duration.ZERO));
		HandPlayedStrategy another = new HandPlayedStrategy();
		enter("reader", LockMode.READ);
		Entry first = this.strategy.entries.get(0);
		first.grant();
		enter("second reader", LockMode.READ);
		enter("hasty", another, true);
		assertThat(this.served).containsExactly("reader");
		first.looked.complete(false);
		assertThat(this.served).containsExactly("reader", "second reader");
		another.last().grant();
		assertThat(this.served).containsExactly("reader", "second reader", "hasty");
	}

	@Test
	void whatNobodyWantsAnyMoreIsGivenUpBeforeItIsKnownWhetherOthersWait() {
		this.cohorts = cohorts(new Handoff(64, Duration.ZERO, Duration.ZERO));
		LocalContender one = enter("one", LockMode.EXCLUSIVE);
		LocalContender two = enter("two", LockMode.EXCLUSIVE);
		Entry first = this.strategy.entries.get(0);
		first.grant();
		one.leave();
		CompletionStage<Void> gone = two.leave();
		assertThat(first.left).isTrue();
		assertThat(gone).isNotCompleted();
		first.gone.complete(null);
		assertThat(gone).isCompleted();
		assertThat(this.cohorts.count()).isZero();
		assertThat(this.strategy.entries).hasSize(1);
	}

	@Test
	void aGrantThatIsLostBeforeItIsKnownWhetherOthersWaitIsReplaced() {
		this.cohorts = cohorts(new Handoff(64, Duration.ZERO, Duration.ZERO));
		LocalContender one = enter("one", LockMode.EXCLUSIVE);
		enter("two", LockMode.EXCLUSIVE);
		Entry first = this.strategy.entries.get(0);
		first.grant();
		one.leave();
		first.lose();
		first.looked.complete(false);
		assertThat(this.served).containsExactly("one");
		assertThat(first.left).isTrue();
		assertThat(this.strategy.entries).hasSize(2);
	}

	// n callers, holds and changes as long as given: over as soon as n holds and n
	// changes would be
	@ParameterizedTest
	@CsvSource({ "2,4,2,3", "2,4,1,3", "2,2,8,10", "4,2,2,8", "1,20,2,1", "2,20,1,2", "2,20,3,2", "4,20,1,4",
			"8,20,1,5", "12,4,1,10" })
	void aTenureIsNoLongerThanOneQueueOfAllCallersWouldTake(int callers, int holds, int changes, int served) {
		this.strategy.changeNanos = TimeUnit.MILLISECONDS.toNanos(changes);
		Entry entry = grantWhileOthersWait(callers);
		for (int i = 0; !entry.left; i++) {
			this.now += TimeUnit.MILLISECONDS.toNanos(holds);
			release("caller " + i % callers);
			enter("caller " + i % callers, LockMode.EXCLUSIVE);
		}
		assertThat(this.served).hasSize(served);
	}

	@ParameterizedTest
	@CsvSource({ "3, 20, 2, 0", "256, 20, 5, 0", "256, 20, 6, 1", "256, 30, 5, 1", "1, 20, 3, 1" })
	void holdsThatOutlastTheChangesEndWithTheCallersThatWereHereAndWithTheBounds(int maxCount, int holds, int callers,
			int left) {
		this.cohorts = cohorts(new Handoff(maxCount, Duration.ZERO, Duration.ofMillis(100), Duration.ZERO));
		this.strategy.changeNanos = TimeUnit.MILLISECONDS.toNanos(1);
		Entry entry = grantWhileOthersWait(callers);
		this.now++;
		enter("newcomer", LockMode.EXCLUSIVE);
		for (int i = 0; !entry.left; i++) {
			this.now += TimeUnit.MILLISECONDS.toNanos(holds);
			release("caller " + i);
		}
		assertThat(this.served).hasSize(callers - left).doesNotContain("newcomer");
	}

	@Test
	void aTenureThatIsToLastForeverEndsWithMaxCount() {
		this.cohorts = cohorts(new Handoff(8, Duration.ZERO, ChronoUnit.FOREVER.getDuration(), Duration.ZERO));
		Entry entry = grantWhileOthersWait(2);
		for (int i = 0; !entry.left; i++) {
			this.now++;
			release("caller " + i % 2);
			enter("caller " + i % 2, LockMode.EXCLUSIVE);
		}
		assertThat(this.served).hasSize(9);
	}

	@Test
	void aTenureLastsForMinDurationAtLeastAlthoughOneQueueOfAllCallersWouldTakeLess() {
		this.cohorts = cohorts(new Handoff(256, Duration.ofMillis(20), Duration.ofMillis(100), Duration.ZERO));
		this.strategy.changeNanos = TimeUnit.MILLISECONDS.toNanos(1);
		Entry entry = grantWhileOthersWait(2);
		for (int i = 0; !entry.left; i++) {
			this.now += TimeUnit.MILLISECONDS.toNanos(1);
			release("caller " + i % 2);
			enter("caller " + i % 2, LockMode.EXCLUSIVE);
		}
		assertThat(this.served).hasSize(20);
	}

	@Test
	void aCallerWhoReturnsBeforeItIsKnownWhetherOthersWaitIsNotCountedTwice() {
		this.cohorts = cohorts(new Handoff(256, Duration.ZERO, Duration.ofMillis(100), Duration.ofSeconds(10)));
		this.strategy.changeNanos = TimeUnit.MILLISECONDS.toNanos(1);
		enter("one", LockMode.EXCLUSIVE);
		Entry entry = this.strategy.last();
		this.now++;
		entry.grant();
		this.now += TimeUnit.MILLISECONDS.toNanos(50);
		release("one");
		enter("one again", LockMode.EXCLUSIVE);
		assertThat(this.served).containsExactly("one");
		entry.looked.complete(true);
		assertThat(this.served).containsExactly("one");
		assertThat(entry.left).isTrue();
	}

	@Test
	void whoGivesUpLeavesItsTurnToNobody() {
		this.strategy.changeNanos = TimeUnit.MILLISECONDS.toNanos(1);
		enter("one", LockMode.EXCLUSIVE);
		LocalContender two = enter("two", LockMode.EXCLUSIVE);
		tryOnce("three", LockMode.EXCLUSIVE);
		Entry entry = this.strategy.last();
		this.now++;
		entry.grant();
		entry.contended.complete(null);
		this.now += TimeUnit.MILLISECONDS.toNanos(20);
		two.leave();
		enter("newcomer", LockMode.EXCLUSIVE);
		release("one");
		assertThat(this.served).contains("one").doesNotContain("newcomer");
		assertThat(entry.left).isTrue();
	}

	@Test
	void whereCallersAreLeftOverByTheCountTheLastOnesQueueAhead() {
		this.cohorts = cohorts(new Handoff(1, Duration.ZERO, Duration.ofMillis(100), Duration.ZERO));
		this.strategy.changeNanos = TimeUnit.MILLISECONDS.toNanos(1);
		grantWhileOthersWait(3);
		this.now += TimeUnit.MILLISECONDS.toNanos(20);
		release("caller 0");
		this.now += TimeUnit.MILLISECONDS.toNanos(19);
		runPaused();
		assertThat(this.served).containsExactly("caller 0", "caller 1");
		assertThat(this.strategy.entries).as("beside the one that is held last").hasSize(2);
	}

	// To callers who waited for a moment
	private Entry grantWhileOthersWait(int callers) {
		for (int i = 0; i < callers; i++) {
			enter("caller " + i, LockMode.EXCLUSIVE);
		}
		Entry entry = this.strategy.last();
		this.now++;
		entry.grant();
		entry.contended.complete(null);
		return entry;
	}

	@Test
	void i3WhoWaitsIsQueuedWhileTheLastHolderOfATenureHasTheGrant() {
		Entry first = holdForLong(1, 3);
		assertThat(this.strategy.entries).hasSize(2);
		assertThat(first.left).isFalse();
		release("caller 0");
		assertThat(first.left).isTrue();
		assertThat(this.strategy.entries).as("the next is there already").hasSize(2);
		this.strategy.last().grant();
		assertThat(this.served).containsExactly("caller 0", "caller 1", "caller 0", "caller 1");
	}

	@Test
	void itIsQueuedOneWriteBeforeTheEndAndTheHolderWorksByThen() {
		Entry first = handOffForLong(1, 3);
		assertThat(this.paused).hasSize(1);
		this.now += TimeUnit.MILLISECONDS.toNanos(3) - 1;
		enter("caller 2", LockMode.EXCLUSIVE);
		assertThat(this.strategy.entries).hasSize(1);
		this.now++;
		runPaused();
		assertThat(this.strategy.entries).hasSize(2);
		assertThat(first.left).isFalse();
	}

	@Test
	void i2BesideADrainingOneThereIsOneContender() {
		holdForLong(1, 3);
		enter("caller 2", LockMode.EXCLUSIVE);
		this.strategy.last().listener.blocked(new Blocker("key", "another client", true, null));
		enter("caller 3", LockMode.EXCLUSIVE);
		assertThat(this.strategy.entries).hasSize(2);
	}

	// A tenure that ends later; holds that are much shorter than a write
	@ParameterizedTest
	@CsvSource({ "1, 2", "9, 7" })
	void nobodyIsQueuedBeforeThatOrWhereThereIsNoTimeForIt(int changes, int holds) {
		Entry first = holdForLong(changes, holds);
		assertThat(this.strategy.entries).hasSize(1);
		assertThat(first.left).isFalse();
	}

	@Test
	void whereNobodyElseWaitsNobodyIsQueuedBesideAHolder() {
		enter("caller 0", LockMode.EXCLUSIVE);
		Entry first = this.strategy.last();
		first.changeNanos = TimeUnit.MILLISECONDS.toNanos(1);
		first.grant();
		first.looked.complete(false);
		enter("caller 1", LockMode.EXCLUSIVE);
		handOff(20);
		runPaused();
		assertThat(this.strategy.entries).hasSize(1);
	}

	@Test
	void whoGivesUpBesideADrainingOneTakesTheNextContenderWithIt() {
		Entry first = holdForLong(1, 3);
		this.last.leave();
		assertThat(this.strategy.last().left).isTrue();
		assertThat(first.left).isFalse();
		enter("caller 2", LockMode.EXCLUSIVE);
		assertThat(this.strategy.entries).as("another one beside it").hasSize(3);
		release("caller 0");
		assertThat(first.left).isTrue();
		assertThat(this.strategy.last().left).isFalse();
	}

	@Test
	void aDrainingOneThatIsLostIsReportedToItsHolder() {
		Entry first = holdForLong(1, 3);
		first.lose();
		assertThat(this.served).endsWith("caller 0 lost");
		assertThat(first.left).isFalse();
		release("caller 0");
		assertThat(first.left).isTrue();
		assertThat(this.strategy.last().left).isFalse();
	}

	@Test
	void aReaderWhoTriesOnceFindsTheHolderOfADrainingWriteInItsWay() {
		this.mode = LockMode.WRITE;
		holdForLong(1, 3);
		tryOnce("reader", LockMode.READ);
		assertThat(this.served).endsWith("reader busy");
	}

	// The holders have it for four milliseconds each; the last one still has it
	private Entry holdForLong(int changes, int holds) {
		Entry entry = handOffForLong(changes, holds);
		this.now += TimeUnit.MILLISECONDS.toNanos(3);
		runPaused();
		return entry;
	}

	private Entry handOffForLong(int changes, int holds) {
		enter("caller 0", this.mode);
		this.last = enter("caller 1", this.mode);
		Entry entry = this.strategy.last();
		entry.changeNanos = TimeUnit.MILLISECONDS.toNanos(changes);
		entry.grant();
		entry.contended.complete(null);
		handOff(holds - 1);
		return entry;
	}

	private void handOff(int times) {
		for (int i = 0; i < times; i++) {
			this.now += TimeUnit.MILLISECONDS.toNanos(4);
			release("caller " + i % 2);
			this.last = enter("caller " + i % 2, this.mode);
		}
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

	@Test
	void onlyWhatMayBeRetainedSaysSo() {
		Handoff retaining = new Handoff(64, Duration.ofMinutes(1), Duration.ofMinutes(1));
		assertThat(attempt(Handoff.DEFAULT, true).mayBeRetained()).isFalse();
		assertThat(attempt(new Handoff(0, Duration.ZERO, Duration.ofMinutes(1)), true).mayBeRetained()).isFalse();
		assertThat(attempt(retaining, false).mayBeRetained()).isFalse();
		assertThat(attempt(retaining, true).mayBeRetained()).isTrue();
	}

	// --- lingering ---

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

	// --- a writer that goes on as a reader ---

	@Test
	@Tag("Cohort.I2")
	void behindADowngradedWriteReadersHaveAContenderOfTheirOwn() {
		enter("writer", LockMode.WRITE);
		Entry first = this.strategy.last();
		first.grant();
		enter("reader", LockMode.READ);
		this.held.get("writer").downgrade();
		assertThat(this.strategy.entries).as("before the answer").hasSize(1);
		first.downgraded.complete(true);
		assertThat(this.strategy.entries).hasSize(2);
		assertThat(this.strategy.last().attempt.mode()).isEqualTo(LockMode.READ);
		this.strategy.last().grant();
		assertThat(this.served).containsExactly("writer", "reader");
		assertThat(first.left).isFalse();
		assertThat(this.held.get("writer").isValid()).isTrue();
		this.held.get("writer").release();
		assertThat(first.left).isTrue();
		assertThat(this.strategy.last().left).isFalse();
	}

	@Test
	void aWriteThatIsBeingDowngradedIsHandedToNobody() {
		enter("writer", LockMode.WRITE);
		Entry first = this.strategy.last();
		first.grant();
		enter("next writer", LockMode.WRITE);
		this.held.get("writer").downgrade();
		this.held.get("writer").release();
		assertThat(first.left).isTrue();
		assertThat(this.served).containsExactly("writer");
		first.downgraded.complete(true);
		this.strategy.last().grant();
		assertThat(this.served).containsExactly("writer", "next writer");
		assertThat(this.strategy.entries).hasSize(2);
	}

	@Test
	void aWriteThatStaysOneKeepsEverybodyOutUntilItsRelease() {
		enter("writer", LockMode.WRITE);
		Entry first = this.strategy.last();
		first.grant();
		enter("reader", LockMode.READ);
		this.held.get("writer").downgrade();
		first.downgraded.complete(false);
		assertThat(this.strategy.entries).hasSize(1);
		this.held.get("writer").release();
		assertThat(first.left).isTrue();
		this.strategy.last().grant();
		assertThat(this.served).containsExactly("writer", "reader");
	}

	@Test
	void aDowngradedWriteThatIsLostIsReported() {
		enter("writer", LockMode.WRITE);
		Entry first = this.strategy.last();
		first.grant();
		this.held.get("writer").downgrade();
		first.downgraded.complete(true);
		first.lose();
		assertThat(this.served).containsExactly("writer", "writer lost");
		assertThat(this.held.get("writer").isValid()).isFalse();
		this.held.get("writer").release();
		first.gone.complete(null);
		assertThat(this.cohorts.count()).isZero();
	}

	@Test
	@Tag("Cohort.I1")
	void aWriteThatIsLostBeforeItIsDowngradedIsInNobodysWay() {
		enter("writer", LockMode.WRITE);
		Entry first = this.strategy.last();
		first.grant();
		this.held.get("writer").downgrade();
		first.lose();
		first.downgraded.complete(true);
		tryOnce("hasty", LockMode.EXCLUSIVE);
		assertThat(this.served).containsExactly("writer", "writer lost");
		this.strategy.last().grant();
		assertThat(this.served).containsExactly("writer", "writer lost", "hasty");
	}

	@Test
	void aStrategyThatFailsToDowngradeKeepsTheWrite() {
		enter("writer", LockMode.WRITE);
		Entry first = this.strategy.last();
		first.grant();
		first.failing = "downgrade";
		this.held.get("writer").downgrade();
		assertThat(this.held.get("writer").isValid()).isTrue();
		assertThat(this.served).containsExactly("writer");
		this.held.get("writer").release();
		assertThat(first.left).isTrue();
	}

	@Test
	void whatWasTakenFromASlotIsDowngradedByTheCohort() {
		Entry entry = heat(this.strategy);
		release("hot");
		SlotGrant taken = take("caller");
		taken.downgrade();
		entry.downgraded.complete(true);
		assertThat(taken.isValid()).isTrue();
		enter("reader", LockMode.READ);
		assertThat(this.strategy.last()).isNotSameAs(entry);
		this.strategy.last().grant();
		assertThat(this.served).endsWith("reader");
		assertThat(entry.left).isFalse();
		taken.release(true);
		assertThat(entry.left).isTrue();
	}

	// --- the slot ---

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
	void i6WhoHasTakenAGrantFromItsSlotIsNotifiedOfTheEndOfTheCohort() {
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

	private SlotGrant offered() {
		return (SlotGrant) this.cohorts.slots().offered("key", LockMode.EXCLUSIVE, this.strategy);
	}

	private SlotGrant take(String name) {
		SlotGrant offered = offered();
		assertThat(offered.take(new Caller(name))).isTrue();
		return offered;
	}

	private int useUp() {
		int uses = 0;
		while (offered() != null) {
			take("caller").release(true);
			uses++;
		}
		return uses;
	}

	private Entry heat(HandPlayedStrategy hot) {
		hot.changeNanos = CHANGE;
		for (int i = 0; i < QuickReturns.QUICK; i++) {
			enterAndGrant("hot");
			release("hot");
			hot.last().gone.complete(null);
		}
		enterAndGrant("hot");
		assertThat(hot.last().attempt.mayBeRetained()).isTrue();
		return hot.last();
	}

	private void enterAndGrant(String name) {
		enter(name, LockMode.EXCLUSIVE);
		this.strategy.last().grant();
	}

	private CompletionStage<Void> release(String name) {
		return this.held.get(name).release(true);
	}

	private void runPaused() {
		List<Runnable> due = List.copyOf(this.paused);
		this.paused.clear();
		due.forEach(Runnable::run);
	}

	private LockAttempt attempt(Handoff handoff, boolean fair) {
		this.strategy.fair = fair;
		this.cohorts = cohorts(handoff);
		enter("one", LockMode.EXCLUSIVE);
		return this.strategy.entries.get(this.strategy.entries.size() - 1).attempt;
	}

	@ParameterizedTest
	@ValueSource(strings = { "token", "contended" })
	void i6WhoWasJustBeingServedGetsTheFailureToo(String what) {
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
	void i6WhoWasFirstToBeServedGetsTheFailureToo() {
		enter("one", LockMode.EXCLUSIVE);
		Entry first = this.strategy.entries.get(0);
		first.failing = "token";
		first.grant();
		assertThat(this.served).containsExactly("one failed");
		assertThat(first.left).isTrue();
	}

	@Test
	void aGrantOfSeveralKeysThatCannotBeReleasedIsForgotten() {
		List<LocalGrant> granted = new ArrayList<>();
		this.cohorts.enter(new LockAttempt(List.of("key", "stock"), LockMode.EXCLUSIVE, false, "one"), this.strategy,
				new Caller("one") {
					@Override
					public void granted(List<LocalGrant> localGrants) {
						granted.addAll(localGrants);
					}
				});
		Entry first = this.strategy.entries.get(0);
		first.failing = "release";
		first.grant();
		assertThat(granted.get(0).release()).isCompleted();
		assertThat(granted.get(0).forfeit()).isCompleted();
	}

	@Test
	@Tag("MultiKeyContender.I1")
	void severalKeysThatAreReleasedBeforeTheStrategyHasReturnedAreLeft() {
		this.strategy.grantsAtOnce = true;
		this.cohorts.enter(new LockAttempt(List.of("key", "stock"), LockMode.EXCLUSIVE, false, "one"), this.strategy,
				new Caller("one") {
					@Override
					public void granted(List<LocalGrant> localGrants) {
						super.granted(localGrants);
						LocalGrant.releaseAll(localGrants);
					}
				});
		assertThat(this.served).containsExactly("one");
		assertThat(this.strategy.last().left).isTrue();
	}

	@Test
	void whoWaitsForSeveralKeysSeesWhoIsInTheWayAndWhatDisturbs() {
		LocalContender one = several("one", true);
		assertThat(one.blocker()).isNull();
		assertThat(one.disturbance()).isNull();
		Blocker blocker = new Blocker("stock", "another client", true, null);
		this.strategy.last().listener.awaits(blocker);
		assertThat(one.blocker()).isEqualTo(blocker);
		Blocker next = new Blocker("key", "another client", true, null);
		this.strategy.last().listener.blocked(next);
		assertThat(one.blocker()).isEqualTo(next);
		Exception disturbance = new LockException("planted");
		this.strategy.last().listener.disturbed(disturbance);
		assertThat(one.disturbance()).isSameAs(disturbance);
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

	@Test
	void whoTriesSeveralKeysOncePassesNobodyWhoWaitsForOneOfThem() {
		enterAndGrant("one");
		several("beside the holder", true);
		assertThat(this.strategy.entries).hasSize(2);
		LocalContender two = enter("two", LockMode.EXCLUSIVE);
		several("hasty", true);
		LocalContender three = enter("three", LockMode.EXCLUSIVE);
		two.leave();
		several("hasty too", true);
		several("patient", false);
		assertThat(this.served).containsExactly("one", "hasty busy", "hasty too busy");
		assertThat(this.strategy.entries).hasSize(3);
		three.leave();
		several("late", true);
		assertThat(this.served).containsExactly("one", "hasty busy", "hasty too busy");
		assertThat(this.strategy.entries).hasSize(4);
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

	private static void runAll(Queue<Runnable> steps) {
		while (!steps.isEmpty()) {
			steps.remove().run();
		}
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

	private LocalContender permit(String name, int permits) {
		return permit(name, permits, false);
	}

	private LocalContender once(String name, int permits) {
		return permit(name, permits, true);
	}

	private LocalContender permit(String name, int permits, boolean tryOnce) {
		LockAttempt attempt = new LockAttempt(List.of("key"), List.of(LockMode.EXCLUSIVE), List.of(permits), tryOnce,
				name, false);
		return this.cohorts.enter(attempt, this.strategy, new Caller(name));
	}

	private Cohorts cohorts(Handoff handoff) {
		return cohorts(handoff, () -> new SerialExecutor(new StepFailures()));
	}

	private Cohorts cohorts(Handoff handoff, Supplier<Executor> serialExecutors) {
		return new Cohorts((nanos, step) -> {
			this.timed = nanos;
			this.paused.add(step);
			return () -> this.paused.remove(step);
		}, () -> this.now, (key) -> handoff, () -> this.reachable, this.failures, 2, serialExecutors);
	}

	private LocalContender tryOnce(String name, LockMode mode) {
		return this.cohorts.enter(new LockAttempt(List.of("key"), mode, true, name), this.strategy, new Caller(name));
	}

	private LocalContender several(String name, boolean tryOnce) {
		LockAttempt attempt = new LockAttempt(List.of("key", "stock"), LockMode.EXCLUSIVE, tryOnce, name);
		return this.cohorts.enter(attempt, this.strategy, new Caller(name));
	}

	private LocalContender enter(String name, LockMode mode) {
		return enter("key", name, mode);
	}

	private LocalContender enter(String key, String name, LockMode mode) {
		return this.cohorts.enter(new LockAttempt(List.of(key), mode, false, name), this.strategy, new Caller(name));
	}

	private void enter(String name, LockStrategy reading, boolean tryOnce) {
		this.cohorts.enter(new LockAttempt(List.of("key"), LockMode.READ, tryOnce, name), reading, new Caller(name));
	}

	/** Notes what it is told. */
	private class Caller implements LocalContenderListener {

		private final String name;

		private Caller(String name) {
			this.name = name;
		}

		@Override
		public long remainingNanos() {
			return CohortTests.this.remaining.getOrDefault(this.name, Long.MAX_VALUE);
		}

		@Override
		public boolean isDecided() {
			return CohortTests.this.decided.contains(this.name);
		}

		@Override
		public void granted(List<LocalGrant> localGrants) {
			CohortTests.this.served.add(this.name);
			CohortTests.this.held.put(this.name, localGrants.get(0));
			if (this.name.equals(CohortTests.this.failing)) {
				throw new NoClassDefFoundError("planted");
			}
		}

		@Override
		public void busy(Blocker blocker) {
			CohortTests.this.served.add(this.name + " busy");
			if (this.name.equals(CohortTests.this.failing)) {
				throw new NoClassDefFoundError("planted");
			}
		}

		@Override
		public void failed(LockException cause) {
			CohortTests.this.served.add(this.name + " failed");
			if (this.name.equals(CohortTests.this.failingOnce)) {
				CohortTests.this.failingOnce = "";
				throw new NoClassDefFoundError("planted");
			}
		}

		@Override
		public void lost(String key, LostReason reason) {
			CohortTests.this.served.add(this.name + " lost");
		}

	}

	/** Does nothing by itself. */
	private static class HandPlayedStrategy implements LockStrategy {

		private final List<Entry> entries = new ArrayList<>();

		private boolean fair = true;

		private boolean grantsAtOnce;

		private long changeNanos = Long.MAX_VALUE;

		@Override
		public Contender enter(LockAttempt attempt, ContenderListener listener) {
			Entry entry = new Entry(attempt, listener);
			entry.changeNanos = this.changeNanos;
			this.entries.add(entry);
			if (this.grantsAtOnce) {
				entry.grant();
			}
			return entry;
		}

		private Entry last() {
			return this.entries.get(this.entries.size() - 1);
		}

		@Override
		public CompletionStage<LockQueue> line(String key) {
			return CompletableFuture.completedFuture(new LockQueue(key, List.of()));
		}

		@Override
		public boolean isFair() {
			return this.fair;
		}

	}

	/** A contender, and the grant that it becomes. */
	private static final class Entry implements Contender, Grant {

		private final CompletableFuture<Void> gone = new CompletableFuture<>();

		private final CompletableFuture<Void> contended = new CompletableFuture<>();

		private final CompletableFuture<Boolean> looked = new CompletableFuture<>();

		private final CompletableFuture<Boolean> downgraded = new CompletableFuture<>();

		private final LockAttempt attempt;

		private final ContenderListener listener;

		private boolean left;

		private boolean valid = true;

		private long othersChangeNanos = Long.MAX_VALUE;

		private long changeNanos = Long.MAX_VALUE;

		private boolean heldByMost;

		private String failing = "";

		private Entry(LockAttempt attempt, ContenderListener listener) {
			this.attempt = attempt;
			this.listener = listener;
		}

		private void failIf(String what) {
			if (this.failing.equals(what)) {
				throw new NoClassDefFoundError("planted");
			}
		}

		private void grant() {
			this.listener.granted(List.of(this));
		}

		private void lose() {
			this.valid = false;
			this.listener.lost(this, LostReason.SESSION_ENDED);
		}

		@Override
		public CompletionStage<Void> leave() {
			this.left = true;
			return this.gone;
		}

		@Override
		public String key() {
			return "key";
		}

		@Override
		public LockMode mode() {
			return this.attempt.mode();
		}

		@Override
		public long firstToken() {
			failIf("token");
			return 0;
		}

		@Override
		public boolean isValid() {
			failIf("valid");
			return this.valid;
		}

		@Override
		public long changeNanos() {
			return this.changeNanos;
		}

		@Override
		public long leastChangeNanos() {
			return Math.min(this.changeNanos, this.othersChangeNanos);
		}

		@Override
		public boolean isHeldByMost() {
			return this.heldByMost;
		}

		@Override
		public CompletionStage<Void> whenContended() {
			failIf("contended");
			return this.contended;
		}

		@Override
		public CompletionStage<Boolean> isContended() {
			return this.looked;
		}

		@Override
		public CompletionStage<Boolean> downgrade() {
			failIf("downgrade");
			return this.downgraded;
		}

		@Override
		public CompletionStage<Void> release() {
			failIf("release");
			return leave();
		}

	}

}
