package io.github.zklock.internal.client;

import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockHandle;

/**
 * What a caller is given who does not wait: completed by us with the outcome, or by the
 * caller, who gives up so.
 */
final class CallersFuture extends CompletableFuture<LockHandle> {

	/*-
	 * OPEN -> ANSWERED | GIVEN_UP, by one CAS, which is the completion of `givenUp`: with null, or with why.
	 *
	 * I1: what is done when the caller gives up is done before its own stages run, which may block, or ask for the same key.
	 *     A stage of ours on this future would be the last to run: those that came later run first.
	 * I2: after GIVEN_UP we bring no outcome. After ANSWERED the caller may still be first to complete the future; then
	 *     `answer` says so.
	 */

	private final CompletableFuture<@Nullable CancellationException> givenUp = new CompletableFuture<>();

	/**
	 * Returns whether it waits for an outcome.
	 * @return false if it has one, or the caller has given up
	 */
	boolean isOpen() {
		return !this.givenUp.isDone();
	}

	/**
	 * Brings the outcome.
	 * @param handle the handle
	 * @return false if the caller has given up, and never gets it
	 */
	boolean answer(LockHandle handle) {
		return this.givenUp.complete(null) && super.complete(handle);
	}

	/**
	 * Brings the outcome.
	 * @param failure why there is no handle
	 */
	void fail(@Nullable Throwable failure) {
		if (this.givenUp.complete(null)) {
			super.completeExceptionally(failure);
		}
	}

	/**
	 * Brings the outcome. A handle is released if the caller has given up.
	 * @param handle the handle, or null
	 * @param failure why there is none, or null
	 */
	void bring(@Nullable HeldLock handle, @Nullable Throwable failure) {
		if (handle == null) {
			fail(failure);
		}
		else if (!answer(handle)) {
			handle.release(false);
		}
	}

	/**
	 * Does something when the caller gives up, or now if it has.
	 * @param action takes why
	 */
	@SuppressWarnings("FutureReturnValueIgnored") // nothing follows it
	void onGivenUp(Consumer<CancellationException> action) {
		this.givenUp.thenAccept((cause) -> {
			if (cause != null) {
				action.accept(cause);
			}
		});
	}

	/**
	 * Returns whether the caller never gets a handle.
	 * @param made the handle
	 * @return whether it has something else, or has given up
	 */
	boolean isWithout(LockHandle made) {
		return this.givenUp.getNow(null) != null || (isDone() && (isCompletedExceptionally() || join() != made));
	}

	private static CancellationException cancellation(@Nullable Throwable cause) {
		if (cause instanceof CancellationException cancellation) {
			return cancellation;
		}
		CancellationException cancellation = new CancellationException("The future was completed by its user");
		cancellation.initCause(cause);
		return cancellation;
	}

	private void giveUp(@Nullable Throwable cause) {
		if (isOpen()) {
			this.givenUp.complete(cancellation(cause));
		}
	}

	@Override
	public boolean complete(LockHandle value) {
		giveUp(null);
		return super.complete(value);
	}

	@Override
	public boolean completeExceptionally(Throwable failure) {
		giveUp(failure);
		return super.completeExceptionally(failure);
	}

	@Override
	public CompletableFuture<LockHandle> completeAsync(Supplier<? extends LockHandle> supplier, Executor executor) {
		Objects.requireNonNull(supplier);
		executor.execute(() -> {
			try {
				if (!isDone()) {
					complete(supplier.get());
				}
			}
			catch (Throwable ex) {
				completeExceptionally(ex);
			}
		});
		return this;
	}

	@Override
	public void obtrudeValue(LockHandle value) {
		giveUp(null);
		super.obtrudeValue(value);
	}

	@Override
	public void obtrudeException(Throwable failure) {
		giveUp(failure);
		super.obtrudeException(failure);
	}

	@Override
	public boolean cancel(boolean mayInterruptIfRunning) {
		giveUp(new CancellationException());
		return super.cancel(mayInterruptIfRunning);
	}

}
