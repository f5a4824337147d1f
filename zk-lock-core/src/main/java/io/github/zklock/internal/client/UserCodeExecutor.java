package io.github.zklock.internal.client;

import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.zklock.internal.concurrent.Threads;

/**
 * Runs the user's code: on the user's executor, or on daemon threads that are made as
 * needed. What the executor refuses gets a thread of its own.
 */
public final class UserCodeExecutor implements Executor {

	private static final Logger log = LoggerFactory.getLogger(UserCodeExecutor.class);

	private final @Nullable ClassLoader loader = Thread.currentThread().getContextClassLoader();

	private final @Nullable ThreadPoolExecutor own;

	private final Executor executor;

	/**
	 * Creates the executor.
	 * @param users the user's, which is never shut down; null for threads of its own
	 */
	public UserCodeExecutor(@Nullable Executor users) {
		if (users != null) {
			this.own = null;
			this.executor = users;
		}
		else {
			this.own = newThreads();
			this.executor = this.own;
		}
	}

	private ThreadPoolExecutor newThreads() {
		AtomicInteger number = new AtomicInteger();
		return new ThreadPoolExecutor(0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS, new SynchronousQueue<>(),
				(task) -> Threads.daemon(task, "zk-lock-callback-" + number.incrementAndGet(), this.loader));
	}

	@Override
	public void execute(Runnable task) {
		try {
			this.executor.execute(task);
		}
		catch (RuntimeException ex) {
			log.debug("The callback executor takes no more, so a thread is made", ex);
			Threads.daemon(task, "zk-lock-callback", this.loader).start();
		}
	}

	/** Lets its own threads end when they have nothing left to do. */
	public void shutdown() {
		if (this.own != null) {
			this.own.shutdown();
		}
	}

}
