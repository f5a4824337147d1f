package io.github.zklock.benchmarks.peer;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

import io.github.zklock.LockMode;

/**
 * The JDK's fair lock, one for each key. Other processes do not see it.
 */
final class FairLockPeer implements Peer {

	private final Map<List<String>, ReentrantLock> locks = new ConcurrentHashMap<>();

	@Override
	public Guard guard(List<String> keys, LockMode mode) {
		ReentrantLock lock = this.locks.computeIfAbsent(keys, (absent) -> new ReentrantLock(true));
		return new Guard() {

			@Override
			public void lock() {
				lock.lock();
			}

			@Override
			public void unlock() {
				lock.unlock();
			}

		};
	}

	@Override
	public void close() {
		this.locks.clear();
	}

}
