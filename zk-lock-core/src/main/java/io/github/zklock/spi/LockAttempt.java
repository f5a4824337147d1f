package io.github.zklock.spi;

import java.util.Collections;
import java.util.List;
import java.util.Objects;

import io.github.zklock.LockException;
import io.github.zklock.LockMode;

/**
 * An attempt to get one or several keys.
 *
 * @param keys the keys, at least one, without repetition
 * @param modes the mode of each key, in the same order
 * @param permits how many may hold each key together, in the same order: 0 for a lock; a
 * permit's mode is EXCLUSIVE, and a strategy that knows no permits excludes more than it
 * has to, and nothing less
 * @param tryOnce whether to look first and to leave at once, by way of
 * {@link ContenderListener#busy}, when another contender is in the way
 * @param caller who asks, for people who read the queue; a thread's name
 * @param mayBeRetained whether what is granted may be kept for a time although nobody
 * holds it, until another contender comes
 * @since 0.1.0
 */
public record LockAttempt(List<String> keys, List<LockMode> modes, List<Integer> permits, boolean tryOnce,
		String caller, boolean mayBeRetained) {

	private static final List<Integer> NO_PERMIT = List.of(0);

	/**
	 * Creates an attempt.
	 * @throws IllegalArgumentException if there is no key, or not one mode and one number
	 * of permits for each
	 */
	public LockAttempt {
		keys = List.copyOf(keys);
		modes = List.copyOf(modes);
		permits = List.copyOf(permits);
		if (keys.isEmpty()) {
			throw new IllegalArgumentException("An attempt needs at least one key");
		}
		if (modes.size() != keys.size() || permits.size() != keys.size()) {
			throw new IllegalArgumentException(
					"An attempt needs a mode and a number of permits for each of its %d keys, but has %d and %d"
						.formatted(keys.size(), modes.size(), permits.size()));
		}
		Objects.requireNonNull(caller);
	}

	/**
	 * Creates an attempt on locks.
	 * @param keys the keys, at least one, without repetition
	 * @param modes the mode of each key, in the same order
	 * @param tryOnce whether to look first and to leave at once
	 * @param caller who asks
	 * @param mayBeRetained whether what is granted may be kept although nobody holds it
	 * @throws IllegalArgumentException if there is no key, or not one mode for each
	 */
	public LockAttempt(List<String> keys, List<LockMode> modes, boolean tryOnce, String caller, boolean mayBeRetained) {
		this(keys, modes, none(keys.size()), tryOnce, caller, mayBeRetained);
	}

	private static List<Integer> none(int count) {
		return (count == 1) ? NO_PERMIT : Collections.nCopies(count, 0);
	}

	/**
	 * Creates an attempt on keys in one mode.
	 * @param keys the keys, at least one, without repetition
	 * @param mode the mode for all of them
	 * @param tryOnce whether to look first and to leave at once
	 * @param caller who asks
	 * @param mayBeRetained whether what is granted may be kept although nobody holds it
	 * @throws IllegalArgumentException if there is no key
	 */
	public LockAttempt(List<String> keys, LockMode mode, boolean tryOnce, String caller, boolean mayBeRetained) {
		this(keys, Collections.nCopies(keys.size(), mode), tryOnce, caller, mayBeRetained);
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
	 * Returns the mode.
	 * @return the mode of all keys, or the strongest if they differ: a strategy that
	 * enters all keys in it excludes more than it has to, and nothing less
	 */
	public LockMode mode() {
		return LockMode.strongest(this.modes);
	}

	/**
	 * Names the keys as messages do.
	 * @return for example {@code lock 'orders'}, {@code locks [orders, stock]}
	 */
	public String named() {
		return LockException.named(this.keys);
	}

}
