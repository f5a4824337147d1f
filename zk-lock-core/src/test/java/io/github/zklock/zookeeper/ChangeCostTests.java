package io.github.zklock.zookeeper;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
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
 * What a change costs, by which the tenures of all who take turns last: the least that
 * those in the queue say.
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
	void whoWaitedBehindANodeTakesAChangeToCostNoMoreThanThatSays() throws Exception {
		String nearer = this.zk.keyNode(KEY) + "/nearer-lock-0000000000";
		this.curator.create()
			.creatingParentsIfNeeded()
			.withMode(CreateMode.PERSISTENT)
			.forPath(nearer, "{\"writeMicros\":\"5\"}".getBytes(StandardCharsets.UTF_8));
		try (LockSessions sessions = sessions()) {
			SequentialLockStrategy strategy = new SequentialLockStrategy(sessions);
			Granted waiting = new Granted();
			strategy.enter(attempt(), waiting);
			waiting.blocked.get(10, TimeUnit.SECONDS);
			this.curator.delete().forPath(nearer);
			Grant grant = waiting.grant.get(10, TimeUnit.SECONDS);
			assertThat(grant.changeNanos()).isEqualTo(TimeUnit.MICROSECONDS.toNanos(5));
			release(grant);
			Granted alone = new Granted();
			strategy.enter(attempt(), alone);
			assertThat(alone.grant.get(10, TimeUnit.SECONDS).changeNanos()).as("measured by itself")
				.isGreaterThan(TimeUnit.MICROSECONDS.toNanos(5));
			release(alone.grant.get());
		}
	}

	@Test
	void aNodeSaysWhatItsClientMeasured() throws Exception {
		try (LockSessions near = sessions(); LockSessions far = sessions()) {
			Granted holding = new Granted();
			new SequentialLockStrategy(near).enter(attempt(), holding);
			Grant first = holding.grant.get(10, TimeUnit.SECONDS);
			byte[] content = this.curator.getData().forPath(this.zk.contenders(KEY).get(0));
			Granted waiting = new Granted();
			new SequentialLockStrategy(far).enter(attempt(), waiting);
			waiting.blocked.get(10, TimeUnit.SECONDS);
			release(first);
			Grant second = waiting.grant.get(10, TimeUnit.SECONDS);
			assertThat(second.changeNanos()).isPositive().isLessThanOrEqualTo(ClientIdentity.writeNanos(content));
			assertThat(ClientIdentity.writeNanos(content)).isLessThan(TimeUnit.MINUTES.toNanos(1));
			release(second);
		}
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

		private final CompletableFuture<Blocker> blocked = new CompletableFuture<>();

		@Override
		public void granted(List<Grant> grants) {
			this.grant.complete(grants.get(0));
		}

		@Override
		public void blocked(Blocker blocker) {
			// Before that the node was not read yet
			if (blocker.age() != null) {
				this.blocked.complete(blocker);
			}
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
