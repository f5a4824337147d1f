package io.github.zklock.zookeeper;

import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.ZooKeeperFixture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Callers whose stack comes to its end: the error comes before anything has changed.
 */
@Timeout(60)
class StackEndTests {

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void aCallNearTheStacksEndChangesNothing(String strategy) throws Exception {
		LockClient client = this.zk.client().strategy(strategy).open();
		AtomicReference<LockHandle> acquired = new AtomicReference<>();
		atTheEndOfTheStack(() -> acquired.compareAndSet(null, acquire(client)));
		assertThat(acquired.get().isHeld()).isTrue();
		acquired.get().releaseAsync().join();
		this.zk.awaitNothingLeftOf(client);
	}

	@Test
	@Tag("HeldLock.I4")
	void aReleaseNearTheStacksEndIsDoneElsewhere() throws Exception {
		LockClient client = this.zk.client().open();
		LockHandle handle = acquire(client);
		atTheEndOfTheStack(handle::release);
		await().until(() -> !handle.isHeld());
		this.zk.awaitNothingLeftOf(client);
	}

	private static LockHandle acquire(LockClient client) {
		try {
			return client.acquire(LockRequest.exclusive("orders").owner("deep"));
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void atTheEndOfTheStack(Runnable action) throws InterruptedException {
		Thread deep = new Thread(null, () -> descend(action), "deep", 512 * 1024);
		deep.start();
		deep.join();
	}

	// Each frame on the way back tries, until one has enough stack left.
	@SuppressWarnings("InfiniteRecursion") // to the end of the stack
	private static boolean descend(Runnable action) {
		try {
			if (descend(action)) {
				return true;
			}
		}
		catch (StackOverflowError ex) {
			// This was the deepest frame.
		}
		try {
			action.run();
			return true;
		}
		catch (StackOverflowError ex) {
			return false;
		}
	}

}
