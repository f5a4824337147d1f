package io.github.zklock;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The lock was held and then lost: another client may have been granted it since. Thrown
 * by an annotated method and by {@link LockClient#call} instead of the result, by
 * {@code unlock} of a {@code java.util.concurrent} view, and by an attempt to re-enter a
 * lost hold.
 *
 * @since 0.1.0
 */
public class LockLostException extends LockException {

	private static final long serialVersionUID = 1L;

	private final boolean hasBegun;

	/**
	 * Creates an exception after which the work may have been done, or a part of it.
	 * @param message a full sentence that names the key
	 */
	public LockLostException(String message) {
		this(message, true);
	}

	/**
	 * Creates an exception.
	 * @param message a full sentence that names the key
	 * @param hasBegun whether the work under the lock had begun
	 */
	public LockLostException(String message, boolean hasBegun) {
		super(message);
		this.hasBegun = hasBegun;
	}

	/**
	 * Creates an exception with a cause, after which the work may have been done, or a
	 * part of it.
	 * @param message a full sentence that names the key
	 * @param cause what happened below, or null
	 */
	public LockLostException(String message, @Nullable Throwable cause) {
		super(message, cause);
		this.hasBegun = true;
	}

	/**
	 * Returns whether the work under the lock may have been done, or a part of it.
	 * @return true unless the lock was lost before the work began
	 */
	@Override
	public boolean mayHaveTakenEffect() {
		return this.hasBegun;
	}

	/**
	 * Says what was lost, as the beginning of a message: of several locks one may be lost
	 * alone.
	 * @param keys all keys of the handle
	 * @return for example {@code Lock 'orders'}, {@code A hold of locks [orders, stock]}
	 */
	public static String subject(List<String> keys) {
		String named = named(keys);
		return (keys.size() == 1) ? "L" + named.substring(1) : "A hold of " + named;
	}

}
