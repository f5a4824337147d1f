package io.github.zklock.benchmarks.run;

import java.util.List;

import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

import io.github.zklock.benchmarks.worker.GrantWindows;

import static org.assertj.core.api.Assertions.assertThat;

class FairnessTests {

	private static final Offset<Double> EXACTLY = Offset.offset(1e-9);

	@Test
	void equalSharesAreFair() {
		assertThat(Fairness.jain(7, 7, 7, 7)).isEqualTo(1, EXACTLY);
	}

	@Test
	void oneWhoHasAllHasTheShareOfOne() {
		assertThat(Fairness.jain(0, 9, 0, 0)).isEqualTo(0.25, EXACTLY);
	}

	@Test
	void unequalSharesLieBetween() {
		// The squared sum of 6 by 3 times 14
		assertThat(Fairness.jain(1, 2, 3)).isEqualTo(36.0 / 42, EXACTLY);
	}

	@Test
	void itIsTheMeanOfTheWindowsNotTheIndexOfTheSum() {
		// Each has the lock for a window in turn
		Fairness fairness = Fairness.of(new GrantWindows(List.of(List.of(8, 0), List.of(0, 8))), 2);
		assertThat(fairness.amongProcesses()).isEqualTo(0.5, EXACTLY);
	}

	@Test
	void aWindowInWhichNobodyWasGrantedALockIsLeftOut() {
		Fairness fairness = Fairness.of(new GrantWindows(List.of(List.of(4, 0), List.of(4, 0))), 2);
		assertThat(fairness.amongProcesses()).isEqualTo(1, EXACTLY);
		assertThat(Fairness.of(new GrantWindows(List.of(List.of(0), List.of(0))), 2).amongProcesses()).isNaN();
		assertThat(Fairness.of(new GrantWindows(List.of(List.of(), List.of())), 2).amongProcesses()).isNaN();
	}

	@Test
	void theThreadsOfAProcessAddUp() {
		Fairness fairness = Fairness.of(new GrantWindows(List.of(List.of(6), List.of(0), List.of(3), List.of(3))), 2);
		assertThat(fairness.amongProcesses()).isEqualTo(1, EXACTLY);
		assertThat(fairness.amongThreads()).isEqualTo(144.0 / (4 * 54), EXACTLY);
	}

	@Test
	void whoIsAloneIsNotComparedWithAnybody() {
		Fairness fairness = Fairness.of(new GrantWindows(List.of(List.of(6), List.of(6))), 1);
		assertThat(fairness.amongProcesses()).isNaN();
		assertThat(fairness.amongThreads()).isEqualTo(1, EXACTLY);
		assertThat(Fairness.of(new GrantWindows(List.of(List.of(6))), 1).amongThreads()).isNaN();
	}

}
