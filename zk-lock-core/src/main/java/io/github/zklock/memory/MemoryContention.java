package io.github.zklock.memory;

import java.time.Duration;

import io.github.zklock.LockMode;
import io.github.zklock.WaitingCaller;
import io.github.zklock.internal.client.ContentionSource;

/**
 * Sees who waits for a key in this process.
 *
 * @param strategy the strategy of the client that looks
 */
record MemoryContention(MemoryLockStrategy strategy) implements ContentionSource {

	@Override
	public Observer observe(String key) {
		return new QueueLooks(this.strategy, key);
	}

	@Override
	public WaitingCaller local(String key, LockMode mode, String thread, Duration waited) {
		return this.strategy.identity().asWaiter(key, mode, thread, waited);
	}

}
