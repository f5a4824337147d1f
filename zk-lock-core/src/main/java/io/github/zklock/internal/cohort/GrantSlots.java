package io.github.zklock.internal.cohort;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockMode;
import io.github.zklock.spi.LockStrategy;

/**
 * Where the callers of a client find the grants that nobody wants, by their keys.
 */
public final class GrantSlots {

	// Each cohort puts the open slot of its key here and takes it out again.
	// By construction there are never more slots than idle grants: those that
	// are retained, and those that linger.
	private final Map<String, Slot> open = new ConcurrentHashMap<>();

	/**
	 * Finds a grant that a caller may have without waiting.
	 * @param key the key
	 * @param mode the mode
	 * @param strategy the strategy
	 * @return what the caller may take; null if it has to enter a local contender
	 */
	public @Nullable OfferedGrant offered(String key, LockMode mode, LockStrategy strategy) {
		Slot slot = this.open.get(key);
		return (slot != null) ? slot.offer(mode, strategy) : null;
	}

	void add(String key, Slot slot) {
		this.open.put(key, slot);
	}

	void remove(String key, Slot slot) {
		this.open.remove(key, slot);
	}

	/** Where a caller finds a grant. */
	@FunctionalInterface
	interface Slot {

		/**
		 * Offers the grant to a caller.
		 * @param mode the mode that the caller wants
		 * @param strategy the strategy that it wants
		 * @return what it would hold, to be taken; null if that is something else, if
		 * another caller has it, or a bound is reached
		 */
		@Nullable OfferedGrant offer(LockMode mode, LockStrategy strategy);

	}

}
