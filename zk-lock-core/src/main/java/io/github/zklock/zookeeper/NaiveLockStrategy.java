package io.github.zklock.zookeeper;

import java.util.concurrent.CompletionStage;

import io.github.zklock.inspect.LockLine;
import io.github.zklock.internal.contender.ContenderTerms;
import io.github.zklock.internal.contender.Contest;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.ContenderListener;
import io.github.zklock.spi.LockEntry;
import io.github.zklock.spi.LockStrategy;

/**
 * The herd: EXCLUSIVE is one ephemeral node at the key's place; who creates it holds,
 * everyone else watches it and tries again when it goes. No queue and no fairness; every
 * release wakes every waiter. READ and WRITE stand in a line as those of
 * {@link SequentialLockStrategy} do, but every waiter watches the whole line. Where a
 * line exists already, EXCLUSIVE joins it. Source: ZooKeeper recipes, "Locks", the
 * version with the herd effect.
 *
 * @since 0.1.0
 */
public final class NaiveLockStrategy implements LockStrategy {

	/** The name by which this strategy is chosen. */
	public static final String NAME = "naive";

	private final LockSessions sessions;

	/**
	 * Creates the strategy.
	 * @param sessions the sessions that its contenders live in
	 */
	public NaiveLockStrategy(LockSessions sessions) {
		this.sessions = sessions;
	}

	@Override
	public Contender enter(LockEntry entry, ContenderListener listener) {
		return new Contest(ContenderTerms.of(this.sessions.source(), this.sessions.shards(), entry, true), listener)
			.start();
	}

	@Override
	public CompletionStage<LockLine> line(String key) {
		return LineReader.read(this.sessions.source(), key, LineReader.ALL);
	}

	@Override
	public CompletionStage<LockLine> front(String key) {
		return LineReader.read(this.sessions.source(), key, LineReader.FRONT);
	}

	@Override
	public boolean isFair() {
		return false;
	}

}
