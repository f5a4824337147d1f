package io.github.zklock.aop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantLock;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;

/**
 * A lock client without ZooKeeper, for what does not depend on the protocol: exclusive,
 * re-entrant per owner, and able to lose a lock on demand.
 */
final class InMemoryLockClient implements LockClient {

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition changed = this.lock.newCondition();

	private final Map<String, List<Handle>> holds = new HashMap<>();

	private final AtomicLong tokens = new AtomicLong();

	private final List<LockRequest> requests = new CopyOnWriteArrayList<>();

	private final List<Handle> handles = new CopyOnWriteArrayList<>();

	private volatile RuntimeException failure;

	private volatile RuntimeException releaseFailure;

	void failWith(RuntimeException failure) {
		this.failure = failure;
	}

	void failReleaseWith(RuntimeException failure) {
		this.releaseFailure = failure;
	}

	List<LockRequest> requests() {
		return this.requests;
	}

	LockRequest lastRequest() {
		return this.requests.get(this.requests.size() - 1);
	}

	Handle lastHandle() {
		return this.handles.get(this.handles.size() - 1);
	}

	boolean isHeld(String key) {
		this.lock.lock();
		try {
			return this.holds.containsKey(key);
		}
		finally {
			this.lock.unlock();
		}
	}

	LockHandle holdByAnother(String key) {
		try {
			return tryAcquire(LockRequest.exclusive(key).owner(new Object()).timeout(Duration.ZERO)).orElseThrow();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public LockHandle acquire(LockRequest request) throws InterruptedException {
		return tryAcquire(request)
			.orElseThrow(() -> new LockTimeoutException("Could not acquire lock '" + request.keys().get(0) + "'"));
	}

	@Override
	public Optional<LockHandle> tryAcquire(LockRequest request) throws InterruptedException {
		this.requests.add(request);
		if (this.failure != null) {
			throw this.failure;
		}
		Object owner = (request.owner() != null) ? request.owner() : Thread.currentThread();
		Duration timeout = (request.timeout() != null) ? request.timeout() : Duration.ofSeconds(10);
		long nanos = timeout.toNanos();
		this.lock.lockInterruptibly();
		try {
			while (!isFree(request, owner)) {
				if (nanos <= 0) {
					return Optional.empty();
				}
				nanos = this.changed.awaitNanos(nanos);
			}
			Handle handle = new Handle(request, owner);
			request.keys().forEach((key) -> this.holds.computeIfAbsent(key, (k) -> new ArrayList<>()).add(handle));
			this.handles.add(handle);
			return Optional.of(handle);
		}
		finally {
			this.lock.unlock();
		}
	}

	private boolean isFree(LockRequest request, Object owner) {
		return request.keys()
			.stream()
			.allMatch((key) -> this.holds.getOrDefault(key, List.of()).stream().allMatch((h) -> h.owner.equals(owner)));
	}

	@Override
	public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
		throw new UnsupportedOperationException();
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
		throw new UnsupportedOperationException();
	}

	/**
	 * A handle that can be lost on demand.
	 */
	final class Handle implements LockHandle {

		private final LockRequest request;

		private final Object owner;

		private final long token = InMemoryLockClient.this.tokens.incrementAndGet();

		private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

		private final AtomicLong releases = new AtomicLong();

		private volatile boolean held = true;

		Handle(LockRequest request, Object owner) {
			this.request = request;
			this.owner = owner;
		}

		void lose() {
			this.held = false;
			this.listeners.forEach(Runnable::run);
		}

		long releases() {
			return this.releases.get();
		}

		@Override
		public String key() {
			return keys().get(0);
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
			return this.token;
		}

		@Override
		public boolean isHeld() {
			return this.held;
		}

		@Override
		public void onLost(Runnable action) {
			this.listeners.add(action);
		}

		@Override
		public void release() {
			this.held = false;
			this.releases.incrementAndGet();
			InMemoryLockClient.this.lock.lock();
			try {
				InMemoryLockClient.this.holds.values().forEach((handles) -> handles.remove(this));
				InMemoryLockClient.this.holds.values().removeIf(List::isEmpty);
				InMemoryLockClient.this.changed.signalAll();
			}
			finally {
				InMemoryLockClient.this.lock.unlock();
			}
			if (InMemoryLockClient.this.releaseFailure != null) {
				throw InMemoryLockClient.this.releaseFailure;
			}
		}

		@Override
		public CompletableFuture<Void> releaseAsync() {
			release();
			return CompletableFuture.completedFuture(null);
		}

	}

}
