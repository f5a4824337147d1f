package io.github.zklock.aop;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class InterruptGuardTests {

	private final ExecutorService other = Executors.newSingleThreadExecutor();

	@AfterEach
	void stopOther() {
		this.other.shutdownNow();
	}

	private void elsewhere(Runnable action) {
		Future<?> done = this.other.submit(action);
		while (!done.isDone()) {
			Thread.onSpinWait();
		}
		assertThat(done).succeedsWithin(Duration.ZERO);
	}

	@Test
	void interruptsWhileTheMethodRuns() {
		InterruptGuard guard = new InterruptGuard();
		elsewhere(guard::interrupt);
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
		assertThat(guard.end(false)).isTrue();
	}

	@Test
	void clearsAnInterruptThatTheMethodDidNotConsume() {
		InterruptGuard guard = new InterruptGuard();
		elsewhere(guard::interrupt);
		guard.end(false);
		assertThat(Thread.interrupted()).isFalse();
	}

	@Test
	void sendsNothingWhenTheMethodHasEnded() {
		InterruptGuard guard = new InterruptGuard();
		assertThat(guard.end(false)).isFalse();
		elsewhere(guard::interrupt);
		assertThat(Thread.interrupted()).isFalse();
	}

	@Test
	void leavesAnInterruptAloneThatCameAfterOursWasConsumed() {
		InterruptGuard guard = new InterruptGuard();
		elsewhere(guard::interrupt);
		assertThat(Thread.interrupted()).isTrue();
		Thread.currentThread().interrupt();
		assertThat(guard.end(true)).isTrue();
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void neverInterruptsAfterTheEndHoweverTheTwoRace() throws Exception {
		for (int i = 0; i < 20_000; i++) {
			InterruptGuard guard = new InterruptGuard();
			AtomicBoolean started = new AtomicBoolean();
			Future<?> interrupter = this.other.submit(() -> {
				started.set(true);
				guard.interrupt();
			});
			while (!started.get()) {
				Thread.onSpinWait();
			}
			guard.end(false);
			interrupter.get();
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
		}
	}

	@Test
	void leavesAnInterruptAloneThatWasThereBefore() {
		InterruptGuard guard = new InterruptGuard();
		Thread.currentThread().interrupt();
		guard.interrupt();
		assertThat(guard.end(false)).isFalse();
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void sendsWhatItOwesWhenAnInnerGuardHasClearedItsOwn() {
		InterruptGuard outer = new InterruptGuard();
		InterruptGuard inner = new InterruptGuard();
		elsewhere(inner::interrupt);
		elsewhere(outer::interrupt);
		assertThat(inner.end(false)).isTrue();
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
		assertThat(outer.end(false)).isTrue();
		assertThat(Thread.interrupted()).isFalse();
	}

	@Test
	void sendsWhatItOwesWhenTheMethodOfAnInnerGuardHasConsumedItsOwn() {
		InterruptGuard outer = new InterruptGuard();
		InterruptGuard inner = new InterruptGuard();
		elsewhere(inner::interrupt);
		elsewhere(outer::interrupt);
		assertThat(Thread.interrupted()).isTrue();
		assertThat(inner.end(true)).isTrue();
		assertThat(Thread.interrupted()).isTrue();
		assertThat(outer.end(true)).isTrue();
		assertThat(Thread.interrupted()).isFalse();
	}

	@Test
	void eachGuardSendsWhatItOwes() {
		InterruptGuard outer = new InterruptGuard();
		InterruptGuard middle = new InterruptGuard();
		InterruptGuard inner = new InterruptGuard();
		elsewhere(inner::interrupt);
		elsewhere(outer::interrupt);
		elsewhere(middle::interrupt);
		inner.end(false);
		assertThat(Thread.interrupted()).isTrue();
		middle.end(false);
		assertThat(Thread.interrupted()).isTrue();
		outer.end(false);
		assertThat(Thread.interrupted()).isFalse();
	}

	@Test
	void leavesTheInterruptOfAnOuterGuardAlone() {
		InterruptGuard outer = new InterruptGuard();
		InterruptGuard inner = new InterruptGuard();
		elsewhere(inner::interrupt);
		assertThat(Thread.interrupted()).isTrue();
		elsewhere(outer::interrupt);
		assertThat(inner.end(false)).isTrue();
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
		outer.end(false);
		assertThat(Thread.interrupted()).isFalse();
	}

	@Test
	void sendsAgainWhatTheMethodOfAnInnerGuardHasConsumedForBoth() {
		InterruptGuard outer = new InterruptGuard();
		InterruptGuard inner = new InterruptGuard();
		elsewhere(outer::interrupt);
		elsewhere(inner::interrupt);
		assertThat(Thread.interrupted()).isTrue();
		assertThat(inner.end(true)).as("whether its method ended by its interrupt").isTrue();
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
		outer.end(false);
		assertThat(Thread.interrupted()).isFalse();
	}

	@Test
	void owesNothingForAnInterruptThatWasThereBefore() {
		InterruptGuard outer = new InterruptGuard();
		InterruptGuard inner = new InterruptGuard();
		Thread.currentThread().interrupt();
		elsewhere(outer::interrupt);
		elsewhere(inner::interrupt);
		assertThat(Thread.interrupted()).isTrue();
		assertThat(inner.end(false)).isFalse();
		assertThat(Thread.interrupted()).isFalse();
		assertThat(outer.end(false)).isFalse();
	}

	@Test
	void interruptsTheOuterMethodHoweverTheTwoRace() throws Exception {
		for (int i = 0; i < 20_000; i++) {
			InterruptGuard outer = new InterruptGuard();
			InterruptGuard inner = new InterruptGuard();
			AtomicBoolean started = new AtomicBoolean();
			Future<?> interrupter = this.other.submit(() -> {
				started.set(true);
				inner.interrupt();
				outer.interrupt();
			});
			while (!started.get()) {
				Thread.onSpinWait();
			}
			inner.end(false);
			while (!interrupter.isDone()) {
				Thread.onSpinWait();
			}
			assertThat(Thread.currentThread().isInterrupted()).isTrue();
			outer.end(false);
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
		}
	}

}
