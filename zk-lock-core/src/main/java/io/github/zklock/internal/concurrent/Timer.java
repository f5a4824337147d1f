package io.github.zklock.internal.concurrent;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One daemon thread that starts short, non-blocking steps at their time: deadlines,
 * leases, repeats. After {@link #stop} nothing more is started.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a step never fails, see run(Runnable)
public final class Timer {

	private static final Logger log = LoggerFactory.getLogger(Timer.class);

	private final ScheduledThreadPoolExecutor executor;

	public Timer(String threadName) {
		ClassLoader loader = Thread.currentThread().getContextClassLoader();
		this.executor = new ScheduledThreadPoolExecutor(1, (task) -> Threads.daemon(task, threadName, loader),
				new ThreadPoolExecutor.DiscardPolicy());
		this.executor.setRemoveOnCancelPolicy(true);
		this.executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
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
	 * Starts a step later, for good.
	 * @param nanos in how many nanoseconds; zero or less means at once
	 * @param step what to do
	 */
	public void run(long nanos, Runnable step) {
		this.executor.schedule(() -> run(step), Math.max(nanos, 0), TimeUnit.NANOSECONDS);
	}

	private void run(Runnable step) {
		try {
			step.run();
		}
		catch (Throwable ex) {
			log.error("A timed step of the lock client failed", ex);
		}
	}

	public void stop() {
		this.executor.shutdown();
	}

}
