package io.github.zklock.zookeeper.contract;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What becomes of holders and waiters when their client is closed.
 */
interface ClosingContract extends LockContract {

	@ParameterizedTest
	@EnumSource(LockMode.class)
	default void whatAClosedClientHeldIsFreeAtOnceAndIsLost(LockMode mode) throws Exception {
		fixture().announce("lost: its lock client was closed");
		LockClient client = open();
		LockHandle handle = client.acquire(request(mode));
		AtomicInteger lost = new AtomicInteger();
		handle.onLost(lost::incrementAndGet);
		client.close();
		assertThat(handle.isHeld()).isFalse();
		assertThat(fixture().contendersOnNewestServer(KEY)).isEmpty();
		await().untilAsserted(() -> assertThat(lost).hasValue(1));
		assertThat(fixture().openCount(client)).isZero();
		handle.release();
		assertThat(handle.releaseAsync()).succeedsWithin(Actor.PATIENCE);
	}

	@ParameterizedTest
	@Tag("SessionSource.I3")
	@EnumSource(LockMode.class)
	default void nothingIsOpenInAClientThatHasClosed(LockMode mode) throws Exception {
		fixture().announce("lost: its lock client was closed");
		for (int i = 0; i < 20; i++) {
			LockClient client = open();
			LockHandle handle = client.acquire(request(mode));
			client.close();
			assertThat(fixture().openCount(client)).isZero();
			handle.release();
		}
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	default void whoWaitedInAClosedClientLearnsThatItIsUnavailable(LockMode mode) throws Exception {
		LockHandle handle = open().acquire(request(LockMode.EXCLUSIVE));
		LockClient client = open();
		CompletableFuture<LockHandle> waiting = client.acquireAsync(request(mode));
		CompletableFuture<LockHandle> blocked = fixture().actor().call(() -> client.acquire(request(mode)));
		fixture().awaitWaiting(client, KEY);
		client.close();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> Actor.get(waiting))
			.withMessageContaining(KEY)
			.withMessageContaining("closed");
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> Actor.get(blocked))
			.withMessageContaining("closed");
		assertThat(handle.isHeld()).isTrue();
		handle.release();
	}

	@Test
	default void aClosedClientRefusesFurtherCalls() {
		LockClient client = open();
		client.close();
		client.close();
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> client.acquire(request(LockMode.EXCLUSIVE)))
			.withMessage("Could not acquire lock '%s': the lock client is closed", KEY);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> client.tryAcquire(request(LockMode.READ).timeout(Duration.ZERO)));
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> Actor.get(client.acquireAsync(request(LockMode.EXCLUSIVE))));
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> client.asLock(KEY).tryLock());
	}

}
