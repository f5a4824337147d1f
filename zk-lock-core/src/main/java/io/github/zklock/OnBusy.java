package io.github.zklock;

/**
 * What an annotated method does when others hold its key until the time-out is over, or
 * when another instance leads.
 *
 * @since 0.1.0
 */
public enum OnBusy {

	/** Throw {@link LockTimeoutException}; the method has not run. */
	THROW,

	/**
	 * Do not run the method and return {@code null}, an empty {@link java.util.Optional}
	 * or an empty publisher, as the return type has it.
	 */
	SKIP

}
