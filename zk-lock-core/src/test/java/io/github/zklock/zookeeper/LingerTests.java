package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.Handoff;
import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.OneTry;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.spi.Grant;
import io.github.zklock.testing.Actor;
import io.github.zklock.testing.TestServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A lock lingers for callers who come back at once.
 */
@Timeout(60)
class LingerTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("orders");

	private static final Duration LONG_SESSION = Duration.ofMinutes(5);

	@AutoClose
	private static final TestServers server = TestServers.startOne();

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.on(() -> server);

	@Test
	void whoComesBackAtOnceFindsItsNodeThere() throws Exception {
		LockClient client = open(Handoff.DEFAULT);
		LockHandle held = heat(client);
		assertThat(this.zk.contenders("orders")).hasSize(1);
		held.release();
		this.zk.awaitNothingLeftOf(client);
	}

	@Test
	void withoutHandoffsEachCallerHasANodeOfHisOwn() throws Exception {
		LockClient client = open(new Handoff(0, Duration.ZERO, Duration.ZERO));
		long before = -1;
		for (int i = 0; i < 50; i++) {
			LockHandle handle = client.acquire(REQUEST);
			assertThat(node(handle)).isNotEqualTo(before);
			before = node(handle);
			handle.release();
		}
	}

	@Test
	void onceItIsReleasedAsynchronouslyTheNodeIsGone() throws Exception {
		LockClient client = open(Handoff.DEFAULT);
		heat(client).releaseAsync().join();
		assertThat(this.zk.contenders("orders")).isEmpty();
	}

	@Test
	void releasedTwiceItIsGoneToo() throws Exception {
		LockHandle held = heat(open(Handoff.DEFAULT));
		held.release();
		held.releaseAsync().join();
		// If its tenure was over, another node lingers for a moment in its stead
		await().untilAsserted(() -> assertThat(this.zk.contenders("orders")).isEmpty());
	}

	@Test
	void aKeyThatLingersIsFreeForOneWhoTriesOnce() throws Exception {
		LockClient client = open(Handoff.DEFAULT);
		LockClient other = open(Handoff.DEFAULT);
		for (int i = 0; i < 20; i++) {
			LockHandle held = heat(client);
			held.release();
			await().untilAsserted(() -> assertThat(OneTry.of(other, REQUEST)).isPresent()
				.hasValueSatisfying((handle) -> handle.releaseAsync().join()));
		}
	}

	@Test
	void whoWaitsElsewhereIsServedAlthoughACallerAlwaysComesBack() throws Exception {
		LockClient client = open(Handoff.DEFAULT);
		LockClient other = open(Handoff.DEFAULT);
		heat(client).release();
		AtomicBoolean stop = new AtomicBoolean();
		AtomicInteger locks = new AtomicInteger();
		CompletableFuture<Void> loop = CompletableFuture.runAsync(() -> {
			Lock lock = client.asLock("orders");
			while (!stop.get()) {
				lock.lock();
				try {
					locks.incrementAndGet();
				}
				finally {
					lock.unlock();
				}
			}
		});
		await("the caller").until(() -> locks.get() > 0);
		for (int i = 0; i < 20; i++) {
			other.acquire(REQUEST).release();
		}
		stop.set(true);
		Actor.get(loop);
	}

	// On a busy machine a caller may be kept from coming back at once, so this goes on
	// until one has
	private static LockHandle heat(LockClient client) throws InterruptedException {
		LockHandle before = client.acquire(REQUEST);
		while (true) {
			before.release();
			LockHandle next = client.acquire(REQUEST);
			if (node(next) == node(before)) {
				return next;
			}
			before = next;
		}
	}

	private static long node(LockHandle handle) {
		return handle.fencingToken() / Grant.TOKENS;
	}

	private LockClient open(Handoff handoff) {
		return this.zk.client().session(LONG_SESSION).with((builder) -> builder.handoff(handoff)).open();
	}

}
