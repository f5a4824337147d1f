package io.github.zklock.memory;

import java.time.Duration;

import io.github.zklock.LockMode;
import io.github.zklock.WaitingCaller;
import io.github.zklock.internal.client.ContentionSource;
import io.github.zklock.internal.node.ClientIdentity;

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
		ClientIdentity us = this.strategy.identity();
		return new WaitingCaller(key, mode, us.instance(), us.host(), Long.toString(us.pid()), thread, waited, null);
	}

}
