package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockException;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

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

	// The servers may have no time to answer within a fifth of a second
	private static String messageOfOneTry(LockClient client, LockRequest request) {
		LockException[] refused = new LockException[1];
		await("an answer").atMost(Actor.PATIENCE).until(() -> {
			refused[0] = catchThrowableOfType(LockException.class,
					() -> client.acquire(request.timeout(Duration.ZERO).owner(new Object())));
			return !(refused[0] instanceof LockUnavailableException);
		});
		assertThat(refused[0]).isInstanceOf(LockTimeoutException.class);
		return refused[0].getMessage();
	}

	@ParameterizedTest
	@CsvSource({ "sequential, EXCLUSIVE, another contender", "sequential, READ, another contender",
			"naive, WRITE, another contender", "naive, EXCLUSIVE, shop-1 (" })
	void whoTriesOnceIsToldWhoHoldsHereOrHasNoQueueButNotWhoIsInOne(String strategy, LockMode mode, String named)
			throws Exception {
		LockClient holder = open(strategy, "shop-1");
		LockHandle held = holder.acquire(LockRequest.exclusive(KEY).mode(mode));
		LockRequest asked = LockRequest.exclusive(KEY);
		for (int i = 0; i < 2; i++) {
			assertThat(messageOfOneTry(open(strategy, "shop-2"), asked)).contains("at once: held by " + named);
		}
		assertThat(messageOfOneTry(holder, asked)).contains("at once: held by this process (thread ");
		held.release();
	}

	@Test
	void aReaderIsNotToldThatOneHoldsWhoWaitsForReaders() throws Exception {
		LockRequest read = LockRequest.read(KEY);
		LockClient second = open("sequential", "shop-2");
		LockClient third = open("sequential", "shop-3");
		LockHandle reader = open("sequential", "shop-1").acquire(read);
		CompletableFuture<LockHandle> exclusive = second.acquireAsync(LockRequest.exclusive(KEY));
		this.zk.awaitWaiting(second, KEY);
		assertThat(messageOfShortWait(third, read)).contains("queued behind shop-2 (");
		reader.release();
		LockHandle held = Actor.get(exclusive);
		assertThat(messageOfShortWait(third, read)).contains("held by shop-2 (");
		held.release();
	}

	private static String messageOfShortWait(LockClient client, LockRequest request) {
		return catchThrowableOfType(LockTimeoutException.class,
				() -> client.acquire(request.timeout(Duration.ofSeconds(1))))
			.getMessage();
	}

}
