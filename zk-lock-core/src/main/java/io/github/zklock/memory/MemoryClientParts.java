package io.github.zklock.memory;

import io.github.zklock.internal.client.ClientCore;
import io.github.zklock.internal.client.ClientSite;
import io.github.zklock.internal.client.Jobs;
import io.github.zklock.internal.concurrent.Timer;

/**
 * A client, with its timer and strategy.
 */
final class MemoryClientParts {

	private static final long CLOSE_SECONDS = 5;

	private final MemoryLockStrategy strategy;

	private final Timer deadlines;

	private final ClientCore core;

	MemoryClientParts(MemoryClientSettings settings, String servers) {
		this.strategy = settings.strategy();
		this.deadlines = new Timer("zk-lock-deadline", this.strategy.failures());
		this.core = new ClientCore(settings, settings.rules(this.strategy), new ClientSite(
				new MemoryContention(this.strategy), this.deadlines, this.strategy.clock(), () -> true, () -> servers));
		this.strategy.queues().addCallers(this.core.open());
	}

	ClientCore core() {
		return this.core;
	}

	Jobs jobs() {
		return new Jobs(new MemoryJobMarks(this.strategy), this.core.rules(), this.core.open(), this.core.callbacks());
	}

	MemoryLockStrategy strategy() {
		return this.strategy;
	}

	/** Ends whatever is pending or held, and waits a short time until it is gone. */
	void close() {
		this.core.close(() -> {
			ClientCore.awaitShortly(this.core.leaveAll(), CLOSE_SECONDS, "Some locks in memory are not yet released");
			this.deadlines.stop();
		});
	}

}
