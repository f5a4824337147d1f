package io.github.zklock.zookeeper.contract;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.fixture.OneTry;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What callers may rely on that only servers can show: requests, sessions, key nodes.
 */
interface RequestsContract extends ServerContract {

	@ParameterizedTest
	@EnumSource(LockMode.class)
	default void aZeroTimeoutOnABusyKeyWritesNothing(LockMode mode) throws Exception {
		LockClient other = openQuiet();
		isFree(other, mode);
		try (LockHandle handle = openQuiet().acquire(request(LockMode.WRITE))) {
			// A server that has not seen the holder yet would take the key for a free one
			zk().curatorOf(other).sync().forPath(zk().root());
			long before = zk().zxidAtRest();
			for (int i = 0; i < 5; i++) {
				assertThat(OneTry.of(other, request(mode))).isEmpty();
			}
			assertThat(zk().zxid()).isEqualTo(before);
			assertThat(handle.isHeld()).isTrue();
		}
	}

	@Test
	default void closingOneOfTwoClientsOfAConnectionDoesNotDisturbTheOther() throws Exception {
		LockClient one = open();
		LockClient two = zk().client().strategy(strategy()).curator(zk().curatorOf(one)).open();
		LockHandle handle = two.acquire(request(LockMode.EXCLUSIVE));
		CompletableFuture<LockHandle> waiting = one.acquireAsync(request(LockMode.EXCLUSIVE));
		zk().awaitWaiting(one, KEY);
		CompletableFuture<LockHandle> other = two.acquireAsync(request(LockMode.EXCLUSIVE));
		one.close();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> Actor.get(waiting));
		assertThat(handle.isHeld()).isTrue();
		assertThat(other).isNotDone();
		handle.release();
		Actor.get(other).release();
	}

	@Test
	default void reenteringSendsNothing() throws Exception {
		LockClient client = openQuiet();
		try (LockHandle outer = client.acquire(request(LockMode.EXCLUSIVE))) {
			long before = zk().zxidAtRest();
			for (int i = 0; i < 10; i++) {
				client.acquire(request(LockMode.EXCLUSIVE)).release();
			}
			assertThat(zk().zxid()).isEqualTo(before);
			assertThat(outer.isHeld()).isTrue();
		}
	}

	@Test
	default void aLostHoldIsNotReenteredUntilItIsReleased() throws Exception {
		zk().announce("lost");
		LockClient client = open();
		LockHandle outer = client.acquire(request(LockMode.EXCLUSIVE));
		zk().expireSession(client);
		await().until(() -> !outer.isHeld());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> client.acquire(request(LockMode.EXCLUSIVE)))
			.withMessageContaining("'orders'");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> OneTry.of(client, request(LockMode.READ)));
		outer.release();
		LockHandle again = client.acquire(request(LockMode.EXCLUSIVE));
		assertThat(again.isHeld()).isTrue();
		again.release();
	}

	@Test
	default void tokensGrowAcrossStrategies() throws Exception {
		LockClient client = open();
		List<Long> tokens = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			tokens.add(token(client, request(LockMode.EXCLUSIVE).strategy("naive")));
			tokens.add(token(client, request(LockMode.EXCLUSIVE).strategy("sequential")));
			tokens.add(token(client, request(LockMode.WRITE).strategy("naive")));
			zk().servers().reapContainers();
		}
		assertThat(tokens).isSorted().doesNotHaveDuplicates();
	}

	@Test
	default void tokensGrowAcrossAKeyNodeThatWasReapedAndMadeAgain() throws Exception {
		LockClient client = open();
		List<Long> tokens = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			tokens.add(token(client, request(LockMode.WRITE)));
			tokens.add(token(client, request(LockMode.WRITE)));
			zk().reap(zk().keyNode(KEY));
		}
		assertThat(tokens).isSorted().doesNotHaveDuplicates();
	}

	private static long token(LockClient client, LockRequest request) throws InterruptedException {
		LockHandle handle = client.acquire(request);
		handle.releaseAsync().join();
		return handle.fencingToken();
	}

}
