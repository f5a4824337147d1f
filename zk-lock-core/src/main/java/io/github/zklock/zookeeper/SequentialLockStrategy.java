package io.github.zklock.zookeeper;

/**
 * The queue: every contender adds an ephemeral sequential node to the key's queue; the
 * lowest one holds, first come first served. A waiter watches only the one directly
 * before it, so that a release wakes one, however many wait. With two to four in its way,
 * and no WRITE among them, it watches the last two where locks are held for long, and all
 * of them where an answer of the servers takes longer than half a millisecond; a release
 * then wakes two, or four at most. The first who waits for a permit watches all holders,
 * or the whole queue if they are more than four. READs are in no READ's way. Source:
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
