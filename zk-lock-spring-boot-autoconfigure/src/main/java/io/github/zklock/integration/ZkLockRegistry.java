package io.github.zklock.integration;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.LockRegistry;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;

/**
 * A registry of Spring Integration whose locks exclude all other clients of the same
 * ZooKeeper ensemble and root path.
 *
 * <p>
 * There is nothing to renew and nothing to expire: a lock is held as long as its session
 * lives, and one that nobody holds takes no memory.
 *
 * @since 0.1.0
 */
public final class ZkLockRegistry implements LockRegistry<DistributedLock> {

	/*-
	 * A thread's handles of a key are kept here, not in the locks, because a caller that asks
	 * for a key twice gets two locks that are one. I1: an entry of `held` is touched by its own
	 * thread only, and is gone when the thread holds nothing of the key.
	 */

	private final Map<Held, Deque<LockHandle>> held = new ConcurrentHashMap<>();

	private final LockClient client;

	/**
	 * Creates a registry.
	 * @param client acquires the locks; it is not closed by the registry
	 */
	public ZkLockRegistry(LockClient client) {
		this.client = client;
	}

	/**
	 * Returns the lock of a key: EXCLUSIVE, owned by the thread, re-entrant. One that was
	 * lost says so at {@code unlock}, by a
	 * {@link java.util.ConcurrentModificationException}. {@code tryLock} throws
	 * {@link io.github.zklock.LockUnavailableException} when ZooKeeper gives no answer,
	 * and {@code lock} waits forever; at each interrupt it asks anew, behind all who wait
	 * by then. A {@code ttl} ends the hold, which then is lost. {@code newCondition} is
	 * unsupported.
	 * @param lockKey the key, by its {@code toString()}
	 * @return the lock; it holds no resources
	 */
	@Override
	public DistributedLock obtain(Object lockKey) {
		return new KeyLock(this, this.client, lockKey.toString());
	}

	void push(String key, LockHandle handle) {
		this.held.computeIfAbsent(Held.here(key), (missing) -> new ArrayDeque<>()).push(handle);
	}

	@Nullable LockHandle peek(String key) {
		Deque<LockHandle> handles = this.held.get(Held.here(key));
		return (handles != null) ? handles.element() : null;
	}

	void pop(String key) {
		this.held.computeIfPresent(Held.here(key), (here, handles) -> {
			handles.remove();
			return handles.isEmpty() ? null : handles;
		});
	}

	int count() {
		return this.held.size();
	}

	private record Held(Thread thread, String key) {

		static Held here(String key) {
			return new Held(Thread.currentThread(), key);
		}

	}

}
