package io.github.zklock.internal.concurrent;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How the pauses of a loop grow.
 */
class GrowingPauseTests {

	private static final Duration LONGEST = Duration.ofMillis(450);

	private final GrowingPause pause = new GrowingPause(2, Duration.ofMillis(100), LONGEST);

	@Test
	void thePausesDoubleAfterTheFirstTimesUpToTheLongest() {
		for (long millis : new long[] { 0, 0, 100, 200, 400, 450, 450 }) {
			assertThat(this.pause.next()).isBetween(millis * 500_000, millis * 1_000_000);
		}
	}

	@Test
	void noNumberOfTimesIsTooLarge() {
		for (int i = 0; i < 100; i++) {
			assertThat(this.pause.next()).isBetween(0L, LONGEST.toNanos());
		}
		assertThat(this.pause.next()).isGreaterThanOrEqualTo(LONGEST.toNanos() / 2);
	}

	@Test
	void whatIsRefusedIsAskedForAgainWithinSeconds() {
		long second = 1_000_000_000;
		assertThat(GrowingPause.afterRefusal(0)).isBetween(second / 2, second);
		assertThat(GrowingPause.afterRefusal(2)).isBetween(2 * second, 4 * second);
		assertThat(GrowingPause.afterRefusal(100_000)).isBetween(5 * second / 2, 5 * second);
	}

	@Test
	void itBeginsAgainAfterAnAnswer() {
		for (int i = 0; i < 5; i++) {
			this.pause.next();
		}
		this.pause.reset();
		assertThat(this.pause.next()).isZero();
		assertThat(this.pause.next()).isZero();
		assertThat(this.pause.next()).isPositive();
	}

}
