package io.github.zklock.memory;

import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

import io.github.zklock.inspect.LockQueue;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.node.ClientIdentity;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.ContenderListener;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.spi.LockStrategy;

/**
 * The strategy of one client: first come first served.
 *
 * @param queues where its contenders are
 * @param identity who it is
 * @param failures is notified of each step that fails
 * @param clock the monotonic clock
 */
record MemoryLockStrategy(KeyQueues queues, ClientIdentity identity, StepFailures failures,
		LongSupplier clock) implements LockStrategy {

	@Override
	public Contender enter(LockAttempt attempt, ContenderListener listener) {
		MemoryContender contender = new MemoryContender(this.queues, this.identity, this.failures, this.clock, attempt,
				listener);
		contender.start();
		return contender;
	}

	@Override
	public CompletionStage<LockQueue> line(String key) {
		return this.queues.ask(() -> this.queues.describe(key, this.identity));
	}

}
