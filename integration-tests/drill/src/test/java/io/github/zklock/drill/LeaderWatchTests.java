package io.github.zklock.drill;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LeaderWatchTests {

	private final LeaderWatch watch = new LeaderWatch(List.of("one", "two"));

	@Test
	void leadersThatFollowEachOtherAreNeverTwo() {
		see(0, 1L);
		see(1, null);
		see(0, 1L);
		see(1, 2L);
		see(0, null);
		see(1, 2L);
		see(0, 3L);
		see(1, null);
		assertThat(this.watch.terms()).isEqualTo(3);
		assertThat(this.watch.twoAtOnce()).isZero();
	}

	@Test
	void aLeaderBetweenTwoAnswersOfOneTermIsASecondOne() {
		see(0, 1L);
		see(1, 2L);
		assertThat(this.watch.twoAtOnce()).isZero();
		see(0, 1L);
		assertThat(this.watch.twoAtOnce()).isOne();
	}

	private void see(int instance, Long term) {
		this.watch.seen(instance, term);
	}

}
