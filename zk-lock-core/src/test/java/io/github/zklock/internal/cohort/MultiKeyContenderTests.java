package io.github.zklock.internal.cohort;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.zklock.LockException;
import io.github.zklock.LostReason;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.ContenderListener;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Callers of several keys, while many or few others leave.
 */
class MultiKeyContenderTests {

	private static final List<String> KEYS = List.of("a", "b");

	private final CommonSite common = new CommonSite((nanos, step) -> {
		step.run();
		return () -> {
		};
	}, () -> 0, () -> true, new StepFailures(), 0);

	private final AtomicInteger entered = new AtomicInteger();

	private final Queue<CompletableFuture<Void>> leaving = new ArrayDeque<>();

	@Test
	void whereFewLeaveNobodyWaitsForThoseOfOtherKeys() {
		synchronized (this.common.departures()) {
			assertThat(CompletableFuture.supplyAsync(() -> enter().leave().toCompletableFuture().join()))
				.succeedsWithin(Duration.ofSeconds(10));
		}
		assertThat(this.entered).hasValue(1);
	}

	@Test
	void whoEntersBehindOthersLeavesLikeAnyOther() {
		letManyLeave();
		LocalContender waiting = enter();
		assertThat(this.entered).hasValue(0);
		this.leaving.remove().complete(null);
		assertThat(this.entered).hasValue(1);
		assertThat(waiting.leave()).isCompleted();
		this.leaving.forEach((gone) -> gone.complete(null));
		assertThat(this.common.departures().count()).isZero();
	}

	@Test
	@Tag("MultiKeyContender.I2")
	void whoLeavesWhileItWaitsNeverEnters() {
		letManyLeave();
		LocalContender waiting = enter();
		assertThat(this.common.departures().count()).isEqualTo(2);
		assertThat(waiting.leave()).isCompleted();
		assertThat(this.common.departures().count()).as("the key of which many leave").isOne();
		this.leaving.forEach((gone) -> gone.complete(null));
		assertThat(this.common.departures().count()).isZero();
		assertThat(this.entered).hasValue(0);
	}

	@Test
	@Tag("MultiKeyContender.I3")
	void whatWasHeldIsNotAmongThoseThatLeave() {
		List<ContenderListener> notified = new ArrayList<>();
		List<LocalGrant> held = new ArrayList<>();
		LocalContender local = MultiKeyContender.enter(KEYS, this.common.entering("locks " + KEYS, (listener) -> {
			notified.add(listener);
			return CompletableFuture<Void>::new;
		}), new Unmoved() {

			@Override
			public void granted(List<LocalGrant> localGrants) {
				held.addAll(localGrants);
			}

		}, this.common);
		notified.get(0).granted(List.of(new EndlessGrant(0), new EndlessGrant(0)));
		assertThat(held).hasSize(2);
		assertThat(local.leave()).isNotCompleted();
		assertThat(this.common.departures().count()).isZero();
	}

	private void letManyLeave() {
		for (int i = 0; i < Departures.MOST; i++) {
			CompletableFuture<Void> gone = new CompletableFuture<>();
			this.leaving.add(gone);
			this.common.departures().leaves(List.of("b"), gone);
		}
	}

	private LocalContender enter() {
		return MultiKeyContender.enter(KEYS, this.common.entering("locks " + KEYS, (listener) -> {
			this.entered.incrementAndGet();
			Contender gone = () -> CompletableFuture.completedFuture(null);
			return gone;
		}), new Unmoved(), this.common);
	}

	/** Does nothing of its own accord. */
	private static class Unmoved implements LocalContenderListener {

		@Override
		public long remainingNanos() {
			return Long.MAX_VALUE;
		}

		@Override
		public void granted(List<LocalGrant> localGrants) {
			throw new AssertionError("Nobody grants");
		}

		@Override
		public void busy(Blocker blocker) {
			throw new AssertionError("Nobody is in the way");
		}

		@Override
		public void failed(LockException cause) {
			throw new AssertionError(cause);
		}

		@Override
		public void lost(String key, LostReason reason) {
			throw new AssertionError("Nothing is held");
		}

	}

}
