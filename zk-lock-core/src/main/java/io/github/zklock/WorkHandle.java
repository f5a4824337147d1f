package io.github.zklock;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * The handle that work under a lock sees. It remembers whether the work has released it
 * by itself, because then it is not lost. As a supplier it gives the handle behind it, so
 * that the grants of that are found at once.
 */
final class WorkHandle implements LockHandle, Supplier<LockHandle> {

	private final LockHandle delegate;

	private volatile boolean released;

	WorkHandle(LockHandle delegate) {
		this.delegate = delegate;
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
			if (!this.delegate.isHeld()) {
				throw new LockLostException("Lock '%s' was lost before the work under it began, which has not run"
					.formatted(String.join("', '", keys())));
			}
		}
		catch (Throwable ex) {
			noteFailure(ex);
			this.delegate.release();
			throw ex;
		}
	}

	// The lock is released all the same, and the work's failure is what the caller gets
	private void noteFailure(Throwable cause) {
		try {
			this.delegate.failed(cause);
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
			return !this.delegate.isHeld() && !this.released;
		}
		finally {
			this.delegate.release();
		}
	}

	private LockLostException lost() {
		return new LockLostException(
				"Lock '%s' was lost while the work under it ran, so its result is not returned: another client may have held the lock meanwhile"
					.formatted(String.join("', '", keys())));
	}

	@Override
	public LockHandle get() {
		return this.delegate;
	}

	@Override
	public String key() {
		return this.delegate.key();
	}

	@Override
	public List<String> keys() {
		return this.delegate.keys();
	}

	@Override
	public LockMode mode() {
		return this.delegate.mode();
	}

	@Override
	public LockMode mode(String key) {
		return this.delegate.mode(key);
	}

	@Override
	public long fencingToken() {
		return this.delegate.fencingToken();
	}

	@Override
	public long fencingToken(String key) {
		return this.delegate.fencingToken(key);
	}

	@Override
	public boolean isHeld() {
		return !this.released && this.delegate.isHeld();
	}

	@Override
	public void onLost(Runnable action) {
		this.delegate.onLost(action);
	}

	@Override
	public void onContended(Consumer<? super WaitingCaller> action) {
		this.delegate.onContended(action);
	}

	@Override
	public void downgrade() {
		this.delegate.downgrade();
	}

	@Override
	public void failed(Throwable cause) {
		this.delegate.failed(cause);
	}

	@Override
	public void release() {
		try {
			noteRelease();
		}
		finally {
			this.delegate.release();
		}
	}

	@Override
	public CompletableFuture<Void> releaseAsync() {
		try {
			noteRelease();
		}
		catch (Throwable ex) {
			this.delegate.release();
			throw ex;
		}
		return this.delegate.releaseAsync();
	}

	private void noteRelease() {
		if (this.delegate.isHeld()) {
			this.released = true;
		}
	}

	@Override
	public String toString() {
		return this.delegate.toString();
	}

}
