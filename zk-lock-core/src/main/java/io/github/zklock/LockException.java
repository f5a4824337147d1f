package io.github.zklock;

import org.jspecify.annotations.Nullable;

/**
 * Base of everything that goes wrong with a lock. "Busy" ({@link LockTimeoutException}),
 * "ZooKeeper gave no answer" ({@link LockUnavailableException}), "lost"
 * ({@link LockLostException}) and "cannot be granted, ever"
 * ({@link LockUpgradeException}) are different exceptions.
 *
 * @since 0.1.0
 */
public class LockException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception.
	 * @param message a full sentence that names the key
	 */
	public LockException(String message) {
		super(message);
	}

	/**
	 * Creates an exception with a cause.
	 * @param message a full sentence that names the key
	 * @param cause what happened below, or null
	 */
	public LockException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
