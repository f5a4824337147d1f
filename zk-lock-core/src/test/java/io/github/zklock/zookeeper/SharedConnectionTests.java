package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.ContendingCallers;
import io.github.zklock.fixture.OneTry;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Several lock clients, and others, on one connection and so in one session.
 */
@Timeout(60)
class SharedConnectionTests {

	private static final Duration LONG_SESSION = Duration.ofMinutes(1);

	private static final LockRequest REQUEST = LockRequest.exclusive("orders");

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void twoClientsOfOneSessionExcludeEachOther(String strategy) throws Exception {
		CuratorFramework curator = this.zk.curator(ZooKeeperFixture.SESSION);
		LockClient one = open(strategy, curator);
		LockClient two = open(strategy, curator);
		LockHandle handle = one.acquire(REQUEST);
		assertThat(OneTry.of(two, REQUEST)).isEmpty();
		CompletableFuture<LockHandle> waiting = two.acquireAsync(REQUEST);
		this.zk.awaitWaiting(two, "orders");
		assertThat(waiting).isNotDone();
		handle.release();
		Actor.get(waiting).releaseAsync().join();
		assertThat(ContendingCallers.between(one, two).run((round) -> REQUEST).violations()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void whatOneHoldsStaysAfterAReconnect(String strategy) throws Exception {
		// A client that finds a connection begins with a lease of S/3, which a reconnect
		// may outlast
		CuratorFramework curator = this.zk.curator(LONG_SESSION);
		LockHandle one = open(strategy, curator).acquire(REQUEST);
		LockHandle two = open(strategy, curator).acquire(LockRequest.exclusive("stock"));
		InterProcessMutex mutex = new InterProcessMutex(curator, this.zk.keyNode("events"));
		mutex.acquire();
		this.zk.servers().stop();
		this.zk.servers().start();
		Duration aWhile = Duration.ofMillis(500);
		await().atMost(Actor.PATIENCE).until(() -> curator.getZookeeperClient().isConnected());
		await().during(aWhile)
			.atMost(Actor.PATIENCE)
			.until(() -> this.zk.contenders("orders").size() == 1 && this.zk.contenders("stock").size() == 1
					&& this.zk.contenders("events").size() == 1);
		assertThat(one.isHeld()).isTrue();
		assertThat(two.isHeld()).isTrue();
		one.release();
		two.release();
		mutex.release();
	}

	private LockClient open(String strategy, CuratorFramework curator) {
		return this.zk.client().strategy(strategy).curator(curator).open();
	}

}
