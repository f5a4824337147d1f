package io.github.zklock;

import org.jspecify.annotations.Nullable;

/**
 * The lock could not be asked for, or the caller could not wait for it any longer. Either
 * ZooKeeper gave no answer in time, and nobody was seen in the way; or its answers did
 * not show yet that the session lives, as in the first eighth of the session time-out
 * after a lost connection; or it refused the request; or the client is closed, or was
 * closed while the caller waited. Nothing is held; what the call may have left on a
 * server is deleted as soon as one can be reached. From a
 * {@link io.github.zklock.zookeeper.FencedWriter} it means that there was no answer to a
 * write, so whether it was written is not known, or that it was written and its results
 * could not be read, see {@link #mayHaveTakenEffect()}.
 *
 * @since 0.1.0
 */
public class LockUnavailableException extends LockException {

	private static final long serialVersionUID = 1L;

	private final boolean mayHaveTakenEffect;

	/**
	 * Creates an exception.
	 * @param message a full sentence that names the key
	 */
	public LockUnavailableException(String message) {
		this(message, null);
	}

	/**
	 * Creates an exception with a cause.
	 * @param message a full sentence that names the key
	 * @param cause what happened below, or null
	 */
	public LockUnavailableException(String message, @Nullable Throwable cause) {
		this(message, cause, false);
	}

	/**
	 * Creates an exception.
	 * @param message a full sentence that names the key
	 * @param cause what happened below, or null
	 * @param mayHaveTakenEffect whether what was asked for may have been done
	 */
	public LockUnavailableException(String message, @Nullable Throwable cause, boolean mayHaveTakenEffect) {
		super(message, cause);
		this.mayHaveTakenEffect = mayHaveTakenEffect;
	}

	/**
	 * Returns whether a write of a {@link io.github.zklock.zookeeper.FencedWriter} may
	 * have been done.
	 * @return true if it may, or if its results could not be read; false for all that is
	 * no such write
	 */
	@Override
	public boolean mayHaveTakenEffect() {
		return this.mayHaveTakenEffect;
	}

}
