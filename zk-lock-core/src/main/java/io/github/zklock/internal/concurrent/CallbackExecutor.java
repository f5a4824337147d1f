package io.github.zklock.internal.concurrent;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * A task goes to the user's executor if there is one, and otherwise, or if that one refuses
 * it, to threads of ours. Ours are made when none is idle, up to a bound; beyond it tasks
 * wait in the queue. `offer` hands a task to an idle thread only, so that the pool makes a
 * thread otherwise, and refuses when it must not; what it refused is queued.
 *
 * I1: a task never runs on the thread that brings it, whatever the user's executor does,
 *     because that thread may be the engine's or ZooKeeper's: one that is run there before
 *     `execute` has returned is handed to ours.
 * I2: a task that was brought is run, or was brought after the end: where no thread can be
 *     made it waits for one that exists, or for the next attempt of the timer.
 * I3: threads inherit nothing of the thread that happened to bring the first task: no thread
 *     locals, and the context class loader of the thread that built the client.
 */
/**
 * Runs the user's code: continuations of futures, listeners, actions for a lost lock.
 */
public final class CallbackExecutor implements Executor {

	/** How many threads it makes at most, unless set otherwise. */
	public static final int DEFAULT_THREADS = 256;

	private static final Logger log = LoggerFactory.getLogger(CallbackExecutor.class);

	private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private final @Nullable Executor given;

	private final Timer timer;

	private final Tasks tasks = new Tasks();

	private final ThreadFactory factory;

	private final ThreadPoolExecutor own;

	private final AtomicBoolean starved = new AtomicBoolean();

	/**
	 * Creates an executor without any thread.
	 * @param given the user's executor, or null
	 * @param threads how many threads of ours there may be
	 * @param timer tries again when no thread can be made
	 */
	public CallbackExecutor(@Nullable Executor given, int threads, Timer timer) {
		this(given, threads, timer, newThreads());
	}

	CallbackExecutor(@Nullable Executor given, int threads, Timer timer, ThreadFactory factory) {
		this.given = given;
		this.timer = timer;
		this.factory = factory;
		this.own = new ThreadPoolExecutor(0, threads, 10, TimeUnit.SECONDS, this.tasks, factory);
	}

	private static ThreadFactory newThreads() {
		ClassLoader loader = Thread.currentThread().getContextClassLoader();
		AtomicInteger number = new AtomicInteger();
		return (task) -> Threads.daemon(task, "zk-lock-callback-" + number.incrementAndGet(), loader);
	}

	/**
	 * Runs a task soon, on another thread.
	 * @param task what to do
	 */
	@Override
	public void execute(Runnable task) {
		if (this.given == null) {
			executeOnOwn(task);
			return;
		}
		Brought brought = new Brought(task);
		try {
			this.given.execute(brought);
		}
		catch (Throwable ex) {
			log.debug("The callback executor takes no more, so a thread of the lock client runs the task", ex);
			executeOnOwn(task);
		}
		brought.isReturned = true;
	}

	private void executeOnOwn(Runnable task) {
		try {
			this.own.execute(task);
			this.starved.set(false);
		}
		catch (RejectedExecutionException ex) {
			if (this.own.isShutdown()) {
				this.factory.newThread(task).start();
				return;
			}
			this.tasks.keep(task);
			makeThread();
		}
		catch (Throwable ex) {
			this.tasks.keep(task);
			if (!this.starved.getAndSet(true)) {
				log.warn("No thread can be made for callbacks, which wait", ex);
			}
			this.timer.run(RETRY_NANOS, this::makeThread);
		}
	}

	// A thread that exists takes what is queued before it ends.
	private void makeThread() {
		Runnable task = (this.own.getPoolSize() == 0) ? this.tasks.poll() : null;
		if (task != null) {
			executeOnOwn(task);
		}
	}

	/**
	 * Lets the threads end when they have run what was brought. What is brought later
	 * gets a thread of its own.
	 */
	public void shutdown() {
		this.own.shutdown();
	}

	/** Hands tasks to idle threads only, unless it is to keep them. */
	private static final class Tasks extends LinkedTransferQueue<Runnable> {

		@Override
		public boolean offer(Runnable task) {
			return tryTransfer(task);
		}

		private void keep(Runnable task) {
			put(task);
		}

	}

	/** Knows whether it is run by the thread that brings it. */
	private final class Brought implements Runnable {

		private final Runnable task;

		private final Thread bringer = Thread.currentThread();

		// Of the bringer alone
		private boolean isReturned;

		private Brought(Runnable task) {
			this.task = task;
		}

		@Override
		public void run() {
			if (Thread.currentThread() == this.bringer && !this.isReturned) {
				executeOnOwn(this.task);
			}
			else {
				this.task.run();
			}
		}

	}

}
