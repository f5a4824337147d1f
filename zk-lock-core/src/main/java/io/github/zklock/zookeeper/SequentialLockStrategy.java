package io.github.zklock.zookeeper;

/**
 * The queue: every contender adds an ephemeral sequential node to the key's queue; the
 * lowest one holds, and each waiter watches only the one in its way, so that a release
 * wakes one waiter, first come first served. A READ waits for the last one before it that
 * is not a READ. Source: ZooKeeper recipes, "Locks" and "Shared Locks"; Hunt et al.,
 * USENIX ATC 2010, section 2.4.
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
