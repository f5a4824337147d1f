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
 * What the built-in strategies have in common: all but whom a contender waits for.
 */
abstract sealed class BuiltInStrategy implements LockStrategy permits SequentialLockStrategy, NaiveLockStrategy {

	private final LockSessions sessions;

	private final boolean naive;

	/**
	 * Creates a strategy.
	 * @param sessions the sessions that its contenders live in
	 * @param naive whether all who wait are woken by each release
	 */
	BuiltInStrategy(LockSessions sessions, boolean naive) {
		this.sessions = sessions;
		this.naive = naive;
	}

	@Override
	public Contender enter(LockEntry entry, ContenderListener listener) {
		return contest(entry, listener).start();
	}

	@Override
	public Contender enterInstead(Contender former, LockEntry entry, ContenderListener listener) {
		if (isFair() && former instanceof Contest leaving) {
			return contest(entry, listener).startInsteadOf(leaving);
		}
		return LockStrategy.super.enterInstead(former, entry, listener);
	}

	private Contest contest(LockEntry entry, ContenderListener listener) {
		return new Contest(ContenderTerms.of(this.sessions.source(), this.sessions.shards(), entry, this.naive),
				listener);
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
		return !this.naive;
	}

}
