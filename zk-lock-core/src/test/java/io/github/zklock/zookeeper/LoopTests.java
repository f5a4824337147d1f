package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.UUID;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.Handoff;
import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.internal.node.ClientIdentity;
import io.github.zklock.testing.Actor;
import io.github.zklock.testing.TestServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Nothing is asked of the servers again and again: what cannot succeed ends. Counted by a
 * server that nobody else uses, in sessions so long that neither pings nor the lease fall
 * into the count.
 */
@Timeout(60)
class LoopTests {

	private static final Duration LONG = Duration.ofMinutes(5);

	private static final String KEY = "orders";

	@AutoClose
	private static final TestServers server = TestServers.startOne();

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.on(() -> server);

	@Test
	void whoHoldsAKeyWhoseKeyNodeIsGoneLearnsItAndAsksNoMore() throws Exception {
		this.zk.announce("was lost");
		LockClient client = retaining();
		client.acquire(LockRequest.exclusive(KEY)).release();
		LockHandle held = client.acquire(LockRequest.exclusive(KEY));
		awaitWatched();
		this.zk.delete(this.zk.keyNode(KEY));
		long packets = server.packetsReceived();
		await().atMost(Actor.PATIENCE).until(() -> !held.isHeld());
		held.releaseAsync().join();
		assertThat(server.packetsReceived() - packets).isLessThan(10);
	}

	@Test
	void whatIsRetainedOfAKeyWhoseKeyNodeIsGoneIsGivenUp() throws Exception {
		LockClient client = retaining();
		client.acquire(LockRequest.exclusive(KEY)).release();
		awaitWatched();
		this.zk.delete(this.zk.keyNode(KEY));
		long packets = server.packetsReceived();
		await().atMost(Actor.PATIENCE).until(() -> OpenCounts.of(client) == 0);
		assertThat(server.packetsReceived() - packets).isLessThan(10);
	}

	@Test
	void whatIsRetainedOfAKeyWhoseQueueMayNotBeReadIsGivenUp() throws Exception {
		LockClient client = retaining();
		LockHandle held = client.acquire(LockRequest.exclusive(KEY));
		CuratorFramework curator = this.zk.curatorOf(client);
		curator.setACL()
			.withACL(List.of(new ACL(ZooDefs.Perms.ALL & ~ZooDefs.Perms.READ, ZooDefs.Ids.ANYONE_ID_UNSAFE)))
			.forPath(this.zk.keyNode(KEY));
		long packets = server.packetsReceived();
		held.release();
		await().atMost(Actor.PATIENCE).until(() -> OpenCounts.of(client) == 0);
		assertThat(server.packetsReceived() - packets).isLessThan(10);
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void aStampThatWasMadeByOthersBeforeIsNoHindrance(String strategy) throws Exception {
		LockClient client = this.zk.client().strategy(strategy).session(LONG).open();
		LockRequest request = LockRequest.keys(List.of(KEY, "stock"));
		client.acquire(request).releaseAsync().join();
		ClientIdentity identity = ((ZooKeeperLockClient) client).parts().source().identity();
		UUID last = UUID.fromString(identity.nextId());
		UUID next = new UUID(last.getMostSignificantBits(), last.getLeastSignificantBits() + 1);
		String beside = strategy.equals("naive") ? this.zk.root() : this.zk.keyNode(KEY);
		this.zk.plant(beside + "/stamp-" + next, CreateMode.PERSISTENT);
		long packets = server.packetsReceived();
		client.acquire(request.timeout(Duration.ofSeconds(2))).releaseAsync().join();
		assertThat(server.packetsReceived() - packets).isLessThan(10);
	}

	private LockClient retaining() {
		return this.zk.client().session(LONG).with((builder) -> builder.handoff(new Handoff(64, LONG, LONG))).open();
	}

	private void awaitWatched() {
		await().atMost(Actor.PATIENCE).until(() -> !server.watches(this.zk.keyNode(KEY)).isEmpty());
	}

}
