package io.github.zklock.integration;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ConcurrentModificationException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.DistributedLock;

import io.github.zklock.LockClient;
import io.github.zklock.LockException;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;

/**
 * A lock of a {@link ZkLockRegistry}.
 */
final class KeyLock implements DistributedLock {

	private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

	private final ZkLockRegistry registry;

	private final LockClient client;

	private final String key;

	KeyLock(ZkLockRegistry registry, LockClient client, String key) {
		this.registry = registry;
		this.client = client;
		this.key = key;
	}

	private LockRequest request(Duration timeout, @Nullable Duration ttl) {
		LockRequest request = LockRequest.exclusive(this.key).timeout(timeout);
		return (ttl != null) ? request.maxHold(ttl) : request;
	}

	@Override
	public void lock() {
		lockUninterruptibly(null);
	}

	@Override
	public void lock(Duration ttl) {
		lockUninterruptibly(ttl);
	}

	private void lockUninterruptibly(@Nullable Duration ttl) {
		boolean interrupted = false;
		boolean locked = false;
		try {
			while (!locked) {
				try {
					this.registry.push(this.key, this.client.acquire(request(FOREVER, ttl)));
					locked = true;
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		this.registry.push(this.key, this.client.acquire(request(FOREVER, null)));
	}

	@Override
	public boolean tryLock() {
		boolean interrupted = Thread.interrupted();
		try {
			return tryLock(Duration.ZERO, (Duration) null);
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
		return tryLock(Duration.ofNanos(unit.toNanos(time)), (Duration) null);
	}

	@Override
	public boolean tryLock(Duration waitTime, @Nullable Duration ttl) throws InterruptedException {
		Optional<LockHandle> handle = this.client
			.tryAcquire(request(waitTime.isNegative() ? Duration.ZERO : waitTime, ttl));
		handle.ifPresent((acquired) -> this.registry.push(this.key, acquired));
		return handle.isPresent();
	}

	@Override
	public void unlock() {
		LockHandle handle = this.registry.peek(this.key);
		if (handle == null) {
			throw new IllegalMonitorStateException("Thread '%s' does not hold lock '%s'"
				.formatted(named(Thread.currentThread()), LockException.printable(this.key)));
		}
		// Either ends with a StackOverflowError if the stack does; then it was not
		// unlocked.
		boolean held = handle.isHeld();
		handle.release();
		this.registry.pop(this.key);
		if (!held) {
			throw new ConcurrentModificationException(
					"Lock '%s' was lost before it was unlocked: another client may have held it meanwhile"
						.formatted(LockException.printable(this.key)));
		}
	}

	// Virtual threads have no name unless they are given one
	@SuppressWarnings("deprecation") // newer JDKs call it threadId
	private static String named(Thread thread) {
		return thread.getName().isEmpty() ? "#" + thread.getId() : thread.getName();
	}

	@Override
	public Condition newCondition() {
		throw new UnsupportedOperationException("Distributed locks have no conditions");
	}

	@Override
	public String toString() {
		return "Lock[key=" + this.key + "]";
	}

}
