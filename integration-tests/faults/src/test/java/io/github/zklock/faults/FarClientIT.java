package io.github.zklock.faults;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryForever;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.LockException;
import io.github.zklock.LockMode;
import io.github.zklock.LostReason;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.ContenderListener;
import io.github.zklock.spi.Grant;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.zookeeper.LockSessions;
import io.github.zklock.zookeeper.SequentialLockStrategy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A client that is far from the servers takes turns with one that is near. It would have
 * the key for longer in each tenure, because its writes take longer.
 */
@Tag("slow")
@ExtendWith(FaultFixture.NoThreadsLeft.class)
class FarClientIT {

	private static final Duration SESSION = Duration.ofSeconds(20);

	private static final String ROOT = "/far-client";

	/** Each way. */
	private static final Duration DELAY = Duration.ofMillis(25);

	/** After so many it is known how far the servers are. */
	private static final int LOCKS = 64;

	@RegisterExtension
	final FaultFixture faults = FaultFixture.withSessions(SESSION);

	@Test
	void itGoesByWhatTheNearOneSays() throws Exception {
		this.faults.proxy().delay(DELAY);
		try (CuratorFramework here = connect(this.faults.servers().connectString());
				CuratorFramework there = connect(this.faults.proxy().connectString());
				LockSessions near = LockSessions.builder(here).root(ROOT).build();
				LockSessions far = LockSessions.builder(there).root(ROOT).build()) {
			SequentialLockStrategy nearLocks = new SequentialLockStrategy(near);
			SequentialLockStrategy farLocks = new SequentialLockStrategy(far);
			for (int i = 0; i < LOCKS; i++) {
				release(enter(nearLocks, "other key").get(20, TimeUnit.SECONDS));
				release(enter(farLocks, "key").get(20, TimeUnit.SECONDS));
			}
			Grant held = enter(farLocks, "key").get(20, TimeUnit.SECONDS);
			assertThat(held.changeNanos()).isGreaterThanOrEqualTo(2 * DELAY.toNanos());
			assertThat(held.leastChangeNanos()).as("nobody else was there").isGreaterThanOrEqualTo(2 * DELAY.toNanos());
			CompletableFuture<Grant> next = enter(nearLocks, "key");
			held.whenContended().toCompletableFuture().get(20, TimeUnit.SECONDS);
			await().until(() -> held.leastChangeNanos() < 2 * DELAY.toNanos());
			CompletableFuture<Grant> afterwards = enter(farLocks, "key");
			release(held);
			release(next.get(20, TimeUnit.SECONDS));
			Grant again = afterwards.get(20, TimeUnit.SECONDS);
			assertThat(again.leastChangeNanos()).as("known from its first moment").isLessThan(2 * DELAY.toNanos());
			assertThat(again.changeNanos()).isGreaterThanOrEqualTo(2 * DELAY.toNanos());
			release(again);
			this.faults.proxy().delay(Duration.ZERO);
			here.delete().deletingChildrenIfNeeded().forPath(ROOT);
		}
	}

	private static CuratorFramework connect(String servers) throws InterruptedException {
		CuratorFramework curator = CuratorFrameworkFactory.builder()
			.connectString(servers)
			.sessionTimeoutMs(Math.toIntExact(SESSION.toMillis()))
			.connectionTimeoutMs(10_000)
			.retryPolicy(new RetryForever(200))
			.build();
		curator.start();
		assertThat(curator.blockUntilConnected(20, TimeUnit.SECONDS)).isTrue();
		return curator;
	}

	private static void release(Grant grant) throws Exception {
		grant.release().toCompletableFuture().get(20, TimeUnit.SECONDS);
	}

	private static CompletableFuture<Grant> enter(SequentialLockStrategy strategy, String key) {
		CompletableFuture<Grant> granted = new CompletableFuture<>();
		strategy.enter(new LockAttempt(List.of(key), LockMode.EXCLUSIVE, false, "test"), new Granted(granted));
		return granted;
	}

	/**
	 * Waits for a grant.
	 *
	 * @param grant completes with it
	 */
	private record Granted(CompletableFuture<Grant> grant) implements ContenderListener {

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
		public void lost(Grant lost, LostReason reason) {
		}

	}

}
