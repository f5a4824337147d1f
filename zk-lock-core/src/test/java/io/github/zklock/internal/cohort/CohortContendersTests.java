package io.github.zklock.internal.cohort;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.zklock.Handoff;
import io.github.zklock.internal.concurrent.StepFailures;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A cohort that waits until fewer of its key leave.
 */
@Tag("Cohort.I2")
class CohortContendersTests {

	private static final List<String> KEY = List.of("key");

	private final CommonSite common = new CommonSite((nanos, step) -> {
		throw new OutOfMemoryError("planted");
	}, () -> 0, () -> true, new StepFailures(), 0);

	private final CohortSite site = new CohortSite(this.common, null, "key", "key", Handoff.DEFAULT, Runnable::run);

	private final CohortContenders contenders = new CohortContenders(() -> 0);

	private final AtomicInteger served = new AtomicInteger();

	private final Queue<CompletableFuture<Void>> leaving = new ArrayDeque<>();

	@BeforeEach
	void letManyLeave() {
		for (int i = 0; i < Departures.MOST; i++) {
			assertThat(this.contenders.hasRoom(this.site, this.served::incrementAndGet)).isTrue();
			CompletableFuture<Void> gone = new CompletableFuture<>();
			this.leaving.add(gone);
			this.common.departures().leaves(KEY, gone);
		}
		assertThat(this.contenders.hasRoom(this.site, this.served::incrementAndGet)).isFalse();
	}

	@Test
	void isServedAlsoWhereNoStepCanBeTimed() {
		this.leaving.remove().complete(null);
		assertThat(this.served).hasValue(1);
		this.leaving.remove().complete(null);
		assertThat(this.served).as("once").hasValue(1);
	}

	@Test
	void waitsNoMoreWhenNoCallerDoes() {
		this.contenders.waitForRoomWith(null);
		assertThat(this.common.departures().count()).as("the key of which many leave").isOne();
	}

	@Test
	void waitsNoMoreWhenItHasFailed() {
		assertThat(this.contenders.forgetAll()).isEmpty();
		assertThat(this.common.departures().count()).as("the key of which many leave").isOne();
	}

}
