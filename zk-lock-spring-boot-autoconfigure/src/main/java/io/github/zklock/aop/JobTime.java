package io.github.zklock.aop;

import java.time.Duration;

import io.github.zklock.LockClient;

/**
 * When a job may run again.
 *
 * @param within for how long after its last start it may not
 * @param takesOver whether it may if the instance that ran it has died
 */
record JobTime(Duration within, boolean takesOver) {

	private static final Duration LONGEST = Duration.ofDays(366);

	/**
	 * Returns whether a client accepts it.
	 * @param within the time
	 * @return whether it is positive, and a year at most
	 */
	static boolean isGood(Duration within) {
		return !within.isZero() && within.compareTo(LONGEST) <= 0;
	}

	/**
	 * Makes a client for the job.
	 * @param client gives its locks
	 * @return a view of it
	 */
	LockClient on(LockClient client) {
		return client.notAgainWithin(this.within, this.takesOver);
	}

}
