package io.github.zklock.benchmarks.worker;

import java.util.SplittableRandom;
import java.util.stream.DoubleStream;

import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PauseTests {

	@Test
	void itEndsAtItsMomentOrLater() {
		long moment = System.nanoTime() + 2_000_000;
		Pause.until(moment);
		assertThat(System.nanoTime() - moment).isNotNegative();
	}

	@Test
	void timesAreDrawnFromAnExponentialDistribution() {
		SplittableRandom random = new SplittableRandom(1);
		double[] times = DoubleStream.generate(() -> Pause.draw(random, 500)).limit(100_000).toArray();
		assertThat(DoubleStream.of(times)).allMatch((time) -> time >= 0 && time < Double.POSITIVE_INFINITY);
		assertThat(DoubleStream.of(times).average().orElseThrow()).isEqualTo(500, Offset.offset(10.0));
		// The median is the mean by the logarithm of 2
		assertThat(DoubleStream.of(times).sorted().skip(50_000).findFirst().orElseThrow()).isEqualTo(500 * Math.log(2),
				Offset.offset(10.0));
	}

}
