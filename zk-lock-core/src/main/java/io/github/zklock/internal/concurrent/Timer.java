package io.github.zklock.internal.concurrent;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * One daemon thread that starts short, non-blocking steps at their time: deadlines,
 * leases, repeats. After {@link #stop} nothing more is started.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a step never fails, see run(Runnable)
public final class Timer {

	/** Cancels nothing. */
	public static final Future<?> NOTHING = CompletableFuture.completedFuture(null);

	private final ScheduledThreadPoolExecutor executor;

	private final StepFailures failures;

	private final @Nullable ClassLoader loader = Thread.currentThread().getContextClassLoader();

	/**
	 * Creates a timer that has not started its thread.
	 * @param threadName the name of its thread
	 * @param failures is notified of each step that fails
	 */
	public Timer(String threadName, StepFailures failures) {
		this(newThread(threadName, Thread.currentThread().getContextClassLoader()), failures);
	}

	/**
	 * Creates a timer that has not started its thread.
	 * @param factory makes its thread
	 * @param failures is notified of each step that fails
	 */
	public Timer(ThreadFactory factory, StepFailures failures) {
		this.failures = failures;
		this.executor = new ScheduledThreadPoolExecutor(1, factory, new ThreadPoolExecutor.DiscardPolicy());
		this.executor.setRemoveOnCancelPolicy(true);
		this.executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
	}

	private static ThreadFactory newThread(String name, @Nullable ClassLoader loader) {
		return (task) -> Threads.daemon(task, name, loader);
	}

	/**
	 * Starts a step later.
	 * @param nanos in how many nanoseconds; zero or less means at once
	 * @param step what to do
	 * @return cancels the step
	 */
	public Future<?> after(long nanos, Runnable step) {
		return this.executor.schedule(() -> run(step), Math.max(nanos, 0), TimeUnit.NANOSECONDS);
	}

	/**
	 * Starts a step later.
	 * @param time in what time; what is too long to be counted never comes
	 * @param step what to do
	 * @return cancels the step
	 */
	public Future<?> after(Duration time, Runnable step) {
		return after(TimeUnit.NANOSECONDS.convert(time), step);
	}

	/**
	 * Starts a step later, for good.
	 * @param nanos in how many nanoseconds; zero or less means at once
	 * @param step what to do
	 */
	public void later(long nanos, Runnable step) {
		this.executor.schedule(() -> run(step), Math.max(nanos, 0), TimeUnit.NANOSECONDS);
	}

	/**
	 * Makes a thread for a step that may block.
	 * @param step what to do
	 * @param name the thread's name
	 * @return a daemon thread, not started, that has nothing of the thread that makes it
	 */
	public Thread forBlocking(Runnable step, String name) {
		return Threads.daemon(step, name, this.loader);
	}

	private void run(Runnable step) {
		this.failures.contain(this, step);
	}

	/**
	 * Returns what is notified of failures.
	 * @return the failures of all that use this timer
	 */
	public StepFailures failures() {
		return this.failures;
	}

	/**
	 * Counts what is yet to be started.
	 * @return the number of steps that were not cancelled
	 */
	public int count() {
		return this.executor.getQueue().size();
	}

	public void stop() {
		this.executor.shutdown();
	}

}
