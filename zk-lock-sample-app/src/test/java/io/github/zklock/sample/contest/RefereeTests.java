package io.github.zklock.sample.contest;

import java.util.List;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RefereeTests {

	@Test
	void turnsOneAfterTheOtherDoNotOverlap() {
		assertThat(new Referee(List.of(visit(1, 10, 20, 5), visit(2, 20, 30, 6))).overlaps()).isZero();
	}

	@Test
	void whoEntersBeforeTheLastOneHasLeftOverlaps() {
		assertThat(new Referee(List.of(visit(1, 10, 40, 5), visit(2, 15, 20, 6), visit(3, 39, 50, 7))).overlaps())
			.isEqualTo(2);
	}

	@Test
	void aTokenThatDoesNotGrowIsOutOfOrder() {
		assertThat(
				new Referee(List.of(visit(1, 10, 20, 5), visit(2, 20, 30, 5), visit(3, 30, 40, 4))).tokensOutOfOrder())
			.isEqualTo(2);
	}

	@Test
	void percentilesAreByNearestRank() {
		long[] waits = LongStream.rangeClosed(1, 100).map((millis) -> millis * 1_000_000).toArray();
		assertThat(Referee.percentile(waits, 50)).isEqualTo(50);
		assertThat(Referee.percentile(waits, 99)).isEqualTo(99);
		assertThat(Referee.percentile(waits, 100)).isEqualTo(100);
		assertThat(Referee.percentile(new long[] { 2_000_000 }, 1)).isEqualTo(2);
		assertThat(Referee.percentile(new long[0], 50)).isZero();
	}

	private static Visit visit(int client, long entered, long left, long token) {
		return new Visit(client, 1, entered, left, token, client, null);
	}

}
