package io.github.zklock.spi;

import java.util.List;
import java.util.Objects;

import io.github.zklock.LockMode;

/**
 * An attempt to get one or several keys.
 *
 * @param keys the keys, at least one, without repetition
 * @param mode the mode for all of them
 * @param tryOnce whether to look first and to leave at once, by way of
 * {@link ContenderListener#busy}, when another contender is in the way
 * @param caller who asks, for people who read the queue; a thread's name
 * @param mayBeRetained whether what is granted may be kept for a time although nobody
 * holds it, until another contender comes
 * @since 0.1.0
 */
public record LockAttempt(List<String> keys, LockMode mode, boolean tryOnce, String caller, boolean mayBeRetained) {

	/**
	 * Creates an attempt.
	 * @throws IllegalArgumentException if there is no key
	 */
	public LockAttempt {
		keys = List.copyOf(keys);
		if (keys.isEmpty()) {
			throw new IllegalArgumentException("An attempt needs at least one key");
		}
		Objects.requireNonNull(mode);
		Objects.requireNonNull(caller);
	}

	/**
	 * Creates an attempt whose grant is not kept when nobody holds it.
	 * @param keys the keys, at least one, without repetition
	 * @param mode the mode for all of them
	 * @param tryOnce whether to look first and to leave at once
	 * @param caller who asks
	 * @throws IllegalArgumentException if there is no key
	 */
	public LockAttempt(List<String> keys, LockMode mode, boolean tryOnce, String caller) {
		this(keys, mode, tryOnce, caller, false);
	}

	/**
	 * Names the keys as messages do.
	 * @return for example {@code lock 'orders'}, {@code locks [orders, stock]}
	 */
	public String named() {
		return named(this.keys);
	}

	/**
	 * Names keys as messages do.
	 * @param keys at least one key
	 * @return for example {@code lock 'orders'}, {@code locks [orders, stock]}
	 */
	public static String named(List<String> keys) {
		return (keys.size() == 1) ? "lock '" + keys.get(0) + "'" : "locks " + keys;
	}

}
