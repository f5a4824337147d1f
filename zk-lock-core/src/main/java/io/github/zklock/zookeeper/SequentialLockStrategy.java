package io.github.zklock.zookeeper;

/**
 * The queue: every contender adds an ephemeral sequential node to the key's queue; the
 * lowest one holds, first come first served. A waiter watches only the one directly
 * before it, so that a release wakes one, however many wait. Where the servers are far,
 * which is where an answer takes longer than half a millisecond, a waiter with four or
 * fewer in its way watches them all, so that it is granted by the last one's end without
 * another look at the queue; a release then wakes four at most. READs are in no READ's
 * way. Source: ZooKeeper recipes, "Locks" and "Shared Locks"; Hunt et al., USENIX ATC
 * 2010, section 2.4.
 *
 * @since 0.1.0
 */
public final class SequentialLockStrategy extends BuiltInStrategy {

	/** The name by which this strategy is chosen. */
	public static final String NAME = "sequential";

	/**
	 * Creates the strategy.
	 * @param sessions the sessions that its contenders live in
	 */
	public SequentialLockStrategy(LockSessions sessions) {
		super(sessions, false);
	}

}
