package io.github.zklock.aop;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.LockMode;
import io.github.zklock.OnLost;
import io.github.zklock.WaitingCaller;

/**
 * The handle that a locked method sees. It remembers whether the method has released it
 * by itself, because then it is not lost. As a supplier it gives the handle behind it, so
 * that the grants of that are found at once.
 */
final class CallHandle implements LockHandle, Supplier<LockHandle> {

	private final LockHandle delegate;

	private final LockedMethod method;

	private volatile boolean released;

	private volatile @Nullable LockLostException preventedCommit;

	CallHandle(LockHandle delegate, LockedMethod method) {
		this.delegate = delegate;
		this.method = method;
	}

	// In this order: a release by another thread is noted before it is done
	boolean isLost() {
		return !this.delegate.isHeld() && !this.released;
	}

	/**
	 * Lets a transaction be committed, or not.
	 * @throws LockLostException if the lock was lost and that is not to be ignored
	 */
	void checkBeforeCommit() {
		if (isLost() && this.method.onLost() != OnLost.IGNORE) {
			LockLostException lost = new LockLostException(
					"Lock '%s' of %s was lost, so its transaction is rolled back: another client may have held the lock meanwhile"
						.formatted(key(), this.method.site()));
			this.preventedCommit = lost;
			throw lost;
		}
	}

	boolean preventedCommit(Throwable failure) {
		return failure == this.preventedCommit;
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

	@Override
	public String toString() {
		return this.delegate.toString();
	}

	private void noteRelease() {
		if (this.delegate.isHeld()) {
			this.released = true;
		}
	}

}
