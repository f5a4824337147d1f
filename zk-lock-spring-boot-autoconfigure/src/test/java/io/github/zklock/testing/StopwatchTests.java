package io.github.zklock.testing;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A stopwatch must see what is late, also on a busy machine.
 */
class StopwatchTests {

	@Test
	void whatWaitsTooLongIsLate() {
		Stopwatch stopwatch = Stopwatch.start();
		await().until(() -> stopwatch.elapsed().toMillis() > 1_500);
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> stopwatch.assertBetween(Duration.ZERO, Duration.ofMillis(250)))
			.withMessageContaining("of which stalled");
	}

	@Test
	void whatReturnsTooEarlyIsSeen() {
		Stopwatch stopwatch = Stopwatch.start();
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> stopwatch.assertBetween(Duration.ofMinutes(1), Duration.ofMinutes(2)));
	}

	@Test
	void whatIsInTimeIsFine() {
		Stopwatch.start().assertBetween(Duration.ZERO, Duration.ofMillis(100));
	}

}
