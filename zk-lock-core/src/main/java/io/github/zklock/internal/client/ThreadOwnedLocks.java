package io.github.zklock.internal.client;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.Function;

import io.github.zklock.LockClient;
import io.github.zklock.LockException;
import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.internal.concurrent.Threads;

/**
 * The locks that threads hold through views of {@code java.util.concurrent}. All views of
 * a key and mode are one lock, so the handles are kept here and not in the views.
 */
public final class ThreadOwnedLocks {

	/*-
	 * I1: the stack of a thread for a key and mode is touched by that thread only; the map is
	 *     shared. A stack that is empty is not in the map.
	 * I2: a lock that was lost is unlocked as any other, level by level; what is thrown of the
	 *     loss is thrown after that. Whether it was held is asked before the release.
	 */

	private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

	private final Map<Held, Deque<LockHandle>> held = new ConcurrentHashMap<>();

	private final LockClient client;

	private final Function<LockRequest, LockHandle> uninterruptibly;

	/**
	 * Creates the locks of a client.
	 * @param client acquires them
	 * @param uninterruptibly acquires without a deadline and without regard to interrupts
	 */
	public ThreadOwnedLocks(LockClient client, Function<LockRequest, LockHandle> uninterruptibly) {
		this.client = client;
		this.uninterruptibly = uninterruptibly;
	}

	public Lock view(LockRequest request) {
		return new View(request.timeout(FOREVER));
	}

	public ReadWriteLock readWriteView(String key) {
		Lock read = view(LockRequest.read(key));
		Lock write = view(LockRequest.write(key));
		return new ReadWriteView(read, write);
	}

	public int count() {
		return this.held.size();
	}

	private record Held(Thread thread, String key, LockMode mode) {
	}

	private record ReadWriteView(Lock readLock, Lock writeLock) implements ReadWriteLock {
	}

	private final class View implements Lock {

		private final LockRequest request;

		View(LockRequest request) {
			this.request = request;
		}

		private Held here() {
			return new Held(Thread.currentThread(), this.request.keys().get(0), this.request.mode());
		}

		private void push(LockHandle handle) {
			ThreadOwnedLocks.this.held.computeIfAbsent(here(), (key) -> new ArrayDeque<>()).push(handle);
		}

		@Override
		public void lock() {
			push(ThreadOwnedLocks.this.uninterruptibly.apply(this.request));
		}

		@Override
		public void lockInterruptibly() throws InterruptedException {
			push(ThreadOwnedLocks.this.client.acquire(this.request));
		}

		@Override
		public boolean tryLock() {
			boolean interrupted = Thread.interrupted();
			try {
				return tryLock(Duration.ZERO);
			}
			catch (InterruptedException ex) {
				interrupted = true;
				return false;
			}
			finally {
				if (interrupted) {
					Thread.currentThread().interrupt();
				}
			}
		}

		@Override
		public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
			return tryLock(Duration.ofNanos(Math.max(unit.toNanos(time), 0)));
		}

		private boolean tryLock(Duration timeout) throws InterruptedException {
			Optional<LockHandle> handle = ThreadOwnedLocks.this.client.tryAcquire(this.request.timeout(timeout));
			handle.ifPresent(this::push);
			return handle.isPresent();
		}

		@Override
		public void unlock() {
			Held here = here();
			Deque<LockHandle> handles = ThreadOwnedLocks.this.held.get(here);
			if (handles == null) {
				throw new IllegalMonitorStateException("Thread '%s' does not hold lock '%s' in mode %s"
					.formatted(Threads.name(here.thread()), LockException.printable(here.key()), here.mode()));
			}
			LockHandle handle = handles.element();
			boolean lost = !handle.isHeld();
			handle.release();
			handles.remove();
			if (handles.isEmpty()) {
				ThreadOwnedLocks.this.held.remove(here);
			}
			if (lost) {
				throw new LockLostException(
						"Lock '%s' in mode %s was lost before it was unlocked: another client may have held it meanwhile"
							.formatted(here.key(), here.mode()));
			}
		}

		@Override
		public Condition newCondition() {
			throw new UnsupportedOperationException("Distributed locks have no conditions");
		}

		@Override
		public String toString() {
			return "Lock[key=" + this.request.keys().get(0) + ", mode=" + this.request.mode() + "]";
		}

	}

}
