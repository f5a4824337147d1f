package io.github.zklock.benchmarks.worker;

import java.util.List;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TallyTests {

	@Test
	void aTallyIsReadAsItWasWritten() {
		Tally tally = new Tally(List.of(3L, 5L), 9, 8, waits(1_000, 2_000_000), waits(2_000_000), waits(7_000),
				3_000_000, new GrantWindows(List.of(List.of(1, 2), List.of(5, 0))), 4_000, 77);
		assertThat(Tally.parse(tally.text())).isEqualTo(tally);
	}

	@Test
	void talliesAddUp() {
		Tally sum = new Tally(List.of(3L), 4, 4, waits(1_000), waits(), waits(10), 1_500,
				new GrantWindows(List.of(List.of(3, 0))), 40, 5)
			.plus(new Tally(List.of(5L), 6, 0, waits(2_000), waits(2_000), waits(20), 2_500,
					new GrantWindows(List.of(List.of(4, 1))), 2, 6));
		assertThat(sum).isEqualTo(new Tally(List.of(3L, 5L), 10, 4, waits(1_000, 2_000), waits(2_000), waits(10, 20),
				2_500, new GrantWindows(List.of(List.of(3, 0), List.of(4, 1))), 42, 11));
	}

	@Test
	void aTimeThatIsTooShortHasNoWindows() {
		Tally tally = new Tally(List.of(3L, 5L), 9, 8, waits(1), waits(1), waits(1), 1,
				new GrantWindows(List.of(List.of(), List.of())), 0, 0);
		assertThat(Tally.parse(tally.text())).isEqualTo(tally);
	}

	private static Histogram waits(long... nanos) {
		Histogram waits = new Histogram(3);
		for (long wait : nanos) {
			waits.recordValue(wait);
		}
		return waits;
	}

}
