package io.github.zklock.memory;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockHandle;
import io.github.zklock.inspect.JobRun;
import io.github.zklock.internal.client.JobMarks;
import io.github.zklock.internal.node.ClientIdentity;

/**
 * The marks of jobs in this process: those of all clients with the same root.
 *
 * @param strategy where they are, and who we are
 */
record MemoryJobMarks(MemoryLockStrategy strategy) implements JobMarks {

	@Override
	public Start start(LockHandle handle, Rule rule, LongSupplier waited, long patience) {
		CompletableFuture<Attempt> outcome = new CompletableFuture<>();
		CompletableFuture<Void> over = this.strategy.queues().ask(() -> {
			startFor(outcome, handle, rule, waited);
			return null;
		});
		return new Start(outcome, over.exceptionally((failure) -> {
			outcome.completeExceptionally(failure);
			return null;
		}));
	}

	private void startFor(CompletableFuture<Attempt> outcome, LockHandle handle, Rule rule, LongSupplier waited) {
		// Nobody else gets the lock before it is known here that it is lost
		if (!handle.isHeld()) {
			outcome.completeExceptionally(JobMarks.withoutLock(handle));
		}
		else if (!outcome.isDone()) {
			Attempt attempt = startNow(handle.key(), rule, waited);
			if (!outcome.complete(attempt) && attempt.run() != null) {
				attempt.run().takeBack();
			}
		}
	}

	private Attempt startNow(String key, Rule rule, LongSupplier waited) {
		// What was waited is asked first: a pause between the two then makes the last run
		// older, as it is
		long waitedNanos = waited.getAsLong();
		long now = this.strategy.clock().getAsLong();
		KeyQueues.Mark last = this.strategy.queues().mark(key);
		if (last != null && now - last.startedAt() - waitedNanos < rule.within().toNanos()
				&& (!rule.replaces(last.run()) || goesOn(last))) {
			return new Attempt(null, last.run());
		}
		ClientIdentity us = this.strategy.identity();
		JobRun run = new JobRun(key, (last != null) ? last.run().number() + 1 : 1, UUID.randomUUID().toString(),
				us.wallClock().instant(), rule.within(), null, JobRun.RUNNING, us.instance(), us.host(),
				Long.toString(us.pid()));
		KeyQueues.Mark mark = new KeyQueues.Mark(run, now, us);
		this.strategy.queues().forgetMarks(now);
		this.strategy.queues().mark(key, mark);
		return new Attempt(new MemoryRun(this.strategy, last, mark), null);
	}

	private boolean goesOn(KeyQueues.Mark last) {
		return !last.run().isOver() && last.client().equals(this.strategy.identity());
	}

	/**
	 * A run that was started.
	 *
	 * @param strategy where its mark is
	 * @param before the mark before it
	 * @param mark its own
	 */
	private record MemoryRun(MemoryLockStrategy strategy, KeyQueues.@Nullable Mark before,
			KeyQueues.Mark mark) implements Run {

		@Override
		public CompletionStage<Void> ended(String outcome, boolean held) {
			JobRun run = this.mark.run();
			Duration took = Duration.ofNanos(this.strategy.clock().getAsLong() - this.mark.startedAt());
			put(new KeyQueues.Mark(new JobRun(run.key(), run.number(), run.id(), run.started(), run.within(), took,
					outcome, run.instance(), run.host(), run.pid()), this.mark.startedAt(), this.mark.client()));
			return CompletableFuture.completedStage(null); // The lock is left after it
		}

		@Override
		public void takeBack() {
			put(this.before);
		}

		private void put(KeyQueues.@Nullable Mark next) {
			KeyQueues queues = this.strategy.queues();
			String key = this.mark.run().key();
			queues.execute(() -> {
				KeyQueues.Mark now = queues.mark(key);
				if (now != null && now.run().id().equals(this.mark.run().id())) {
					queues.mark(key, next);
				}
			});
		}

	}

}
