package io.github.zklock.internal.session;

/**
 * Something that is held as long as the lease of its session is valid.
 */
public interface LeaseHolder {

	/**
	 * Returns whether it is held; once it is not it never is again, and reports that.
	 * @return whether the lease is valid and has been since the grant
	 */
	boolean isValid();

	/**
	 * Watches its own node, which an operator may delete, if it is held for long.
	 * @param heldSince nanoseconds of the clock; what is younger is not watched
	 */
	void watchItself(long heldSince);

}
