package io.github.zklock.zookeeper;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.LockException;
import io.github.zklock.LockMode;
import io.github.zklock.LostReason;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.internal.node.ClientIdentity;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.ContenderListener;
import io.github.zklock.spi.Grant;
import io.github.zklock.spi.LockAttempt;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a change costs, as nodes say to others. What clients make of it is shown by
 * {@code ClientCostsTests}, and by {@code FarClientIT} where they are far.
 */
@Timeout(60)
class ChangeCostTests {

	private static final String KEY = "orders";

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private CuratorFramework curator;

	@BeforeEach
	void connect() {
		this.curator = this.zk.curator(ZooKeeperFixture.SESSION);
	}

	@Test
	void aNodeSaysHowLongWritesTakeOnceSomeWereAnswered() throws Exception {
		try (LockSessions sessions = sessions()) {
			SequentialLockStrategy strategy = new SequentialLockStrategy(sessions);
			Grant first = enter(strategy).grant.get(10, TimeUnit.SECONDS);
			assertThat(said()).as("nothing was measured").isEqualTo(Long.MAX_VALUE);
			release(first);
			for (int i = 0; i < 20; i++) {
				release(enter(strategy).grant.get(10, TimeUnit.SECONDS));
			}
			Granted last = enter(strategy);
			Grant grant = last.grant.get(10, TimeUnit.SECONDS);
			assertThat(said()).isBetween(TimeUnit.MICROSECONDS.toNanos(1), TimeUnit.SECONDS.toNanos(10));
			release(grant);
		}
	}

	private long said() throws Exception {
		return ClientIdentity.writeNanos(this.curator.getData().forPath(this.zk.contenders(KEY).get(0)));
	}

	private static Granted enter(SequentialLockStrategy strategy) {
		Granted granted = new Granted();
		strategy.enter(attempt(), granted);
		return granted;
	}

	private LockSessions sessions() {
		return LockSessions.builder(this.curator).root(this.zk.root()).build();
	}

	private static LockAttempt attempt() {
		return new LockAttempt(List.of(KEY), LockMode.EXCLUSIVE, false, "test");
	}

	private static void release(Grant grant) throws Exception {
		grant.release().toCompletableFuture().get(10, TimeUnit.SECONDS);
	}

	/** Waits for a grant. */
	private static final class Granted implements ContenderListener {

		private final CompletableFuture<Grant> grant = new CompletableFuture<>();

		@Override
		public void granted(List<Grant> grants) {
			this.grant.complete(grants.get(0));
		}

		@Override
		public void blocked(Blocker blocker) {
		}

		@Override
		public void busy(Blocker blocker) {
		}

		@Override
		public void failed(LockException cause) {
			this.grant.completeExceptionally(cause);
		}

		@Override
		public void disturbed(Exception cause) {
		}

		@Override
		public void lost(Grant grant, LostReason reason) {
		}

	}

}
