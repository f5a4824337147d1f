package io.github.zklock.zookeeper.contract;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUpgradeException;
import io.github.zklock.fixture.OneTry;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What an owner may do with what it holds already.
 */
interface ReentrancyContract extends LockContract {

	@ParameterizedTest
	@CsvSource({ "EXCLUSIVE, EXCLUSIVE", "EXCLUSIVE, READ", "EXCLUSIVE, WRITE", "WRITE, WRITE", "WRITE, READ",
			"WRITE, EXCLUSIVE", "READ, READ" })
	default void anOwnerReentersWhatItHolds(LockMode held, LockMode asked) throws Exception {
		LockClient client = open();
		LockClient other = open();
		LockHandle outer = client.acquire(request(held));
		LockHandle inner = client.acquire(request(asked).timeout(Duration.ZERO));
		assertThat(inner.mode()).isEqualTo(asked);
		assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
		inner.releaseAsync().join();
		assertThat(inner.isHeld()).isFalse();
		assertThat(outer.isHeld()).isTrue();
		assertThat(isFree(other, LockMode.WRITE)).isFalse();
		outer.releaseAsync().join();
		awaitFree(other, LockMode.WRITE);
	}

	@Test
	default void theKeyIsFreeAfterAsManyReleasesAsAcquisitionsInAnyOrder() throws Exception {
		LockClient client = open();
		LockClient other = open();
		Deque<LockHandle> handles = new ArrayDeque<>();
		for (int i = 0; i < 5; i++) {
			handles.add(client.acquire(request(LockMode.EXCLUSIVE)));
		}
		while (!handles.isEmpty()) {
			assertThat(isFree(other, LockMode.EXCLUSIVE)).isFalse();
			LockHandle handle = (handles.size() % 2 == 0) ? handles.removeFirst() : handles.removeLast();
			assertThat(handle.isHeld()).isTrue();
			handle.releaseAsync().join();
			assertThat(handle.isHeld()).isFalse();
		}
		awaitFree(other, LockMode.EXCLUSIVE);
	}

	@Test
	default void aReadInsideAnExclusiveStaysExclusiveWhenThatIsReleased() throws Exception {
		LockClient client = open();
		LockClient other = open();
		LockHandle exclusive = client.acquire(request(LockMode.EXCLUSIVE));
		LockHandle read = client.acquire(request(LockMode.READ));
		exclusive.releaseAsync().join();
		assertThat(read.isHeld()).isTrue();
		assertThat(read.fencingToken()).isEqualTo(exclusive.fencingToken());
		assertThat(isFree(other, LockMode.READ)).isFalse();
		try (LockHandle again = client.acquire(request(LockMode.EXCLUSIVE))) {
			assertThat(again.isHeld()).isTrue();
		}
		read.releaseAsync().join();
		awaitFree(other, LockMode.WRITE);
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "WRITE" })
	default void anUpgradeIsRefusedAtOnceAndTheReadIsUntouched(LockMode mode) throws Exception {
		LockClient client = open();
		try (LockHandle read = client.acquire(request(LockMode.READ))) {
			assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(() -> client.acquire(request(mode)))
				.withMessageContaining("'orders'");
			assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(() -> OneTry.of(client, request(mode)));
			assertThat(read.isHeld()).isTrue();
			awaitFree(open(), LockMode.READ);
			assertThat(isFree(open(), LockMode.WRITE)).isFalse();
		}
	}

	@Test
	default void aReaderReentersAlthoughAWriterWaits() throws Exception {
		LockClient client = open();
		LockHandle outer = client.acquire(request(LockMode.READ));
		LockClient writer = open();
		CompletableFuture<LockHandle> waiting = writer.acquireAsync(request(LockMode.WRITE));
		fixture().awaitWaiting(writer, KEY);
		LockHandle inner = client.acquire(request(LockMode.READ).timeout(Duration.ofSeconds(1)));
		outer.release();
		assertThat(inner.isHeld()).isTrue();
		assertThat(waiting).isNotDone();
		inner.release();
		Actor.get(waiting).release();
	}

	@Test
	default void aCallThatWaitsAlreadyDoesNotEnterWhatItsOwnerIsGranted() throws Exception {
		LockClient client = open();
		LockHandle busy = open().acquire(request(LockMode.EXCLUSIVE));
		LockRequest owned = request(LockMode.EXCLUSIVE).owner("order 42");
		CompletableFuture<LockHandle> first = client.acquireAsync(owned);
		CompletableFuture<LockHandle> second = client.acquireAsync(owned);
		fixture().awaitWaiting(client, KEY);
		busy.release();
		LockHandle handle = Actor.get(first);
		client.acquire(owned.timeout(Duration.ZERO)).release();
		assertThat(second).isNotDone();
		handle.release();
		LockHandle later = Actor.get(second);
		assertThat(later.fencingToken()).isGreaterThan(handle.fencingToken());
		later.release();
	}

	@Test
	default void asynchronousAcquisitionsAreOwnersOfTheirOwn() {
		LockClient client = open();
		LockHandle handle = Actor.get(client.acquireAsync(request(LockMode.EXCLUSIVE)));
		assertThat(client.acquireAsync(request(LockMode.EXCLUSIVE).timeout(Duration.ZERO))).failsWithin(Actor.PATIENCE)
			.withThrowableThat()
			.withCauseInstanceOf(LockTimeoutException.class);
		handle.release();
	}

	@Test
	default void aNamedOwnerReentersFromWhateverThread() throws Exception {
		LockClient client = open();
		LockRequest owned = request(LockMode.EXCLUSIVE).owner("order 42");
		LockHandle outer = Actor.get(client.acquireAsync(owned));
		LockHandle inner = client.acquire(owned.timeout(Duration.ZERO));
		LockHandle innermost = fixture().actor().get(() -> client.acquire(owned.timeout(Duration.ZERO)));
		assertThat(innermost.fencingToken()).isEqualTo(outer.fencingToken());
		assertThat(OneTry.of(client, request(LockMode.EXCLUSIVE))).isEmpty();
		outer.release();
		innermost.release();
		assertThat(inner.isHeld()).isTrue();
		inner.release();
	}

}
