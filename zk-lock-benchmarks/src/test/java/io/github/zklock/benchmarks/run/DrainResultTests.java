package io.github.zklock.benchmarks.run;

import java.util.List;

import org.junit.jupiter.api.Test;

import io.github.zklock.benchmarks.peer.Contestant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class DrainResultTests {

	@Test
	void handoffsAreFromEachReleaseToTheNextGrant() {
		DrainResult result = result(released(100), granted(400), released(410), granted(510), released(520));
		assertThat(result.waiters()).isEqualTo(2);
		assertThat(result.nanos()).isEqualTo(410);
		assertThat(result.handoffs().getTotalCount()).isEqualTo(2);
		assertThat(result.handoffs().getMinValue()).isEqualTo(100);
		assertThat(result.handoffs().getMaxValue()).isEqualTo(300);
		assertThat(result.watchEventsEach()).isEqualTo(1.5);
		assertThat(result.bytesToQueueEach()).isEqualTo(500);
		assertThat(result.bytesToDrainEach()).isEqualTo(50);
	}

	@Test
	void theOrderInWhichProcessesReportDoesNotMatter() {
		DrainResult result = result(released(520), granted(510), released(100), released(410), granted(400));
		assertThat(result.nanos()).isEqualTo(410);
	}

	@Test
	void twoInsideAtOnceAreFoundOut() {
		assertThatExceptionOfType(ExclusionViolatedException.class)
			.isThrownBy(() -> result(released(100), granted(400), granted(405), released(410), released(520)))
			.withMessageContaining("zk-lock sequential let two of a queue inside at once");
	}

	@Test
	void sessionsNeedThreads() {
		assertThat(SessionCapacity.bearable()).isGreaterThan(100);
		assertThat(SessionCapacity.bearable(32_768)).isEqualTo(3072);
		assertThat(SessionCapacity.bearable(4L * Integer.MAX_VALUE)).isBetween(500_000_000, Integer.MAX_VALUE);
	}

	private static DrainResult result(Drain.Moment... moments) {
		return DrainResult.of(Contestant.SEQUENTIAL, 1, 2, List.of(moments), 3, 1000, 100);
	}

	private static Drain.Moment granted(long nanos) {
		return new Drain.Moment(nanos, true);
	}

	private static Drain.Moment released(long nanos) {
		return new Drain.Moment(nanos, false);
	}

}
