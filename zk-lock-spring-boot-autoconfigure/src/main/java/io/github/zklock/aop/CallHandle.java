package io.github.zklock.aop;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;

/**
 * The handle that a locked method sees. It remembers whether the method has released it
 * by itself, because then it is not lost.
 */
final class CallHandle implements LockHandle {

	private final LockHandle delegate;

	private volatile boolean released;

	CallHandle(LockHandle delegate) {
		this.delegate = delegate;
	}

	boolean isLost() {
		return !this.released && !this.delegate.isHeld();
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
	public long fencingToken() {
		return this.delegate.fencingToken();
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
	public void release() {
		noteRelease();
		this.delegate.release();
	}

	@Override
	public CompletableFuture<Void> releaseAsync() {
		noteRelease();
		return this.delegate.releaseAsync();
	}

	private void noteRelease() {
		if (this.delegate.isHeld()) {
			this.released = true;
		}
	}

}
