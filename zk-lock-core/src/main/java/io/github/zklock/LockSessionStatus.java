package io.github.zklock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The state of a lock client's ZooKeeper session, for health checks and metrics. Asking
 * sends nothing and does not wait.
 *
 * @since 0.1.0
 */
public interface LockSessionStatus {

	/**
	 * Returns the state of the session.
	 * @return the state at this moment
	 */
	State state();

	/**
	 * Returns the id of the session.
	 * @return the id; 0 if there is no session
	 */
	long sessionId();

	/**
	 * Returns the time-out of the session, as the servers granted it.
	 * @return the time-out; zero if there is no session
	 */
	Duration sessionTimeout();

	/**
	 * Returns where the servers are.
	 * @return {@code host:port} pairs with commas between them
	 */
	String servers();

	/**
	 * Says why no lock can be acquired although a server answers, as far as is known.
	 * Asks no server.
	 * @return full sentences with what to change, or null if nothing is known to be in
	 * the way
	 */
	default @Nullable String problem() {
		return null;
	}

	/**
	 * Counts the events that the client's watches have had.
	 * @return the number since the client was made
	 */
	long watchEvents();

	/**
	 * Counts the nodes of this client whose creation was not answered, and that were
	 * found and removed when nobody wanted them any more.
	 * @return the number since the client was made
	 */
	long leftoversRemoved();

	/**
	 * Counts the steps of the lock engine that have failed. Each is a defect, of the
	 * engine or of what it was given, and is in the log at ERROR.
	 * @return the number since the client was made
	 */
	long engineFailures();

	/**
	 * The state of a session.
	 *
	 * @since 0.1.0
	 */
	enum State {

		/** A server is connected: locks can be acquired. */
		CONNECTED,

		/**
		 * The session may live, but no server is connected that takes writes. What is
		 * held stays held until its lease ends.
		 */
		SUSPENDED,

		/** There is no session: nothing is held. */
		LOST

	}

}
