package io.github.zklock.internal.concurrent;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@Timeout(60)
class CallbackExecutorTests {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

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
		return thread.get();
	}

	@Test
	void i1AnExecutorThatRunsTasksOnItsCallerIsNotObeyed() throws Exception {
		this.executor = new CallbackExecutor(Runnable::run, 4, this.timer);
		assertThat(threadOf()).isNotSameAs(Thread.currentThread());
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

	@Test
	void i2MoreTasksThanThreadsWaitAndAreAllRun() {
		int tasks = 5_000;
		Set<Thread> threads = ConcurrentHashMap.newKeySet();
		CountDownLatch go = new CountDownLatch(1);
		AtomicInteger run = new AtomicInteger();
		for (int i = 0; i < tasks; i++) {
			this.executor.execute(() -> {
				threads.add(Thread.currentThread());
				try {
					go.await();
				}
				catch (InterruptedException ex) {
					Thread.currentThread().interrupt();
				}
				run.incrementAndGet();
			});
		}
		await().atMost(PATIENCE).until(() -> threads.size() == 4);
		go.countDown();
		await().atMost(PATIENCE).until(() -> run.get() == tasks);
		assertThat(threads).hasSize(4);
	}

	@Test
	void aThreadThatIsIdleIsUsedAgain() throws Exception {
		Thread first = threadOf();
		await().atMost(PATIENCE).until(() -> first.getState() == Thread.State.TIMED_WAITING);
		assertThat(threadOf()).isSameAs(first);
	}

	@Test
	void i2WhereNoThreadCanBeMadeTasksWaitForTheNextAttempt() throws Exception {
		AtomicInteger attempts = new AtomicInteger();
		ThreadFactory poor = (task) -> (attempts.incrementAndGet() > 3) ? new Thread(task) : new Thread(task) {
			@Override
			public synchronized void start() {
				throw new OutOfMemoryError("unable to create native thread");
			}
		};
		this.executor = new CallbackExecutor(null, 4, this.timer, poor);
		CountDownLatch run = new CountDownLatch(2);
		this.executor.execute(run::countDown);
		this.executor.execute(run::countDown);
		run.await();
		assertThat(attempts).hasValueGreaterThan(3);
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

}
