package io.github.zklock.internal.cohort;

import io.github.zklock.LostReason;

/**
 * A grant that nobody here wants at the moment, offered to one caller.
 */
public interface OfferedGrant {

	/**
	 * Returns what the caller has of the grant once it has taken it.
	 * @return the local grant; before that it has no more than key and mode
	 */
	LocalGrant localGrant();

	/**
	 * Returns whether others wait for it here, whom the caller would pass.
	 * @return whether who tries once is not to take it
	 */
	default boolean passesOthers() {
		return false;
	}

	/**
	 * Takes what was offered.
	 * @param taker is notified of its loss, and of that possibly before this returns
	 * @return false if it cannot be had
	 */
	boolean take(Taker taker);

	/**
	 * Takes what was offered.
	 * @param taker is granted it, before this returns, and notified of its loss after
	 * that; of nothing else
	 * @return false if it cannot be had
	 */
	default boolean take(LocalContenderListener taker) {
		OrderedTaker ordered = new OrderedTaker(taker, localGrant());
		boolean taken = take(ordered);
		if (taken) {
			ordered.granted();
		}
		return taken;
	}

	/** Who takes a grant. */
	interface Taker {

		/**
		 * The local grant was lost before it was released.
		 * @param reason why
		 */
		void lose(LostReason reason);

	}

}
