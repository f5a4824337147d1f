package io.github.zklock.internal.cohort;

import io.github.zklock.Handoff;
import io.github.zklock.spi.Grant;

/**
 * For how long a grant is handed off although others wait.
 *
 * @param grant knows what a change costs
 * @param site the cohort's clock and bounds
 * @param since when it was granted, in nanoseconds of the clock
 */
record Tenure(Grant grant, CohortSite site, long since) {

	/*-
	 * What a change costs is worth it once it is a small part of the time between two: so a tenure
	 * lasts for CHANGES of them at most.
	 *
	 * Where the callers hold for long that is more than it takes. Were all callers of all clients in
	 * one queue, the others would wait for n holds and n changes of the n callers here. They wait no
	 * longer for a tenure: it lasts until n callers were served, and then until the time is over that
	 * n holds and n changes take. A hold takes what was taken for each of those that were served:
	 * `elapsed >= n (elapsed / served + change)`.
	 */

	private static final int CHANGES = 10;

	/**
	 * Returns how long it lasts at most.
	 * @return nanoseconds
	 */
	long nanos() {
		Handoff bounds = this.site.handoff();
		long most = bounds.maxDuration().toNanos();
		long change = this.grant.changeNanos();
		return (change > most / CHANGES) ? most : Math.max(CHANGES * change, bounds.minDuration().toNanos());
	}

	/**
	 * Returns how long it lasts.
	 * @param served how many callers were served in it
	 * @param callers how many are here
	 * @return nanoseconds
	 */
	long nanos(int served, int callers) {
		long most = nanos();
		long change = this.grant.changeNanos();
		if (served <= callers || change > most) {
			return most;
		}
		long fair = callers * change / (served - callers) * served;
		return Math.min(most, Math.max(fair, this.site.handoff().minDuration().toNanos()));
	}

	/**
	 * Returns when it ends.
	 * @param served how many callers were served in it
	 * @param callers how many are here
	 * @return nanoseconds of the clock
	 */
	long end(int served, int callers) {
		return this.since + nanos(served, callers);
	}

	boolean isOver(int served, int callers) {
		return this.site.now() - end(served, callers) >= 0;
	}

}
