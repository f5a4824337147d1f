package io.github.zklock.zookeeper.contract;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUpgradeException;
import io.github.zklock.fixture.ContendingCallers;
import io.github.zklock.fixture.InVain;
import io.github.zklock.fixture.OneTry;
import io.github.zklock.fixture.Section;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * All keys or none.
 */
interface SeveralKeysContract extends LockContract {

	@Test
	default void allKeysAreHeldUntilTheOneReleaseFreesThem() throws Exception {
		LockClient other = open();
		LockHandle handle = open().acquire(LockRequest.keys(List.of("pears", "apples", "pears")));
		assertThat(handle.keys()).containsExactly("pears", "apples");
		assertThat(handle.key()).isEqualTo("pears");
		assertThat(handle.isHeld()).isTrue();
		assertThat(OneTry.of(other, LockRequest.exclusive("apples"))).isEmpty();
		assertThat(OneTry.of(other, LockRequest.read("pears"))).isEmpty();
		handle.releaseAsync().join();
		other.acquire(LockRequest.exclusive("apples").timeout(Duration.ofSeconds(5))).release();
		other.acquire(LockRequest.exclusive("pears").timeout(Duration.ofSeconds(5))).release();
	}

	@Test
	@Tag("slow")
	@Tag("ZooKeeperContender.I3")
	default void oneBusyKeyMeansThatNoneIsHeld() throws Exception {
		LockClient client = open();
		try (LockHandle busy = open().acquire(LockRequest.exclusive("pears"))) {
			LockRequest request = LockRequest.keys(List.of("apples", "pears", "plums"));
			InVain.of(() -> client.acquire(request.timeout(Duration.ofSeconds(1))),
					(ex) -> assertThat(ex).hasMessageContaining("pears"));
			assertThat(OneTry.of(client, request)).isEmpty();
			await().untilAsserted(() -> {
				assertThat(fixture().contenders("apples")).isEmpty();
				assertThat(fixture().contenders("pears")).hasSize(1);
				assertThat(fixture().contenders("plums")).isEmpty();
			});
			assertThat(busy.isHeld()).isTrue();
		}
	}

	@Test
	default void aZeroTimeoutOnSeveralKeysOfWhichOneIsBusyLeavesNothing() throws Exception {
		LockClient client = open();
		try (LockHandle busy = open().acquire(LockRequest.exclusive("plums"))) {
			LockRequest request = LockRequest.keys(List.of("apples", "plums"));
			assertThat(OneTry.of(client, request)).isEmpty();
			await().untilAsserted(() -> assertThat(fixture().contenders("apples")).isEmpty());
			assertThat(busy.isHeld()).isTrue();
		}
	}

	@Test
	default void oppositeOrdersOfTwoClientsDoNotWaitForEachOther() {
		List<String> keys = List.of("apples", "pears", "plums");
		List<String> reversed = List.of("plums", "pears", "apples");
		ContendingCallers callers = ContendingCallers.between(open(), open()).threads(2).rounds(8);
		Section section = callers.run((round) -> LockRequest.keys((round % 2 == 0) ? keys : reversed));
		assertThat(section.violations()).isEmpty();
		assertThat(section.entered()).isEqualTo(callers.entries());
	}

	@Test
	default void setsThatShareAKeyExcludeEachOther() {
		List<List<String>> sets = List.of(List.of("apples", "pears"), List.of("pears"), List.of("plums", "pears"));
		ContendingCallers callers = ContendingCallers.between(open(), open()).threads(2).rounds(8);
		Section section = callers.run((round) -> LockRequest.keys(sets.get(round % sets.size())));
		assertThat(section.violations()).isEmpty();
	}

	@Test
	default void readersOfSeveralKeysShareThem() throws Exception {
		LockRequest request = LockRequest.keys(List.of("apples", "pears")).mode(LockMode.READ);
		try (LockHandle one = open().acquire(request); LockHandle two = open().acquire(request)) {
			assertThat(one.isHeld()).isTrue();
			assertThat(two.isHeld()).isTrue();
			assertThat(OneTry.of(open(), LockRequest.write("pears"))).isEmpty();
		}
	}

	@Test
	default void eachKeyHasAModeOfItsOwn() throws Exception {
		LockHandle pair = open().acquire(LockRequest.read("apples").and(LockRequest.write("pears")));
		assertThat(pair.mode("apples")).isEqualTo(LockMode.READ);
		assertThat(pair.mode("pears")).isEqualTo(LockMode.WRITE);
		assertThat(pair.mode()).isEqualTo(LockMode.WRITE);
		assertThatIllegalArgumentException().isThrownBy(() -> pair.mode("plums"));
		LockClient other = open();
		try (LockHandle reader = other.acquire(LockRequest.read("apples").timeout(Duration.ofSeconds(5)))) {
			assertThat(reader.isHeld()).isTrue();
			assertThat(pair.isHeld()).isTrue();
		}
		assertThat(OneTry.of(other, LockRequest.write("apples"))).isEmpty();
		assertThat(OneTry.of(other, LockRequest.read("pears"))).isEmpty();
		pair.releaseAsync().join();
		other.acquire(LockRequest.write("apples").timeout(Duration.ofSeconds(5))).release();
		other.acquire(LockRequest.read("pears").timeout(Duration.ofSeconds(5))).release();
	}

	@Test
	default void keysOfDifferentModesAreHeldTogetherOrNotAtAll() throws Exception {
		LockClient client = open();
		LockHandle reader = open().acquire(LockRequest.read("pears"));
		LockRequest pair = LockRequest.read("apples").and(LockRequest.write("pears"));
		CompletableFuture<LockHandle> waiting = client.acquireAsync(pair);
		fixture().awaitWaiting(client, "pears");
		assertThat(waiting).isNotDone();
		assertThat(OneTry.of(open(), LockRequest.write("apples"))).isEmpty();
		reader.release();
		LockHandle handle = Actor.get(waiting);
		assertThat(handle.isHeld()).isTrue();
		handle.release();
	}

	@Test
	default void aKeyInTwoModesDoesNotWaitForItself() throws Exception {
		LockRequest twice = LockRequest.read("apples").and(LockRequest.write("apples")).and(LockRequest.read("pears"));
		try (LockHandle handle = open().acquire(twice.timeout(Duration.ofSeconds(5)))) {
			assertThat(handle.keys()).containsExactly("apples", "pears");
			assertThat(fixture().contenders("apples")).hasSize(1);
			assertThat(OneTry.of(open(), LockRequest.read("apples"))).isEmpty();
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "WRITE" })
	default void oppositeModesOfTwoClientsDoNotWaitForEachOther(LockMode mode) {
		LockRequest one = LockRequest.read("apples").and(LockRequest.exclusive("pears").mode(mode));
		LockRequest two = LockRequest.read("pears").and(LockRequest.exclusive("apples").mode(mode));
		ContendingCallers callers = ContendingCallers.between(open(), open()).threads(2).rounds(8);
		Section section = callers.run((round) -> (round % 2 == 0) ? one : two);
		assertThat(section.violations()).isEmpty();
		assertThat(section.entered()).isEqualTo(callers.entries());
	}

	@Test
	default void anOwnerReentersEachKeyInItsMode() throws Exception {
		LockClient client = open();
		try (LockHandle reader = client.acquire(LockRequest.read("apples"))) {
			LockRequest upgrade = LockRequest.read("pears").and(LockRequest.write("apples"));
			assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(() -> client.acquire(upgrade))
				.withMessageContaining("apples");
			assertThat(fixture().contenders("pears")).isEmpty();
			try (LockHandle pair = client.acquire(LockRequest.write("pears").and(LockRequest.read("apples")))) {
				assertThat(pair.mode("pears")).isEqualTo(LockMode.WRITE);
				assertThat(pair.isHeld()).isTrue();
				assertThat(OneTry.of(open(), LockRequest.read("pears"))).isEmpty();
			}
			assertThat(reader.isHeld()).isTrue();
		}
	}

	@Test
	default void anOwnerReentersOneOfItsKeys() throws Exception {
		LockClient client = open();
		LockHandle both = client.acquire(LockRequest.keys(List.of("apples", "pears")));
		LockHandle one = client.acquire(LockRequest.exclusive("pears").timeout(Duration.ofSeconds(1)));
		both.releaseAsync().join();
		assertThat(one.isHeld()).isTrue();
		LockClient other = open();
		assertThat(OneTry.of(other, LockRequest.exclusive("pears"))).isEmpty();
		one.release();
		other.acquire(LockRequest.exclusive("pears")).release();
		other.acquire(LockRequest.exclusive("apples")).release();
	}

	@Test
	default void anOwnerMayAddKeysToWhatItHolds() throws Exception {
		LockClient client = open();
		LockHandle one = client.acquire(LockRequest.exclusive("pears"));
		LockHandle both = client.acquire(LockRequest.keys(List.of("apples", "pears")).timeout(Duration.ofSeconds(5)));
		one.release();
		assertThat(both.isHeld()).isTrue();
		LockClient other = open();
		assertThat(OneTry.of(other, LockRequest.exclusive("pears"))).isEmpty();
		assertThat(OneTry.of(other, LockRequest.exclusive("apples"))).isEmpty();
		both.release();
	}

	@Test
	default void whoLosesAKeyWhileItWaitsForTheOthersIsGrantedNone() throws Exception {
		fixture().announce("was lost");
		LockHandle busy = open().acquire(LockRequest.exclusive("pears"));
		LockClient client = open();
		LockRequest one = LockRequest.exclusive("apples").owner("basket");
		LockHandle apples = client.acquire(one);
		CompletableFuture<LockHandle> both = client
			.acquireAsync(LockRequest.keys(List.of("apples", "pears")).owner("basket"));
		// Not before the call that waits, however late that is made
		LockHandle brief = client.acquire(one.maxHold(Duration.ofMillis(10)));
		await("lost").atMost(Actor.PATIENCE).until(() -> !apples.isHeld());
		assertThat(both).isNotDone();
		busy.release();
		assertThat(both).failsWithin(Actor.PATIENCE)
			.withThrowableThat()
			.withCauseInstanceOf(LockLostException.class)
			.withMessageContaining("'apples'");
		brief.release();
		apples.release();
		fixture().awaitNothingLeftOf(client);
		open().acquire(LockRequest.keys(List.of("apples", "pears"))).release();
	}

	@Test
	default void allKeysAreGivenUpWhenTheirTimeIsOver() throws Exception {
		fixture().announce("was lost");
		LockRequest pair = LockRequest.keys(List.of("apples", "pears")).timeout(Duration.ofSeconds(5));
		LockHandle outstaying = open().acquire(pair.maxHold(Duration.ofMillis(100)));
		try (LockHandle next = open().acquire(pair)) {
			assertThat(outstaying.isHeld()).isFalse();
			outstaying.release();
			assertThat(next.isHeld()).isTrue();
		}
	}

	@Test
	default void givingUpSeveralKeysLeavesNothing() throws Exception {
		LockHandle busy = open().acquire(LockRequest.exclusive("plums"));
		LockClient client = open();
		CompletableFuture<LockHandle> waiting = client
			.acquireAsync(LockRequest.keys(List.of("plums", "apples", "pears")));
		fixture().awaitWaiting(client, "plums");
		waiting.cancel(false);
		fixture().awaitNothingLeftOf(client);
		LockClient other = open();
		other.acquire(LockRequest.keys(List.of("apples", "pears"))).release();
		assertThat(busy.isHeld()).isTrue();
		busy.release();
		Actor.get(client.acquireAsync(LockRequest.keys(List.of("plums", "apples")))).release();
	}

}
