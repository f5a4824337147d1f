package io.github.zklock.internal.cohort;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.github.zklock.Handoff;
import io.github.zklock.LockMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * For how long a grant is handed off among the callers of one client.
 */
class TenureTests extends HandPlayedCohorts {

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

}
