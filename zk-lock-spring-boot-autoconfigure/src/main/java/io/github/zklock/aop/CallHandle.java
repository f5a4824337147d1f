package io.github.zklock.aop;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import io.github.zklock.DelegatingLockHandle;
import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.OnLost;

/**
 * The handle that a locked method sees. It remembers whether the method has released it
 * by itself, because then it is not lost.
 */
final class CallHandle extends DelegatingLockHandle {

	private final LockedMethod method;

	private volatile boolean released;

	private volatile @Nullable LockLostException preventedCommit;

	CallHandle(LockHandle delegate, LockedMethod method) {
		super(delegate);
		this.method = method;
	}

	// In this order: a release by another thread is noted before it is done
	boolean isLost() {
		return !delegate().isHeld() && !this.released;
	}

	/**
	 * Lets a transaction be committed, or not.
	 * @throws LockLostException if the lock was lost and that is not to be ignored
	 */
	void checkBeforeCommit() {
		if (isLost() && this.method.onLost() != OnLost.IGNORE) {
			LockLostException lost = new LockLostException(
					"%s of %s was lost, so its transaction is rolled back: another client may have held the lock meanwhile"
						.formatted(LockLostException.subject(keys()), this.method.site()));
			this.preventedCommit = lost;
			throw lost;
		}
	}

	boolean preventedCommit(Throwable failure) {
		return failure == this.preventedCommit;
	}

	@Override
	public void ended() {
		// The work ends when the method does
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
