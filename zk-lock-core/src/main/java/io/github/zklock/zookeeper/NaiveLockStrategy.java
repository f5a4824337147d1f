package io.github.zklock.zookeeper;

/**
 * The herd: EXCLUSIVE is one ephemeral node at the key node's path; who creates it holds,
 * everyone else watches it and tries again when it goes. No queue and no fairness; every
 * release wakes every waiter. READ and WRITE queue as those of
 * {@link SequentialLockStrategy} do, but every waiter watches the whole queue. Where a
 * queue exists already, EXCLUSIVE joins it. Source: ZooKeeper recipes, "Locks", the
 * version with the herd effect.
 *
 * @since 0.1.0
 */
public final class NaiveLockStrategy extends BuiltInStrategy {

	/** The name by which this strategy is chosen. */
	public static final String NAME = "naive";

	/**
	 * Creates the strategy.
	 * @param sessions the sessions that its contenders live in
	 */
	public NaiveLockStrategy(LockSessions sessions) {
		super(sessions, true);
	}

}
