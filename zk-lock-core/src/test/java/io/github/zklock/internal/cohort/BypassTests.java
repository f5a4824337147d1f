package io.github.zklock.internal.cohort;

import java.time.Duration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.Handoff;
import io.github.zklock.LockMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Readers and writers of one key, and who of them may pass whom for how long.
 */
class BypassTests extends HandPlayedCohorts {

	@Test
	@Tag("Bypass.I1")
	@Tag("Cohort.I1")
	void readersPassAWaitingWriterWhileReadersHoldForOneTenure() {
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
	@Tag("Cohort.I3")
	void writersPassAWaitingReaderUntilTheEndOfTheTenureAlthoughNobodyElseWaits() {
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
	@Tag("Cohort.I2")
	void withoutHandoffsAWriteEntersAtOnceBesideADrainingRead() {
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

}
