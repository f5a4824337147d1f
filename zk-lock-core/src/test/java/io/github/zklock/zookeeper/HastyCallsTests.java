package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.fixture.HeldAnswers;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.testing.Actor;
import io.github.zklock.testing.Stopwatch;

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

	private static final int MOST_LEAVING_OF_ALL = 2_000;

	private static final LockRequest ONE_KEY = LockRequest.exclusive("a").timeout(Duration.ofSeconds(50));

	private static final LockRequest REQUEST = LockRequest.keys(List.of("a", "b")).timeout(Duration.ofSeconds(50));

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private HeldAnswers answers;

	private LockClient client;

	private LockHandle holder;

	@BeforeEach
	void letAnswersComeLate() throws Exception {
		CuratorFramework curator = this.zk.curator(Duration.ofMinutes(2));
		this.client = this.zk.client().session(Duration.ofMinutes(2)).curator(curator).open();
		this.client.acquire(LockRequest.keys(List.of("a", "b", "c", "d"))).releaseAsync().join();
		this.holder = this.zk.client().session(Duration.ofMinutes(2)).open().acquire(LockRequest.exclusive("a"));
		letTheClientSeeTheKeyNode();
		this.answers = new HeldAnswers(curator.getZookeeperClient().getZooKeeper()).await();
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
		if (this.answers != null) {
			this.answers.close();
		}
	}

	@Test
	@Tag("MultiKeyContender.I3")
	void leaveNoMoreThanSomeNodesHoweverOftenTheyAreRepeated() throws Exception {
		giveUpOften(REQUEST);
		await().until(() -> this.zk.contenders("a").size() > MOST_LEAVING);
		Thread.sleep(500);
		assertThat(this.zk.contenders("a")).as("the holder's node, and those that are left").hasSize(1 + MOST_LEAVING);
		this.answers.close();
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
		this.answers.close();
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
		this.answers.close();
		await().atMost(Actor.PATIENCE).until(() -> this.zk.contenders("a").size() == 2);
		this.holder.release();
		waiting.get(Actor.PATIENCE.toSeconds(), TimeUnit.SECONDS).release();
		this.zk.awaitNothingLeftOf(this.client);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 50 })
	@Tag("Cohort.I2")
	void forEverNewKeysLeaveNoMoreThanSome(int millis) throws Exception {
		List<CompletableFuture<LockHandle>> calls = new ArrayList<>();
		for (int i = 0; i < MOST_LEAVING_OF_ALL + 5 * CALLS; i++) {
			calls.add(this.client.acquireAsync(LockRequest.exclusive("new " + i)
				.timeout(Duration.ofMillis(millis))
				.answerTimeout(Duration.ofMillis(50))));
			if (calls.size() == CALLS) {
				calls.forEach((call) -> assertThat(call).failsWithin(Actor.PATIENCE)
					.withThrowableThat()
					.withCauseInstanceOf(LockUnavailableException.class));
				calls.clear();
			}
		}
		assertThat(((ZooKeeperLockClient) this.client).parts().source().current().trackedCount())
			.isBetween(MOST_LEAVING_OF_ALL, MOST_LEAVING_OF_ALL + CALLS);
		CompletableFuture<LockHandle> waiting = this.client.acquireAsync(LockRequest.exclusive("new"));
		this.answers.close();
		waiting.get(Actor.PATIENCE.toSeconds(), TimeUnit.SECONDS).release();
		this.holder.release();
		this.zk.awaitNothingLeftOf(this.client);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void keepNoClientFromBeingClosed(boolean severalKeys) throws Exception {
		LockRequest request = severalKeys ? REQUEST : ONE_KEY;
		giveUpOften(request);
		CompletableFuture<LockHandle> waiting = this.client.acquireAsync(request);
		CompletableFuture<Void> closed = CompletableFuture.runAsync(this.client::close);
		assertThat(waiting).failsWithin(Actor.PATIENCE)
			.withThrowableThat()
			.withCauseInstanceOf(LockUnavailableException.class);
		this.answers.close();
		closed.get(Actor.PATIENCE.toSeconds(), TimeUnit.SECONDS);
		await().atMost(Actor.PATIENCE).until(() -> this.zk.contenders("a").size() == 1);
		this.holder.release();
		this.zk.awaitNothingLeftOf(this.client);
	}

	@Test
	void keepNoClientFromBeingClosedInTimeWhileTheyLook() {
		this.zk.announce("has not yet confirmed the removal of all lock nodes");
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.client.acquire(ONE_KEY.timeout(Duration.ZERO)));
		Stopwatch stopwatch = Stopwatch.start();
		this.client.close();
		stopwatch.assertBetween(Duration.ZERO, Duration.ofSeconds(3));
		this.holder.release();
	}

	private void giveUpOften(LockRequest request) {
		for (int i = 0; i < CALLS; i++) {
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> this.client.acquire(request.timeout(Duration.ofMillis(1))));
		}
	}

}
