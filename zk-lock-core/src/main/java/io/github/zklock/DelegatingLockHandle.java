package io.github.zklock;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A handle that forwards all calls to another one. It is for those who wrap handles, as a
 * client that measures how long locks are held: extend it and override what is to differ.
 * {@code FencedWriter} takes such a handle as it takes the one behind it.
 *
 * <p>
 * {@link #close()} calls {@link #release()}, as that of all handles, so it need not be
 * overridden with it; {@link #releaseAsync()} is forwarded by itself.
 *
 * @since 0.1.0
 */
public abstract class DelegatingLockHandle implements LockHandle {

	private final LockHandle delegate;

	/**
	 * Creates a handle.
	 * @param delegate gets all calls
	 */
	protected DelegatingLockHandle(LockHandle delegate) {
		this.delegate = Objects.requireNonNull(delegate);
	}

	/**
	 * Returns the handle behind this one.
	 * @return gets all calls
	 */
	protected final LockHandle delegate() {
		return this.delegate;
	}

	/**
	 * Finds the handle behind all that extend this class.
	 * @param handle any handle
	 * @return what it delegates to in the end; itself if it does not extend this class
	 */
	public static LockHandle innermost(LockHandle handle) {
		LockHandle found = handle;
		while (found instanceof DelegatingLockHandle outer) {
			found = outer.delegate;
		}
		return found;
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
		return this.delegate.isHeld();
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
	public void ended() {
		this.delegate.ended();
	}

	@Override
	public void release() {
		this.delegate.release();
	}

	@Override
	public CompletableFuture<Void> releaseAsync() {
		return this.delegate.releaseAsync();
	}

	@Override
	public String toString() {
		return this.delegate.toString();
	}

}
