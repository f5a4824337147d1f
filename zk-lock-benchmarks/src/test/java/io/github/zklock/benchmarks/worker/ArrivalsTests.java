package io.github.zklock.benchmarks.worker;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ArrivalsTests {

	private static final long BEGIN = -5_000;

	@Test
	void asManyComeAsAreWanted() {
		Arrivals arrivals = new Arrivals(new SplittableRandom(3), 250, BEGIN);
		long[] moments = LongStream.generate(arrivals::next).limit(100_000).toArray();
		assertThat(moments).isSorted();
		assertThat(moments[0]).isGreaterThanOrEqualTo(BEGIN);
		assertThat((moments[moments.length - 1] - BEGIN) / (double) TimeUnit.SECONDS.toNanos(1)).isEqualTo(400,
				Offset.offset(8.0));
	}

	@ParameterizedTest
	@ValueSource(doubles = { 0, -1, Double.NaN })
	void somebodyMustCome(double perSecond) {
		assertThatIllegalArgumentException().isThrownBy(() -> new Arrivals(new SplittableRandom(3), perSecond, BEGIN))
			.withMessageStartingWith("Nobody comes");
	}

}
