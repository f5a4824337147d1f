package io.github.zklock.internal.client;

import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockException;
import io.github.zklock.LockHandle;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.internal.concurrent.Deadline;
import io.github.zklock.internal.concurrent.Sleep;

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
		AcquiringCaller caller = this.acquisition.caller();
		try {
			if (!caller.isDone()) {
				Deadline deadline = this.acquisition.asked().deadline();
				Sleep sleep = caller.sleep();
				if (sleep.until(caller::isToBeAwake, deadline::remaining)) {
					this.acquisition.awake();
				}
				if (!sleep.until(caller::isDone, deadline::remaining)) {
					this.acquisition.expire();
					sleep.uninterruptiblyUntil(caller::isDone);
				}
			}
		}
		catch (Throwable ex) {
			giveUp(ex);
			throw ex;
		}
		return outcome();
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

	/**
	 * Waits for the outcome without a deadline; an interrupt is kept for later.
	 * @return the handle
	 */
	LockHandle awaitUninterruptibly() {
		AcquiringCaller caller = this.acquisition.caller();
		try {
			if (!caller.isDone()) {
				Sleep sleep = caller.sleep();
				sleep.uninterruptiblyUntil(caller::isToBeAwake);
				this.acquisition.awake();
				sleep.uninterruptiblyUntil(caller::isDone);
			}
		}
		catch (Throwable ex) {
			giveUp(ex);
			throw ex;
		}
		return outcome();
	}

	// If it was decided before, the outcome is there, or is being completed
	private void giveUp(Throwable cause) {
		if (this.acquisition.fail(cause)) {
			return;
		}
		try {
			AcquiringCaller caller = this.acquisition.caller();
			caller.sleep().uninterruptiblyUntil(caller::isDone);
		}
		catch (Throwable ex) {
			this.acquisition.caller().releaseWhenMade();
			throw ex;
		}
		try {
			this.acquisition.outcome().join().release();
		}
		catch (CompletionException | CancellationException ex) {
			cause.addSuppressed(ex);
		}
	}

	private LockHandle outcome() {
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
