package io.github.zklock.internal.concurrent;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@Timeout(30)
class JoinedStepsTests {

	private final StepFailures failures = new StepFailures();

	private final SerialExecutor one = new SerialExecutor(this.failures);

	private final SerialExecutor two = new SerialExecutor(this.failures);

	private OwnedSteps owned(SerialExecutor executor) {
		return executor.of(this, (failure) -> {
		});
	}

	private List<OwnedSteps> both() {
		return List.of(owned(this.one), owned(this.two), owned(this.one));
	}

	@Test
	void i1NoOtherStepRunsMeanwhile() throws InterruptedException {
		CountDownLatch inside = new CountDownLatch(1);
		CountDownLatch mayGoOn = new CountDownLatch(1);
		AtomicInteger others = new AtomicInteger();
		Thread thread = new Thread(() -> JoinedSteps.run(both(), () -> {
			inside.countDown();
			awaitUninterruptedly(mayGoOn);
		}));
		thread.start();
		inside.await();
		this.one.execute(others::incrementAndGet);
		this.two.execute(others::incrementAndGet);
		assertThat(others).hasValue(0);
		mayGoOn.countDown();
		await().until(() -> others.get() == 2);
		thread.join();
	}

	@Test
	void i1BehindABusyOneItBeginsAgainWithThatOne() throws InterruptedException {
		CountDownLatch busy = new CountDownLatch(1);
		CountDownLatch mayGoOn = new CountDownLatch(1);
		Thread thread = new Thread(() -> this.two.execute(() -> {
			busy.countDown();
			awaitUninterruptedly(mayGoOn);
		}));
		thread.start();
		busy.await();
		AtomicInteger runs = new AtomicInteger();
		AtomicBoolean free = new AtomicBoolean();
		JoinedSteps.run(both(), runs::incrementAndGet);
		this.one.execute(() -> free.set(true));
		assertThat(free).as("the idle one is not kept").isTrue();
		assertThat(runs).hasValue(0);
		mayGoOn.countDown();
		await().until(() -> runs.get() == 1);
		thread.join();
	}

	@Test
	void i1StepsOfManyThreadsExcludeEachOtherAndAllRun() throws InterruptedException {
		AtomicInteger running = new AtomicInteger();
		AtomicInteger overlaps = new AtomicInteger();
		AtomicInteger runs = new AtomicInteger();
		Runnable step = () -> {
			if (running.getAndIncrement() != 0) {
				overlaps.incrementAndGet();
			}
			runs.incrementAndGet();
			running.decrementAndGet();
		};
		Thread[] threads = new Thread[4];
		for (int i = 0; i < threads.length; i++) {
			List<OwnedSteps> order = (i % 2 == 0) ? both() : List.of(owned(this.two), owned(this.one));
			threads[i] = new Thread(() -> {
				for (int j = 0; j < 2_000; j++) {
					JoinedSteps.run(order, step);
					this.one.execute(step);
				}
			});
			threads[i].start();
		}
		for (Thread thread : threads) {
			thread.join();
		}
		await().until(() -> runs.get() == 16_000);
		assertThat(overlaps).hasValue(0);
	}

	private static void awaitUninterruptedly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
