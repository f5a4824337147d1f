package io.github.zklock.metrics;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.docs.MeterDocumentation;

/**
 * The meters of locks, and their tags.
 *
 * @since 0.1.0
 */
public enum LockMeterDocumentation implements MeterDocumentation {

	/** Time that callers took to acquire a lock, or to fail. */
	ACQUIRE("zk.lock.acquire", Meter.Type.TIMER, "Time that callers took to acquire a lock, or to fail."),

	/** Time that locks were held, reported when they are released. */
	HELD("zk.lock.held", Meter.Type.TIMER, "Time that locks were held, reported when they are released."),

	/** Number of callers that hold a lock and have not released it. */
	HOLDERS("zk.lock.holders", Meter.Type.GAUGE, "Number of callers that hold a lock and have not released it."),

	/** Number of callers that wait for a lock. */
	WAITERS("zk.lock.waiters", Meter.Type.GAUGE, "Number of callers that wait for a lock."),

	/** Number of locks that were lost while they were held. */
	LOST("zk.lock.lost", Meter.Type.COUNTER, "Number of locks that were lost while they were held."),

	/** Number of locks that a caller of this JVM got from another, without a request. */
	HANDED_OVER("zk.lock.handed.over", Meter.Type.COUNTER,
			"Number of locks that a caller of this JVM got from another, without a request."),

	/** Number of events that the watches of this client had. */
	WATCH_EVENTS("zk.lock.watch.events", Meter.Type.COUNTER, "Number of events that the watches of this client had."),

	/**
	 * Number of nodes of this client that nobody wanted any more when they were found
	 * after a lost answer, and that were removed.
	 */
	LEFTOVERS_REMOVED("zk.lock.leftovers.removed", Meter.Type.COUNTER,
			"Number of nodes of this client that nobody wanted any more when they were found "
					+ "after a lost answer, and that were removed."),

	/** Number of steps of the lock engine that have failed. */
	ENGINE_FAILURES("zk.lock.engine.failures", Meter.Type.COUNTER,
			"Number of steps of the lock engine that have failed."),

	/** Number of leaders of an election that this instance is: one or zero. */
	LEADER("zk.lock.leader", Meter.Type.GAUGE, "Number of leaders of an election that this instance is: one or zero."),

	/** Number of terms in which this instance has led. */
	LEADER_TERMS("zk.lock.leader.terms", Meter.Type.COUNTER, "Number of terms in which this instance has led.");

	private final String meterName;

	private final Meter.Type type;

	private final String description;

	LockMeterDocumentation(String meterName, Meter.Type type, String description) {
		this.meterName = meterName;
		this.type = type;
		this.description = description;
	}

	@Override
	public String getName() {
		return this.meterName;
	}

	@Override
	public Meter.Type getType() {
		return this.type;
	}

	/**
	 * Returns what the meter says about itself, as monitoring systems show it.
	 * @return a sentence
	 */
	public String getDescription() {
		return this.description;
	}

	@Override
	public KeyName[] getKeyNames() {
		return switch (this) {
			case ACQUIRE -> new KeyName[] { Tag.KEY, Tag.STRATEGY, Tag.MODE, Tag.OUTCOME };
			case LOST -> new KeyName[] { Tag.KEY, Tag.STRATEGY, Tag.MODE, Tag.REASON };
			case HELD, HOLDERS, WAITERS, HANDED_OVER -> new KeyName[] { Tag.KEY, Tag.STRATEGY, Tag.MODE };
			case LEADER, LEADER_TERMS -> new KeyName[] { Tag.ELECTION };
			case WATCH_EVENTS, LEFTOVERS_REMOVED, ENGINE_FAILURES -> EMPTY;
		};
	}

	/**
	 * The tags.
	 *
	 * @since 0.1.0
	 */
	public enum Tag implements KeyName {

		/**
		 * The key attribute of the annotation as it is written, or the request's
		 * template; {@code none} if there is neither. Never the key itself.
		 */
		KEY("key"),

		/** The name of the strategy. */
		STRATEGY("strategy"),

		/** {@code EXCLUSIVE}, {@code READ} or {@code WRITE}. */
		MODE("mode"),

		/**
		 * {@code acquired}, {@code reentered} (its owner held it already), {@code busy}
		 * (others held it all the time), {@code unavailable} (ZooKeeper did not answer or
		 * refused, or the client is closed), {@code interrupted}, {@code cancelled} or
		 * {@code failed}.
		 */
		OUTCOME("outcome"),

		/** The name of the reason, such as {@code SESSION_ENDED}. */
		REASON("reason"),

		/** The name of the leader election. */
		ELECTION("election");

		private final String keyName;

		Tag(String keyName) {
			this.keyName = keyName;
		}

		@Override
		public String asString() {
			return this.keyName;
		}

	}

}
