package io.github.zklock.internal.cohort;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class QuickReturnsTests {

	private final QuickReturns returns = new QuickReturns();

	@Test
	@Tag("QuickReturns.I1")
	void callersAreExpectedOnceTheyHaveComeBackSoonTwice() {
		assertThat(this.returns.areExpected("key")).isFalse();
		comeBack("key", 0, 100, 50);
		assertThat(this.returns.areExpected("key")).isFalse();
		comeBack("key", 0, 100, 100);
		assertThat(this.returns.areExpected("key")).isTrue();
		assertThat(this.returns.areExpected("another")).isFalse();
	}

	@Test
	@Tag("QuickReturns.I1")
	void theyAreNotOnceTheyHaveComeLateTwice() {
		for (int i = 0; i < 20; i++) {
			comeBack("key", 0, 100, 100);
		}
		comeBack("key", 0, 100, 101);
		assertThat(this.returns.areExpected("key")).isTrue();
		comeBack("key", 0, 100, 101);
		assertThat(this.returns.areExpected("key")).isFalse();
	}

	@Test
	void whoComesAlthoughNobodyHasLeftSaysNothing() {
		for (int i = 0; i < 20; i++) {
			this.returns.came("key", 0);
		}
		assertThat(this.returns.areExpected("key")).isFalse();
	}

	@Test
	void onlyTheFirstWhoComesCounts() {
		comeBack("key", 0, 100, 50);
		this.returns.came("key", 60);
		this.returns.came("key", 70);
		assertThat(this.returns.areExpected("key")).isFalse();
	}

	@ParameterizedTest
	@ValueSource(longs = { Long.MIN_VALUE, -150, -100, -50, 0, 1L << 51, (1L << 52) - 50, Long.MAX_VALUE - 50 })
	void theClockMayBeginAnywhere(long start) {
		comeBack("key", start, 100, 100);
		comeBack("key", start, 100, 100);
		assertThat(this.returns.areExpected("key")).isTrue();
		comeBack("key", start, 100, 102);
		comeBack("key", start, 100, 102);
		assertThat(this.returns.areExpected("key")).isFalse();
	}

	@Test
	void aKeyThatSharesItsPlaceBeginsAnew() {
		comeBack("key", 0, 100, 50);
		comeBack("key", 0, 100, 50);
		for (int i = 0; i < 100_000; i++) {
			this.returns.left("key-" + i, 100);
		}
		assertThat(this.returns.areExpected("key")).isFalse();
	}

	private void comeBack(String key, long now, long soon, long after) {
		this.returns.left(key, now + soon);
		this.returns.came(key, now + after);
	}

}
