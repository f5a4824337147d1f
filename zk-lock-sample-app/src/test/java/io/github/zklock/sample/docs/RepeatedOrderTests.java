package io.github.zklock.sample.docs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.test.LockTester;
import io.github.zklock.test.ZkLockExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The examples of docs/migration.md for a lock that outlives its method.
 */
@ExtendWith(ZkLockExtension.class)
class RepeatedOrderTests {

	private final List<String> placed = new ArrayList<>();

	// tag::once[]
	boolean place(LockClient client, String order) throws InterruptedException {
		LockRequest request = LockRequest.exclusive(order).timeout(Duration.ZERO);
		Optional<LockHandle> first = client.notAgainWithin(Duration.ofSeconds(30), false).tryAcquire(request);
		first.ifPresent((handle) -> {
			try (handle) {
				this.placed.add(order);
			}
		});
		return first.isPresent();
	}
	// end::once[]

	// tag::kept[]
	boolean isFirst(LockClient client, String order, Duration expire) throws InterruptedException {
		LockRequest request = LockRequest.exclusive(order).timeout(Duration.ZERO).owner(new Object()).maxHold(expire);
		Optional<LockHandle> first = client.tryAcquire(request);
		first.ifPresent((handle) -> handle.onLost(handle::release));
		return first.isPresent();
	}
	// end::kept[]

	// Who tries once gives a server little time to answer
	private static boolean answered(Callable<Boolean> tried) {
		return await().pollInSameThread().ignoreException(LockUnavailableException.class).until(tried, (first) -> true);
	}

	// What a try without an answer has left may be in the way of the next one
	private static void awaitFirst(Callable<Boolean> tried) {
		await().pollInSameThread().ignoreException(LockUnavailableException.class).until(tried);
	}

	@Test
	void anOrderIsNotPlacedAgainWithinTheTime(LockClient client) throws InterruptedException {
		awaitFirst(() -> place(client, "order-1"));
		assertThat(answered(() -> place(client, "order-1"))).isFalse();
		awaitFirst(() -> place(client, "order-2"));
		assertThat(this.placed).containsExactly("order-1", "order-2");
	}

	@Test
	void aLockIsKeptAgainstItsOwnThreadToo(LockClient client, LockTester locks) throws InterruptedException {
		Duration expire = Duration.ofSeconds(2);
		awaitFirst(() -> isFirst(client, "order-3", expire));
		assertThat(answered(() -> isFirst(client, "order-3", expire))).isFalse();
		await().until(() -> locks.isFree("order-3"));
		awaitFirst(() -> isFirst(client, "order-3", expire));
	}

}
