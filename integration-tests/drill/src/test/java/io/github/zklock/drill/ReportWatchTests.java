package io.github.zklock.drill;

import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ReportWatchTests {

	private final ReportWatch watch = new ReportWatch(List.of("one"), "concert");

	@Test
	void reportsThatFollowEachOtherAreOneAtATime() {
		made(0, 10);
		made(10, 20);
		made(20, 30);
		assertThat(this.watch.reports()).isEqualTo(3);
		assertThat(this.watch.mostAtOnce()).isOne();
	}

	@Test
	void whatOverlapsIsCounted() {
		made(5, 8);
		made(0, 10);
		made(7, 20);
		made(9, 11);
		assertThat(this.watch.mostAtOnce()).isEqualTo(3);
	}

	private void made(long began, long ended) {
		this.watch.made(Instant.ofEpochMilli(began), Instant.ofEpochMilli(ended));
	}

}
