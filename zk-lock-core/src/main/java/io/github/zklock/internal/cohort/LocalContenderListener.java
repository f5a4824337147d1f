package io.github.zklock.internal.cohort;

import java.util.List;

import io.github.zklock.LockException;
import io.github.zklock.LostReason;
import io.github.zklock.spi.Blocker;

/**
 * Is notified of what becomes of a local contender. Called on engine threads, one call at
 * a time for one of them: implementations must return quickly and must not block.
 */
public interface LocalContenderListener {

	/**
	 * Returns how long it would still wait. Asked when it enters.
	 * @return nanoseconds; {@link Long#MAX_VALUE} for no end
	 */
	long remainingNanos();

	/**
	 * Returns whether it has its outcome, so that it gives back what it is granted.
	 * @return whether it leaves, or is about to
	 */
	default boolean isDecided() {
		return false;
	}

	/**
	 * Returns whether a thread sleeps until it is notified, and may be woken before.
	 * @return false if {@link #wake} would do nothing
	 */
	default boolean isAsleep() {
		return false;
	}

	/**
	 * It is next. Others may be granted the key until it says that it is awake
	 * ({@link LocalContender#awake}), or for a moment. Called at most once.
	 */
	default void wake() {
	}

	/**
	 * It holds all its keys. Called at most once.
	 * @param localGrants one for each key, in the order of the attempt; leaving releases
	 * those that were not released one by one
	 */
	void granted(List<LocalGrant> localGrants);

	/**
	 * It was not to wait, and another contender was in the way. Nothing is called
	 * afterwards.
	 * @param blocker who it was
	 */
	void busy(Blocker blocker);

	/**
	 * It can never be granted. Nothing is called afterwards.
	 * @param cause why
	 */
	void failed(LockException cause);

	/**
	 * A local grant was lost before it was released. Called at most once for each.
	 * @param key its key
	 * @param reason why
	 */
	void lost(String key, LostReason reason);

}
