package io.github.zklock.internal.cohort;

import io.github.zklock.Handoff;
import io.github.zklock.spi.Grant;

/**
 * For how long a grant is handed off although others wait. What a change costs is worth
 * it once it is a small part of the time between two.
 *
 * @param grant knows what a change costs
 * @param site the cohort's clock and bounds
 * @param since when it was granted, in nanoseconds of the clock
 */
record Tenure(Grant grant, CohortSite site, long since) {

	/** A tenure lasts as long as so many changes. */
	private static final int CHANGES = 10;

	long nanos() {
		Handoff bounds = this.site.handoff();
		long most = bounds.maxDuration().toNanos();
		long change = this.grant.changeNanos();
		return (change > most / CHANGES) ? most : Math.max(CHANGES * change, bounds.minDuration().toNanos());
	}

	/**
	 * Returns when it ends.
	 * @return nanoseconds of the clock
	 */
	long end() {
		return this.since + nanos();
	}

	boolean isOver() {
		return this.site.now() - this.since >= nanos();
	}

}
