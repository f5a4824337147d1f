package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.Handoff;
import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.OneTry;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.testing.Actor;
import io.github.zklock.testing.TestServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A key that is only retained is free, also for a caller with a time-out of zero. On a
 * busy machine the client that retains it may need longer than such a caller waits: then
 * he tries again, and nobody has taken the key meanwhile.
 */
@Timeout(60)
class RetainedTryTests {

	private static final String KEY = "orders";

	private static final Handoff RETAINING = new Handoff(64, Duration.ofMinutes(1), Duration.ofMinutes(1));

	private static final Duration LONG_SESSION = Duration.ofMinutes(5);

	@AutoClose
	private static final TestServers server = TestServers.startOne();

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.on(() -> server);

	@ParameterizedTest
	@Tag("QueueWait.I4")
	@CsvSource({ "EXCLUSIVE, EXCLUSIVE, sequential", "WRITE, READ, sequential", "READ, WRITE, sequential",
			"WRITE, WRITE, sequential", "EXCLUSIVE, EXCLUSIVE, naive", "READ, WRITE, naive" })
	void aKeyThatIsOnlyRetainedIsFreeForAnotherClientThatTriesOnce(LockMode retained, LockMode tried, String strategy)
			throws Exception {
		long token = retain(open(RETAINING), retained);
		LockClient other = this.zk.client().strategy(strategy).session(LONG_SESSION).open();
		try (LockHandle handle = awaitOneTry(other, LockRequest.exclusive(KEY).mode(tried))) {
			assertThat(handle.isHeld()).isTrue();
			assertThat(handle.fencingToken()).isGreaterThan(token);
			assertThat(this.zk.contenders(KEY)).hasSize(1);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void aKeyThatIsOnlyRetainedIsFreeForAPermit(String strategy) throws Exception {
		retain(open(RETAINING), LockMode.EXCLUSIVE);
		LockClient other = this.zk.client().strategy(strategy).session(LONG_SESSION).open();
		try (LockHandle handle = awaitOneTry(other, LockRequest.permits(KEY, 5))) {
			assertThat(handle.isHeld()).isTrue();
			assertThat(this.zk.contenders(KEY)).hasSize(1);
		}
	}

	@Test
	void aKeyThatTheClientItselfRetainsIsFreeForOneOfSeveral() throws Exception {
		LockClient client = open(RETAINING);
		retain(client, LockMode.EXCLUSIVE);
		try (LockHandle handle = awaitOneTry(client, LockRequest.keys(List.of(KEY, "stock")))) {
			assertThat(handle.isHeld()).isTrue();
			assertThat(this.zk.contenders(KEY)).hasSize(1);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void aKeyThatIsHeldIsBusyAlthoughItMayBeRetained(String strategy) throws Exception {
		LockClient client = open(RETAINING);
		LockClient other = this.zk.client().strategy(strategy).session(LONG_SESSION).open();
		LockHandle held = client.acquire(LockRequest.exclusive(KEY));
		for (int i = 0; i < 3; i++) {
			assertThat(OneTry.of(other, LockRequest.exclusive(KEY))).isEmpty();
			assertThat(OneTry.of(other, LockRequest.keys(List.of("stock", KEY)))).isEmpty();
		}
		assertThat(held.isHeld()).isTrue();
		this.zk.awaitNothingLeftOf(other);
		assertThat(this.zk.contenders(KEY)).hasSize(1);
		assertThat(this.zk.contenders("stock")).isEmpty();
		held.release();
		client.close();
	}

	@Test
	@Tag("QueueWait.I4")
	void whoTriesOnceDoesNotQueueBehindAnotherWhoWaits() throws Exception {
		LockHandle held = open(RETAINING).acquire(LockRequest.exclusive(KEY));
		CompletableFuture<LockHandle> waiting = open(Handoff.DEFAULT).acquireAsync(LockRequest.exclusive(KEY));
		await().until(() -> this.zk.contenders(KEY).size() == 2);
		LockClient other = openAndUse(Handoff.DEFAULT);
		long zxid = this.zk.zxidAtRest();
		assertThat(OneTry.of(other, LockRequest.exclusive(KEY))).isEmpty();
		assertThat(this.zk.zxid()).isEqualTo(zxid);
		held.release();
		Actor.get(waiting).release();
	}

	@Test
	void aNodeThatDoesNotSayThatItMayBeRetainedIsBusyWithoutAWrite() throws Exception {
		LockHandle held = open(Handoff.DEFAULT).acquire(LockRequest.exclusive(KEY));
		this.zk.plant(this.zk.keyNode("foreign") + "/x-lock-", CreateMode.EPHEMERAL_SEQUENTIAL);
		LockClient other = openAndUse(Handoff.DEFAULT);
		long zxid = this.zk.zxidAtRest();
		for (int i = 0; i < 3; i++) {
			assertThat(OneTry.of(other, LockRequest.exclusive(KEY))).isEmpty();
			assertThat(OneTry.of(other, LockRequest.exclusive("foreign"))).isEmpty();
		}
		assertThat(this.zk.zxid()).isEqualTo(zxid);
		held.release();
	}

	@Test
	void whoTryAtOnceExcludeEachOther() throws Exception {
		List<LockClient> clients = List.of(open(RETAINING), open(RETAINING), open(RETAINING));
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger served = new AtomicInteger();
		List<Actor> actors = new ArrayList<>();
		List<CompletableFuture<Void>> working = new ArrayList<>();
		for (LockClient client : clients) {
			Actor actor = new Actor("caller " + actors.size());
			actors.add(actor);
			working.add(actor.call(() -> {
				for (int i = 0; i < 30; i++) {
					Optional<LockHandle> handle = OneTry.of(client, LockRequest.exclusive(KEY));
					if (handle.isPresent()) {
						assertThat(inside.incrementAndGet()).isOne();
						served.incrementAndGet();
						inside.decrementAndGet();
						handle.get().release();
					}
				}
				return null;
			}));
		}
		for (CompletableFuture<Void> one : working) {
			one.get(50, TimeUnit.SECONDS);
		}
		actors.forEach(Actor::close);
		assertThat(served).hasPositiveValue();
		clients.forEach(LockClient::close);
		await().until(() -> this.zk.contenders(KEY).isEmpty());
	}

	@Test
	void aKeyIsFreeWhenTheSessionThatRetainsItHasEnded() throws Exception {
		LockClient client = open(RETAINING);
		retain(client, LockMode.EXCLUSIVE);
		LockClient other = open(Handoff.DEFAULT);
		this.zk.expireSession(client);
		awaitOneTry(other, LockRequest.exclusive(KEY)).release();
	}

	private long retain(LockClient client, LockMode mode) throws InterruptedException {
		LockHandle handle = client.acquire(LockRequest.exclusive(KEY).mode(mode));
		handle.release();
		assertThat(this.zk.contenders(KEY)).hasSize(1);
		return handle.fencingToken();
	}

	private static LockHandle awaitOneTry(LockClient client, LockRequest request) {
		return await().until(() -> OneTry.of(client, request), Optional::isPresent).orElseThrow();
	}

	private LockClient openAndUse(Handoff handoff) throws InterruptedException {
		LockClient client = open(handoff);
		client.acquire(LockRequest.exclusive("another")).releaseAsync().join();
		return client;
	}

	private LockClient open(Handoff handoff) {
		return this.zk.client()
			.strategy("sequential")
			.session(LONG_SESSION)
			.with((builder) -> builder.handoff(handoff))
			.open();
	}

}
