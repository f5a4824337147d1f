package io.github.zklock.internal.cohort;

import org.jspecify.annotations.Nullable;

import io.github.zklock.spi.Blocker;

/**
 * Who was seen in the way of one local caller, and what disturbed it, since it came.
 */
final class CallerSightings {

	/*-
	 * Written by steps of the cohort, read by the caller's thread or the timer: what was seen is
	 * volatile, and may be a moment old.
	 */

	private final CohortSite site;

	private final Source all;

	private final long first;

	private volatile @Nullable BlockerSighting seen;

	private volatile @Nullable BlockerSighting earlier;

	CallerSightings(CohortSite site, Source all) {
		this.site = site;
		this.all = all;
		this.first = all.sightings().number();
	}

	/**
	 * Notes who holds while the caller begins to wait, or otherwise who was in the way of
	 * those before this one, before it came. That is used only while servers answer:
	 * otherwise nobody knows whether it is still so.
	 * @param holder who holds, or null
	 * @param before who was in the way of others, or null
	 */
	void saw(@Nullable Blocker holder, @Nullable BlockerSighting before) {
		if (holder != null) {
			this.seen = new BlockerSighting(holder, this.site.now());
		}
		else {
			this.earlier = before;
		}
	}

	@Nullable Blocker blocker() {
		BlockerSighting last = this.seen;
		BlockerSighting others = this.all.sightings().seenAfter(this.first);
		if (last == null || (others != null && others.at() - last.at() > 0)) {
			last = others;
		}
		if (last == null && this.site.isReachable()) {
			last = this.earlier;
		}
		return (last != null) ? last.by(this.site.now()) : null;
	}

	@Nullable Exception disturbance() {
		return this.all.sightings().disturbanceAfter(this.first);
	}

	/** What all callers of the key have seen. */
	interface Source {

		/**
		 * Returns what the callers of this key have seen last. Asked from any thread.
		 * @return the sightings so far
		 */
		BlockerSightings sightings();

	}

}
