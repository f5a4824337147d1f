package io.github.zklock.internal.cohort;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import io.github.zklock.Handoff;
import io.github.zklock.internal.concurrent.OwnedSteps;
import io.github.zklock.internal.concurrent.StepFailures;

/**
 * Where a cohort is: its key and bounds, its serial executor, and what all cohorts of a
 * client have in common.
 *
 * @param common what they have in common
 * @param membership keeps the cohort among the others
 * @param id which cohort of the client it is
 * @param key the key
 * @param handoff how long the cohort may keep a grant for itself
 * @param serialExecutor where its steps run
 */
record CohortSite(CommonSite common, Membership membership, String id, String key, Handoff handoff,
		Executor serialExecutor) {

	/**
	 * Builds the site of a cohort whose steps may fail.
	 * @param owner whose steps
	 * @param failed leads it to its failed end
	 * @param before what is done at the beginning of each step
	 * @param after what is done at the end of each step that has not failed
	 * @return the same site
	 */
	CohortSite of(Object owner, Consumer<Throwable> failed, Runnable before, Runnable after) {
		return new CohortSite(this.common, this.membership, this.id, this.key, this.handoff,
				new Steps(new OwnedSteps(this.serialExecutor, failures(), owner, failed), before, after));
	}

	/**
	 * Brings steps of which one that fails has an end of its own.
	 * @param failed what to do then
	 * @return brings such steps of the cohort
	 * @throws IllegalStateException if steps may not fail here, see {@link #of}
	 */
	Executor orElse(Consumer<Throwable> failed) {
		if (this.serialExecutor instanceof Steps steps) {
			return steps.orElse(failed);
		}
		throw new IllegalStateException("The steps of '%s' have no failed end".formatted(this.key));
	}

	Departures departures() {
		return this.common.departures();
	}

	StepFailures failures() {
		return this.common.failures();
	}

	/**
	 * Runs a step some time later.
	 * @param nanos in how many nanoseconds
	 * @param step a step of the cohort
	 * @return cancels the step
	 */
	Runnable after(long nanos, Runnable step) {
		return this.common.after(nanos, () -> this.serialExecutor.execute(step));
	}

	long now() {
		return this.common.now();
	}

	boolean isReachable() {
		return this.common.isReachable();
	}

	boolean retains() {
		return !this.handoff.retain().isZero() && this.handoff.maxCount() > 0 && !this.common.isClosed();
	}

	/**
	 * Returns whether a caller who has released is expected to come back at once.
	 * @return whether it pays to keep the grant for a moment
	 */
	boolean expectsReturn() {
		return this.handoff.maxCount() > 0 && !this.common.isClosed() && this.common.returns().areExpected(this.id);
	}

	/** A caller has come. */
	void came() {
		this.common.returns().came(this.id, now());
	}

	/**
	 * The last caller has left.
	 * @param soon how soon another one is to come back, in nanoseconds
	 */
	void left(long soon) {
		this.common.returns().left(this.id, now() + soon);
	}

	/**
	 * Steps with what belongs to each of them.
	 *
	 * @param steps brings the steps
	 * @param before what each of them begins with
	 * @param after what it ends with, unless it fails
	 */
	private record Steps(OwnedSteps steps, Runnable before, Runnable after) implements Executor {

		@Override
		public void execute(Runnable step) {
			this.steps.execute(() -> {
				this.before.run();
				step.run();
				this.after.run();
			});
		}

		Steps orElse(Consumer<Throwable> failed) {
			return new Steps(this.steps.orElse(failed), this.before, this.after);
		}

	}

	/** Keeps a cohort among those of the client for as long as it has anything. */
	interface Membership {

		/** A cohort contender enters, and is counted as a local contender is. */
		void began();

		/** A local contender, or a cohort contender, has nothing left in ZooKeeper. */
		void over();

		/**
		 * The cohort has failed. Callers who come later find another one.
		 * @param gone completes when it has nothing left in ZooKeeper
		 */
		void failed(CompletionStage<Void> gone);

	}

}
