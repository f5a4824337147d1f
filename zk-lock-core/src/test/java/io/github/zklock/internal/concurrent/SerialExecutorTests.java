package io.github.zklock.internal.concurrent;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Steps run one at a time, in order, and all of them.
 */
class SerialExecutorTests {

	private final SerialExecutor serialExecutor = new SerialExecutor();

	@Test
	void aStepThatBringsAStepIsFinishedFirst() {
		List<String> order = new ArrayList<>();
		this.serialExecutor.execute(() -> {
			this.serialExecutor.execute(() -> order.add("inner"));
			order.add("outer");
		});
		assertThat(order).containsExactly("outer", "inner");
	}

	@Test
	void aStepThatFailsDoesNotStopTheOthers() {
		List<Throwable> uncaught = new ArrayList<>();
		List<String> order = new ArrayList<>();
		Thread thread = new Thread(() -> {
			this.serialExecutor.execute(() -> {
				this.serialExecutor.execute(() -> order.add("next"));
				throw new IllegalStateException("planted");
			});
			this.serialExecutor.execute(() -> order.add("later"));
		});
		thread.setUncaughtExceptionHandler((where, ex) -> uncaught.add(ex));
		thread.start();
		assertThat(join(thread)).isTrue();
		assertThat(order).containsExactly("next", "later");
		assertThat(uncaught).singleElement().isInstanceOf(IllegalStateException.class);
	}

	@Test
	void stepsOfManyThreadsRunOneAtATimeAndNoneIsForgotten() throws InterruptedException {
		int threads = 8;
		int each = 20_000;
		int[] count = new int[1];
		AtomicBoolean running = new AtomicBoolean();
		AtomicBoolean overlapped = new AtomicBoolean();
		CountDownLatch done = new CountDownLatch(threads * each);
		ExecutorService pool = Executors.newFixedThreadPool(threads);
		try {
			for (int i = 0; i < threads; i++) {
				pool.execute(() -> {
					for (int j = 0; j < each; j++) {
						this.serialExecutor.execute(() -> {
							if (!running.compareAndSet(false, true)) {
								overlapped.set(true);
							}
							count[0]++;
							running.set(false);
							done.countDown();
						});
					}
				});
			}
			assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
		}
		finally {
			pool.shutdownNow();
		}
		assertThat(count[0]).isEqualTo(threads * each);
		assertThat(overlapped).isFalse();
	}

	private static boolean join(Thread thread) {
		try {
			thread.join(10_000);
			return !thread.isAlive();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

}
