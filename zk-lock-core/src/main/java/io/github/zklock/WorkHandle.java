package io.github.zklock;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * The handle that work under a lock sees. It remembers whether the work has released it
 * by itself, because then it is not lost.
 */
final class WorkHandle extends DelegatingLockHandle {

	private volatile boolean released;

	WorkHandle(LockHandle delegate) {
		super(delegate);
	}

	/**
	 * Does the work and releases the lock.
	 * @param <T> the type of the result
	 * @param <X> what the work throws
	 * @param work what to do
	 * @return what the work returned
	 * @throws X if the work threw it
	 * @throws LockLostException if the work returned, but the lock was lost before; or if
	 * that was lost before the work began, which has not run then
	 */
	<T extends @Nullable Object, X extends Exception> T call(LockClient.Work<T, X> work) throws X {
		checkBeforeWork();
		T result;
		try (LockContext.Scope current = LockContext.open(this)) {
			result = work.run();
		}
		catch (Throwable ex) {
			noteFailure(ex);
			endFailed(ex);
			throw ex;
		}
		if (end()) {
			throw lost();
		}
		return result;
	}

	// The thread that was granted it may have been stopped since
	private void checkBeforeWork() {
		try {
			if (!delegate().isHeld()) {
				throw new LockLostException("%s was lost before the work under it began, which has not run"
					.formatted(LockLostException.subject(keys())), false);
			}
		}
		catch (Throwable ex) {
			noteFailure(ex);
			delegate().release();
			throw ex;
		}
	}

	// The lock is released all the same, and the work's failure is what the caller gets
	private void noteFailure(Throwable cause) {
		try {
			delegate().failed(cause);
		}
		catch (Throwable ex) {
			suppress(ex, cause);
		}
	}

	private void endFailed(Throwable cause) {
		try {
			if (end()) {
				cause.addSuppressed(lost());
			}
		}
		catch (Throwable ex) {
			suppress(ex, cause);
		}
	}

	private static void suppress(Throwable further, Throwable cause) {
		if (further != cause) {
			cause.addSuppressed(further);
		}
	}

	// In this order: a release by another thread is noted before it is done
	private boolean end() {
		try {
			return !delegate().isHeld() && !this.released;
		}
		finally {
			delegate().release();
		}
	}

	private LockLostException lost() {
		return new LockLostException(
				"%s was lost while the work under it ran, so its result is not returned: another client may have held the lock meanwhile"
					.formatted(LockLostException.subject(keys())));
	}

	@Override
	public boolean isHeld() {
		return !this.released && delegate().isHeld();
	}

	@Override
	public void ended() {
		// Work ends when it returns
	}

	@Override
	public void release() {
		try {
			noteRelease();
		}
		finally {
			delegate().release();
		}
	}

	@Override
	public CompletableFuture<Void> releaseAsync() {
		try {
			noteRelease();
		}
		catch (Throwable ex) {
			delegate().release();
			throw ex;
		}
		return delegate().releaseAsync();
	}

	private void noteRelease() {
		if (delegate().isHeld()) {
			this.released = true;
		}
	}

}
