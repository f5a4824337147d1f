package io.github.zklock;

import org.jspecify.annotations.Nullable;

/**
 * Base of everything that goes wrong with a lock. "Busy" ({@link LockTimeoutException}),
 * "ZooKeeper gave no answer, or refused" ({@link LockUnavailableException}), "lost"
 * ({@link LockLostException}) and "would wait for itself" ({@link LockUpgradeException})
 * are different exceptions. One of this class itself is another mistake of the caller,
 * such as asking for a key's permits with two numbers at a time in one client, an
 * interrupt where the caller declares none, or a defect of the lock engine.
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
