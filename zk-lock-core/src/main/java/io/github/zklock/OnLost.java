package io.github.zklock;

/**
 * What an annotated method does when its lock is lost while it runs. Whatever is chosen,
 * {@link LockHandle#isHeld()} turns false and the listeners of
 * {@link LockHandle#onLost(Runnable)} run.
 *
 * @since 0.1.0
 */
public enum OnLost {

	/**
	 * Throw {@link LockLostException} instead of returning the method's result. A
	 * publisher is cancelled as soon as the loss is known, and fails with it; a future
	 * fails with it when its work has ended.
	 */
	THROW,

	/**
	 * As {@link #THROW}, and interrupt the working thread at once. The interrupt never
	 * reaches the thread after the method has ended. For a publisher, and for a future
	 * that was returned, this is the same as {@link #THROW}, because no thread belongs to
	 * it.
	 */
	INTERRUPT,

	/** Return the method's result; only the handle and the log report the loss. */
	IGNORE

}
