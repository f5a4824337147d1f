package io.github.zklock.internal.client;

import io.github.zklock.LockListener;

/**
 * What a handle comes from.
 */
public interface HandleOrigin {

	/** A call of a client that nobody listens to, whose caller takes the handle. */
	HandleOrigin UNHEARD = new HandleOrigin() {

		@Override
		public LockListener.Event event() {
			throw new IllegalStateException("There is no event for nobody");
		}

		@Override
		public boolean isAbandoned(HeldLock made) {
			return false;
		}

	};

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
	boolean isAbandoned(HeldLock made);

}
