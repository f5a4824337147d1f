package io.github.zklock.zookeeper.contract;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.curator.framework.state.ConnectionState;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.fixture.OneTry;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What is true when servers are back after an outage.
 */
interface RecoveryContract extends ServerContract {

	@Test
	default void anAcquireThatBeganInAnOutageGoesOnWhenItIsOver() {
		LockClient client = open();
		awaitFree(client, LockMode.EXCLUSIVE);
		zk().servers().stop();
		CompletableFuture<LockHandle> waiting = client.acquireAsync(request(LockMode.EXCLUSIVE));
		zk().servers().start();
		LockHandle handle = Actor.get(waiting);
		assertThat(handle.isHeld()).isTrue();
		handle.release();
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "READ" })
	default void aWaiterThatSawAnotherContenderBeforeTheOutageTimesOut(LockMode mode) throws Exception {
		// However long the outage lasts, the holder keeps it
		LockHandle handle = openQuiet().acquire(request(LockMode.WRITE));
		LockClient client = open();
		CompletableFuture<LockHandle> waiting = client.acquireAsync(request(mode).timeout(Duration.ofSeconds(3)));
		await().atMost(Actor.PATIENCE).until(() -> zk().contenders(KEY).size() == 2);
		zk().awaitWaiting(client, KEY);
		// The servers may know that it waits before it does itself
		assertThat(OneTry.of(client, request(mode))).isEmpty();
		zk().servers().stop();
		assertThatExceptionOfType(LockTimeoutException.class).isThrownBy(() -> Actor.get(waiting));
		zk().servers().start();
		await().atMost(Actor.PATIENCE).untilAsserted(() -> assertThat(zk().contenders(KEY)).hasSize(1));
		handle.release();
	}

	@Test
	@Tag("slow")
	@Tag("SessionSource.I2")
	default void aHolderOutlivesAShortOutage() throws Exception {
		Duration session = Duration.ofSeconds(12);
		LockClient client = zk().client().strategy(strategy()).session(session).open();
		Queue<ConnectionState> changes = ZooKeeperFixture.changesOf(zk().curatorOf(client));
		LockHandle handle = client.acquire(request(LockMode.EXCLUSIVE));
		AtomicInteger lost = new AtomicInteger();
		handle.onLost(lost::incrementAndGet);
		long id = zk().sessionOf(client);
		zk().servers().stop();
		assertThat(handle.isHeld()).isTrue();
		zk().servers().start();
		// What was known before the outage is good for no longer than five sixths
		long knownAnew = System.nanoTime() + session.dividedBy(6).multipliedBy(5).plusMillis(500).toNanos();
		await().atMost(Duration.ofMinutes(1)).until(() -> {
			assertThat(handle.isHeld()).isTrue();
			return changes.contains(ConnectionState.RECONNECTED) && System.nanoTime() - knownAnew > 0;
		});
		assertThat(zk().sessionOf(client)).isEqualTo(id);
		assertThat(isFree(open(), LockMode.WRITE)).isFalse();
		assertThat(lost).hasValue(0);
		handle.release();
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "READ" })
	default void aWaiterOutlivesAShortOutage(LockMode mode) throws Exception {
		LockClient holder = open();
		LockHandle handle = holder.acquire(request(LockMode.EXCLUSIVE));
		LockClient client = open();
		CompletableFuture<LockHandle> waiting = client.acquireAsync(request(mode));
		zk().awaitWaiting(client, KEY);
		zk().servers().stop();
		zk().servers().start();
		handle.release();
		LockHandle next = Actor.get(waiting);
		assertThat(next.isHeld()).isTrue();
		next.release();
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "READ" })
	default void aReleaseInAnOutageReturnsAtOnceAndIsDoneAfterIt(LockMode mode) throws Exception {
		zk().announce("release");
		LockHandle handle = open().acquire(request(mode));
		zk().servers().stop();
		LockContract.assertInTime(Duration.ZERO, handle::release);
		assertThat(handle.isHeld()).isFalse();
		CompletableFuture<Void> released = handle.releaseAsync();
		assertThat(released).isNotDone();
		zk().servers().start();
		assertThat(released).succeedsWithin(Actor.PATIENCE);
		assertThat(zk().contenders(KEY)).isEmpty();
	}

}
