package io.github.zklock.internal.cohort;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * The grants that a client retains, of all its cohorts. Of too many the one is given up
 * that was used least recently.
 */
final class RetainedGrants {

	/*-
	 * The grants, in the order in which their last users left. Those who find a grant in its slot
	 * do not come here: the one that is about to be given up is asked whether it was used, and if so it
	 * goes behind all others. Cohorts come from their own
	 * serial executors, so a monitor is held; but only while the set is changed, and nobody is
	 * called meanwhile.
	 *
	 * I1: at most `most` grants are retained that are not being given up: one that is added as one
	 *     too many takes the eldest out, and has it given up. What comes to that one first, a
	 *     caller or its end, has decided: a grant that is held is not given up.
	 */

	private final Map<Retained, Integer> idle = new LinkedHashMap<>();

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
			Retained eldest = (this.idle.size() < this.most) ? null : takeEldest();
			this.idle.put(retained, retained.uses());
			return eldest;
		}
	}

	private Retained takeEldest() {
		Retained eldest = eldest();
		for (int i = 0; i < this.idle.size() && !Objects.equals(this.idle.get(eldest), eldest.uses()); i++) {
			this.idle.remove(eldest);
			this.idle.put(eldest, eldest.uses());
			eldest = eldest();
		}
		this.idle.remove(eldest);
		return eldest;
	}

	private Retained eldest() {
		return this.idle.keySet().iterator().next();
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
		 * Returns how often it was used. Called on any thread.
		 * @return a number that is another one after each use
		 */
		int uses();

		/**
		 * Others were used since: it is not retained any longer. Called on any thread.
		 */
		void giveUp();

	}

}
