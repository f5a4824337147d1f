package io.github.zklock;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread of an election: made when there is something to do, it does one thing after
 * the other.
 */
final class ElectionThread implements Executor {

	/*-
	 * A pool of one thread at most, whose queue has no bound. Any thread brings steps.
	 *
	 * I1: a step that was brought is run, also if no thread could be made for it then.
	 */

	private static final Logger log = LoggerFactory.getLogger(ElectionThread.class);

	private static final long PAUSE_MILLIS = 100;

	private final String election;

	private final ThreadFactory threads;

	private final Executor pool;

	private volatile @Nullable Thread thread;

	private volatile boolean starved;

	/**
	 * Creates a thread that is not made yet.
	 * @param election the election's name
	 * @param threads makes it
	 */
	ElectionThread(String election, ThreadFactory threads) {
		this.election = election;
		this.threads = threads;
		this.pool = new ThreadPoolExecutor(0, 1, 1, TimeUnit.MILLISECONDS, new LinkedBlockingQueue<>(), (task) -> {
			Thread made = threads.newThread(task);
			this.thread = made;
			return made;
		});
	}

	/**
	 * Returns what makes the thread of an election.
	 * @param election the election's name
	 * @return makes daemons with the context class loader of the calling thread
	 */
	static ThreadFactory daemons(String election) {
		ClassLoader loader = Thread.currentThread().getContextClassLoader();
		return (task) -> {
			Thread made = new Thread(null, task, "zk-lock-leader-" + election, 0, false);
			made.setDaemon(true);
			made.setContextClassLoader(loader);
			return made;
		};
	}

	/**
	 * Returns whether the calling thread is this one.
	 * @return whether it runs a step
	 */
	boolean isCurrent() {
		return Thread.currentThread() == this.thread;
	}

	// What comes when no thread can be made is queued all the same, for the next one
	@Override
	public void execute(Runnable step) {
		try {
			this.pool.execute(step);
			this.starved = false;
		}
		catch (Throwable ex) {
			if (!this.starved) {
				this.starved = true;
				log.warn("No thread can be made for the election '{}', which goes on later", this.election, ex);
			}
			tryLater();
		}
	}

	/**
	 * Runs what is no step, and may take long, on a thread that ends with it; as a step
	 * if that thread cannot be made.
	 * @param task what to do
	 */
	void executeApart(Runnable task) {
		try {
			this.threads.newThread(task).start();
		}
		catch (Throwable ex) {
			log.debug("No thread can be made for what follows a withdrawal from '{}'", this.election, ex);
			execute(task);
		}
	}

	private void tryLater() {
		try {
			CompletableFuture.delayedExecutor(PAUSE_MILLIS, TimeUnit.MILLISECONDS, this).execute(() -> {
			});
		}
		catch (Throwable ex) {
			log.warn("The election '{}' goes on with its next step", this.election, ex);
		}
	}

	/**
	 * Runs a step after a pause.
	 * @param millis how long
	 * @param step what to do
	 */
	void later(long millis, Runnable step) {
		try {
			CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS, this).execute(step);
		}
		catch (Throwable ex) {
			log.warn("The election '{}' cannot time a pause, and makes a short one", this.election, ex);
			execute(() -> LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS)));
			execute(step);
		}
	}

}
