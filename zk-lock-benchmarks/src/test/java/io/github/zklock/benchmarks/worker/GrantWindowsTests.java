package io.github.zklock.benchmarks.worker;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class GrantWindowsTests {

	private static final long LENGTH = GrantWindows.LENGTH.toNanos();

	@Test
	void aGrantIsCountedInItsWindow() {
		GrantWindows.Counting counting = new GrantWindows.Counting(-50, -50 + 3 * LENGTH);
		counting.add(-50);
		counting.add(-50 + LENGTH - 1);
		counting.add(-50 + 2 * LENGTH);
		assertThat(counting.windows().ofThreads()).containsExactly(List.of(2, 0, 1));
	}

	@Test
	void whatIsBeforeOrBehindTheWindowsIsLeftOut() {
		GrantWindows.Counting counting = new GrantWindows.Counting(0, LENGTH + LENGTH / 2);
		counting.add(-1);
		counting.add(LENGTH);
		assertThat(counting.windows().ofThreads()).containsExactly(List.of(0));
	}

}
