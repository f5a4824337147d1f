package io.github.zklock.benchmarks.jvm;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;

/**
 * Grants everything at once, so that what comes before it can be measured alone.
 */
final class GrantingLockClient implements LockClient {

	@Override
	public LockHandle acquire(LockRequest request) {
		return new Granted(request);
	}

	@Override
	public Optional<LockHandle> tryAcquire(LockRequest request) {
		return Optional.of(new Granted(request));
	}

	@Override
	public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
		return CompletableFuture.completedFuture(new Granted(request));
	}

	@Override
	public Lock asLock(String key) {
		throw new UnsupportedOperationException();
	}

	@Override
	public ReadWriteLock asReadWriteLock(String key) {
		throw new UnsupportedOperationException();
	}

	@Override
	public void close() {
		Thread.onSpinWait();
	}

	private record Granted(LockRequest request) implements LockHandle {

		@Override
		public String key() {
			return this.request.keys().get(0);
		}

		@Override
		public List<String> keys() {
			return this.request.keys();
		}

		@Override
		public LockMode mode() {
			return this.request.mode();
		}

		@Override
		public long fencingToken() {
			return 1;
		}

		@Override
		public boolean isHeld() {
			return true;
		}

		@Override
		public void onLost(Runnable action) {
			Thread.onSpinWait();
		}

		@Override
		public void release() {
			Thread.onSpinWait();
		}

		@Override
		public CompletableFuture<Void> releaseAsync() {
			return CompletableFuture.completedFuture(null);
		}

	}

}
