package io.github.zklock.memory;

import java.time.Duration;
import java.util.concurrent.Executor;

import io.github.zklock.LockMode;
import io.github.zklock.WaitingCaller;
import io.github.zklock.internal.client.ContentionSource;
import io.github.zklock.internal.client.ListenerDispatcher;
import io.github.zklock.internal.client.OpenAcquisitions;
import io.github.zklock.internal.concurrent.Timer;
import io.github.zklock.internal.node.ClientIdentity;

/**
 * Sees who waits for a key in this process.
 *
 * @param strategy the strategy of the client that looks
 */
record MemoryContention(MemoryLockStrategy strategy) implements ContentionSource {

	/**
	 * Creates what a client has open, with handles that are notified of who waits.
	 * @param settings the settings of the client
	 * @param strategy the client's
	 * @param callbacks runs the user's code
	 * @param timer starts what is to happen later
	 * @param servers what is there instead of servers, for people
	 * @return nothing is open yet
	 */
	static OpenAcquisitions open(MemoryClientSettings settings, MemoryLockStrategy strategy, Executor callbacks,
			Timer timer, String servers) {
		ListenerDispatcher dispatcher = new ListenerDispatcher(settings.listeners, callbacks, strategy.clock(),
				strategy.failures(), settings.maxWaitingEvents);
		return new OpenAcquisitions(dispatcher, new MemoryContention(strategy), timer, () -> servers);
	}

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
