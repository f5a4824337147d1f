package io.github.zklock;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * One acquisition of a lock. It may be released from any thread, and only once: later
 * calls do nothing. A handle never touches another acquisition, not even one of the same
 * key by the same owner.
 *
 * @since 0.1.0
 */
public interface LockHandle extends AutoCloseable {

	/**
	 * Returns the key that this handle was acquired for.
	 * @return the key as it was asked for; the first one of a request of several keys
	 */
	String key();

	/**
	 * Returns all keys that this handle was acquired for.
	 * @return the keys in the order of the request, at least one
	 */
	List<String> keys();

	/**
	 * Returns the mode that was asked for, or READ after {@link #downgrade()}. A READ
	 * inside a WRITE of the same owner says READ, although the key stays exclusive until
	 * the WRITE is released.
	 * @return the mode of all keys, or the strongest if they differ
	 */
	LockMode mode();

	/**
	 * Returns the mode that was asked for one key. It differs from {@link #mode()} only
	 * if the request had several keys with modes of their own.
	 * @param key one of {@link #keys()}
	 * @return the mode
	 * @throws IllegalArgumentException if the handle is not for that key
	 */
	default LockMode mode(String key) {
		if (!keys().contains(key)) {
			throw new IllegalArgumentException("This handle is for " + keys() + ", not for '" + key + "'");
		}
		return mode();
	}

	/**
	 * Returns the fencing token: a number that grows with every write grant of a key. A
	 * store that remembers the largest token it has seen for a key and refuses smaller
	 * ones is safe from a holder that woke up late. Readers may share one; a re-entry
	 * returns the token of the hold that it entered. Several keys taken at once share
	 * one. If the owner had held some of them before, it is the token of the first key.
	 * @return a positive number; the same during the life of the handle
	 */
	long fencingToken();

	/**
	 * Returns the fencing token of one key. It differs from {@link #fencingToken()} only
	 * when the owner had held some of several keys before.
	 * @param key one of {@link #keys()}
	 * @return a positive number; the same during the life of the handle
	 * @throws IllegalArgumentException if the handle is not for that key
	 */
	default long fencingToken(String key) {
		if (!keys().contains(key)) {
			throw new IllegalArgumentException("This handle is for " + keys() + ", not for '" + key + "'");
		}
		return fencingToken();
	}

	/**
	 * Returns whether the lock is certainly still ours. True only while no other client
	 * can have been granted it. The answer comes from the local monotonic clock and needs
	 * no round trip, so it is false after a long pause of the process before any event
	 * has been delivered. Once false it stays false.
	 * @return false after release and after the lock was lost
	 */
	boolean isHeld();

	/**
	 * Runs an action once if the lock is lost before it is released, on a thread of the
	 * client's callback executor; soon, if it is lost already. It also runs if the lock
	 * is released after the loss and before the action begins; for a lock that was
	 * released first it never runs. {@link #isHeld()} may be false a moment before the
	 * loss is noted: a release in that moment comes before the loss.
	 * @param action what to do; an exception of it is logged
	 */
	void onLost(Runnable action);

	/**
	 * Runs an action for each caller who waits for what this handle holds: for those who
	 * wait already, and for those who come, once for each, about a second after they came
	 * at the latest while servers answer. It runs on a thread of the client's callback
	 * executor, one at a time; while it runs nobody else is looked for. None begins after
	 * the release or a loss. For a READ handle only callers that want another mode are
	 * reported, for a permit only those that find none free. Another client queues for
	 * all of its callers by one node, in the name of the first: that one stands for all,
	 * also when it has given up since, and may be reported again after its client has
	 * lost its session.
	 *
	 * <p>
	 * The holder decides: nothing is taken from it. It costs nothing as long as no handle
	 * asks for it. Then it costs one list when it begins, one for each second in which
	 * the queue has changed, and one read for each newcomer. After a second it also has a
	 * node of its own beside the keys, by which people can ask it to let go
	 * ({@code zk-lock-cli ask}): the action is given what they say. Where the handle has
	 * the key by the naive strategy in mode EXCLUSIVE, waiters have no node, whatever
	 * their strategy: those of other clients are not seen, those of the same client are.
	 * Of Curator's contenders only key and mode are known.
	 * @param action is given the waiter; an exception of it is logged
	 * @throws UnsupportedOperationException if this kind of handle cannot do it
	 */
	default void onContended(Consumer<? super WaitingCaller> action) {
		throw new UnsupportedOperationException("This handle of " + keys() + " does not know who waits");
	}

	/**
	 * Goes on in mode READ, so that other readers come in, and no writer in between.
	 * Returns without waiting for the server, and never throws in an outage: the key
	 * stays exclusive until the server has answered. The token stays the same. Nothing
	 * happens if all keys are READ already, or the handle was released. As long as the
	 * owner has another handle of a key in mode WRITE, that key stays exclusive;
	 * releasing the last one shares it with other readers, just as this does. A key that
	 * the owner held in mode EXCLUSIVE when this handle entered it stays exclusive until
	 * the owner's last handle of it is released.
	 *
	 * <p>
	 * A key stays exclusive until its release if its queue has had two billion
	 * contenders, if the servers refuse it, or with a strategy that cannot do it; the
	 * built-in ones can.
	 * @throws IllegalStateException if this handle was asked for in mode EXCLUSIVE for a
	 * key
	 * @throws UnsupportedOperationException if this kind of handle cannot do it
	 */
	default void downgrade() {
		throw new UnsupportedOperationException("This handle of " + keys() + " cannot be downgraded");
	}

	/**
	 * Notes that the work under the lock has failed, before its release. Where runs are
	 * remembered ({@link LockClient#notAgainWithin}) the mark will say so; otherwise
	 * nothing happens. {@link LockClient#call} and locked methods do it by themselves.
	 * @param cause what the work threw
	 */
	default void failed(Throwable cause) {
		// Nobody remembers
	}

	/**
	 * Notes that the work under the lock has ended, although the lock is kept for a
	 * while. Where runs are remembered ({@link LockClient#notAgainWithin}) the run has
	 * ended with it: unless {@link #failed} was called the mark says {@code ended},
	 * because nobody says how. If the lock is lost after that, before its release,
	 * listeners are not notified of the loss, and nothing is logged; {@link #onLost}
	 * actions run. Does nothing if the lock is not held, and for the handles of
	 * {@link LockContext}, whose work ends when its method does.
	 */
	default void ended() {
		// Nobody remembers
	}

	/**
	 * Releases this acquisition and returns without waiting for the server. The delete is
	 * sent at once, unless another local caller gets the lock or is expected to come back
	 * for it within a moment ({@link Handoff}), and repeated until the node is known to
	 * be gone. That of a job's lock ({@link LockClient#notAgainWithin}) is sent when the
	 * servers have noted how the run has ended. Never throws, also in an outage.
	 */
	void release();

	/**
	 * Releases as {@link #release()} does, but waits for no caller who may come back, and
	 * reports when the server has answered; until then another process may still see the
	 * key busy.
	 * @return a future that completes with null when the node is known to be gone, at
	 * once if the owner still holds the key otherwise, or if the client keeps the node
	 * for another local caller or retains it; it never completes exceptionally
	 */
	CompletableFuture<Void> releaseAsync();

	/**
	 * The same as {@link #release()}.
	 */
	@Override
	default void close() {
		release();
	}

}
