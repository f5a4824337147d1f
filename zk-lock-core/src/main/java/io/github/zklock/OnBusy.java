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
	 * Do not run the method and return the empty value of its return type: {@code null},
	 * also for collections, maps, arrays and texts; an empty {@link java.util.Optional},
	 * {@link java.util.OptionalInt}, {@link java.util.OptionalLong} or
	 * {@link java.util.OptionalDouble}; an empty publisher; or a completed future of such
	 * a value.
	 */
	SKIP

}
