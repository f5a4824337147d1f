package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * While Curator closes an expired session, whoever calls it waits, for as long as the
 * close takes. Deadlines, leases and {@code maxHold} do not.
 */
@Timeout(60)
class StuckCuratorTests {

	private static final int CALLS = 50;

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private final CountDownLatch closing = new CountDownLatch(1);

	private final CountDownLatch mayClose = new CountDownLatch(1);

	@Test
	@Tag("SessionSource.I5")
	@Tag("slow")
	void everyAsynchronousCallEndsAtItsDeadlineWhileCuratorKeepsItsCallersWaiting() throws Exception {
		CuratorFramework curator = this.zk.curator(CuratorFrameworkFactory.builder()
			.sessionTimeoutMs(3000)
			.zookeeperFactory(new BeforeItCloses(this::waitUntilItMay)), this.zk.servers().connectString());
		LockClient client = this.zk.client().curator(curator).open();
		client.acquire(LockRequest.exclusive("known")).release();
		try {
			this.zk.expireSession(client);
			assertThat(this.closing.await(Actor.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
			List<CompletableFuture<LockHandle>> calls = Stream.iterate(1, (i) -> i + 1)
				.limit(CALLS)
				.map((i) -> LockRequest.exclusive("key-" + i).timeout(Duration.ofMillis(40L * i)))
				.map(client::acquireAsync)
				.toList();
			await("all deadlines").atMost(Actor.PATIENCE)
				.until(() -> calls.stream().allMatch(CompletableFuture::isCompletedExceptionally));
			assertThat(this.mayClose.getCount()).as("Curator still closes").isOne();
			assertThat(calls).allSatisfy((call) -> assertThat(call).isCompletedExceptionally()
				.failsWithin(Duration.ZERO)
				.withThrowableThat()
				.withCauseInstanceOf(LockUnavailableException.class));
		}
		finally {
			this.mayClose.countDown();
		}
		client.acquire(LockRequest.exclusive("known")).release();
	}

	private void waitUntilItMay() throws InterruptedException {
		this.closing.countDown();
		assertThat(this.mayClose.await(60, TimeUnit.SECONDS)).isTrue();
	}

}
