package io.github.zklock.internal.cohort;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.github.zklock.Handoff;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.spi.Grant;

import static org.assertj.core.api.Assertions.assertThat;

class ServingStreakTests {

	private final ServingStreak streak = new ServingStreak();

	@ParameterizedTest
	@CsvSource({ "0,256", "256,256", "1000,1000", "2047,2047", "2048,2047", "10000,2047" })
	void aGrantThatIsUsedUpIsALongStreak(int maxCount, int most) {
		Handoff handoff = new Handoff(maxCount, Duration.ofMillis(100), Duration.ZERO);
		assertThat(most).isLessThan(Grant.TOKENS);
		serve(most);
		assertThat(this.streak.exceeds(handoff, 0)).isFalse();
		serve(1);
		assertThat(this.streak.exceeds(handoff, 0)).isTrue();
	}

	@Test
	void theBoundMayBeLower() {
		Handoff handoff = new Handoff(3, Duration.ofMillis(100), Duration.ZERO);
		serve(3);
		assertThat(this.streak.exceeds(handoff, 0)).isFalse();
		serve(1);
		assertThat(this.streak.exceeds(handoff, 0)).isTrue();
		this.streak.end();
		assertThat(this.streak.exceeds(handoff, 0)).isFalse();
	}

	@Test
	void aLongTimeIsALongStreak() {
		serve(1);
		long bound = Handoff.DEFAULT.maxDuration().toNanos();
		assertThat(this.streak.exceeds(Handoff.DEFAULT, bound)).isFalse();
		assertThat(this.streak.exceeds(Handoff.DEFAULT, bound + 1)).isTrue();
	}

	@Test
	void aPauseThatCannotBeTimedIsOver() {
		StepFailures failures = new StepFailures();
		CommonSite unable = new CommonSite((nanos, step) -> {
			throw new OutOfMemoryError("planted");
		}, () -> 0, () -> true, failures, 0);
		CohortSite site = new CohortSite(unable, null, "key", "key", Handoff.DEFAULT, Runnable::run);
		AtomicInteger served = new AtomicInteger();
		CompletableFuture<Void> gone = new CompletableFuture<>();
		this.streak.endWithPause(gone, site, served::incrementAndGet);
		assertThat(this.streak.isPausing()).isTrue();
		gone.complete(null);
		assertThat(this.streak.isPausing()).isFalse();
		assertThat(served).hasValue(1);
		assertThat(failures.count()).isOne();
	}

	private void serve(int callers) {
		for (int i = 0; i < callers; i++) {
			this.streak.served(0);
		}
	}

}
