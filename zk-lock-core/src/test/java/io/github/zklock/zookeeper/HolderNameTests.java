package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.InVain;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a caller is told of the holder, as the README says, and of who is only queued.
 */
@Timeout(60)
class HolderNameTests {

	private static final String KEY = "orders";

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private LockClient open(String strategy, String instance) {
		return this.zk.client().strategy(strategy).instance(instance).open();
	}

	// The first answer says it
	private static void assertToldAtOnce(String told, LockClient client, LockRequest request) {
		assertThat(InVain.of(() -> client.acquire(request.owner(new Object())))).hasMessageContaining(told);
	}

	private static void assertTold(String told, LockClient client, LockRequest request) {
		InVain.of(() -> client.acquire(request.owner(new Object())), (ex) -> assertThat(ex).hasMessageContaining(told));
	}

	@ParameterizedTest
	@CsvSource({ "sequential, EXCLUSIVE, another contender", "sequential, READ, another contender",
			"naive, WRITE, another contender", "naive, EXCLUSIVE, shop-1 (" })
	void whoTriesOnceIsToldWhoHoldsHereOrHasNoQueueButNotWhoIsInOne(String strategy, LockMode mode, String named)
			throws Exception {
		LockClient holder = open(strategy, "shop-1");
		LockHandle held = holder.acquire(LockRequest.exclusive(KEY).mode(mode));
		LockRequest asked = LockRequest.exclusive(KEY).timeout(Duration.ZERO);
		for (int i = 0; i < 2; i++) {
			assertToldAtOnce("at once: held by " + named, open(strategy, "shop-2"), asked);
		}
		assertToldAtOnce("at once: held by this process (thread ", holder, asked);
		held.release();
	}

	@Test
	void aReaderIsNotToldThatOneHoldsWhoWaitsForReaders() throws Exception {
		LockRequest read = LockRequest.read(KEY).timeout(Duration.ofSeconds(1));
		LockClient second = open("sequential", "shop-2");
		LockClient third = open("sequential", "shop-3");
		LockHandle reader = open("sequential", "shop-1").acquire(LockRequest.read(KEY));
		CompletableFuture<LockHandle> exclusive = second.acquireAsync(LockRequest.exclusive(KEY));
		this.zk.awaitWaiting(second, KEY);
		assertTold("queued behind shop-2 (", third, read);
		reader.release();
		LockHandle held = Actor.get(exclusive);
		assertTold("held by shop-2 (", third, read);
		held.release();
	}

}
