package io.github.zklock.internal.cohort;

import java.util.concurrent.Executor;

import io.github.zklock.HandOver;

/**
 * Where a cohort is: its key and bounds, its mailbox, and what all cohorts of a client
 * have in common.
 *
 * @param host what they have in common
 * @param key the key
 * @param handOver how long the cohort may keep a grant for itself
 * @param mailbox where its steps run
 */
record CohortSite(Host host, String key, HandOver handOver, Executor mailbox) {

	/**
	 * Runs a step some time later.
	 * @param nanos in how many nanoseconds
	 * @param step a step of the cohort
	 */
	void after(long nanos, Runnable step) {
		this.host.after(nanos, () -> this.mailbox.execute(step));
	}

	long now() {
		return this.host.now();
	}

	boolean isReachable() {
		return this.host.isReachable();
	}

	boolean retains() {
		return !this.handOver.retain().isZero() && !this.host.isClosed();
	}

	/** A contender enters, and is counted as a turn is. */
	void began() {
		this.host.began(this.key);
	}

	/** A turn, or a contender, has nothing left in ZooKeeper. */
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
		 * Tells whether a server has answered lately.
		 * @return whether what was seen before may be taken to be still so
		 */
		boolean isReachable();

		/**
		 * Tells whether the client is being closed.
		 * @return whether nothing is retained any more
		 */
		boolean isClosed();

		/**
		 * A contender enters, and is counted as a turn is.
		 * @param key the cohort's key
		 */
		void began(String key);

		/**
		 * A turn, or a contender, has nothing left in ZooKeeper.
		 * @param key the cohort's key
		 */
		void over(String key);

	}

}
