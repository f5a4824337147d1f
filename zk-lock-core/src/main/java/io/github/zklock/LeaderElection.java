package io.github.zklock;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * An election: at most one of all instances that stand for it leads. The leader is the
 * holder of a lock, and keeps it until it yields, withdraws or loses it; the others are
 * queued behind it. Safe for use by many threads. No method waits but {@link #close()}.
 *
 * <p>
 * With Spring Boot there is a bean for each of {@code zk-lock.leader.names}, which is a
 * candidate as soon as the application is ready. Otherwise:
 *
 * <pre class="code">
 * try (LeaderElection election = LeaderElection.of(client, "billing", listener)) {
 * 	election.stand();
 * </pre>
 *
 * @since 0.1.0
 */
public interface LeaderElection extends AutoCloseable {

	/**
	 * Makes an election, in which this instance is no candidate before {@link #stand()}.
	 * @param client has the lock; not closed by the election, which should be closed
	 * before it
	 * @param name the same on all instances
	 * @param listener is notified of each term of this instance
	 * @return the election
	 * @throws IllegalArgumentException if the name is blank, or its {@link #key} too long
	 */
	static LeaderElection of(LockClient client, String name, Listener listener) {
		return new LockElection(client, name, listener);
	}

	/**
	 * Returns the key of the lock that a leader holds, to be looked at, and to be held by
	 * an operator or a test.
	 * @param name the name of the election
	 * @return {@code leader/} and the name
	 */
	static String key(String name) {
		return "leader/" + name;
	}

	/**
	 * Returns the name.
	 * @return the name, the same on all instances
	 */
	String name();

	/**
	 * Returns whether this instance certainly leads. True only while no other instance
	 * can lead: the answer comes from the lease, as that of {@link LockHandle#isHeld()}.
	 * @return false also when it has yielded and others do not lead yet
	 */
	boolean isLeader();

	/**
	 * Returns the number of the term in which this instance leads: a fencing token, which
	 * is larger than that of every leader before.
	 * @return the term, or empty if it does not lead
	 */
	OptionalLong term();

	/**
	 * Begins some work of the leader. Until the handle is released no other instance
	 * leads, unless leadership is lost; when this one yields or withdraws, the lock is
	 * released after the last such work. The handle's fencing token is the term. Asks no
	 * server and does not wait.
	 * @return the handle, or empty if this instance does not lead
	 */
	Optional<LockHandle> enter();

	/**
	 * Becomes a candidate, and stays one until {@link #withdraw()}: after a loss, and
	 * with a pause after any failure, it stands for election again. Does nothing if it is
	 * one already.
	 * @throws IllegalStateException if closed
	 */
	void stand();

	/**
	 * Gives leadership up and stands for election again behind all who wait for it; if
	 * nobody does, this instance leads again, with another term. Does nothing if it does
	 * not lead. {@link #isLeader()} is false when this returns. The same happens when an
	 * operator asks the leader to let go
	 * ({@link io.github.zklock.inspect.LockInspector#ask}).
	 */
	@SuppressWarnings("NamedLikeContextualKeyword") // as everybody calls it
	void yield();

	/**
	 * Gives leadership up, if this instance leads, and is no candidate any more.
	 * {@link #isLeader()} is false when this returns.
	 * @return completes when the listener has returned, the last work that was begun by
	 * {@link #enter()} has ended, and the lock is released, also one that was granted
	 * meanwhile; never exceptionally. If it is not complete at once, what depends on it
	 * runs on a thread of its own, which ends with that
	 */
	CompletableFuture<Void> withdraw();

	/**
	 * Returns whether the calling thread is the one that notifies the listener. What that
	 * does must not wait for {@link #withdraw()}, which waits for its return.
	 * @return false where that is not known
	 */
	default boolean isListenerThread() {
		return false;
	}

	/**
	 * Withdraws for good. Waits up to a second for the listener and for the last work, so
	 * that the lock is released before the client is closed, and goes on in the
	 * background when they take longer.
	 */
	@Override
	void close();

	/**
	 * Is notified of the terms of one instance: granted, revoked, granted and so on,
	 * never two at once, on a thread that is neither the caller's nor the lock client's.
	 * It should return soon, because until then this instance is not a candidate again.
	 * An exception is logged and disturbs nothing.
	 *
	 * @since 0.1.0
	 */
	interface Listener {

		/**
		 * This instance leads. It may have lost that by now:
		 * {@link LeaderElection#isLeader()} knows.
		 * @param term the term
		 */
		default void granted(long term) {
		}

		/**
		 * This instance does not lead any more. If it has yielded or withdrawn, the lock
		 * is released when this has returned, so the next leader begins later. If it has
		 * lost its lock, another instance may lead already.
		 * @param term the term that is over
		 */
		default void revoked(long term) {
		}

	}

}
