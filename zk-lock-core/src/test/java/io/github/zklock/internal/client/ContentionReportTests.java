package io.github.zklock.internal.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.WaitingCaller;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.concurrent.Timer;
import io.github.zklock.memory.MemoryLockClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * How the report of a handle ends.
 */
@Timeout(60)
class ContentionReportTests implements ContentionSource, ContentionSource.Observer {

	private final WaitingCaller waiter = new WaitingCaller("key", LockMode.WRITE, null, null, null, null, null, null);

	private final Timer timer = new Timer("contention-report", new StepFailures());

	private final AtomicInteger looks = new AtomicInteger();

	private final AtomicInteger leaves = new AtomicInteger();

	private volatile Consumer<List<WaitingCaller>> found = (nobody) -> {
	};

	@AfterEach
	void stopTimer() {
		this.timer.stop();
	}

	@Test
	void i2AReportThatHasEndedLeavesItsObserversAndLooksNoMore() throws Exception {
		try (MemoryLockClient client = MemoryLockClient.builder().root("/contention-report").build();
				LockHandle handle = client.acquire(LockRequest.exclusive("key"))) {
			Queue<WaitingCaller> seen = new ConcurrentLinkedQueue<>();
			Runnable end = new ContentionReports(this, List::of, Runnable::run, this.timer).report(handle, seen::add);
			await().until(() -> this.looks.get() > 0);
			this.found.accept(List.of(this.waiter));
			assertThat(seen).containsExactly(this.waiter);
			end.run();
			await().until(() -> this.leaves.get() == 1);
			int before = this.looks.get();
			this.found.accept(List.of(this.waiter));
			assertThat(seen).hasSize(1);
			await().during(Duration.ofMillis(2500)).until(() -> this.looks.get() == before);
			assertThat(this.leaves).hasValue(1);
		}
	}

	@Test
	void whatIsUnderWayIsLookedThroughOnceForAllHandles() throws Exception {
		AtomicInteger passes = new AtomicInteger();
		CountDownLatch start = new CountDownLatch(1);
		try (MemoryLockClient client = MemoryLockClient.builder().root("/contention-report").build();
				LockHandle handle = client.acquire(LockRequest.exclusive("key"))) {
			ContentionReports reports = new ContentionReports(this, () -> {
				passes.incrementAndGet();
				return List.of();
			}, Runnable::run, this.timer);
			// Until all are due
			this.timer.later(0, () -> awaitUninterruptibly(start));
			AtomicInteger passesOfFirstLooks = new AtomicInteger();
			List<Runnable> ends = new ArrayList<>();
			for (int i = 0; i < 1000; i++) {
				ends.add(reports.report(handle, (waiting) -> {
				}));
			}
			this.timer.later(0, () -> passesOfFirstLooks.set(passes.get()));
			start.countDown();
			await().until(() -> passesOfFirstLooks.get() > 0);
			assertThat(this.looks).hasValueGreaterThanOrEqualTo(1000);
			assertThat(passesOfFirstLooks).hasValue(1);
			await("a later look").until(() -> passes.get() > 1);
			ends.forEach(Runnable::run);
		}
	}

	private static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public Observer observe(String key) {
		return this;
	}

	@Override
	public WaitingCaller local(String key, LockMode mode, String thread, Duration waited) {
		return this.waiter;
	}

	@Override
	public void look(LockMode held, Consumer<List<WaitingCaller>> newcomers) {
		this.found = newcomers;
		this.looks.incrementAndGet();
	}

	@Override
	public void leave() {
		this.leaves.incrementAndGet();
	}

}
