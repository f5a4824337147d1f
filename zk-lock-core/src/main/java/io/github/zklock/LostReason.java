package io.github.zklock;

/**
 * Why a lock was lost.
 *
 * @since 0.1.0
 */
public enum LostReason {

	/** The ZooKeeper session that held the lock has ended. */
	SESSION_ENDED("its ZooKeeper session ended"),

	/**
	 * No server has confirmed the session for so long, at most five sixths of its
	 * time-out, that the servers may expire it before the client would notice.
	 */
	LEASE_EXPIRED("no server confirmed its ZooKeeper session in time"),

	/** Another client deleted the lock's node. */
	NODE_DELETED("its node was deleted by another client"),

	/** The lock was held for longer than its request's {@code maxHold}. */
	MAX_HOLD("it was held for longer than its maxHold"),

	/** The lock client was closed. */
	CLIENT_CLOSED("its lock client was closed"),

	/** A step of the lock engine failed; a log entry at ERROR says how. */
	ENGINE_FAILED("the lock engine failed");

	private final String description;

	LostReason(String description) {
		this.description = description;
	}

	/**
	 * Says the reason in words that complete "the lock was lost because".
	 * @return the reason, without a full stop
	 */
	public String description() {
		return this.description;
	}

}
