package io.github.zklock.aop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.ClassUtils;

import io.github.zklock.LockException;
import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.OnLost;

/**
 * The end of a call that holds its lock: finds out whether the lock was lost, and
 * releases it, once, whatever the method did; later if a transaction keeps it.
 */
final class LockedCall {

	private static final Logger log = LoggerFactory.getLogger(LockedCall.class);

	private final LockedMethod method;

	private final CallHandle handle;

	/** How many are yet to let go of the lock. */
	private final AtomicInteger users = new AtomicInteger(1);

	LockedCall(LockedMethod method, LockHandle handle) {
		this.method = method;
		this.handle = new CallHandle(handle, method);
	}

	CallHandle handle() {
		return this.handle;
	}

	/**
	 * Ends the call before it begins if its lock is lost already: the thread that was
	 * granted it may have been stopped since.
	 * @return what to report, whatever is to be done after a loss; null if the lock is
	 * held
	 */
	@Nullable Throwable endUnlessHeld() {
		Throwable cause;
		try {
			if (!this.handle.isLost()) {
				return null;
			}
			cause = new LockLostException("%s was lost before %s began, which has not run"
				.formatted(LockLostException.subject(this.handle.keys()), this.method.site()), false);
		}
		catch (Throwable ex) {
			cause = ex;
		}
		noteFailure(cause);
		try {
			release();
		}
		catch (Throwable ex) {
			suppress(ex, cause);
		}
		return cause;
	}

	/**
	 * Keeps the lock until {@link #release()} was called, too.
	 */
	void keep() {
		this.users.incrementAndGet();
	}

	/**
	 * Keeps the lock, too, until a stage is complete.
	 * @param stage what the method returned, whose work goes on
	 */
	@SuppressWarnings("FutureReturnValueIgnored") // the stage after it says nothing new
	private void keepUntil(CompletionStage<?> stage) {
		keep();
		AtomicBoolean ended = new AtomicBoolean();
		try {
			stage.whenComplete((result, failure) -> releaseOnce(ended));
		}
		catch (Throwable ex) {
			releaseOnce(ended);
			throw ex;
		}
	}

	/**
	 * Refuses a result that does its work when the lock is released. Keeps the lock, too,
	 * until a stage is complete, because its work has begun.
	 * @param result what the method returned
	 * @param remedy what to do instead
	 * @return what to end this call with
	 */
	Throwable refuse(Object result, String remedy) {
		try {
			if (result instanceof CompletionStage<?> stage) {
				keepUntil(stage);
			}
		}
		catch (Throwable ex) {
			return ex;
		}
		return new IllegalStateException("%s returned a %s, whose work would run without the lock. %s"
			.formatted(this.method.site(), ClassUtils.getShortName(result.getClass()), remedy));
	}

	private void releaseOnce(AtomicBoolean ended) {
		if (ended.compareAndSet(false, true)) {
			release();
		}
	}

	/**
	 * Ends the call with a result.
	 * @param result what the method returned
	 * @return the same
	 * @throws LockLostException if the lock was lost and that is not to be ignored
	 */
	@Nullable Object succeed(@Nullable Object result) {
		LockLostException lost = end();
		if (lost != null) {
			throw lost;
		}
		return result;
	}

	/**
	 * Ends the call with a failure.
	 * @param failure what the method threw
	 * @param ours whether it is the answer to an interrupt that we sent
	 * @return what to throw instead
	 */
	Throwable fail(Throwable failure, boolean ours) {
		Throwable root = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		LockLostException lost = endFailed(root);
		if (lost == null || this.handle.preventedCommit(failure)) {
			return failure;
		}
		if (ours) {
			lost.initCause(failure);
			return lost;
		}
		root.addSuppressed(lost);
		return failure;
	}

	// What the end fails with is no reason to lose what the method has failed with
	private @Nullable LockLostException endFailed(Throwable failure) {
		noteFailure(failure);
		try {
			return end();
		}
		catch (Throwable ex) {
			suppress(ex, failure);
			return null;
		}
	}

	private void noteFailure(Throwable failure) {
		try {
			this.handle.failed(failure);
		}
		catch (Throwable ex) {
			suppress(ex, failure);
		}
	}

	private static void suppress(Throwable further, Throwable failure) {
		if (further != failure) {
			failure.addSuppressed(further);
		}
	}

	/**
	 * Ends the call when a stage is complete.
	 * @param stage what the method returned
	 * @return a future that completes as the stage does, when the lock is released
	 * @throws Throwable if the stage cannot be followed; the call has ended
	 */
	CompletableFuture<@Nullable Object> follow(CompletionStage<?> stage) throws Throwable {
		CompletableFuture<@Nullable Object> followed = new Followed(stage);
		AtomicBoolean ended = new AtomicBoolean();
		try {
			stage.whenComplete((result, failure) -> {
				if (ended.compareAndSet(false, true)) {
					endContained(followed, result, failure);
				}
			});
		}
		catch (Throwable ex) {
			throw ended.compareAndSet(false, true) ? fail(ex, false) : ex;
		}
		return followed;
	}

	// Nobody else would complete it
	private void endContained(CompletableFuture<@Nullable Object> followed, @Nullable Object result,
			@Nullable Throwable failure) {
		try {
			end(followed, result, failure);
		}
		catch (Throwable ex) {
			followed.completeExceptionally(ex);
		}
	}

	private void end(CompletableFuture<@Nullable Object> followed, @Nullable Object result,
			@Nullable Throwable failure) {
		if (failure != null) {
			followed.completeExceptionally(fail(failure, false));
			return;
		}
		String remedy = (result != null && this.method.undeclared()) ? LateWork.remedyOfValue(result) : null;
		if (result != null && remedy != null) {
			followed.completeExceptionally(fail(refuse(result, remedy), false));
			return;
		}
		LockLostException lost = end();
		if (lost != null) {
			followed.completeExceptionally(lost);
		}
		else {
			followed.complete(result);
		}
	}

	/**
	 * Ends the call, whatever came of it.
	 * @return what to report instead of its result, or null
	 */
	@Nullable LockLostException end() {
		boolean lost;
		try {
			lost = this.handle.isLost();
		}
		finally {
			release();
		}
		if (!lost) {
			return null;
		}
		if (this.method.onLost() == OnLost.IGNORE) {
			log.warn("{} was lost while {} ran; its outcome is kept, because onLost = IGNORE",
					LockLostException.subject(this.handle.keys()), this.method.site());
			return null;
		}
		return lost();
	}

	/**
	 * Lets go of the lock, which is released when all have. A failure is logged.
	 */
	void release() {
		if (this.users.decrementAndGet() > 0) {
			return;
		}
		try {
			this.handle.release();
		}
		catch (RuntimeException ex) {
			log.error("Could not release {} of {}", LockException.named(this.handle.keys()), this.method.site(), ex);
		}
	}

	/**
	 * Says that the lock is lost.
	 * @return what to report instead of the result
	 */
	LockLostException lost() {
		return new LockLostException(
				"%s was lost while %s ran, so its result is not returned: another client may have held the lock meanwhile"
					.formatted(LockLostException.subject(this.handle.keys()), this.method.site()));
	}

	/**
	 * Passes a cancellation on to what the method returned; the lock is released when
	 * that is complete.
	 */
	private static final class Followed extends CompletableFuture<@Nullable Object> {

		private final CompletionStage<?> stage;

		Followed(CompletionStage<?> stage) {
			this.stage = stage;
		}

		// First the stage, whose end releases the lock and completes this one
		@Override
		public boolean cancel(boolean mayInterruptIfRunning) {
			try {
				if (this.stage instanceof CompletableFuture<?> future) {
					cancel(future, mayInterruptIfRunning);
				}
			}
			finally {
				super.cancel(mayInterruptIfRunning);
			}
			return isCancelled();
		}

		private static void cancel(CompletableFuture<?> future, boolean mayInterruptIfRunning) {
			try {
				future.cancel(mayInterruptIfRunning);
			}
			catch (UnsupportedOperationException ex) {
				log.debug("A minimal stage cannot be cancelled and keeps its lock until its work has ended", ex);
			}
		}

	}

}
