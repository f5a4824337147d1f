package io.github.zklock;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Is notified of a client's acquisitions, for metrics and logs. Called on the client's
 * callback executor, one call at a time, in the order in which things happened; only
 * {@link #asked} is called by the caller's own thread, and before everything else of its
 * acquisition. Never called on ZooKeeper's threads. An exception is logged and disturbs
 * nothing.
 * <p>
 * A listener that does not return keeps the events for all listeners of the client
 * waiting. When 100,000 wait, or another number that the client was given, acquisitions
 * that begin are not reported at all, not even by {@link #asked}, until there is room.
 * The log warns when this begins, and says how many were left out when it has ended. The
 * locks themselves go on, and so do the actions of {@link LockHandle#onLost}.
 *
 * @since 0.1.0
 */
public interface LockListener {

	/**
	 * A caller asked for a lock. {@link #acquired} or {@link #notAcquired} follows.
	 * Called by the thread that asks, which waits for it: return quickly.
	 * @param event what is asked for
	 */
	default void asked(Event event) {
	}

	/**
	 * A lock was acquired. {@link #released} follows when the handle is released.
	 * @param event what was acquired, how, and how long it took
	 */
	default void acquired(Event event) {
	}

	/**
	 * A lock was not acquired: time-out, outage, interrupt or cancellation. A job
	 * ({@link LockClient#notAgainWithin}) that was given its lock, but could not find out
	 * whether it is due, is reported as a call of its own beside the lock's; of
	 * {@link LockClient#acquireAsync acquireAsync}, then, {@link #asked} is called by a
	 * callback thread.
	 * @param event what was asked for, and for how long
	 * @param cause why not
	 */
	default void notAcquired(Event event, Throwable cause) {
	}

	/**
	 * A lock was released, lost before or not.
	 * @param event what was released, and how long it was held
	 */
	default void released(Event event) {
	}

	/**
	 * A lock was lost while it was held.
	 * @param event what was lost, and how long it had been held
	 * @param reason why
	 */
	default void lost(Event event, LostReason reason) {
	}

	/**
	 * How a lock came to its caller.
	 *
	 * @since 0.1.0
	 */
	enum Way {

		/** ZooKeeper granted it. */
		GRANTED,

		/**
		 * Another caller of this client handed it off, without a request to the servers.
		 */
		HANDED_OVER,

		/** Its owner held it already. */
		REENTERED

	}

	/**
	 * What an event is about.
	 *
	 * @param id the same for all events of one acquisition, and for no other in this JVM
	 * @param keys the keys
	 * @param template what represents the keys where there must be few different ones,
	 * see {@link LockRequest#template(String)}; null if there is none
	 * @param mode the mode
	 * @param strategy the strategy's name
	 * @param way how it was acquired; null as long as it was not
	 * @param elapsed the time that the waiting or the holding took
	 */
	record Event(long id, List<String> keys, @Nullable String template, LockMode mode, String strategy,
			@Nullable Way way, Duration elapsed) {

		/**
		 * Creates an event.
		 */
		public Event {
			keys = List.copyOf(keys);
		}

	}

}
