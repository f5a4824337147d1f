package io.github.zklock.aop;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class LockDurationTests {

	@ParameterizedTest
	@CsvSource({ "500ms, PT0.5S", "2s, PT2S", "PT2S, PT2S", "3m, PT3M", "1h, PT1H", "1m30s, PT1M30S", "' 2s ', PT2S",
			"0s, PT0S", "250us, PT0.00025S", "1d, PT24H" })
	void readsDurationsAsPeopleWriteThem(String text, Duration expected) {
		assertThat(LockDuration.parse(text)).isEqualTo(expected);
	}

	@Test
	void zeroNeedsNoUnit() {
		assertThat(LockDuration.parse("0")).isZero();
	}

	@ParameterizedTest
	@ValueSource(strings = { "5", "+5", "-5", "1000" })
	void refusesNumbersWithoutUnit(String text) {
		assertThatIllegalArgumentException().isThrownBy(() -> LockDuration.parse(text)).withMessage("has no unit");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "soon", "2 s", "2sec", "P", "1.5s", "99999999999999999999s", "9999999999999999d",
			"1d9223372036854775807s", "P99999999999999999D" })
	void refusesWhatIsNoDuration(String text) {
		assertThatIllegalArgumentException().isThrownBy(() -> LockDuration.parse(text))
			.withMessage("is not a duration");
	}

}
