package io.github.zklock;

import org.jspecify.annotations.Nullable;

/**
 * The owner holds the key in mode READ and asks for EXCLUSIVE or WRITE: it would wait for
 * itself. Thrown at once; the READ hold is untouched.
 *
 * @since 0.1.0
 */
public class LockUpgradeException extends LockException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception.
	 * @param message a full sentence that names the key
	 */
	public LockUpgradeException(String message) {
		super(message);
	}

	/**
	 * Creates an exception with a cause.
	 * @param message a full sentence that names the key
	 * @param cause what happened below, or null
	 */
	public LockUpgradeException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
