package io.github.zklock.benchmarks.peer;

import java.util.List;

import io.github.zklock.LockMode;

/**
 * Locks nothing: shows that the check of exclusion is awake.
 */
final class NoLockPeer implements Peer {

	@Override
	public Guard guard(List<String> keys, LockMode mode) {
		return new Guard() {

			@Override
			public void lock() {
				Thread.onSpinWait();
			}

			@Override
			public void unlock() {
				Thread.onSpinWait();
			}

		};
	}

	@Override
	public Guard permit(String key, int permits) {
		return guard(List.of(key), LockMode.EXCLUSIVE);
	}

	@Override
	public void close() {
		Thread.onSpinWait();
	}

}
