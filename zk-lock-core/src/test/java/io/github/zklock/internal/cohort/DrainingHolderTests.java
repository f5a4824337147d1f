package io.github.zklock.internal.cohort;

import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.github.zklock.LockMode;
import io.github.zklock.spi.Blocker;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who waits, while the last holder of a tenure still has the grant, is queued behind it.
 */
class DrainingHolderTests extends HandPlayedCohorts {

	@Test
	@Tag("Cohort.I3")
	void whoWaitsIsQueuedWhileTheLastHolderOfATenureHasTheGrant() {
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
	@Tag("Cohort.I2")
	void besideADrainingOneThereIsOneContender() {
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

}
