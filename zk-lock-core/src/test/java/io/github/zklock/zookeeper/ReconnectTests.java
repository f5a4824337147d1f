package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ZKConfig;
import org.apache.zookeeper.server.ServerCnxn.DisconnectReason;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.WaitingCaller;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.internal.session.Lease;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.SessionSource;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What a client asks after it has lost its connection: nothing whose answer grows with
 * what it holds. Its largest packet is so small that such an answer would cost it the
 * next connection, too.
 */
@Timeout(60)
class ReconnectTests {

	private static final int LARGEST_PACKET = 8_192;

	private static final int HELD = 100;

	private static final Duration LONG = Duration.ofMinutes(1);

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void whoHoldsMuchLosesItsConnectionOnce(String strategy) throws Exception {
		ZKClientConfig config = new ZKClientConfig();
		config.setProperty(ZKConfig.JUTE_MAXBUFFER, Integer.toString(LARGEST_PACKET));
		CuratorFramework curator = this.zk.curator(
				CuratorFrameworkFactory.builder().sessionTimeoutMs((int) LONG.toMillis()).zkClientConfig(config),
				this.zk.servers().connectString());
		LockClient client = this.zk.client().strategy(strategy).curator(curator).open();
		List<CompletableFuture<LockHandle>> held = new ArrayList<>();
		for (int i = 0; i < HELD; i++) {
			held.add(client.acquireAsync(LockRequest.exclusive("orders-" + i + "-".repeat(100))));
		}
		held.forEach(Actor::get);
		AtomicInteger losses = new AtomicInteger();
		AtomicInteger reconnects = new AtomicInteger();
		curator.getConnectionStateListenable().addListener((ignored, state) -> {
			if (state == ConnectionState.SUSPENDED) {
				losses.incrementAndGet();
			}
			else if (state == ConnectionState.RECONNECTED) {
				reconnects.incrementAndGet();
			}
		});

		this.zk.servers().stop();
		this.zk.servers().start();

		await().atMost(Actor.PATIENCE).until(() -> reconnects.get() >= 1);
		assertThat(answerBehindWhatIsAskedAfterAReconnect(client)).isEqualTo(Code.OK);
		client.acquire(LockRequest.exclusive("stock").timeout(Duration.ofSeconds(5))).release();
		assertThat(losses).hasValue(1);
		held.forEach((handle) -> assertThat(Actor.get(handle).isHeld()).isTrue());
		held.forEach((handle) -> Actor.get(handle).release());
	}

	private Code answerBehindWhatIsAskedAfterAReconnect(LockClient client) {
		LockSession session = ((ZooKeeperLockClient) client).parts().source().current();
		CompletableFuture<Code> answer = new CompletableFuture<>();
		session.afterCommit(() -> session.requests().exists(this.zk.root(), (code, stat) -> answer.complete(code)));
		return Actor.get(answer);
	}

	@Test
	void theLeaseOfAnIdleClientKnowsThatItsConnectionWasLost() throws Exception {
		AtomicInteger losses = new AtomicInteger();
		LockClient idle = this.zk.client()
			.session(LONG)
			.with((builder) -> builder.sessions().leases((clock, nanos, since) -> new Lease(clock, nanos, since) {

				@Override
				public synchronized void disconnected(long receipt) {
					losses.incrementAndGet();
				}

			}))
			.open();
		SessionSource source = ((ZooKeeperLockClient) idle).parts().source();
		await().until(() -> source.current() != null);
		assertThat(losses).hasValue(0);
		this.zk.servers()
			.running()
			.get(0)
			.getServerCnxnFactory()
			.closeSession(this.zk.curatorOf(idle).getZookeeperClient().getZooKeeper().getSessionId(),
					DisconnectReason.CONNECTION_CLOSE_FORCED);
		await().until(() -> losses.get() > 0);
	}

	@Test
	@Tag("slow")
	void whoAsksForWaitersSeesThemAlsoAfterTheLinkWasLost() {
		LockClient client = this.zk.client().session(LONG).strategy("sequential").open();
		LockHandle handle = Actor.get(client.acquireAsync(LockRequest.exclusive("orders")));
		Queue<WaitingCaller> seen = new ConcurrentLinkedQueue<>();
		handle.onContended(seen::add);
		LockClient before = this.zk.client().session(LONG).strategy("sequential").instance("before").open();
		CompletableFuture<LockHandle> first = before.acquireAsync(LockRequest.exclusive("orders").timeout(LONG));
		await().untilAsserted(() -> assertThat(seen).hasSize(1));
		this.zk.servers().stop();
		this.zk.servers().start();
		LockClient behind = this.zk.client().session(LONG).strategy("sequential").instance("behind").open();
		CompletableFuture<LockHandle> second = behind.acquireAsync(LockRequest.exclusive("orders").timeout(LONG));
		await().atMost(Actor.PATIENCE).untilAsserted(() -> assertThat(seen).hasSize(2));
		assertThat(seen).extracting(WaitingCaller::instance).containsExactly("before", "behind");
		handle.release();
		Actor.get(first).release();
		Actor.get(second).release();
	}

}
