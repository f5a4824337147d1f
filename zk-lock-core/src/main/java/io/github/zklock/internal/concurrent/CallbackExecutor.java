package io.github.zklock.internal.concurrent;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
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

/**
 * Runs the user's code: continuations of futures, listeners, actions for a lost lock.
 */
public final class CallbackExecutor implements Executor {

	/*-
	 * A task goes to threads of ours: to an idle one; otherwise the pool makes a thread, up to a
	 * bound; beyond it tasks wait in the queue. If the user has an executor, one of them brings it
	 * there, one task after the other: who finds `bringing` false sets it and has a thread bring what
	 * waits, and that thread, which sets it back, looks into the queue again after that.
	 *
	 * I1: a task never runs on a thread that calls `execute`, or brings one, whatever the user's
	 *     executor does, and that keeps none of the first waiting: it may be the engine's or
	 *     ZooKeeper's. What the user's executor refuses, or runs at once, is run by another of ours.
	 * I2: a task that was brought is run, once: where no thread can be made it waits for one that
	 *     exists, or for the next attempt of the timer; where the user's executor has failed and
	 *     runs it nevertheless, one of the two does nothing. The same goes for one that is shut down, which
	 *     may drop what it is given without a word.
	 *     What waits beyond the bound waits for the user's code, whatever that waits for: it may be another task in the
	 *     queue, and then none is ever run. So while tasks wait it is looked from time to time whether any has ended.
	 * I3: threads inherit nothing of the thread that happened to bring the first task: no thread
	 *     locals, and the context class loader of the thread that built the client.
	 */

	/** How many threads it makes at most, unless set otherwise. */
	public static final int DEFAULT_THREADS = 256;

	private static final Logger log = LoggerFactory.getLogger(CallbackExecutor.class);

	private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private static final Duration LONG = Duration.ofSeconds(5);

	// Of a thread that is inside the user's executor, to bring a task
	private static final ThreadLocal<Boolean> BRINGING = new ThreadLocal<>();

	private final @Nullable Executor given;

	private final Queue<Brought> unbrought = new ConcurrentLinkedQueue<>();

	private final AtomicBoolean bringing = new AtomicBoolean();

	private final Timer timer;

	private final LinkedTransferQueue<Runnable> tasks = new LinkedTransferQueue<>();

	private final ThreadFactory factory;

	private final ThreadPoolExecutor own;

	private final AtomicBoolean starved = new AtomicBoolean();

	private final Duration patience;

	private final AtomicBoolean watched = new AtomicBoolean();

	private volatile boolean stuck;

	/**
	 * Creates an executor without any thread.
	 * @param given the user's executor, or null
	 * @param threads how many threads of ours there may be
	 * @param timer tries again when no thread can be made
	 */
	public CallbackExecutor(@Nullable Executor given, int threads, Timer timer) {
		this(given, threads, timer, newThreads(), LONG);
	}

	CallbackExecutor(@Nullable Executor given, int threads, Timer timer, ThreadFactory factory, Duration patience) {
		this.patience = patience;
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
		if (users == null) {
			executeOnOwn(task);
			return;
		}
		this.unbrought.add(new Brought(task));
		bringLater(users);
	}

	private void bringLater(Executor users) {
		if (this.bringing.compareAndSet(false, true)) {
			try {
				executeOnOwn(() -> bring(users));
			}
			catch (Throwable ex) {
				this.bringing.set(false);
				throw ex;
			}
		}
	}

	private void bring(Executor users) {
		try {
			BRINGING.set(true);
			for (Brought next = this.unbrought.poll(); next != null; next = this.unbrought.poll()) {
				bring(users, next);
			}
		}
		finally {
			BRINGING.remove();
			this.bringing.set(false);
			if (!this.unbrought.isEmpty()) {
				bringLater(users);
			}
		}
	}

	private void bring(Executor users, Brought brought) {
		try {
			users.execute(brought);
			if (isShutDown(users)) {
				executeOnOwn(brought);
			}
		}
		catch (Throwable ex) {
			log.debug("The callback executor takes no more, so a thread of the lock client runs the task", ex);
			executeOnOwn(brought);
		}
	}

	// One of a Jakarta EE container may not be asked, and is alive
	private static boolean isShutDown(Executor users) {
		try {
			return users instanceof ExecutorService service && service.isShutdown();
		}
		catch (RuntimeException ex) {
			return false;
		}
	}

	private void executeOnOwn(Runnable task) {
		if (this.tasks.tryTransfer(task)) {
			return;
		}
		try {
			this.own.execute(task);
			this.starved.set(false);
			watch();
		}
		catch (RejectedExecutionException ex) {
			this.factory.newThread(task).start();
		}
		catch (Throwable ex) {
			this.tasks.add(task);
			if (!this.starved.getAndSet(true)) {
				log.warn("No thread can be made for callbacks, which wait", ex);
			}
			this.timer.failures().contain(this, () -> this.timer.later(RETRY_NANOS, this::makeThread));
		}
	}

	// A thread that exists may have taken what was queued, or may be waiting for it.
	private void makeThread() {
		Runnable task = this.tasks.poll();
		if (task != null) {
			executeOnOwn(task);
		}
	}

	// Tasks that wait although no thread was idle
	private void watch() {
		if (!this.watched.get() && doTasksWait() && this.own.getPoolSize() == this.own.getMaximumPoolSize()
				&& this.watched.compareAndSet(false, true)) {
			long ended = this.own.getCompletedTaskCount();
			this.timer.failures().contain(this, () -> this.timer.later(this.patience.toNanos(), () -> look(ended)));
		}
	}

	// On Java 17 isEmpty() may keep a thread that comes for a task meanwhile from
	// sleeping: it spins until its time is over
	private boolean doTasksWait() {
		return this.tasks.size() > 0;
	}

	private void look(long endedBefore) {
		boolean was = this.stuck;
		this.stuck = doTasksWait() && this.own.getCompletedTaskCount() == endedBefore;
		if (this.stuck && !was) {
			log.warn(
					"All {} callback threads are busy, none has ended anything for {} ms, and {} more wait to be run: continuations of futures, lock listeners, actions for a lost lock. If what is busy waits for one of these, none is ever run (zk-lock.max-callback-threads, maxCallbackThreads)",
					this.own.getPoolSize(), this.patience.toMillis(), this.tasks.size());
		}
		this.watched.set(false);
		watch();
	}

	/**
	 * Lets the threads end when they have run what was brought. What is brought later
	 * gets a thread of its own.
	 */
	public void shutdown() {
		this.own.shutdown();
	}

	/**
	 * Knows whether it has been run, and whether it is run by a thread that brings one.
	 */
	private final class Brought implements Runnable {

		private final AtomicBoolean taken = new AtomicBoolean();

		private final Runnable task;

		private Brought(Runnable task) {
			this.task = task;
		}

		@Override
		public void run() {
			if (BRINGING.get() != null) {
				executeOnOwn(this);
			}
			else if (this.taken.compareAndSet(false, true)) {
				this.task.run();
			}
		}

	}

}
