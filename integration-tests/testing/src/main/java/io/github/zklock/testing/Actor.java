package io.github.zklock.testing;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import static org.awaitility.Awaitility.await;

/**
 * A thread that makes blocking calls, one after the other. It is a virtual one if the
 * thread that creates it is.
 */
public final class Actor implements AutoCloseable {

	/** How long a call that is not meant to wait may take on a busy machine. */
	public static final Duration PATIENCE = Duration.ofSeconds(20);

	private static final Set<Thread.State> BLOCKED = Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING);

	private final Thread thread;

	private final ExecutorService executor;

	private volatile boolean busy;

	/**
	 * Creates an actor.
	 * @param name the name of its thread
	 */
	public Actor(String name) {
		Thread[] created = new Thread[1];
		this.executor = Executors.newSingleThreadExecutor((task) -> {
			created[0] = VirtualThreads.likeThisThread(task, name);
			return created[0];
		});
		get(() -> null);
		this.thread = created[0];
	}

	/**
	 * Starts a call, after those that were started before.
	 * @param <T> what it returns
	 * @param call what to do
	 * @return its outcome
	 */
	public <T> CompletableFuture<T> call(Callable<T> call) {
		CompletableFuture<T> outcome = new CompletableFuture<>();
		this.executor.execute(() -> {
			this.busy = true;
			try {
				outcome.complete(call.call());
			}
			catch (Throwable ex) {
				outcome.completeExceptionally(ex);
			}
			finally {
				this.busy = false;
			}
		});
		return outcome;
	}

	/**
	 * Makes a call and waits for its outcome.
	 * @param <T> what it returns
	 * @param call what to do
	 * @return what it returned; what it threw is thrown as it is
	 */
	public <T> T get(Callable<T> call) {
		return get(call(call));
	}

	/**
	 * Makes a call and waits for its end.
	 * @param action what to do; what it throws is thrown as it is
	 */
	public void run(Action action) {
		get(() -> {
			action.run();
			return null;
		});
	}

	/**
	 * Waits for a future, but not forever.
	 * @param <T> what it returns
	 * @param future the future
	 * @return its value; what it failed with is thrown as it is
	 */
	public static <T> T get(CompletableFuture<T> future) {
		try {
			return future.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException ex) {
			throw Actor.<RuntimeException>sneaky(ex.getCause());
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
		catch (TimeoutException ex) {
			throw new AssertionError("No outcome within " + PATIENCE, ex);
		}
	}

	/**
	 * Keeps this thread until a latch opens. For callbacks, which may not throw what an
	 * interrupt throws: it ends the wait, and the thread is interrupted again then.
	 * @param latch what to wait for
	 */
	public static void awaitQuietly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@SuppressWarnings({ "unchecked", "TypeParameterUnusedInFormals" })
	private static <E extends Throwable> E sneaky(Throwable ex) throws E {
		throw (E) ex;
	}

	/**
	 * Waits until the thread is blocked inside a call.
	 */
	public void awaitBlocked() {
		await("the actor blocks").atMost(PATIENCE)
			.until(() -> this.busy && BLOCKED.contains(this.thread.getState()) && this.busy);
	}

	/**
	 * Interrupts the thread; to be called when it is inside a call.
	 */
	public void interrupt() {
		this.thread.interrupt();
	}

	/**
	 * Ends the thread, by force if it is still at work.
	 */
	@Override
	public void close() {
		this.executor.shutdownNow();
	}

	/**
	 * Something to do.
	 */
	@FunctionalInterface
	public interface Action {

		/**
		 * Does it.
		 * @throws Exception if it goes wrong
		 */
		void run() throws Exception;

	}

}
