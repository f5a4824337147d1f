package io.github.zklock;

import java.time.Duration;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Refuses what no request may ask for.
 */
final class RequestChecks {

	private RequestChecks() {
	}

	/**
	 * Refuses what is no key.
	 * @param key any text
	 * @throws IllegalArgumentException if it is empty, too long or not well-formed
	 * Unicode
	 */
	static void key(String key) {
		if (key.isEmpty()) {
			throw new IllegalArgumentException("A lock key must not be empty");
		}
		if (key.length() > LockRequest.MAX_KEY_LENGTH) {
			throw new IllegalArgumentException(
					"A lock key must have at most %d characters, but this one has %d: '%s...'".formatted(
							LockRequest.MAX_KEY_LENGTH, key.length(), LockException.printable(key.substring(0, 40))));
		}
		for (int i = 0; i < key.length(); i++) {
			int character = key.codePointAt(i);
			if (Character.isSupplementaryCodePoint(character)) {
				i++;
			}
			else if (Character.isSurrogate((char) character)) {
				throw new IllegalArgumentException(
						"A lock key must be well-formed Unicode, but this one has a lone surrogate");
			}
		}
	}

	static void permits(String key, int permits) {
		if (permits < 1 || permits > LockRequest.MAX_PERMITS) {
			throw new IllegalArgumentException("A key may have from 1 to %d permits, but '%s' is asked for with %d"
				.formatted(LockRequest.MAX_PERMITS, LockException.printable(key), permits));
		}
	}

	static void positive(String name, Duration duration) {
		if (duration.isNegative() || duration.isZero()) {
			throw new IllegalArgumentException("%s must be positive, but is %s".formatted(name, duration));
		}
	}

	/**
	 * Joins what two requests ask for of the same key.
	 * @param key the key
	 * @param ours the number of permits of one, 0 for a lock
	 * @param others that of the other
	 * @return 0, for both ask for a lock
	 * @throws IllegalArgumentException if one of them wants a permit
	 */
	static int oneOf(String key, int ours, int others) {
		if (ours > 0 || others > 0) {
			throw new IllegalArgumentException("'%s' can be asked for once only in a request that wants a permit of it"
				.formatted(LockException.printable(key)));
		}
		return 0;
	}

	/**
	 * Joins what two requests say besides.
	 * @param <T> the type of it
	 * @param what its name
	 * @param ours what one says, or null
	 * @param others what the other says, or null
	 * @return what either says, or null
	 * @throws IllegalArgumentException if they do not agree
	 */
	static <T> @Nullable T agreed(String what, @Nullable T ours, @Nullable T others) {
		if (ours != null && others != null && !ours.equals(others)) {
			throw new IllegalArgumentException(
					"Lock requests can be joined only if they agree, but the %s of one is %s, and of the other %s"
						.formatted(what, ours, others));
		}
		return (ours != null) ? ours : others;
	}

	/**
	 * Joins the templates of two requests.
	 * @param ours that of one, or null
	 * @param others that of the other, or null
	 * @return both, one if they are equal, or null if there is none
	 */
	static @Nullable String joined(@Nullable String ours, @Nullable String others) {
		boolean both = ours != null && others != null && !ours.equals(others);
		return both ? ours + ", " + others : Optional.ofNullable(ours).orElse(others);
	}

}
