package io.github.zklock;

import org.jspecify.annotations.Nullable;

/**
 * The time-out passed while another contender was in the way: an answer from ZooKeeper,
 * or a holder in this process, showed it during the call. It is also thrown where a job
 * is not due, and where an instance that does not lead calls a method for the leader.
 * Nothing is held and no node stays behind.
 *
 * @since 0.1.0
 */
public class LockTimeoutException extends LockException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception.
	 * @param message a full sentence that names the key
	 */
	public LockTimeoutException(String message) {
		super(message);
	}

	/**
	 * Creates an exception with a cause.
	 * @param message a full sentence that names the key
	 * @param cause what happened below, or null
	 */
	public LockTimeoutException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
