package io.github.zklock.internal.cohort;

/**
 * A grant that nobody here wants at the moment, offered to one caller.
 */
public interface OfferedGrant {

	/**
	 * Takes what was offered.
	 * @param taker is granted it, before this returns, and notified of its loss; of
	 * nothing else
	 * @return false if it cannot be had
	 */
	boolean take(LocalContenderListener taker);

}
