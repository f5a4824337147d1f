package io.github.zklock.internal.concurrent;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.github.zklock.testing.Actor;
import io.github.zklock.testing.Stopwatch;
import io.github.zklock.testing.Warnings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@Timeout(60)
class CallbackExecutorTests {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private static final Duration LONG = Duration.ofMinutes(1);

	private static final String BUSY = " callback threads are busy";

	private final Timer timer = new Timer("test-timer", new StepFailures());

	private final InheritableThreadLocal<String> principal = new InheritableThreadLocal<>();

	private CallbackExecutor executor = new CallbackExecutor(null, 4, this.timer);

	@AfterEach
	void stop() {
		this.executor.shutdown();
		this.timer.stop();
		this.principal.remove();
	}

	private Thread threadOf() throws Exception {
		CompletableFuture<Thread> thread = new CompletableFuture<>();
		this.executor.execute(() -> thread.complete(Thread.currentThread()));
		return thread.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
	}

	@Test
	void i1AnExecutorThatRunsTasksOnItsCallerIsNotObeyed() throws Exception {
		this.executor = new CallbackExecutor(Runnable::run, 4, this.timer);
		assertThat(threadOf()).isNotSameAs(Thread.currentThread());
	}

	@Test
	void i1WhatAnotherThreadHasBroughtDoesNotRunOnItsBringerEither() throws Exception {
		List<Runnable> kept = new ArrayList<>();
		this.executor = new CallbackExecutor((task) -> {
			kept.add(task);
			if (kept.size() == 2) {
				kept.forEach(Runnable::run);
			}
		}, 4, this.timer);
		List<Thread> threads = new CopyOnWriteArrayList<>();
		Thread other = new Thread(() -> this.executor.execute(() -> threads.add(Thread.currentThread())));
		other.start();
		other.join();
		this.executor.execute(() -> threads.add(Thread.currentThread()));
		await().atMost(PATIENCE).until(() -> threads.size() == 2);
		assertThat(threads).doesNotContain(Thread.currentThread());
	}

	@Test
	void i1AnExecutorThatWaitsForRoomKeepsNobodyWaiting() throws Exception {
		CountDownLatch room = new CountDownLatch(1);
		this.executor = new CallbackExecutor((task) -> {
			Actor.awaitQuietly(room);
			new Thread(task).start();
		}, 4, this.timer);
		CountDownLatch run = new CountDownLatch(1);
		Thread bringer = new Thread(() -> this.executor.execute(run::countDown));
		bringer.start();
		bringer.join(PATIENCE.toMillis());
		assertThat(bringer.isAlive()).isFalse();
		assertThat(run.getCount()).isOne();
		room.countDown();
		run.await();
	}

	@Test
	void tasksComeToTheGivenExecutorInTheirOrder() {
		List<Runnable> brought = new CopyOnWriteArrayList<>();
		this.executor = new CallbackExecutor(brought::add, 4, this.timer);
		List<Integer> run = new ArrayList<>();
		for (int i = 0; i < 1_000; i++) {
			int number = i;
			this.executor.execute(() -> run.add(number));
		}
		await().atMost(PATIENCE).until(() -> brought.size() == 1_000);
		brought.forEach(Runnable::run);
		assertThat(run).hasSize(1_000).isSorted();
	}

	@Test
	void i2ATaskThatTheGivenExecutorHasTakenBeforeItFailedIsRunOnce() throws Exception {
		List<Runnable> kept = new ArrayList<>();
		this.executor = new CallbackExecutor((task) -> {
			kept.add(task);
			throw new OutOfMemoryError("unable to create native thread");
		}, 4, this.timer);
		AtomicInteger run = new AtomicInteger();
		CountDownLatch first = new CountDownLatch(1);
		this.executor.execute(() -> {
			run.incrementAndGet();
			first.countDown();
		});
		first.await();
		kept.forEach(Runnable::run);
		assertThat(run).hasValue(1);
	}

	@Test
	void i2ATaskThatComesWhileTheOnlyThreadIsBeingMadeWaitsForIt() throws Exception {
		CountDownLatch making = new CountDownLatch(1);
		CountDownLatch brought = new CountDownLatch(1);
		ThreadFactory slow = (task) -> {
			making.countDown();
			Actor.awaitQuietly(brought);
			return new Thread(task);
		};
		this.executor = new CallbackExecutor(null, 1, this.timer, slow, LONG);
		CountDownLatch run = new CountDownLatch(2);
		Thread first = new Thread(() -> this.executor.execute(run::countDown));
		first.start();
		making.await();
		this.executor.execute(run::countDown);
		brought.countDown();
		run.await();
		first.join();
	}

	@Test
	void i2ATaskThatFoundNoThreadDoesNotWaitForOneThatWaitsForIt() throws Exception {
		AtomicInteger attempts = new AtomicInteger();
		ThreadFactory poor = (task) -> (attempts.incrementAndGet() != 2) ? new Thread(task) : new Unstartable(task);
		this.executor = new CallbackExecutor(null, 4, this.timer, poor, LONG);
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch second = new CountDownLatch(1);
		CountDownLatch both = new CountDownLatch(1);
		this.executor.execute(() -> {
			begun.countDown();
			Actor.awaitQuietly(second);
			both.countDown();
		});
		begun.await();
		this.executor.execute(second::countDown);
		assertThat(both.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void i2WhereTheTimerHasNoThreadEitherNothingIsThrown() throws Exception {
		AtomicInteger attempts = new AtomicInteger();
		ThreadFactory poor = (task) -> (attempts.incrementAndGet() > 2) ? new Thread(task) : new Unstartable(task);
		StepFailures failures = new StepFailures();
		Timer poorTimer = Unstartable.timer(failures);
		this.executor = new CallbackExecutor(null, 4, poorTimer, poor, LONG);
		CountDownLatch run = new CountDownLatch(3);
		this.executor.execute(run::countDown);
		this.executor.execute(run::countDown);
		this.executor.execute(run::countDown);
		run.await();
		assertThat(failures.count()).isEqualTo(2);
		poorTimer.stop();
	}

	@Test
	void tasksRunOnTheExecutorThatWasGiven() throws Exception {
		this.executor = new CallbackExecutor((task) -> new Thread(task, "given").start(), 4, this.timer);
		assertThat(threadOf().getName()).isEqualTo("given");
	}

	@Test
	void i2WhatTheGivenExecutorRefusesIsRun() throws Exception {
		this.executor = new CallbackExecutor((task) -> {
			throw new RejectedExecutionException();
		}, 4, this.timer);
		assertThat(threadOf().getName()).startsWith("zk-lock-callback-");
	}

	@ParameterizedTest
	@MethodSource("silent")
	void i2WhatAnExecutorDropsBecauseItIsShutDownIsRun(RejectedExecutionHandler dropping) throws Exception {
		ThreadPoolExecutor ended = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
				dropping);
		ended.shutdown();
		this.executor = new CallbackExecutor(ended, 4, this.timer);
		assertThat(threadOf().getName()).startsWith("zk-lock-callback-");
	}

	@Test
	void tasksRunOnlyOnTheExecutorOfAContainerThatDoesNotSayWhetherItIsShutDown() {
		int tasks = 100;
		CountDownLatch asked = new CountDownLatch(tasks);
		Set<String> threads = ConcurrentHashMap.newKeySet();
		AtomicInteger run = new AtomicInteger();
		Contained contained = new Contained(asked);
		this.executor = new CallbackExecutor(contained, 4, this.timer);
		for (int i = 0; i < tasks; i++) {
			this.executor.execute(() -> {
				threads.add(Thread.currentThread().getName());
				run.incrementAndGet();
			});
		}
		await().atMost(PATIENCE).until(() -> run.get() == tasks);
		contained.shutdownNow();
		assertThat(threads).containsExactly("contained");
	}

	private static Stream<RejectedExecutionHandler> silent() {
		return Stream.of(new ThreadPoolExecutor.CallerRunsPolicy(), new ThreadPoolExecutor.DiscardPolicy(),
				new ThreadPoolExecutor.DiscardOldestPolicy());
	}

	@Test
	void i2MoreTasksThanThreadsWaitAndAreAllRun() {
		int tasks = 5_000;
		Set<Thread> threads = ConcurrentHashMap.newKeySet();
		CountDownLatch go = new CountDownLatch(1);
		AtomicInteger run = new AtomicInteger();
		for (int i = 0; i < tasks; i++) {
			this.executor.execute(() -> {
				threads.add(Thread.currentThread());
				Actor.awaitQuietly(go);
				run.incrementAndGet();
			});
		}
		await().atMost(PATIENCE).until(() -> threads.size() == 4);
		go.countDown();
		await().atMost(PATIENCE).until(() -> run.get() == tasks);
		assertThat(threads).hasSize(4);
	}

	@Test
	void i2WhereAllThreadsWaitAndTasksAreLeftThatIsLoggedOnce() throws Exception {
		Duration moment = Duration.ofMillis(100);
		this.executor = new CallbackExecutor(null, 2, this.timer, Thread::new, moment);
		CountDownLatch last = new CountDownLatch(1);
		try (Warnings warnings = new Warnings()) {
			for (int i = 0; i < 2; i++) {
				this.executor.execute(() -> Actor.awaitQuietly(last));
			}
			this.executor.execute(last::countDown);
			await().atMost(PATIENCE).until(() -> warnings.messages().contains(BUSY));
			await().during(moment.multipliedBy(4)).until(() -> warnings.messages().split(BUSY, -1).length == 2);
			assertThat(warnings.messages()).contains("All 2" + BUSY, "1 more wait to be run",
					"zk-lock.max-callback-threads");
			last.countDown();
		}
	}

	@Test
	void i2ThreadsThatAreOnlyBusyAreNotLogged() throws Exception {
		Duration moment = Duration.ofSeconds(1);
		Duration stalled;
		String logged;
		// Once more where the machine kept the threads from their next tasks
		do {
			Stopwatch stopwatch = Stopwatch.start();
			logged = warningsOfThreadsThatAreBusyFor(moment);
			stalled = stopwatch.elapsed().minus(stopwatch.running());
		}
		while (logged.contains(BUSY) && stalled.compareTo(moment.dividedBy(2)) > 0);
		assertThat(logged).doesNotContain(BUSY);
	}

	private String warningsOfThreadsThatAreBusyFor(Duration moment) throws InterruptedException {
		this.executor.shutdown();
		this.executor = new CallbackExecutor(null, 2, this.timer, Thread::new, moment);
		CountDownLatch run = new CountDownLatch(400);
		try (Warnings warnings = new Warnings()) {
			for (int i = 0; i < 400; i++) {
				this.executor.execute(() -> {
					LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
					run.countDown();
				});
			}
			run.await();
			return warnings.messages();
		}
	}

	@Test
	void aThreadThatIsIdleIsUsedAgain() throws Exception {
		Thread first = threadOf();
		await().atMost(PATIENCE).until(() -> first.getState() == Thread.State.TIMED_WAITING);
		assertThat(threadOf()).isSameAs(first);
	}

	@Test
	void threadsThatAreIdleSleep() throws Exception {
		for (int i = 0; i < 100; i++) {
			this.executor.shutdown();
			this.executor = new CallbackExecutor(null, 4, this.timer);
			for (int task = 0; task < 4; task++) {
				Thread idle = threadOf();
				await().atMost(Duration.ofSeconds(5))
					.pollDelay(Duration.ZERO)
					.pollInterval(Duration.ofMillis(1))
					.until(() -> idle.getState() == Thread.State.TIMED_WAITING);
			}
		}
	}

	@Test
	void i2WhereNoThreadCanBeMadeTasksWaitForTheNextAttempt() throws Exception {
		AtomicInteger attempts = new AtomicInteger();
		ThreadFactory poor = (task) -> (attempts.incrementAndGet() > 3) ? new Thread(task) : new Unstartable(task);
		this.executor = new CallbackExecutor(null, 4, this.timer, poor, LONG);
		CountDownLatch run = new CountDownLatch(2);
		this.executor.execute(run::countDown);
		this.executor.execute(run::countDown);
		run.await();
		assertThat(attempts).hasValueGreaterThan(3);
	}

	@Test
	void i2AThreadThatCannotBeMadeForOneTaskKeepsNoOtherFromBeingBrought() throws Exception {
		AtomicInteger threads = new AtomicInteger();
		ThreadFactory poor = (task) -> (threads.incrementAndGet() == 2) ? new Unstartable(task) : new Thread(task);
		CountDownLatch both = new CountDownLatch(1);
		this.executor = new CallbackExecutor((task) -> {
			Actor.awaitQuietly(both);
			throw new RejectedExecutionException("planted");
		}, 4, this.timer, poor, LONG);
		this.executor.shutdown();
		CountDownLatch run = new CountDownLatch(1);
		this.executor.execute(() -> {
		});
		this.executor.execute(run::countDown);
		both.countDown();
		assertThat(run.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
	}

	@Test
	void whatIsBroughtAfterTheEndIsRun() throws Exception {
		this.executor.shutdown();
		assertThat(threadOf().getName()).startsWith("zk-lock-callback-");
	}

	@Test
	void i3ThreadsInheritNothing() throws Exception {
		this.principal.set("alice");
		CompletableFuture<String> seen = new CompletableFuture<>();
		this.executor.execute(() -> seen.complete(String.valueOf(this.principal.get())));
		assertThat(seen.get()).isEqualTo("null");
	}

	/** As Jakarta Concurrency has it: what the container ends says nothing of its end. */
	private static final class Contained extends ThreadPoolExecutor {

		private final CountDownLatch asked;

		Contained(CountDownLatch asked) {
			super(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), (task) -> new Thread(task, "contained"));
			this.asked = asked;
		}

		@Override
		protected void beforeExecute(Thread thread, Runnable task) {
			Actor.awaitQuietly(this.asked);
		}

		@Override
		public boolean isShutdown() {
			this.asked.countDown();
			throw new IllegalStateException("Lifecycle operation not supported");
		}

	}

}
