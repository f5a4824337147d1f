package io.github.zklock.internal.concurrent;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Steps run one at a time, in order, and all of them.
 */
class SerialExecutorTests {

	private final StepFailures failures = new StepFailures();

	private final SerialExecutor serialExecutor = new SerialExecutor(this.failures);

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
	void i4AStepThatFailsIsReportedAndDoesNotStopTheOthers() {
		List<String> order = new ArrayList<>();
		this.serialExecutor.execute(() -> {
			this.serialExecutor.execute(() -> order.add("next"));
			throw new NoClassDefFoundError("planted");
		});
		this.serialExecutor.execute(() -> order.add("later"));
		assertThat(order).containsExactly("next", "later");
		assertThat(this.failures.count()).isEqualTo(1);
	}

	@Test
	void anOwnerIsLedToItsEndBeforeTheNextStepRuns() {
		List<Object> order = new ArrayList<>();
		AssertionError planted = new AssertionError("planted");
		OwnedSteps steps = this.serialExecutor.of("owner", order::add);
		steps.execute(() -> {
			steps.execute(() -> order.add("next"));
			throw planted;
		});
		assertThat(order).containsExactly(planted, "next");
	}

	@Test
	void anEndThatFailsIsReportedToo() {
		List<String> order = new ArrayList<>();
		OwnedSteps steps = this.serialExecutor.of("owner", (failure) -> {
			throw new AssertionError("planted in the end");
		});
		steps.execute(() -> {
			throw new AssertionError("planted");
		});
		steps.execute(() -> order.add("next"));
		assertThat(order).containsExactly("next");
		assertThat(this.failures.count()).isEqualTo(2);
	}

	@Test
	void whatCannotBeReportedDoesNotStopTheOthers() {
		List<String> order = new ArrayList<>();
		this.serialExecutor.execute(() -> {
			throw new AssertionError() {

				@Override
				public String getMessage() {
					throw new AssertionError("planted in the report");
				}

			};
		});
		this.serialExecutor.execute(() -> order.add("next"));
		assertThat(order).containsExactly("next");
		assertThat(this.failures.count()).isEqualTo(1);
	}

	@Test
	void i4NoDepthOfTheStackEndsTheQueue() {
		List<Integer> ran = new CopyOnWriteArrayList<>();
		Thread deep = new Thread(null, () -> bringAtEveryDepth(ran, 0), "deep", 256 * 1024);
		deep.start();
		assertThat(join(deep)).isTrue();
		this.serialExecutor.execute(() -> ran.add(-1));
		await().atMost(Duration.ofSeconds(10)).until(() -> ran.contains(-1));
	}

	// Each depth brings steps when the stack has come to its end below it.
	@SuppressWarnings("InfiniteRecursion") // to the end of the stack
	private void bringAtEveryDepth(List<Integer> ran, int depth) {
		try {
			bringAtEveryDepth(ran, depth + 1);
		}
		catch (StackOverflowError ex) {
			for (int i = 0; i < 3; i++) {
				this.serialExecutor.execute(() -> ran.add(depth));
			}
		}
	}

	@Test
	void i5WhoBringsAStepGetsAwayThoughOthersBringMore() {
		AtomicBoolean over = new AtomicBoolean();
		List<Thread> last = new CopyOnWriteArrayList<>();
		AtomicInteger onCaller = new AtomicInteger();
		Thread caller = new Thread(() -> this.serialExecutor.execute(new Runnable() {

			@Override
			public void run() {
				if (Thread.currentThread().getName().equals("caller")) {
					onCaller.incrementAndGet();
				}
				if (over.get()) {
					last.add(Thread.currentThread());
				}
				else {
					SerialExecutorTests.this.serialExecutor.execute(this);
				}
			}

		}), "caller");
		caller.start();
		boolean away = join(caller);
		over.set(true);
		assertThat(away).as("the caller is back").isTrue();
		assertThat(onCaller).hasValue(1000);
		await().until(() -> !last.isEmpty());
		assertThat(last).singleElement().extracting(Thread::getName).isEqualTo("zk-lock-steps");
	}

	@Test
	void i5WhereNoThreadCanBeMadeTheDrainerGoesOn() {
		SerialExecutor alone = new SerialExecutor(this.failures, 2, (drain) -> {
			throw new OutOfMemoryError("planted");
		});
		List<Integer> order = new ArrayList<>();
		alone.execute(() -> IntStream.range(0, 10).forEach((i) -> alone.execute(() -> order.add(i))));
		assertThat(order).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
		assertThat(this.failures.count()).isEqualTo(1);
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
