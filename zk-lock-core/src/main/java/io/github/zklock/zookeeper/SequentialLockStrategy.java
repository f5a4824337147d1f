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
 * The queue: every contender adds an ephemeral sequential node to the key's line; the
 * lowest one holds, and each waiter watches only the one in its way, so that a release
 * wakes one waiter, first come first served. A READ waits for the last one before it that
 * is not a READ. Source: ZooKeeper recipes, "Locks" and "Shared Locks"; Hunt et al.,
 * USENIX ATC 2010, section 2.4.
 *
 * @since 0.1.0
 */
public final class SequentialLockStrategy implements LockStrategy {

	/** The name by which this strategy is chosen. */
	public static final String NAME = "sequential";

	private final LockSessions sessions;

	/**
	 * Creates the strategy.
	 * @param sessions the sessions that its contenders live in
	 */
	public SequentialLockStrategy(LockSessions sessions) {
		this.sessions = sessions;
	}

	@Override
	public Contender enter(LockEntry entry, ContenderListener listener) {
		return new Contest(ContenderTerms.of(this.sessions.source(), this.sessions.shards(), entry, false), listener)
			.start();
	}

	@Override
	public Contender enterInstead(Contender former, LockEntry entry, ContenderListener listener) {
		if (former instanceof Contest leaving) {
			return new Contest(ContenderTerms.of(this.sessions.source(), this.sessions.shards(), entry, false),
					listener)
				.startInsteadOf(leaving);
		}
		return LockStrategy.super.enterInstead(former, entry, listener);
	}

	@Override
	public CompletionStage<LockLine> line(String key) {
		return LineReader.read(this.sessions.source(), key, LineReader.ALL);
	}

	@Override
	public CompletionStage<LockLine> front(String key) {
		return LineReader.read(this.sessions.source(), key, LineReader.FRONT);
	}

}
