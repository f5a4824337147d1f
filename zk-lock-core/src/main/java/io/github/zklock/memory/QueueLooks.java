package io.github.zklock.memory;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import io.github.zklock.LockMode;
import io.github.zklock.WaitingCaller;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.internal.client.ContentionSource;
import io.github.zklock.internal.node.ClientIdentity;

/**
 * Looks at one key for one handle, and lets it be asked to let go. All in steps of the
 * queues.
 */
final class QueueLooks implements ContentionSource.Observer {

	private final Set<Long> known = new HashSet<>();

	private final KeyQueues queues;

	private final ClientIdentity identity;

	private final String key;

	private final AskableHandle handle;

	QueueLooks(MemoryLockStrategy strategy, String key) {
		this.queues = strategy.queues();
		this.identity = strategy.identity();
		this.key = key;
		this.handle = new AskableHandle(this.identity);
	}

	@Override
	public void look(LockMode held, Consumer<List<WaitingCaller>> found) {
		this.queues.execute(() -> {
			this.queues.addAskable(this.key, this.handle);
			reportNewcomers(held, found);
			MemoryAsk ask = this.handle.notice();
			if (ask != null) {
				found.accept(List.of(ask.caller(this.key, held)));
			}
		});
	}

	private void reportNewcomers(LockMode held, Consumer<List<WaitingCaller>> found) {
		List<LockQueue.Contender> waiting = this.queues.describe(this.key, this.identity)
			.contenders()
			.stream()
			.filter((one) -> !one.holds() && !one.ours() && !(held.isShared() && one.mode().isShared()))
			.toList();
		this.known.retainAll(waiting.stream().map(LockQueue.Contender::token).toList());
		List<WaitingCaller> newcomers = waiting.stream()
			.filter((one) -> this.known.add(one.token()))
			.map((one) -> ContentionSource.other(this.key, one.mode(), one.origin(),
					this.identity.wallClock().instant()))
			.toList();
		if (!newcomers.isEmpty()) {
			found.accept(newcomers);
		}
	}

	@Override
	public void leave() {
		this.queues.execute(() -> {
			this.queues.removeAskable(this.key, this.handle);
			this.handle.notice();
		});
	}

}
