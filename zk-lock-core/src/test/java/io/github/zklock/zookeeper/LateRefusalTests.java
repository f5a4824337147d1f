package io.github.zklock.zookeeper;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException.Code;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockException;
import io.github.zklock.LockMode;
import io.github.zklock.fixture.NobodyListens;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.internal.session.SessionWaiter;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.Grant;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.spi.LockStrategy;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The thread that reports to waiters that there will be no session is overtaken by one
 * that found a session.
 */
@Timeout(60)
class LateRefusalTests {

	private static final String KEY = "orders";

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private final Granted listener = new Granted();

	private LockSessions sessions(CuratorFramework curator) {
		return LockSessions.builder(curator).root(this.zk.root()).build();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aHolderKeepsItsNodeWhenTheRefusalComesAfterItsGrant(boolean naive) throws Exception {
		CuratorFramework curator = this.zk.curator(ZooKeeperFixture.SESSION);
		try (LockSessions sessions = sessions(curator)) {
			LockStrategy strategy = naive ? new NaiveLockStrategy(sessions) : new SequentialLockStrategy(sessions);
			Contender contender = strategy.enter(attempt(), this.listener);
			Grant grant = this.listener.grant.get(10, TimeUnit.SECONDS);
			((SessionWaiter) contender).sessionRefused(Code.AUTHFAILED, this.zk.root());
			assertThat(this.listener.failure).isNotDone();
			assertThat(grant.isValid()).isTrue();
			assertThat(this.zk.contenders(KEY)).hasSize(1);
			grant.release().toCompletableFuture().get(10, TimeUnit.SECONDS);
		}
	}

	@Test
	void aContenderWhoseNodeIsBeingMadeLeavesNoneWhenTheRefusalComesLate() throws Exception {
		CuratorFramework curator = this.zk.curator(ZooKeeperFixture.SESSION);
		try (LockSessions sessions = sessions(curator)) {
			LockStrategy strategy = new SequentialLockStrategy(sessions);
			strategy.enter(attempt(), this.listener);
			this.listener.grant.get(10, TimeUnit.SECONDS).release().toCompletableFuture().get(10, TimeUnit.SECONDS);
			Granted second = new Granted();
			Contender contender = strategy.enter(attempt(), second);
			((SessionWaiter) contender).sessionRefused(Code.AUTHFAILED, this.zk.root());
			contender.leave().toCompletableFuture().get(10, TimeUnit.SECONDS);
			assertThat(this.zk.contenders(KEY)).isEmpty();
		}
	}

	private static LockAttempt attempt() {
		return new LockAttempt(List.of(KEY), LockMode.EXCLUSIVE, false, "test");
	}

	/** Waits for a grant. */
	private static final class Granted extends NobodyListens {

		private final CompletableFuture<Grant> grant = new CompletableFuture<>();

		private final CompletableFuture<LockException> failure = new CompletableFuture<>();

		@Override
		public void granted(List<Grant> grants) {
			this.grant.complete(grants.get(0));
		}

		@Override
		public void failed(LockException cause) {
			this.failure.complete(cause);
		}

	}

}
