package io.github.zklock.aop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
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
 * re-entrant per owner, and able to lose a lock on demand. An asynchronous acquisition is
 * granted on the thread that releases, and times out only if its time-out is zero.
 */
public final class InMemoryLockClient implements LockClient {

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition changed = this.lock.newCondition();

	private final Map<String, List<Handle>> holds = new HashMap<>();

	private final List<Waiter> waiters = new ArrayList<>();

	private final AtomicLong tokens = new AtomicLong();

	private final List<LockRequest> requests = new CopyOnWriteArrayList<>();

	private final List<Handle> handles = new CopyOnWriteArrayList<>();

	private volatile RuntimeException failure;

	private volatile RuntimeException refusal;

	private volatile RuntimeException releaseFailure;

	private volatile boolean cancelIsLate;

	private volatile boolean lost;

	private volatile Runnable meanwhile = () -> {
	};

	/**
	 * Lets all acquisitions fail from now on.
	 * @param cause how
	 */
	public void failWith(RuntimeException cause) {
		this.failure = cause;
	}

	/**
	 * Lets {@link #acquireAsync} throw from now on.
	 * @param cause what
	 */
	public void refuseWith(RuntimeException cause) {
		this.refusal = cause;
	}

	/**
	 * Lets cancellations of asynchronous acquisitions come too late from now on, as if
	 * the grant had just been decided.
	 */
	public void cancelLate() {
		this.cancelIsLate = true;
	}

	/**
	 * Lets all locks be lost from now on when they are given, as when the thread that was
	 * granted one stands still.
	 */
	public void loseAll() {
		this.lost = true;
	}

	/**
	 * Lets something happen while {@link #acquireAsync} asks, as another thread may do
	 * it.
	 * @param action what to do
	 */
	public void whenAsked(Runnable action) {
		this.meanwhile = action;
	}

	/**
	 * Lets all releases fail from now on, when they have released.
	 * @param cause how
	 */
	public void failReleaseWith(RuntimeException cause) {
		this.releaseFailure = cause;
	}

	/**
	 * Returns what was asked for.
	 * @return the requests, in order
	 */
	public List<LockRequest> requests() {
		return this.requests;
	}

	/**
	 * Returns what was asked for last.
	 * @return the request
	 */
	public LockRequest lastRequest() {
		return this.requests.get(this.requests.size() - 1);
	}

	/**
	 * Returns the handles that were given.
	 * @return the handles, in order
	 */
	public List<Handle> handles() {
		return this.handles;
	}

	/**
	 * Returns the handle that was given last.
	 * @return the handle
	 */
	public Handle lastHandle() {
		return this.handles.get(this.handles.size() - 1);
	}

	/**
	 * Returns whether somebody holds a key.
	 * @param key the key
	 * @return false when it is free
	 */
	public boolean isHeld(String key) {
		this.lock.lock();
		try {
			return this.holds.containsKey(key);
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Counts the asynchronous acquisitions that wait.
	 * @return zero when nobody waits
	 */
	public int waiting() {
		this.lock.lock();
		try {
			this.waiters.removeIf((waiter) -> waiter.future().isDone());
			return this.waiters.size();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Takes a free key as an owner of its own.
	 * @param key the key
	 * @return the handle
	 */
	public LockHandle holdByAnother(String key) {
		try {
			return tryAcquire(LockRequest.exclusive(key).owner(new Object()).timeout(Duration.ZERO)).orElseThrow();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public LockHandle acquire(LockRequest request) throws InterruptedException {
		return tryAcquire(request).orElseThrow(() -> busy(request));
	}

	private static LockTimeoutException busy(LockRequest request) {
		return new LockTimeoutException("Could not acquire lock '" + request.keys().get(0) + "'");
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
			return Optional.of(take(request, owner));
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

	private Handle take(LockRequest request, Object owner) {
		Handle handle = new Handle(request, owner);
		handle.held = !this.lost;
		request.keys().forEach((key) -> this.holds.computeIfAbsent(key, (k) -> new ArrayList<>()).add(handle));
		this.handles.add(handle);
		return handle;
	}

	@Override
	public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
		this.requests.add(request);
		this.meanwhile.run();
		if (this.refusal != null) {
			throw this.refusal;
		}
		if (this.failure != null) {
			return CompletableFuture.failedFuture(this.failure);
		}
		Object owner = (request.owner() != null) ? request.owner() : new Object();
		CompletableFuture<LockHandle> future = new CompletableFuture<>() {
			@Override
			public boolean cancel(boolean mayInterruptIfRunning) {
				return !InMemoryLockClient.this.cancelIsLate && super.cancel(mayInterruptIfRunning);
			}
		};
		this.lock.lock();
		try {
			if (isFree(request, owner)) {
				return CompletableFuture.completedFuture(take(request, owner));
			}
			if (request.timeout() != null && request.timeout().isZero()) {
				return CompletableFuture.failedFuture(busy(request));
			}
			this.waiters.add(new Waiter(request, owner, future));
			return future;
		}
		finally {
			this.lock.unlock();
		}
	}

	private void leave(Handle handle) {
		Map<Waiter, Handle> granted = new LinkedHashMap<>();
		this.lock.lock();
		try {
			this.holds.values().forEach((entered) -> entered.remove(handle));
			this.holds.values().removeIf(List::isEmpty);
			this.changed.signalAll();
			for (Iterator<Waiter> each = this.waiters.iterator(); each.hasNext();) {
				Waiter waiter = each.next();
				if (waiter.future().isDone()) {
					each.remove();
				}
				else if (isFree(waiter.request(), waiter.owner())) {
					each.remove();
					granted.put(waiter, take(waiter.request(), waiter.owner()));
				}
			}
		}
		finally {
			this.lock.unlock();
		}
		granted.forEach((waiter, next) -> {
			if (!waiter.future().complete(next)) {
				next.release();
			}
		});
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
	}

	private record Waiter(LockRequest request, Object owner, CompletableFuture<LockHandle> future) {
	}

	/**
	 * A handle that can be lost on demand.
	 */
	public final class Handle implements LockHandle {

		private final LockRequest request;

		private final Object owner;

		private final long token = InMemoryLockClient.this.tokens.incrementAndGet();

		private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

		private final AtomicLong releases = new AtomicLong();

		private final AtomicReference<Runnable> meanwhile = new AtomicReference<>();

		private volatile boolean held = true;

		private volatile Throwable failure;

		private volatile Error fault;

		Handle(LockRequest request, Object owner) {
			this.request = request;
			this.owner = owner;
		}

		/**
		 * Loses the lock and reports it.
		 */
		public void lose() {
			loseUnheard();
			this.listeners.forEach(Runnable::run);
		}

		/**
		 * Loses the lock and does not report it, as when the lease is over and the event
		 * is still to come.
		 */
		public void loseUnheard() {
			this.held = false;
		}

		/**
		 * Lets it be unable from now on to say whether it is held, or to take note of a
		 * failure.
		 * @param cause what it throws
		 */
		public void breakWith(Error cause) {
			this.fault = cause;
		}

		/**
		 * Counts the calls of {@link #release()}.
		 * @return how many
		 */
		public long releases() {
			return this.releases.get();
		}

		/**
		 * Returns how the work under the lock has failed.
		 * @return null if it has not
		 */
		public Throwable failure() {
			return this.failure;
		}

		@Override
		public void failed(Throwable cause) {
			throwFault();
			this.failure = cause;
		}

		private void throwFault() {
			if (this.fault != null) {
				throw this.fault;
			}
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

		/**
		 * Lets something happen when it is asked next whether it is held, before the
		 * answer, as another thread may do it.
		 * @param action what to do, once
		 */
		public void whenAsked(Runnable action) {
			this.meanwhile.set(action);
		}

		@Override
		public boolean isHeld() {
			throwFault();
			Runnable action = this.meanwhile.getAndSet(null);
			if (action != null) {
				action.run();
			}
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
			leave(this);
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
