package io.github.zklock;

import java.time.Duration;
import java.util.List;

/**
 * Hears of a client's acquisitions, for metrics and logs. Called one call at a time on
 * the client's callback executor, never on ZooKeeper's threads; an exception is logged.
 *
 * @since 0.1.0
 */
public interface LockListener {

	/**
	 * A lock was acquired.
	 * @param event what was acquired, and how long it took
	 */
	default void acquired(Event event) {
	}

	/**
	 * A lock was not acquired: time-out, outage, interrupt or cancellation.
	 * @param event what was asked for, and for how long
	 * @param cause why not
	 */
	default void notAcquired(Event event, Throwable cause) {
	}

	/**
	 * A lock was released.
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
	 * What an event is about.
	 *
	 * @param keys the keys
	 * @param mode the mode
	 * @param strategy the strategy's name
	 * @param elapsed the time that the waiting or the holding took
	 */
	record Event(List<String> keys, LockMode mode, String strategy, Duration elapsed) {

		/**
		 * Creates an event.
		 */
		public Event {
			keys = List.copyOf(keys);
		}

	}

}
