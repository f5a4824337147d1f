package io.github.zklock.zookeeper.contract;

import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.ContendingCallers;
import io.github.zklock.fixture.Section;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who keeps whom out.
 */
interface ExclusionContract extends LockContract {

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "WRITE" })
	default void callersOfTwoClientsNeverHoldOneKeyTogether(LockMode mode) {
		ContendingCallers callers = ContendingCallers.between(open(), open()).threads(2).rounds(15);
		Section section = callers.run((round) -> request(mode));
		assertThat(section.violations()).isEmpty();
		assertThat(section.entered()).isEqualTo(callers.entries());
	}

	@Test
	default void callersOfTwoClientsInAllModesNeverOverlapWithAWriter() {
		ContendingCallers callers = ContendingCallers.between(open(), open()).threads(3).rounds(10);
		LockMode[] modes = { LockMode.READ, LockMode.WRITE, LockMode.READ, LockMode.EXCLUSIVE, LockMode.READ };
		Section section = callers.run((round) -> request(modes[round % modes.length]));
		assertThat(section.violations()).isEmpty();
		assertThat(section.entered()).isEqualTo(callers.entries());
	}

	@ParameterizedTest
	@CsvSource({ "EXCLUSIVE, EXCLUSIVE", "EXCLUSIVE, READ", "EXCLUSIVE, WRITE", "READ, EXCLUSIVE", "READ, WRITE",
			"WRITE, EXCLUSIVE", "WRITE, READ", "WRITE, WRITE" })
	default void aHolderKeepsOutTheOther(LockMode held, LockMode asked) throws Exception {
		LockClient other = open();
		LockHandle handle = open().acquire(request(held));
		assertThat(isFree(other, asked)).isFalse();
		CompletableFuture<LockHandle> waiting = other.acquireAsync(request(asked));
		fixture().awaitWaiting(other, KEY);
		assertThat(waiting).isNotDone();
		assertThat(handle.isHeld()).isTrue();
		handle.release();
		LockHandle next = Actor.get(waiting);
		assertThat(next.isHeld()).isTrue();
		next.release();
	}

	@Test
	default void twoThreadsOfOneClientExcludeEachOther() throws Exception {
		LockClient client = open();
		LockHandle handle = client.acquire(request(LockMode.EXCLUSIVE));
		assertThat(isFree(client, LockMode.EXCLUSIVE)).isFalse();
		handle.releaseAsync().join();
		awaitFree(client, LockMode.EXCLUSIVE);
	}

	@Test
	default void differentKeysDoNotKeepEachOtherOut() throws Exception {
		LockClient other = open();
		try (LockHandle one = open().acquire(LockRequest.exclusive("orders"));
				LockHandle two = other.acquire(LockRequest.exclusive("orders/0"));
				LockHandle three = other.acquire(LockRequest.exclusive("order"))) {
			assertThat(one.isHeld()).isTrue();
			assertThat(two.isHeld()).isTrue();
			assertThat(three.isHeld()).isTrue();
		}
	}

	@Test
	default void differentRootsDoNotKeepEachOtherOut() throws Exception {
		String otherRoot = fixture().root() + "/other";
		LockClient other = fixture().client().strategy(strategy()).root(otherRoot).open();
		try (LockHandle one = open().acquire(request(LockMode.EXCLUSIVE))) {
			try (LockHandle two = other.acquire(request(LockMode.EXCLUSIVE))) {
				assertThat(one.isHeld()).isTrue();
				assertThat(two.isHeld()).isTrue();
			}
		}
		finally {
			fixture().delete(otherRoot);
		}
	}

	@Test
	default void waitersBehindEachOtherAllGetTheirTurn() throws Exception {
		LockHandle handle = open().acquire(request(LockMode.EXCLUSIVE));
		LockClient[] clients = { open(), open(), open(), open() };
		ContendingCallers callers = ContendingCallers.between(clients).threads(1).rounds(1);
		Actor starter = fixture().actor();
		CompletableFuture<Section> outcome = starter.call(() -> callers.run((round) -> request(LockMode.EXCLUSIVE)));
		for (LockClient client : clients) {
			fixture().awaitWaiting(client, KEY);
		}
		handle.release();
		assertThat(Actor.get(outcome).violations()).isEmpty();
	}

}
