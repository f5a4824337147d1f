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
 * A task goes to threads of ours: to an idle one; otherwise the pool makes a thread, up to a
 * bound; beyond it tasks wait in the queue. If the user has an executor they bring it to that
 * one, and run it themselves if it is refused.
 *
 * I1: whatever the user's executor does, it does on threads of ours: runs the task at once, or
 *     waits until there is room for it. The thread that calls `execute` may be the engine's or
 *     ZooKeeper's.
 * I2: a task that was brought is run, once: where no thread can be made it waits for one that
 *     exists, or for the next attempt of the timer; where the user's executor has failed and
 *     runs it nevertheless, one of the two does nothing.
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

	private final LinkedTransferQueue<Runnable> tasks = new LinkedTransferQueue<>();

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
		this.own = new ThreadPoolExecutor(threads, threads, 10, TimeUnit.SECONDS, this.tasks, factory);
		this.own.allowCoreThreadTimeOut(true);
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
		Executor users = this.given;
		executeOnOwn((users != null) ? () -> bring(users, new Brought(task)) : task);
	}

	private static void bring(Executor users, Brought brought) {
		try {
			users.execute(brought);
		}
		catch (Throwable ex) {
			log.debug("The callback executor takes no more, so a thread of the lock client runs the task", ex);
			brought.run();
		}
	}

	private void executeOnOwn(Runnable task) {
		if (this.tasks.tryTransfer(task)) {
			return;
		}
		try {
			this.own.execute(task);
			this.starved.set(false);
		}
		catch (RejectedExecutionException ex) {
			this.factory.newThread(task).start();
		}
		catch (Throwable ex) {
			this.tasks.add(task);
			if (!this.starved.getAndSet(true)) {
				log.warn("No thread can be made for callbacks, which wait", ex);
			}
			this.timer.failures().contain(this, () -> this.timer.run(RETRY_NANOS, this::makeThread));
		}
	}

	// A thread that exists may have taken what was queued, or may be waiting for it.
	private void makeThread() {
		Runnable task = this.tasks.poll();
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

	/**
	 * Knows whether it has been run.
	 *
	 * @param task what to do
	 * @param taken whether it has been run, or is
	 */
	private record Brought(Runnable task, AtomicBoolean taken) implements Runnable {

		Brought(Runnable task) {
			this(task, new AtomicBoolean());
		}

		@Override
		public void run() {
			if (this.taken.compareAndSet(false, true)) {
				this.task.run();
			}
		}

	}

}
