package io.github.zklock.internal.client;

import io.github.zklock.LockHandle;
import io.github.zklock.LockListener;

/**
 * What a handle comes from.
 */
public interface HandleOrigin {

	/**
	 * Describes the call for listeners.
	 * @return the event of its grant
	 */
	LockListener.Event event();

	/**
	 * Returns whether nobody gets the handle, because the caller has given up.
	 * @param made the handle
	 * @return whether it is to be released
	 */
	boolean isAbandoned(LockHandle made);

}
