package io.github.zklock.autoconfigure;

import org.jspecify.annotations.Nullable;

/**
 * The application cannot start as it is configured.
 */
final class ZkLockStartupException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final String action;

	/**
	 * Creates an exception without a cause.
	 * @param description what is wrong: full sentences
	 * @param action what to change: full sentences
	 */
	ZkLockStartupException(String description, String action) {
		this(description, action, null);
	}

	/**
	 * Creates an exception.
	 * @param description what is wrong: full sentences
	 * @param action what to change: full sentences
	 * @param cause what happened below, or null
	 */
	ZkLockStartupException(String description, String action, @Nullable Throwable cause) {
		super(description, cause);
		this.action = action;
	}

	String action() {
		return this.action;
	}

}
