package io.github.zklock.zookeeper;

import java.util.concurrent.CompletionStage;

import io.github.zklock.inspect.LockQueue;
import io.github.zklock.internal.contender.ContenderTerms;
import io.github.zklock.internal.contender.ZooKeeperContender;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.ContenderListener;
import io.github.zklock.spi.LockAttempt;
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
	public Contender enter(LockAttempt attempt, ContenderListener listener) {
		return contender(attempt, listener).start();
	}

	@Override
	public Contender enterInstead(Contender former, LockAttempt attempt, ContenderListener listener) {
		if (isFair() && former instanceof ZooKeeperContender leaving) {
			return contender(attempt, listener).startInsteadOf(leaving);
		}
		return LockStrategy.super.enterInstead(former, attempt, listener);
	}

	private ZooKeeperContender contender(LockAttempt attempt, ContenderListener listener) {
		return new ZooKeeperContender(
				ContenderTerms.of(this.sessions.source(), this.sessions.shards(), attempt, this.naive), listener);
	}

	@Override
	public CompletionStage<LockQueue> line(String key) {
		return QueueReader.read(this.sessions.source(), key, QueueReader.ALL);
	}

	@Override
	public CompletionStage<LockQueue> front(String key) {
		return QueueReader.read(this.sessions.source(), key, QueueReader.FRONT);
	}

	@Override
	public boolean isFair() {
		return !this.naive;
	}

}
