package io.github.zklock.internal.cohort;

import java.util.LinkedHashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The grants that a client retains, of all its cohorts. Of too many the one is given up
 * that was used least recently.
 */
final class RetainedGrants {

	/*-
	 * The grants, in the order in which their last users left. Cohorts come from their own
	 * serial executors, so a monitor is held; but only while the set is changed, and nobody is
	 * called meanwhile.
	 *
	 * I1: at most `most` grants are retained that are not being given up: one that is added as one
	 *     too many takes the eldest out, and has it given up. What comes to that one first, a
	 *     caller or its end, has decided: a grant that is held is not given up.
	 */

	private final Set<Retained> idle = new LinkedHashSet<>();

	private final int most;

	RetainedGrants(int most) {
		this.most = most;
	}

	/**
	 * Adds a grant that nobody here wants any more.
	 * @param retained the grant
	 */
	void add(Retained retained) {
		Retained eldest = addAndTakeEldest(retained);
		if (eldest != null) {
			eldest.giveUp();
		}
	}

	private @Nullable Retained addAndTakeEldest(Retained retained) {
		synchronized (this.idle) {
			this.idle.remove(retained);
			this.idle.add(retained);
			if (this.idle.size() <= this.most) {
				return null;
			}
			Retained eldest = this.idle.iterator().next();
			this.idle.remove(eldest);
			return eldest;
		}
	}

	/**
	 * A grant is not retained any more.
	 * @param taken the grant, which may have been given up
	 */
	void remove(Retained taken) {
		synchronized (this.idle) {
			this.idle.remove(taken);
		}
	}

	/** A grant that may be retained. Two are never equal. */
	interface Retained {

		/**
		 * Others were used since: it is not retained any longer. Called on any thread.
		 */
		void giveUp();

	}

}
