package io.github.zklock;

import java.util.List;
import java.util.regex.Pattern;

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

	/** Also what ends a row of a text, or changes its direction. */
	private static final Pattern CONTROL = Pattern
		.compile("[\\p{Cc}\\u2028\\u2029\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]");

	/**
	 * Creates an exception.
	 * @param message a full sentence that names the key; it is made {@link #printable}
	 */
	public LockException(String message) {
		super(printable(String.valueOf(message)));
	}

	/**
	 * Creates an exception with a cause.
	 * @param message a full sentence that names the key; it is made {@link #printable}
	 * @param cause what happened below, or null
	 */
	public LockException(String message, @Nullable Throwable cause) {
		super(printable(String.valueOf(message)), cause);
	}

	/**
	 * Returns whether what this lock was to guard, or a write under it, may have been
	 * done, or a part of it: asked for again, it may be done twice. Of other work, which
	 * the lock was taken within or after, it says nothing.
	 * @return false if it has certainly not begun
	 */
	public boolean mayHaveTakenEffect() {
		return false;
	}

	/**
	 * Replaces the control characters of a text, and those that change its direction. A
	 * key may be what a user has written: what follows a newline in it would be an entry
	 * of its own in a log.
	 * @param text a key, or a text that names one
	 * @return the text with a question mark for each of them
	 */
	public static String printable(String text) {
		return CONTROL.matcher(text).replaceAll("?");
	}

	/**
	 * Names the locks of some keys as all messages do.
	 * @param keys at least one key
	 * @return for example {@code lock 'orders'}, {@code locks [orders, stock]}
	 */
	public static String named(List<String> keys) {
		return printable((keys.size() == 1) ? "lock '" + keys.get(0) + "'" : "locks " + keys);
	}

	/**
	 * Says that a step of the lock engine has failed.
	 * @param keys what was asked for
	 * @param cause what the step threw
	 * @return what to throw
	 */
	public static LockException engineFailed(List<String> keys, Throwable cause) {
		return new LockException("The lock engine failed for " + named(keys), cause);
	}

}
