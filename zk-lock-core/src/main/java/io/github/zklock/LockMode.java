package io.github.zklock;

import java.util.List;

/**
 * How a lock excludes others. {@link #EXCLUSIVE} and {@link #WRITE} exclude everybody;
 * any number of {@link #READ} holders share a key.
 *
 * @since 0.1.0
 */
public enum LockMode {

	/** One holder at a time; the mode of a plain lock. */
	EXCLUSIVE,

	/** Shared with other readers, never together with a holder of another mode. */
	READ,

	/** The pair of {@link #READ}; excludes everybody, exactly as {@link #EXCLUSIVE}. */
	WRITE;

	/**
	 * Returns whether several holders of this mode may hold one key together.
	 * @return true for {@link #READ} only
	 */
	public boolean isShared() {
		return this == READ;
	}

	/**
	 * Returns the stronger of two modes, where one key is asked for in both:
	 * {@link #EXCLUSIVE} before {@link #WRITE} before {@link #READ}.
	 * @param other the other mode
	 * @return this one or the other
	 */
	public LockMode strongest(LockMode other) {
		if (this == EXCLUSIVE || other == EXCLUSIVE) {
			return EXCLUSIVE;
		}
		return isShared() ? other : this;
	}

	/**
	 * Returns the strongest of some modes: {@link #EXCLUSIVE} before {@link #WRITE}
	 * before {@link #READ}.
	 * @param modes at least one mode
	 * @return one of them
	 */
	public static LockMode strongest(List<LockMode> modes) {
		LockMode strongest = modes.get(0);
		for (int i = 1; i < modes.size(); i++) {
			strongest = strongest.strongest(modes.get(i));
		}
		return strongest;
	}

}
