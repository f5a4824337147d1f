package io.github.zklock.zookeeper.contract;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.fixture.InVain;
import io.github.zklock.fixture.OneTry;
import io.github.zklock.testing.Actor;
import io.github.zklock.testing.Repeat;
import io.github.zklock.testing.Stopwatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * How long a caller waits, and what it is told.
 */
interface TimeoutContract extends LockContract {

	@ParameterizedTest
	@EnumSource(LockMode.class)
	default void anAcquireThatTimesOutNamesTheHolder(LockMode mode) throws Exception {
		LockClient holder = fixture().client().strategy(strategy()).instance("billing-2").open();
		LockClient other = open();
		Duration timeout = Duration.ofMillis(300);
		try (LockHandle handle = holder.acquire(request(LockMode.EXCLUSIVE))) {
			InVain.of(() -> other.acquire(request(mode).timeout(timeout)),
					(ex) -> assertThat(ex)
						.hasMessageStartingWith("Could not acquire lock 'orders' within 300ms: held by ")
						.hasMessageContaining("billing-2")
						.hasMessageContaining("pid " + ProcessHandle.current().pid()));
			assertThat(handle.isHeld()).isTrue();
		}
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	default void aTryThatTimesOutIsEmptyAndInTime(LockMode mode) throws Exception {
		LockClient other = open();
		Duration timeout = Duration.ofMillis(300);
		try (LockHandle handle = open().acquire(request(LockMode.WRITE))) {
			isFree(other, mode);
			Optional<LockHandle> outcome = Repeat.after(LockUnavailableException.class, () -> {
				Stopwatch stopwatch = Stopwatch.start();
				Optional<LockHandle> tried;
				try {
					tried = other.tryAcquire(request(mode).timeout(timeout));
				}
				finally {
					stopwatch.assertBetween(Duration.ZERO, timeout.plus(GRACE));
				}
				assertThat(stopwatch.elapsed()).isGreaterThanOrEqualTo(timeout);
				return tried;
			});
			assertThat(outcome).isEmpty();
			fixture().awaitNothingLeftOf(other);
			assertThat(handle.isHeld()).isTrue();
		}
	}

	@Test
	default void aCallerOfTheSameClientTimesOutToo() throws Exception {
		LockClient client = open();
		try (LockHandle handle = client.acquire(request(LockMode.EXCLUSIVE))) {
			fixture().actor().run(() -> {
				assertThat(client.tryAcquire(request(LockMode.EXCLUSIVE).timeout(Duration.ofMillis(100)))).isEmpty();
				assertThatExceptionOfType(LockTimeoutException.class)
					.isThrownBy(() -> client.acquire(request(LockMode.EXCLUSIVE).timeout(Duration.ofMillis(100))))
					.withMessageContaining("'orders'");
			});
			assertThat(handle.isHeld()).isTrue();
		}
	}

	@Test
	default void anAsynchronousAcquireFailsWithTheSameException() throws Exception {
		LockClient other = open();
		try (LockHandle handle = open().acquire(request(LockMode.EXCLUSIVE))) {
			LockRequest request = request(LockMode.EXCLUSIVE).timeout(Duration.ofMillis(500));
			assertThat(InVain.of(() -> Actor.get(other.acquireAsync(request)))).hasMessageContaining("held by ");
			assertThat(handle.isHeld()).isTrue();
		}
	}

	@Test
	default void theTimeoutOfTheClientAppliesWhereTheRequestHasNone() throws Exception {
		LockClient impatient = fixture().client().strategy(strategy()).timeout(Duration.ofMillis(500)).open();
		try (LockHandle handle = open().acquire(request(LockMode.EXCLUSIVE))) {
			assertThat(InVain.of(() -> impatient.acquire(request(LockMode.EXCLUSIVE))))
				.hasMessageContaining("within 500ms");
			assertThat(handle.isHeld()).isTrue();
		}
	}

	@Test
	default void aTimeoutBeyondAllBoundsMeansForEver() throws Exception {
		LockHandle handle = open().acquire(request(LockMode.EXCLUSIVE));
		LockClient other = open();
		CompletableFuture<LockHandle> waiting = other
			.acquireAsync(request(LockMode.EXCLUSIVE).timeout(Duration.ofSeconds(Long.MAX_VALUE)));
		fixture().awaitWaiting(other, KEY);
		handle.release();
		Actor.get(waiting).release();
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	default void aZeroTimeoutTakesAFreeKey(LockMode mode) throws Exception {
		LockClient client = open();
		for (int i = 0; i < 3; i++) {
			Optional<LockHandle> outcome = OneTry.of(client, request(mode));
			assertThat(outcome).isPresent();
			assertThat(outcome.get().isHeld()).isTrue();
			outcome.get().releaseAsync().join();
		}
	}

	@Test
	default void aZeroTimeoutDoesNotOvertakeACallerOfItsOwnClient() throws Exception {
		LockHandle reader = open().acquire(request(LockMode.READ));
		LockClient client = open();
		CompletableFuture<LockHandle> waiting = client.acquireAsync(request(LockMode.WRITE));
		fixture().awaitWaiting(client, KEY);
		assertThat(isFree(client, LockMode.READ)).isFalse();
		assertThat(waiting).isNotDone();
		reader.release();
		Actor.get(waiting).release();
	}

	@Test
	default void anUnknownStrategyIsRefused() {
		LockClient client = open();
		assertThatIllegalArgumentException()
			.isThrownBy(() -> client.acquire(request(LockMode.EXCLUSIVE).strategy("chaotic")))
			.withMessageContaining("chaotic");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> client.acquireAsync(LockRequest.read("stock").strategy("chaotic")))
			.withMessageContaining("chaotic");
	}

}
