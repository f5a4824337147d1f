package io.github.zklock.memory;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import io.github.zklock.LockMode;
import io.github.zklock.WaitingCaller;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.internal.client.ContentionReports;
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
		return ContentionReports.open(new MemoryContention(strategy), dispatcher, timer, () -> servers);
	}

	@Override
	public Observer observe(String key) {
		return new QueueLooks(this, key);
	}

	@Override
	public WaitingCaller local(String key, LockMode mode, String thread, Duration waited) {
		ClientIdentity us = this.strategy.identity();
		return new WaitingCaller(key, mode, us.instance(), us.host(), Long.toString(us.pid()), thread, waited, null);
	}

	/** Looks at one key, in steps of the queues. */
	private static final class QueueLooks implements Observer {

		private final Set<Long> known = new HashSet<>();

		private final MemoryContention source;

		private final String key;

		QueueLooks(MemoryContention source, String key) {
			this.source = source;
			this.key = key;
		}

		@Override
		public void look(LockMode held, Consumer<List<WaitingCaller>> found) {
			KeyQueues queues = this.source.strategy.queues();
			queues.execute(() -> {
				List<LockQueue.Contender> waiting = queues.describe(this.key, this.source.strategy.identity())
					.contenders()
					.stream()
					.filter((one) -> !one.holds() && !one.ours() && !(held.isShared() && one.mode().isShared()))
					.toList();
				this.known.retainAll(waiting.stream().map(LockQueue.Contender::token).toList());
				List<WaitingCaller> newcomers = waiting.stream()
					.filter((one) -> this.known.add(one.token()))
					.map((one) -> ContentionSource.other(this.key, one.mode(), one.origin(),
							this.source.strategy.identity().wallClock().instant()))
					.toList();
				if (!newcomers.isEmpty()) {
					found.accept(newcomers);
				}
			});
		}

		@Override
		public void leave() {
			// Nothing is watched
		}

	}

}
