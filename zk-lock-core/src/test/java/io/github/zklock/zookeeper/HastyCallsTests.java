package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
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
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Calls whose time-outs are shorter than the answers take.
 */
@Timeout(60)
class HastyCallsTests {

	private static final int CALLS = 400;

	private static final int MOST_LEAVING = 100;

	private static final LockRequest ONE_KEY = LockRequest.exclusive("a").timeout(Duration.ofSeconds(50));

	private static final LockRequest REQUEST = LockRequest.keys(List.of("a", "b")).timeout(Duration.ofSeconds(50));

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private final CountDownLatch held = new CountDownLatch(1);

	private final CountDownLatch mayGoOn = new CountDownLatch(1);

	private LockClient client;

	private LockHandle holder;

	@BeforeEach
	void letAnswersComeLate() throws Exception {
		CuratorFramework curator = this.zk.curator(Duration.ofMinutes(2));
		this.client = this.zk.client().session(Duration.ofMinutes(2)).curator(curator).open();
		this.client.acquire(LockRequest.keys(List.of("a", "b", "c", "d"))).releaseAsync().join();
		this.holder = this.zk.client().open().acquire(LockRequest.exclusive("a"));
		letTheClientSeeTheKeyNode();
		holdEventThread(curator.getZookeeperClient().getZooKeeper());
	}

	// Otherwise it may believe that there is none, and each of its transactions fails
	private void letTheClientSeeTheKeyNode() {
		CompletableFuture<LockHandle> waiting = this.client.acquireAsync(ONE_KEY);
		this.zk.awaitWaiting(this.client, "a");
		waiting.cancel(false);
		this.zk.awaitNothingLeftOf(this.client);
	}

	@AfterEach
	void letItGoOn() {
		this.mayGoOn.countDown();
	}

	@Test
	@Tag("MultiKeyContender.I3")
	void leaveNoMoreThanSomeNodesHoweverOftenTheyAreRepeated() throws Exception {
		giveUpOften(REQUEST);
		await().until(() -> this.zk.contenders("a").size() > MOST_LEAVING);
		Thread.sleep(500);
		assertThat(this.zk.contenders("a")).as("the holder's node, and those that are left").hasSize(1 + MOST_LEAVING);
		this.mayGoOn.countDown();
		await().atMost(Actor.PATIENCE).until(() -> this.zk.contenders("a").size() == 1);
		assertThat(this.holder.isHeld()).isTrue();
		this.holder.release();
		this.zk.awaitNothingLeftOf(this.client);
	}

	@Test
	@Tag("MultiKeyContender.I2")
	void letTheNextOneInWhenTheyAreGone() throws Exception {
		giveUpOften(REQUEST);
		CompletableFuture<LockHandle> waiting = this.client.acquireAsync(REQUEST);
		CompletableFuture<LockHandle> cancelled = this.client.acquireAsync(REQUEST);
		CompletableFuture<LockHandle> others = this.client.acquireAsync(LockRequest.keys(List.of("c", "d")));
		await().until(() -> this.zk.contenders("c").size() == 1);
		cancelled.cancel(false);
		this.mayGoOn.countDown();
		others.get(Actor.PATIENCE.toSeconds(), TimeUnit.SECONDS).release();
		await().atMost(Actor.PATIENCE).until(() -> this.zk.contenders("a").size() == 2);
		this.holder.release();
		waiting.get(Actor.PATIENCE.toSeconds(), TimeUnit.SECONDS).release();
		this.zk.awaitNothingLeftOf(this.client);
	}

	@Test
	@Tag("Cohort.I2")
	void forOneKeyLeaveNoMoreNodesThanForSeveral() throws Exception {
		giveUpOften(ONE_KEY);
		CompletableFuture<LockHandle> waiting = this.client.acquireAsync(ONE_KEY);
		await().until(() -> this.zk.contenders("a").size() > MOST_LEAVING);
		Thread.sleep(500);
		assertThat(this.zk.contenders("a")).as("the holder's node, and those that are left").hasSize(1 + MOST_LEAVING);
		this.mayGoOn.countDown();
		await().atMost(Actor.PATIENCE).until(() -> this.zk.contenders("a").size() == 2);
		this.holder.release();
		waiting.get(Actor.PATIENCE.toSeconds(), TimeUnit.SECONDS).release();
		this.zk.awaitNothingLeftOf(this.client);
	}

	@Test
	void keepNoClientFromBeingClosed() throws Exception {
		giveUpOften(REQUEST);
		CompletableFuture<LockHandle> waiting = this.client.acquireAsync(REQUEST);
		CompletableFuture<Void> closed = CompletableFuture.runAsync(this.client::close);
		assertThat(waiting).failsWithin(Actor.PATIENCE)
			.withThrowableThat()
			.withCauseInstanceOf(LockUnavailableException.class);
		this.mayGoOn.countDown();
		closed.get(Actor.PATIENCE.toSeconds(), TimeUnit.SECONDS);
		await().atMost(Actor.PATIENCE).until(() -> this.zk.contenders("a").size() == 1);
		this.holder.release();
		this.zk.awaitNothingLeftOf(this.client);
	}

	private void giveUpOften(LockRequest request) {
		for (int i = 0; i < CALLS; i++) {
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> this.client.acquire(request.timeout(Duration.ofMillis(1))));
		}
	}

	private void holdEventThread(ZooKeeper zooKeeper) throws InterruptedException {
		zooKeeper.exists("/", null, (code, path, context, stat) -> {
			this.held.countDown();
			try {
				this.mayGoOn.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}, null);
		assertThat(this.held.await(Actor.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
	}

}
