package io.github.zklock.internal.cohort;

import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * How the caller who is next gets the grant: it is handed it, or it is woken and takes it
 * when it is awake. A part of {@link CohortContenders}, in the cohort's serial executor.
 */
final class Succession {

	/*-
	 * A thread that sleeps takes long to wake, a hundred times as long as callers hold who do next to nothing. If it is
	 * handed the grant before, nobody works meanwhile. So where callers come back at once, and hold for short, the one
	 * who is next is woken first, and the grant is left in its slot for those who come before it is awake.
	 *
	 * `next` was woken, and may be passed within `bounds`. It is handed the grant as soon as it says that it is awake;
	 * beyond those bounds as soon as a caller gives the grant back, or comes.
	 *
	 * I1: a caller who is next is passed until it is awake, for the moment at most for which a grant may linger, and in the
	 *     first quarter of the time for which it would wait. Who has the grant by then is the last one before it.
	 * I2: a token is left for it, and within the count it gets the grant also when it wakes late. Where other clients wait,
	 *     those who pass one have no more of the count than two callers' parts (`Tenure`).
	 * I3: nobody is passed unless callers were seen to come within a moment after a release, twice in a row, and the
	 *     grant was held for less than that before; nor with the first hold of a grant.
	 * I4: who tries once passes nobody.
	 * Source: competitive succession, which D. Dice, "Malthusian Locks", EuroSys 2017, sets against direct handoff.
	 */

	/** So many callers in a row have come at once: others will. */
	private static final int EXPECTED = QuickReturns.QUICK;

	private static final int MOST = 2 * EXPECTED;

	private final LongSupplier clock;

	private @Nullable QueuedContender next;

	private GrantSlot.@Nullable Bounds bounds;

	private boolean passed;

	private boolean left;

	private long soon;

	private int score;

	Succession(LongSupplier clock) {
		this.clock = clock;
	}

	/**
	 * A caller is next: it is woken if that was not done, and it may be passed.
	 * @param first who would be handed the grant
	 * @param grant what it would be handed; null if the strategy is not fair
	 * @return whether it is not to be handed the grant yet
	 */
	boolean isToWake(QueuedContender first, @Nullable CohortGrant grant) {
		long now = this.clock.getAsLong();
		GrantSlot.Bounds may = (grant != null) ? grant.passing() : null;
		if (may != null && this.next == null && this.score >= EXPECTED && first.mayBePassed(now)) {
			this.next = first;
			this.bounds = may.endingBy(now + first.patience(now));
			first.wake();
		}
		this.passed = false;
		if (may != null && first == this.next && this.bounds != null) {
			// Others may have come since
			this.bounds = this.bounds.within(may);
			this.passed = this.bounds.allow(may.served(), now);
		}
		return this.passed;
	}

	/**
	 * Returns whether a caller gets the grant although the tenure is over by now.
	 * @param first who is next
	 * @param grant what it would be handed; null if the strategy is not fair
	 * @return whether it was woken in time
	 */
	boolean isDue(QueuedContender first, @Nullable CohortGrant grant) {
		return first == this.next && grant != null && grant.mayHandOffLate();
	}

	/**
	 * Another caller may be next, or nobody.
	 * @param first who is next
	 */
	void settle(@Nullable QueuedContender first) {
		this.passed = false;
		if (first != this.next) {
			this.next = null;
			this.bounds = null;
		}
	}

	/**
	 * A caller is awake, and passed no more.
	 * @param caller who was woken
	 */
	void awake(QueuedContender caller) {
		if (caller == this.next) {
			this.bounds = null;
		}
	}

	/**
	 * Returns whether the one who is next is passed now.
	 * @return whether the grant is left in its slot for those who come
	 */
	boolean isPassed() {
		return this.passed;
	}

	/**
	 * Returns within which bounds it is passed now.
	 * @return the bounds; null if nobody is passed
	 */
	GrantSlot.@Nullable Bounds passing() {
		return this.passed ? this.bounds : null;
	}

	// --- whether that is worth it ---

	/**
	 * A caller has given the grant back.
	 * @param moment how soon one is to come after it, in nanoseconds
	 */
	void left(long moment) {
		this.left = true;
		this.soon = this.clock.getAsLong() + moment;
	}

	/**
	 * A caller has come.
	 * @param caller who will wait
	 */
	void came(QueuedContender caller) {
		if (this.left && !caller.isTryOnce()) {
			this.left = false;
			this.score = (this.soon - this.clock.getAsLong() > 0) ? Math.min(this.score + 1, MOST)
					: Math.max(this.score - EXPECTED, 0);
		}
	}

	/** The one who is next was passed. */
	void passedBy() {
		this.left = false;
		this.score = Math.min(this.score + 1, MOST);
	}

}
