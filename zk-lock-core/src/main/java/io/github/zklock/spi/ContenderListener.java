package io.github.zklock.spi;

import java.util.List;

import io.github.zklock.LockException;
import io.github.zklock.LostReason;

/**
 * Is notified of what becomes of a contender. Called on engine threads, one call at a
 * time for one contender: implementations must return quickly and must not block.
 *
 * @since 0.1.0
 */
public interface ContenderListener {

	/**
	 * All keys were granted. Called at most once.
	 * @param grants one for each key, in the order of the attempt; each is to be released
	 */
	void granted(List<Grant> grants);

	/**
	 * Another contender was seen in the way. May be called often, or never.
	 * @param blocker who it was
	 */
	void blocked(Blocker blocker);

	/**
	 * A {@link LockAttempt#tryOnce() tryOnce} attempt found another contender in the way
	 * whose client may only retain the key, and waits a moment for it to give way. May be
	 * called often, or never; what comes of it is notified as usual.
	 * @param blocker who it is
	 */
	default void awaits(Blocker blocker) {
	}

	/**
	 * A {@link LockAttempt#tryOnce() tryOnce} attempt found another contender in the way
	 * and left. Nothing is called afterwards.
	 * @param blocker who it was
	 */
	void busy(Blocker blocker);

	/**
	 * The contender left because it can never be granted. Nothing is called afterwards.
	 * @param cause why
	 */
	void failed(LockException cause);

	/**
	 * ZooKeeper gave no usable answer; the contender goes on trying. May be called often.
	 * @param cause what happened
	 */
	void disturbed(Exception cause);

	/**
	 * A grant was lost before it was released. Called at most once for each grant; the
	 * grant is still to be released.
	 * @param grant which one
	 * @param reason why
	 */
	void lost(Grant grant, LostReason reason);

}
