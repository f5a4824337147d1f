package io.github.zklock.internal.concurrent;

import java.time.Duration;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How a time-out is named in messages.
 */
class DeadlineTests {

	@ParameterizedTest
	@CsvSource({ "PT0S,at once", "PT0.000000001S,within less than 1ms", "PT0.0005S,within less than 1ms",
			"PT0.001S,within 1ms", "PT1.5S,within 1500ms", "PT5S,within 5s", "PT2562048H,at all" })
	void theTimeOutIsNamedAsAPersonWould(Duration timeout, String text) {
		assertThat(Deadline.in(timeout, null, System::nanoTime)).hasToString(text);
	}

}
