package io.github.zklock.sample.contest;

import java.util.Optional;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockMode;

/**
 * What keeps the clients of a contest apart.
 */
public enum ContestMode {

	/** The plain lock. */
	EXCLUSIVE(LockMode.EXCLUSIVE),

	/** The write lock of the pair of read and write. */
	WRITE(LockMode.WRITE),

	/** Nothing, to see what happens. */
	NONE(null);

	private final @Nullable LockMode lockMode;

	ContestMode(@Nullable LockMode lockMode) {
		this.lockMode = lockMode;
	}

	/**
	 * Returns how the clients lock.
	 * @return the mode, or empty if they do not
	 */
	public Optional<LockMode> lockMode() {
		return Optional.ofNullable(this.lockMode);
	}

}
