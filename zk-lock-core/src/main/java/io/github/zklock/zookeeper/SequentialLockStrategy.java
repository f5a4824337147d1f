package io.github.zklock.zookeeper;

/**
 * The queue: every contender adds an ephemeral sequential node to the key's queue; the
 * lowest one holds, first come first served. A waiter with more than four in its way
 * watches only the one directly before it, so that a release wakes four waiters at most,
 * however many wait; with four or fewer it watches them all, so that it is granted by the
 * last one's end without another look at the queue. READs are in no READ's way. Source:
 * ZooKeeper recipes, "Locks" and "Shared Locks"; Hunt et al., USENIX ATC 2010, section
 * 2.4.
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
