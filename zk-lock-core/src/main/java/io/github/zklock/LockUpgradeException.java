package io.github.zklock;

import org.jspecify.annotations.Nullable;

/**
 * The owner holds the key in mode READ and asks for EXCLUSIVE or WRITE, or holds one of
 * its permits and asks for the lock: it would wait for itself. So would an owner that
 * holds a share of {@code max-held} and asks for another one, while all of them are held
 * by owners that wait for one. Thrown at once; what is held is untouched.
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
