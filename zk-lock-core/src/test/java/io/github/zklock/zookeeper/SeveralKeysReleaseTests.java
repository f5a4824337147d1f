package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.ZooKeeperFixture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The end of several keys that were taken at once.
 */
@Timeout(60)
class SeveralKeysReleaseTests {

	private static final LockRequest REQUEST = LockRequest.keys(List.of("a", "b", "c"));

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void allAreGoneBehindTheRelease(String strategy) throws Exception {
		LockClient client = this.zk.client().strategy(strategy).open();
		for (int i = 0; i < 3; i++) {
			LockHandle held = client.acquire(REQUEST);
			held.releaseAsync().join();
			assertThat(held.isHeld()).isFalse();
			assertThat(this.zk.contenders("a")).isEmpty();
			assertThat(this.zk.contenders("b")).isEmpty();
			assertThat(this.zk.contenders("c")).isEmpty();
		}
		this.zk.awaitNothingLeftOf(client);
	}

	@Test
	void whatIsStillBeingDowngradedIsGoneBehindTheRelease() throws Exception {
		LockClient client = this.zk.client().open();
		LockRequest both = LockRequest.write("a").and(LockRequest.write("b"));
		for (int i = 0; i < 3; i++) {
			LockHandle held = client.acquire(both);
			held.downgrade();
			held.releaseAsync().join();
			assertThat(this.zk.contenders("a")).isEmpty();
			assertThat(this.zk.contenders("b")).isEmpty();
		}
		this.zk.awaitNothingLeftOf(client);
	}

	@Test
	void theOthersAreDeletedAloneIfOneIsGoneAlready() throws Exception {
		this.zk.announce("A hold of");
		LockClient client = this.zk.client().open();
		LockHandle held = client.acquire(REQUEST);
		this.zk.delete(this.zk.contenders("b").get(0));
		held.releaseAsync().join();
		assertThat(this.zk.contenders("a")).isEmpty();
		assertThat(this.zk.contenders("c")).isEmpty();
		this.zk.awaitNothingLeftOf(client);
	}

	@Test
	void oneThatIsGoneBeforeTheLastOneIsFreeIsMissedBehindTheGrant() throws Exception {
		this.zk.announce("was lost");
		// In its own time the node would be looked for after many seconds
		LockClient client = this.zk.client().session(Duration.ofMinutes(5)).open();
		LockHandle other = this.zk.client().open().acquire(LockRequest.exclusive("b"));
		CompletableFuture<LockHandle> waiting = client.acquireAsync(REQUEST);
		await().until(() -> this.zk.contenders("b").size() == 2);
		this.zk.delete(this.zk.contenders("a").get(0));
		other.release();
		try (LockHandle handle = waiting.get(20, TimeUnit.SECONDS)) {
			await().atMost(Duration.ofSeconds(5)).until(() -> !handle.isHeld());
		}
	}

	@Test
	void aNameThatIsAnothersBeforeTheLastOneIsFreeIsMissedBehindTheGrant() throws Exception {
		this.zk.announce("was lost");
		LockClient client = this.zk.client().strategy("naive").session(Duration.ofMinutes(5)).open();
		LockClient another = this.zk.client().strategy("naive").open();
		LockHandle other = this.zk.client().open().acquire(LockRequest.write("b"));
		CompletableFuture<LockHandle> waiting = client.acquireAsync(LockRequest.keys(List.of("a", "b")));
		await().until(() -> this.zk.contenders("b").size() == 2);
		this.zk.delete(this.zk.contenders("a").get(0));
		LockHandle taken = another.acquire(LockRequest.exclusive("a"));
		other.release();
		try (LockHandle handle = waiting.get(20, TimeUnit.SECONDS)) {
			await().atMost(Duration.ofSeconds(5)).until(() -> !handle.isHeld());
			assertThat(taken.isHeld()).isTrue();
		}
		taken.release();
	}

	@Test
	void whatAnotherHandleHasStays() throws Exception {
		LockClient client = this.zk.client().open();
		LockHandle all = client.acquire(REQUEST);
		LockHandle one = client.acquire(LockRequest.exclusive("b"));
		all.release();
		assertThat(one.isHeld()).isTrue();
		await().untilAsserted(() -> assertThat(this.zk.contenders("a")).isEmpty());
		await().untilAsserted(() -> assertThat(this.zk.contenders("c")).isEmpty());
		assertThat(this.zk.contenders("b")).hasSize(1);
		one.releaseAsync().join();
		assertThat(this.zk.contenders("b")).isEmpty();
		this.zk.awaitNothingLeftOf(client);
	}

	@Test
	void whoHoldsOneKeyAlreadyGivesBackTheOthersAtOnce() throws Exception {
		LockClient client = this.zk.client().open();
		LockHandle one = client.acquire(LockRequest.exclusive("b"));
		LockHandle all = client.acquire(REQUEST);
		one.release();
		all.releaseAsync().join();
		assertThat(this.zk.contenders("a")).isEmpty();
		assertThat(this.zk.contenders("b")).isEmpty();
		assertThat(this.zk.contenders("c")).isEmpty();
		this.zk.awaitNothingLeftOf(client);
	}

}
