package io.github.zklock.spi;

import java.util.List;
import java.util.Objects;

import io.github.zklock.LockMode;

/**
 * An entry into the contest for one or several keys.
 *
 * @param keys the keys, at least one, without repetition
 * @param mode the mode for all of them
 * @param ifFree whether to look first and to leave at once, telling
 * {@link ContenderListener#busy}, when somebody is in the way
 * @param caller who asks, for people who read the line; a thread's name
 * @since 0.1.0
 */
public record LockEntry(List<String> keys, LockMode mode, boolean ifFree, String caller) {

	/**
	 * Creates an entry.
	 * @throws IllegalArgumentException if there is no key
	 */
	public LockEntry {
		keys = List.copyOf(keys);
		if (keys.isEmpty()) {
			throw new IllegalArgumentException("An entry needs at least one key");
		}
		Objects.requireNonNull(mode);
		Objects.requireNonNull(caller);
	}

}
