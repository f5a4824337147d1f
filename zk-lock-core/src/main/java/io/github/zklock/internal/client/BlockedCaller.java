package io.github.zklock.internal.client;

import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockException;
import io.github.zklock.LockHandle;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.internal.concurrent.Deadline;

/**
 * A thread that waits for its acquisition. It keeps the deadline itself; no timer does.
 * It is granted the lock in its sleep, or is woken before, says so, and waits on.
 *
 * @param acquisition what it waits for
 */
record BlockedCaller(Acquisition acquisition) {

	/**
	 * Waits for the outcome, at most until the deadline.
	 * @return the handle
	 * @throws InterruptedException if interrupted; nothing is held
	 */
	LockHandle await() throws InterruptedException {
		Deadline deadline = this.acquisition.asked().deadline();
		try {
			if (!this.acquisition.outcome().isDone()) {
				get(this.acquisition.caller().sleep(), deadline);
				this.acquisition.awake();
			}
			return get(this.acquisition.outcome(), deadline);
		}
		catch (TimeoutException timeUp) {
			this.acquisition.expire();
			return join();
		}
		catch (ExecutionException ex) {
			throw asCallers(ex.getCause());
		}
		catch (InterruptedException ex) {
			if (!this.acquisition.fail(ex)) {
				undo(ex);
			}
			throw ex;
		}
	}

	private static <T> T get(CompletableFuture<T> awaited, Deadline deadline)
			throws InterruptedException, ExecutionException, TimeoutException {
		return (deadline.isForever() || awaited.isDone()) ? awaited.get()
				: awaited.get(Math.max(deadline.remaining(), 0), TimeUnit.NANOSECONDS);
	}

	/**
	 * Waits for the outcome, at most until the deadline.
	 * @return the handle, or empty if others held a key all that time
	 * @throws InterruptedException if interrupted; nothing is held
	 */
	Optional<LockHandle> awaitOrBusy() throws InterruptedException {
		try {
			return Optional.of(await());
		}
		catch (LockTimeoutException busy) {
			return Optional.empty();
		}
	}

	// It was decided before the interrupt came; the outcome is there, or is being
	// completed.
	private void undo(InterruptedException interrupt) {
		try {
			this.acquisition.outcome().join().release();
		}
		catch (CompletionException | CancellationException ex) {
			interrupt.addSuppressed(ex);
		}
	}

	/**
	 * Waits for the outcome without a deadline; an interrupt is kept for later.
	 * @return the handle
	 */
	LockHandle awaitUninterruptibly() {
		if (!this.acquisition.outcome().isDone()) {
			this.acquisition.caller().sleep().join();
			this.acquisition.awake();
		}
		return join();
	}

	private LockHandle join() {
		try {
			return this.acquisition.outcome().join();
		}
		catch (CancellationException ex) {
			throw asCallers(ex);
		}
		catch (CompletionException ex) {
			throw asCallers(ex.getCause());
		}
	}

	// Shows the waiting caller where it waited, not where the engine decided.
	private static RuntimeException asCallers(@Nullable Throwable cause) {
		if (cause instanceof LockException failure) {
			failure.setStackTrace(new Throwable().getStackTrace());
			return failure;
		}
		return new LockException("The acquisition was ended from outside", cause);
	}

}
