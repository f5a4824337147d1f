package io.github.zklock.benchmarks.report;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class MachineTests {

	private final AtomicInteger pauses = new AtomicInteger();

	private double whenCalm(List<Double> loads, long most) {
		Queue<Double> left = new ArrayDeque<>(loads);
		return Machine.whenCalm(left::remove, 2, most, this.pauses::incrementAndGet);
	}

	@Test
	void theLoadOfTheBuildIsWaitedOut() {
		assertThat(whenCalm(List.of(1.8, 0.9, 0.4), 180)).isEqualTo(0.4);
		assertThat(this.pauses).hasValue(2);
	}

	@Test
	void whereOthersGoOnUsingTheMachineThatIsSaid() {
		assertThat(whenCalm(List.of(1.8, 1.9, 1.7), 2)).isEqualTo(1.7);
		assertThat(this.pauses).hasValue(2);
	}

	@Test
	void whereNothingIsKnownNothingIsWaitedFor() {
		assertThat(whenCalm(List.of(-1.0), 180)).isEqualTo(-1.0);
		assertThat(this.pauses).hasValue(0);
	}

}
