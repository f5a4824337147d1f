package io.github.zklock.benchmarks.run;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class HeatTests {

	private final Heat heat = new Heat(100, 10, Duration.ofSeconds(1));

	@Test
	void whoWasGrantedFewLocksIsCold() {
		assertThat(this.heat.isEnough(99, 0, 1000)).isFalse();
		assertThat(this.heat.isEnough(100, 0, 1000)).isTrue();
	}

	@Test
	void whoseCompilersWorkIsCold() {
		assertThat(this.heat.isEnough(100, 101, 1000)).isFalse();
		assertThat(this.heat.isEnough(100, 100, 1000)).isTrue();
	}

	@Test
	void mostOfTheTimeAKeyIsPassedOnAtOnce() {
		assertThat(new Heat(100, 10, Duration.ofSeconds(30)).brieflyAtMost()).isEqualTo(Duration.ofSeconds(20));
	}

	@Test
	void numbersBelowZeroAreRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> new Heat(-1, 10, Duration.ZERO));
		assertThatIllegalArgumentException().isThrownBy(() -> new Heat(0, -1, Duration.ZERO));
		assertThatIllegalArgumentException().isThrownBy(() -> new Heat(0, 10, Duration.ofNanos(-1)));
	}

}
