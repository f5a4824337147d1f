package io.github.zklock.internal.cohort;

import java.util.List;

import io.github.zklock.LockException;
import io.github.zklock.LostReason;
import io.github.zklock.spi.Obstacle;

/**
 * Hears what becomes of a turn. Called on engine threads, one call at a time for one
 * turn: implementations must return quickly and must not block.
 */
public interface TurnListener {

	/**
	 * The turn holds all its keys. Called at most once.
	 * @param shares one for each key, in the order of the entry; leaving the turn
	 * releases those that were not released one by one
	 */
	void granted(List<Share> shares);

	/**
	 * The turn was only to be taken if nobody was in the way, and somebody was. Nothing
	 * is called afterwards.
	 * @param obstacle who it was
	 */
	void busy(Obstacle obstacle);

	/**
	 * The turn can never be granted. Nothing is called afterwards.
	 * @param cause why
	 */
	void failed(LockException cause);

	/**
	 * A share was lost before it was released. Called at most once for each share.
	 * @param key the share's key
	 * @param reason why
	 */
	void lost(String key, LostReason reason);

}
