package io.github.zklock.internal.client;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.inspect.JobRun;
import io.github.zklock.internal.concurrent.Sleep;

/**
 * Remembers when jobs were started.
 */
public interface JobMarks {

	/** The outcome of a run that lost its lock. */
	String LOST = "lost";

	/**
	 * Says that there is no run, because its lock was lost.
	 * @param handle the lock's
	 * @return what to throw
	 */
	static LockLostException withoutLock(LockHandle handle) {
		return new LockLostException(LockLostException.subject(handle.keys()) + " was lost before its job was started",
				false);
	}

	/**
	 * Says that there is no run, whatever failed. If its lock was lost, it is said as if
	 * that had been known at once.
	 * @param handle the lock's
	 * @param failure what was thrown
	 * @return what to throw
	 */
	static Throwable unstarted(LockHandle handle, Throwable failure) {
		return (failure instanceof LockLostException) ? withoutLock(handle) : failure;
	}

	/**
	 * Starts a run, unless the last one was started lately: so long before the caller
	 * asked for the lock, as the rule says. What it has waited for the lock does not
	 * count, or it would run again what it has waited for.
	 * @param handle the job's lock, which is held; its first key is the job's
	 * @param rule when it may be started again
	 * @param waited how long ago the caller has asked for the lock, in nanoseconds; asked
	 * when the servers are about to be asked how late it is
	 * @param patience nanoseconds until which there is an answer; a run that is started
	 * later is taken back
	 * @return what is under way. The lock is to be released after its end if no run is
	 * started
	 */
	Start start(LockHandle handle, Rule rule, LongSupplier waited, long patience);

	/**
	 * A start that is under way.
	 *
	 * @param outcome completes with what came of it; fails with {@link LockLostException}
	 * or {@link LockUnavailableException}. To cancel it gives up: a run that is started
	 * all the same is taken back
	 * @param over completes, never exceptionally, when nothing is under way any more and
	 * no run is started, or has ended; so the next holder of the lock does not see a run
	 * that was taken back. At the latest when the lock is lost
	 */
	record Start(CompletableFuture<Attempt> outcome, CompletionStage<Void> over) {

		/**
		 * Waits for the outcome.
		 * @return what came of it
		 * @throws InterruptedException if interrupted before
		 * @throws ExecutionException if it failed
		 */
		Attempt await() throws InterruptedException, ExecutionException {
			Sleep.untilDone(this.outcome, () -> Long.MAX_VALUE);
			return this.outcome.get();
		}

		/** Nobody waits for it any more. */
		@SuppressWarnings("FutureReturnValueIgnored") // what failed needs no taking back
		void giveUp() {
			this.outcome.cancel(false);
			this.outcome.thenAccept((late) -> {
				if (late.run() != null) {
					late.run().takeBack();
				}
			});
		}

	}

	/**
	 * When a job may be started again.
	 *
	 * @param within for how long after the last start it may not
	 * @param takesOver whether it may all the same if the last run has not ended, and so
	 * its instance has died
	 */
	record Rule(Duration within, boolean takesOver) {

		private static final Duration LONGEST = Duration.ofDays(366);

		public Rule {
			if (within.isNegative() || within.isZero() || within.compareTo(LONGEST) > 0) {
				throw new IllegalArgumentException(
						"The time within which a job is not started again must be positive, and a year at most, but is "
								+ within);
			}
		}

		/**
		 * Returns whether the end of a run matters.
		 * @param last the last run, which is not one of this client that goes on
		 * @return whether the next one is in its stead, because it has not ended, or not
		 * under its lock
		 */
		public boolean replaces(JobRun last) {
			return this.takesOver && (!last.isOver() || last.outcome().equals(LOST));
		}

		/**
		 * Returns how old the last run is at least where the next one is due.
		 * @param waited how long ago that was asked for, in nanoseconds
		 * @return the time, in milliseconds, as servers count
		 */
		public Duration age(long waited) {
			return this.within.plusMillis(TimeUnit.NANOSECONDS.toMillis(waited));
		}

	}

	/**
	 * What came of it.
	 *
	 * @param run the run that was started; null if none was
	 * @param last the run that was started lately; null if there is a new one
	 */
	record Attempt(@Nullable Run run, @Nullable JobRun last) {

		/**
		 * Says that the job is not due, where no run was started.
		 * @param request what was asked for
		 * @param rule when it may be started again
		 * @return what to throw
		 */
		LockTimeoutException notDue(LockRequest request, Rule rule) {
			JobRun lately = Objects.requireNonNull(this.last);
			return new LockTimeoutException("Job '%s' is not due: it was started at %s%s, and not again within %s"
				.formatted(request.keys().get(0), lately.started(),
						(lately.instance() != null) ? " by " + lately.instance() : "", rule.within()));
		}

	}

	/** A run that was started. */
	interface Run {

		/**
		 * Notes how it has ended, as far as the servers can be reached.
		 * @param outcome in a few words
		 * @param held whether the lock is held; its node is to stay until this is over
		 * @return completes with null, never exceptionally, when nothing is under way any
		 * more; at the latest when the lock is lost
		 */
		CompletionStage<Void> ended(String outcome, boolean held);

		/** It was started, but nobody runs it: takes it back. */
		void takeBack();

	}

}
