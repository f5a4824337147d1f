package io.github.zklock.internal.cohort;

import java.util.concurrent.Executor;

import io.github.zklock.Handoff;

/**
 * Where a cohort is: its key and bounds, its serial executor, and what all cohorts of a
 * client have in common.
 *
 * @param host what they have in common
 * @param key the key
 * @param handoff how long the cohort may keep a grant for itself
 * @param serialExecutor where its steps run
 */
record CohortSite(Host host, String key, Handoff handoff, Executor serialExecutor) {

	/**
	 * Runs a step some time later.
	 * @param nanos in how many nanoseconds
	 * @param step a step of the cohort
	 */
	void after(long nanos, Runnable step) {
		this.host.after(nanos, () -> this.serialExecutor.execute(step));
	}

	long now() {
		return this.host.now();
	}

	boolean isReachable() {
		return this.host.isReachable();
	}

	boolean retains() {
		return !this.handoff.retain().isZero() && !this.host.isClosed();
	}

	/** A contender enters, and is counted as a local contender is. */
	void began() {
		this.host.began(this.key);
	}

	/** A local contender, or a contender, has nothing left in ZooKeeper. */
	void over() {
		this.host.over(this.key);
	}

	/** What the cohorts of a client have in common. */
	interface Host {

		/**
		 * Starts a step some time later.
		 * @param nanos in how many nanoseconds
		 * @param step a short step that does not block
		 */
		void after(long nanos, Runnable step);

		long now();

		/**
		 * Returns whether a server has answered lately.
		 * @return whether what was seen before may be taken to be still so
		 */
		boolean isReachable();

		/**
		 * Returns whether the client is being closed.
		 * @return whether nothing is retained any more
		 */
		boolean isClosed();

		/**
		 * A contender enters, and is counted as a local contender is.
		 * @param key the cohort's key
		 */
		void began(String key);

		/**
		 * A local contender, or a contender, has nothing left in ZooKeeper.
		 * @param key the cohort's key
		 */
		void over(String key);

	}

}
