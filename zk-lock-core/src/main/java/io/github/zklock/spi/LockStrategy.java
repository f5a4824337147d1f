package io.github.zklock.spi;

import java.util.concurrent.CompletionStage;

import io.github.zklock.LockUnavailableException;
import io.github.zklock.inspect.LockQueue;

/**
 * How contenders get a key, one after the other: the SPI behind {@code naive} and {@code
 * sequential}. A strategy knows nothing of threads that wait, of owners or of deadlines:
 * it enters contenders, notifies their listeners of what becomes of them, and lets them
 * leave. Every method returns at once; the listener is called on engine threads, one call
 * at a time for one contender, possibly before {@link #enter} has returned.
 *
 * <p>
 * A client may have several contenders for one key at a time (readers, a request of
 * several keys). A strategy survives the loss of sessions: a contender that waits enters
 * again by itself when there is a new session, one that was granted is lost.
 *
 * @since 0.1.0
 */
public interface LockStrategy {

	/**
	 * Enters a contender for all keys of the attempt at once; all are granted together or
	 * none.
	 * @param attempt which keys, in which mode
	 * @param listener is notified of what becomes of it
	 * @return the contender; leave it to give up
	 */
	Contender enter(LockAttempt attempt, ContenderListener listener);

	/**
	 * Lets a contender of this strategy leave that was granted, and enters another one
	 * for the same key, behind all who wait there. Where a strategy can do both with one
	 * request this saves the other; otherwise it does one after the other.
	 * @param former the contender that leaves, as if by {@link Contender#leave()}
	 * @param attempt which key, in which mode
	 * @param listener is notified of what becomes of the new contender
	 * @return the new contender; leave it to give up
	 */
	default Contender enterInstead(Contender former, LockAttempt attempt, ContenderListener listener) {
		former.leave();
		return enter(attempt, listener);
	}

	/**
	 * Looks at the queue of a key.
	 * @param key the key
	 * @return the queue as a server sees it; fails with {@link LockUnavailableException}
	 */
	CompletionStage<LockQueue> line(String key);

	/**
	 * Looks at who holds a key.
	 * @param key the key
	 * @return the queue, in which those who only wait may be missing; fails with
	 * {@link LockUnavailableException}
	 */
	default CompletionStage<LockQueue> front(String key) {
		return line(key);
	}

	/**
	 * Returns whether a contender that enters is queued behind all who wait already. If
	 * not, a client waits for its release to be answered and pauses shortly before its
	 * next caller enters, because otherwise it would always beat the others.
	 * @return true unless overridden
	 */
	default boolean isFair() {
		return true;
	}

}
