package io.github.zklock.zookeeper.contract;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Fencing tokens grow.
 */
interface TokenContract extends LockContract {

	@Test
	default void tokensGrowWithEveryWriteGrantOfWhicheverClientAndMode() throws Exception {
		LockClient one = open();
		LockClient two = open();
		List<Long> tokens = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			tokens.add(token(one, request(LockMode.EXCLUSIVE)));
			tokens.add(token(one, request(LockMode.WRITE)));
			tokens.add(token(two, request(LockMode.EXCLUSIVE)));
			tokens.add(token(two, request(LockMode.WRITE)));
		}
		assertThat(tokens).isSorted().doesNotHaveDuplicates();
	}

	@Test
	default void aReadersTokenLiesBetweenThoseOfTheWritersBeforeAndAfter() throws Exception {
		LockClient client = open();
		for (LockMode mode : List.of(LockMode.WRITE, LockMode.EXCLUSIVE)) {
			long before = token(client, request(mode));
			LockHandle first = client.acquire(request(LockMode.READ));
			LockHandle second = open().acquire(request(LockMode.READ));
			long reader = first.fencingToken();
			long otherReader = second.fencingToken();
			first.releaseAsync().join();
			second.releaseAsync().join();
			long after = token(client, request(mode));
			assertThat(reader).isGreaterThan(before).isLessThan(after);
			assertThat(otherReader).isGreaterThan(before).isLessThan(after);
		}
	}

	@Test
	default void aTokenOfSeveralKeysLiesBetweenThoseOfEachKey() throws Exception {
		LockClient client = open();
		long apples = token(client, LockRequest.exclusive("apples"));
		long pears = token(client, LockRequest.exclusive("pears"));
		long both = token(client, LockRequest.keys(List.of("pears", "apples")));
		assertThat(both).isGreaterThan(Math.max(apples, pears));
		assertThat(token(client, LockRequest.exclusive("apples"))).isGreaterThan(both);
		assertThat(token(client, LockRequest.exclusive("pears"))).isGreaterThan(both);
	}

	@Test
	default void waitersGetTokensInTheOrderOfTheirGrants() throws Exception {
		LockHandle handle = open().acquire(request(LockMode.EXCLUSIVE));
		LockClient other = open();
		var waiting = other.acquireAsync(request(LockMode.EXCLUSIVE));
		fixture().awaitWaiting(other, KEY);
		handle.release();
		LockHandle next = Actor.get(waiting);
		assertThat(next.fencingToken()).isGreaterThan(handle.fencingToken());
		next.release();
	}

	private static long token(LockClient client, LockRequest request) throws InterruptedException {
		LockHandle handle = client.acquire(request);
		handle.releaseAsync().join();
		return handle.fencingToken();
	}

}
