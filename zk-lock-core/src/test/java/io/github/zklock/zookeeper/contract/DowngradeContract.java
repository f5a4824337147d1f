package io.github.zklock.zookeeper.contract;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUpgradeException;
import io.github.zklock.fixture.OneTry;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;

/**
 * A writer that goes on as a reader.
 */
interface DowngradeContract extends LockContract {

	@Test
	default void aDowngradedWriteLetsReadersInAndKeepsWritersOut() throws Exception {
		LockHandle handle = open().acquire(request(LockMode.WRITE));
		long token = handle.fencingToken();
		handle.downgrade();
		assertThat(handle.mode()).isEqualTo(LockMode.READ);
		awaitFree(open(), LockMode.READ);
		assertThat(isFree(open(), LockMode.WRITE)).isFalse();
		assertThat(isFree(open(), LockMode.EXCLUSIVE)).isFalse();
		assertThat(handle.isHeld()).isTrue();
		assertThat(handle.fencingToken()).isEqualTo(token);
		handle.downgrade();
		handle.releaseAsync().join();
		assertThat(handle.isHeld()).isFalse();
		try (LockHandle writer = open().acquire(request(LockMode.WRITE).timeout(Duration.ofSeconds(5)))) {
			assertThat(writer.fencingToken()).isGreaterThan(token);
		}
	}

	@Test
	default void readersWhoWaitComeInAtOnceAndNoWriterBefore() throws Exception {
		LockHandle handle = open().acquire(request(LockMode.WRITE));
		LockClient reader = open();
		CompletableFuture<LockHandle> reading = reader.acquireAsync(request(LockMode.READ));
		fixture().awaitWaiting(reader, KEY);
		LockClient writer = open();
		CompletableFuture<LockHandle> writing = writer.acquireAsync(request(LockMode.WRITE));
		fixture().awaitWaiting(writer, KEY);
		handle.downgrade();
		LockHandle other = Actor.get(reading);
		assertThat(other.isHeld()).isTrue();
		assertThat(handle.isHeld()).isTrue();
		assertThat(other.fencingToken()).isGreaterThanOrEqualTo(handle.fencingToken());
		fixture().awaitWaiting(writer, KEY);
		assertThat(writing).isNotDone();
		other.releaseAsync().join();
		fixture().awaitWaiting(writer, KEY);
		assertThat(writing).isNotDone();
		handle.release();
		LockHandle last = Actor.get(writing);
		assertThat(last.fencingToken()).isGreaterThan(handle.fencingToken());
		last.release();
	}

	@Test
	default void aWriterWhoWaitsIsNotPassedByLaterReaders() throws Exception {
		LockHandle handle = open().acquire(request(LockMode.WRITE));
		LockClient writer = open();
		CompletableFuture<LockHandle> writing = writer.acquireAsync(request(LockMode.WRITE));
		fixture().awaitWaiting(writer, KEY);
		LockClient reader = open();
		CompletableFuture<LockHandle> reading = reader.acquireAsync(request(LockMode.READ));
		fixture().awaitWaiting(reader, KEY);
		handle.downgrade();
		fixture().awaitWaiting(writer, KEY);
		fixture().awaitWaiting(reader, KEY);
		assertThat(reading).isNotDone();
		handle.release();
		LockHandle second = Actor.get(writing);
		assertThat(reading).isNotDone();
		second.release();
		Actor.get(reading).release();
	}

	@Test
	default void callersOfTheSameClientComeInAsReadersOnly() throws Exception {
		LockClient client = open();
		LockHandle handle = client.acquire(request(LockMode.WRITE));
		CompletableFuture<LockHandle> reading = client.acquireAsync(request(LockMode.READ));
		CompletableFuture<LockHandle> writing = client.acquireAsync(request(LockMode.WRITE));
		handle.downgrade();
		LockHandle reader = Actor.get(reading);
		assertThat(reader.isHeld()).isTrue();
		assertThat(handle.isHeld()).isTrue();
		assertThat(writing).isNotDone();
		handle.release();
		assertThat(writing).isNotDone();
		reader.release();
		Actor.get(writing).release();
	}

	@Test
	default void callersOfTheSameClientWhoTryOnceComeInAsReadersOnly() throws Exception {
		LockClient client = open();
		LockHandle handle = client.acquire(request(LockMode.WRITE));
		handle.downgrade();
		await("read beside it").atMost(Actor.PATIENCE).until(() -> {
			LockHandle reader = OneTry.of(client, request(LockMode.READ).owner(new Object())).orElse(null);
			if (reader != null) {
				reader.releaseAsync().join();
			}
			return reader != null;
		});
		assertThat(OneTry.of(client, request(LockMode.WRITE).owner(new Object()))).isEmpty();
		assertThat(handle.isHeld()).isTrue();
		handle.release();
	}

	@Test
	default void aReadInsideAWriteIsSharedWhenTheWriteIsReleased() throws Exception {
		LockClient client = open();
		LockHandle write = client.acquire(request(LockMode.WRITE));
		LockHandle read = client.acquire(request(LockMode.READ));
		assertThat(isFree(open(), LockMode.READ)).isFalse();
		write.release();
		awaitFree(open(), LockMode.READ);
		assertThat(isFree(open(), LockMode.WRITE)).isFalse();
		assertThat(read.isHeld()).isTrue();
		assertThat(read.fencingToken()).isEqualTo(write.fencingToken());
		read.releaseAsync().join();
		awaitFree(open(), LockMode.WRITE);
	}

	@Test
	default void theLastWriteOfAnOwnerDecides() throws Exception {
		LockClient client = open();
		LockHandle outer = client.acquire(request(LockMode.WRITE));
		LockHandle inner = client.acquire(request(LockMode.WRITE));
		inner.downgrade();
		assertThat(inner.mode()).isEqualTo(LockMode.READ);
		assertThat(isFree(open(), LockMode.READ)).isFalse();
		outer.downgrade();
		awaitFree(open(), LockMode.READ);
		outer.release();
		assertThat(inner.isHeld()).isTrue();
		assertThat(isFree(open(), LockMode.WRITE)).isFalse();
		inner.release();
		awaitFree(open(), LockMode.WRITE);
	}

	@Test
	default void whoWentOnAsAReaderIsRefusedTheWriteLock() throws Exception {
		LockClient client = open();
		try (LockHandle handle = client.acquire(request(LockMode.WRITE))) {
			handle.downgrade();
			assertThatExceptionOfType(LockUpgradeException.class)
				.isThrownBy(() -> client.acquire(request(LockMode.WRITE)));
			try (LockHandle again = client.acquire(request(LockMode.READ))) {
				assertThat(again.isHeld()).isTrue();
			}
			assertThat(handle.isHeld()).isTrue();
		}
	}

	@Test
	default void ofSeveralKeysAllAreSharedFromThenOn() throws Exception {
		LockRequest pair = LockRequest.write(KEY).and(LockRequest.write("stock")).and(LockRequest.read("tariff"));
		LockHandle handle = open().acquire(pair);
		handle.downgrade();
		awaitFree(open(), LockMode.READ);
		LockClient other = open();
		try (LockHandle reader = other.acquire(LockRequest.read("stock").timeout(Duration.ofSeconds(5)))) {
			assertThat(reader.isHeld()).isTrue();
			assertThat(handle.isHeld()).isTrue();
		}
		assertThat(OneTry.of(other, LockRequest.write("stock"))).isEmpty();
		handle.releaseAsync().join();
		other.acquire(pair.timeout(Duration.ofSeconds(5))).release();
	}

	@Test
	default void aDowngradeRightBeforeTheReleaseLeavesNothing() throws Exception {
		LockClient client = open();
		for (int i = 0; i < 5; i++) {
			LockHandle handle = client.acquire(request(LockMode.WRITE));
			handle.downgrade();
			handle.release();
		}
		LockHandle last = client.acquire(request(LockMode.WRITE));
		last.downgrade();
		last.releaseAsync().join();
		fixture().awaitNothingLeftOf(client);
		awaitFree(open(), LockMode.WRITE);
		last.downgrade();
		assertThat(last.isHeld()).isFalse();
	}

	@Test
	default void aWriterOfTheSameClientWhoWaitsComesInBehindADowngradeRightBeforeTheRelease() throws Exception {
		LockClient client = open();
		LockHandle handle = client.acquire(request(LockMode.WRITE));
		CompletableFuture<LockHandle> next = client.acquireAsync(request(LockMode.WRITE));
		handle.downgrade();
		handle.release();
		LockHandle writer = Actor.get(next);
		assertThat(writer.isHeld()).isTrue();
		writer.releaseAsync().join();
		awaitFree(open(), LockMode.WRITE);
	}

	@Test
	default void aWriteInsideAnExclusiveGoesOnAsAReadThatKeepsOthersOut() throws Exception {
		LockClient client = open();
		LockHandle outer = client.acquire(request(LockMode.EXCLUSIVE));
		LockHandle inner = client.acquire(request(LockMode.WRITE));
		inner.downgrade();
		assertThat(inner.mode()).isEqualTo(LockMode.READ);
		outer.releaseAsync().join();
		assertThat(inner.isHeld()).isTrue();
		assertThat(isFree(open(), LockMode.READ)).isFalse();
		inner.release();
		awaitFree(open(), LockMode.READ);
	}

	@Test
	default void anExclusiveCannotBeDowngraded() throws Exception {
		try (LockHandle handle = open().acquire(request(LockMode.EXCLUSIVE))) {
			assertThatIllegalStateException().isThrownBy(handle::downgrade).withMessageContaining("mode WRITE");
			assertThat(handle.mode()).isEqualTo(LockMode.EXCLUSIVE);
			assertThat(handle.isHeld()).isTrue();
		}
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	default void downgradingWhatWasReleasedDoesNothing(LockMode mode) throws Exception {
		LockHandle handle = open().acquire(request(mode));
		handle.release();
		assertThatNoException().isThrownBy(handle::downgrade);
		assertThat(handle.mode()).isEqualTo(mode);
	}

	@Test
	default void aDowngradedReadIsWhatItWas() throws Exception {
		try (LockHandle handle = open().acquire(request(LockMode.READ))) {
			handle.downgrade();
			assertThat(handle.mode()).isEqualTo(LockMode.READ);
			assertThat(handle.isHeld()).isTrue();
			awaitFree(open(), LockMode.READ);
		}
	}

}
