package io.github.zklock.memory;

import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;

import io.github.zklock.inspect.HolderNote;
import io.github.zklock.inspect.JobRun;
import io.github.zklock.inspect.LockInspector;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.internal.client.Inspection;
import io.github.zklock.internal.client.OpenAcquisitions;
import io.github.zklock.internal.client.WaitGraph;

/**
 * Looks at the queues of this process.
 *
 * @param strategy the strategy of the client whose root is looked at
 * @param open what this client has open
 */
record MemoryLockInspector(MemoryLockStrategy strategy, OpenAcquisitions open) implements LockInspector {

	@Override
	public Page keys(int page, int size) {
		Inspection.checkPage(page, size);
		return ask(() -> {
			List<String> keys = queues().keys();
			return new Page(page, size, keys.size(),
					keys.stream().skip((long) page * size).limit(size).map(this::describe).toList());
		});
	}

	@Override
	public LockQueue line(String key) {
		return ask(() -> describe(key));
	}

	@Override
	public Waits waits() {
		WaitGraph graph = new WaitGraph(this.strategy.identity().asCaller(), this.open.localCallers());
		ask(() -> queues().keys().stream().map(this::describe).toList()).forEach(graph::add);
		return graph.result();
	}

	@Override
	public List<LocalWaiter> localWaiters() {
		return Inspection.localWaiters(this.open.pending());
	}

	@Override
	public List<JobRun> jobs() {
		return ask(queues()::jobs);
	}

	@Override
	public List<HolderNote> ask(String key, String reason) {
		Inspection.checkReason(reason);
		String id = UUID.randomUUID().toString();
		return MemoryAsk.awaitNotice(ask(() -> queues().askHolders(key, id, reason, this.strategy.identity())));
	}

	@Override
	public List<LockQueue.Contender> forceRelease(String key) {
		return ask(() -> {
			List<LockQueue.Contender> holders = describe(key).contenders()
				.stream()
				.filter(LockQueue.Contender::holds)
				.toList();
			queues().takeAway(key);
			return holders;
		});
	}

	@Override
	public void close() {
		// Nothing is open.
	}

	private KeyQueues queues() {
		return this.strategy.queues();
	}

	private LockQueue describe(String key) {
		return queues().describe(key, this.strategy.identity());
	}

	private <T> T ask(Supplier<T> question) {
		return queues().ask(question).join();
	}

}
