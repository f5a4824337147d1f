package io.github.zklock.zookeeper.contract;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.testing.Actor;
import io.github.zklock.testing.Stopwatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What callers are told when no server answers.
 */
interface OutageContract extends ServerContract {

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "READ" })
	default void anAcquireInAnOutageFailsInTime(LockMode mode) throws Exception {
		LockClient client = open();
		client.acquire(request(mode)).releaseAsync().join();
		zk().servers().stop();
		for (Duration timeout : new Duration[] { Duration.ofMillis(300), Duration.ZERO }) {
			assertUnavailableInTime(timeout, () -> client.acquire(request(mode).timeout(timeout)));
			assertUnavailableInTime(timeout, () -> client.tryAcquire(request(mode).timeout(timeout)));
			assertUnavailableInTime(timeout, () -> Actor.get(client.acquireAsync(request(mode).timeout(timeout))));
		}
	}

	@Test
	default void anAcquireThatNeverFoundAServerFailsInTime() {
		zk().servers().stop();
		LockClient client = zk().client()
			.strategy(strategy())
			.curator(zk().curator(ZooKeeperFixture.SESSION, zk().servers().connectString()))
			.open();
		Duration timeout = Duration.ofMillis(300);
		assertUnavailableInTime(timeout, () -> client.acquire(request(LockMode.EXCLUSIVE).timeout(timeout)));
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "READ" })
	default void anInterruptOrACancellationEndsTheWaitInAnOutage(LockMode mode) {
		LockClient client = open();
		awaitFree(client, mode);
		zk().servers().stop();
		Actor actor = zk().actor();
		CompletableFuture<LockHandle> blocked = actor.call(() -> client.acquire(request(mode)));
		CompletableFuture<LockHandle> waiting = client.acquireAsync(request(mode));
		actor.awaitBlocked();
		actor.interrupt();
		assertThat(waiting.cancel(false)).isTrue();
		LockContract.assertInTime(Duration.ZERO,
				() -> assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> Actor.get(blocked)));
		zk().servers().start();
		assertThat(Actor.get(client.acquireAsync(request(LockMode.WRITE))).releaseAsync())
			.succeedsWithin(Actor.PATIENCE);
	}

	@Test
	@Tag("slow")
	default void aClientIsClosedInTimeInAnOutage() throws Exception {
		zk().announce("lost: its lock client was closed");
		zk().announce("has not yet confirmed the removal");
		LockClient client = open();
		LockHandle handle = client.acquire(request(LockMode.EXCLUSIVE));
		CompletableFuture<LockHandle> waiting = client.acquireAsync(request(LockMode.EXCLUSIVE));
		zk().servers().stop();
		Stopwatch stopwatch = Stopwatch.start();
		client.close();
		stopwatch.assertBetween(Duration.ZERO, Duration.ofSeconds(3));
		assertThat(handle.isHeld()).isFalse();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> Actor.get(waiting));
		zk().servers().start();
		assertThat(handle.releaseAsync()).succeedsWithin(Actor.PATIENCE);
	}

	@Test
	default void severalKeysInAnOutageFailInTime() {
		LockClient client = open();
		awaitFree(client, LockMode.EXCLUSIVE);
		zk().servers().stop();
		Duration timeout = Duration.ofMillis(500);
		LockRequest request = LockRequest.keys(List.of("apples", "pears", "plums")).timeout(timeout);
		assertUnavailableInTime(timeout, () -> client.acquire(request));
	}

	private static void assertUnavailableInTime(Duration timeout, ThrowingCallable call) {
		LockContract.assertInTime(timeout,
				() -> assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(call)
					.withMessageStartingWith("Could not acquire lock"));
	}

}
