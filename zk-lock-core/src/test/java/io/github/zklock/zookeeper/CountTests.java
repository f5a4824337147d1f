package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.server.ServerCnxn.DisconnectReason;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.WaitingCaller;
import io.github.zklock.fixture.OneTry;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.internal.session.SessionSource;
import io.github.zklock.testing.Actor;
import io.github.zklock.testing.TestServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What locking costs, counted by a server that nobody else uses. Sessions are so long
 * that neither pings nor the lease's calls for confirmation fall into the count.
 */
@Timeout(120)
class CountTests {

	private static final String KEY = "orders";

	private static final Duration LONG_SESSION = Duration.ofMinutes(5);

	private static final int WAITERS = 200;

	private static final long MILLISECOND = TimeUnit.MILLISECONDS.toNanos(1);

	@AutoClose
	private static final TestServers server = TestServers.startOne();

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.on(() -> server);

	private final List<LockSessions> sessionsFarAway = new ArrayList<>();

	@AfterEach
	void closeSessionsFarAway() {
		this.sessionsFarAway.forEach(LockSessions::close);
	}

	@ParameterizedTest
	@MethodSource
	void anUncontendedLockOfAKnownKeyCosts(String strategy, LockMode mode, int requests, int transactions)
			throws Exception {
		LockClient client = open(strategy);
		LockRequest request = LockRequest.exclusive(KEY).mode(mode);
		client.acquire(request).releaseAsync().join();
		client.acquire(request).releaseAsync().join();
		int locks = 50;
		long packets = this.zk.packetsAtRest();
		long zxid = this.zk.zxid();
		for (int i = 0; i < locks; i++) {
			client.acquire(request).releaseAsync().join();
		}
		assertThat(server.packetsReceived() - packets).isEqualTo((long) locks * requests);
		assertThat(server.zxid() - zxid).isEqualTo((long) locks * transactions);
	}

	static Stream<Arguments> anUncontendedLockOfAKnownKeyCosts() {
		return Stream.of(Arguments.of("sequential", LockMode.EXCLUSIVE, 3, 2),
				Arguments.of("sequential", LockMode.WRITE, 3, 2), Arguments.of("sequential", LockMode.READ, 3, 2),
				Arguments.of("naive", LockMode.EXCLUSIVE, 2, 2));
	}

	@ParameterizedTest
	@CsvSource({ "sequential, EXCLUSIVE, 2, 3", "sequential, READ, 8, 3", "naive, WRITE, 8, 3" })
	void severalKnownKeysAtOnceCost(String strategy, LockMode mode, int keys, int requests) throws Exception {
		LockClient client = open(strategy);
		LockRequest request = LockRequest.keys(IntStream.range(0, keys).mapToObj((i) -> KEY + i).toList()).mode(mode);
		client.acquire(request).releaseAsync().join();
		int locks = 10;
		long packets = this.zk.packetsAtRest();
		long zxid = this.zk.zxid();
		for (int i = 0; i < locks; i++) {
			client.acquire(request).releaseAsync().join();
		}
		assertThat(server.packetsReceived() - packets).isEqualTo((long) locks * requests);
		assertThat(server.zxid() - zxid).isEqualTo(locks * 2L);
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void aZeroTimeoutOnABusyKeyCostsOneRead(LockMode mode) throws Exception {
		assertThat(zeroTimeoutOnBusyKey("sequential", mode)).isEqualTo(1);
	}

	@Test
	void aZeroTimeoutOnABusyKeyThatTheClientWaitsForCostsOneRead() throws Exception {
		LockClient client = open("sequential");
		LockRequest request = LockRequest.exclusive(KEY).timeout(Duration.ZERO);
		try (LockHandle handle = open("sequential").acquire(LockRequest.write(KEY))) {
			CompletableFuture<LockHandle> both = client.acquireAsync(LockRequest.keys(List.of(KEY, "another")));
			await().until(() -> this.zk.contenders(KEY).size() == 2 && this.zk.contenders("another").size() == 1);
			int tries = 20;
			assertThat(requestsOfTries(client, request, tries)).isEqualTo(tries);
			assertThat(handle.isHeld()).isTrue();
			both.cancel(false);
		}
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void aNaiveZeroTimeoutOnABusyKeyCostsTwoReadsAtMost(LockMode mode) throws Exception {
		assertThat(zeroTimeoutOnBusyKey("naive", mode)).isBetween(1L, 2L);
	}

	private long zeroTimeoutOnBusyKey(String strategy, LockMode mode) throws Exception {
		LockRequest request = LockRequest.exclusive(KEY).mode(mode).timeout(Duration.ZERO);
		LockClient client = open(strategy);
		OneTry.of(client, request).orElseThrow().releaseAsync().join();
		try (LockHandle handle = open(strategy).acquire(LockRequest.write(KEY))) {
			assertThat(OneTry.of(client, request)).as("reads whether the node may be retained").isEmpty();
			int tries = 20;
			long received = requestsOfTries(client, request, tries);
			assertThat(handle.isHeld()).isTrue();
			assertThat(received % tries).isZero();
			return received / tries;
		}
	}

	private long requestsOfTries(LockClient client, LockRequest request, int tries) throws InterruptedException {
		long packets = this.zk.packetsAtRest();
		long zxid = this.zk.zxid();
		for (int i = 0; i < tries; i++) {
			assertThat(OneTry.of(client, request)).isEmpty();
		}
		long received = server.packetsReceived() - packets;
		assertThat(server.zxid()).isEqualTo(zxid);
		return received;
	}

	@ParameterizedTest
	@CsvSource({ "sequential, EXCLUSIVE, 200, 1", "naive, EXCLUSIVE, 200, 200" })
	void oneReleaseWithManyWaitersFires(String strategy, LockMode mode, int watches, int fired) throws Exception {
		LockClient holder = open(strategy);
		List<LockClient> clients = new ArrayList<>();
		for (int i = 0; i < WAITERS; i++) {
			clients.add(open(strategy));
		}
		LockRequest request = LockRequest.exclusive(KEY).mode(mode).timeout(Duration.ofMinutes(2));
		LockHandle handle = holder.acquire(request);
		List<CompletableFuture<LockHandle>> waiting = clients.stream()
			.map((client) -> client.acquireAsync(request))
			.toList();
		await().atMost(Actor.PATIENCE).until(() -> this.zk.watchers(KEY) == watches);
		long firedBefore = TestServers.nodeDeletedWatchesFired();
		handle.release();
		LockHandle next = awaitAny(waiting);
		int left = strategy.equals("naive") ? WAITERS - 1 : watches - fired;
		await().atMost(Actor.PATIENCE).until(() -> this.zk.watchers(KEY) == left);
		assertThat(TestServers.nodeDeletedWatchesFired() - firedBefore).isEqualTo(fired);
		assertThat(next.isHeld()).isTrue();
		assertThat(waiting.stream().filter(CompletableFuture::isDone)).hasSize(1);
		waiting.forEach((future) -> future.cancel(false));
		next.release();
	}

	private static LockHandle awaitAny(List<CompletableFuture<LockHandle>> futures) {
		CompletableFuture<?>[] all = futures.toArray(CompletableFuture[]::new);
		return (LockHandle) Actor.get(CompletableFuture.anyOf(all));
	}

	@Test
	@Tag("slow")
	void farAwayOneReleaseWithManyWaitersFiresFourWatches() throws Exception {
		LockRequest request = LockRequest.exclusive(KEY).timeout(Duration.ofMinutes(2));
		List<LockClient> clients = open(13, true);
		LockHandle handle = clients.get(0).acquire(request);
		List<CompletableFuture<LockHandle>> waiting = new ArrayList<>();
		for (int i = 0; i < 12; i++) {
			waiting.add(clients.get(i + 1).acquireAsync(request));
			int entered = i + 1;
			await().until(() -> this.zk.contenders(KEY).size() == entered + 1);
		}
		await().atMost(Actor.PATIENCE).until(() -> this.zk.watchers(KEY) == 1 + 2 + 3 + 4 + 8);
		long firedBefore = TestServers.nodeDeletedWatchesFired();
		handle.release();
		Actor.get(waiting.get(0));
		await().until(() -> this.zk.watchers(KEY) == 1 + 2 + 3 + 8);
		assertThat(TestServers.nodeDeletedWatchesFired() - firedBefore).isEqualTo(4);
		waiting.forEach((future) -> future.cancel(false));
		waiting.get(0).join().release();
	}

	@Test
	@Tag("slow")
	void farAwayWhoHasFewInTheWayWatchesAllOthersTheOneDirectlyBefore() throws Exception {
		List<LockClient> clients = open(7, true);
		LockHandle handle = clients.get(0).acquire(LockRequest.exclusive(KEY));
		List<CompletableFuture<LockHandle>> waiting = new ArrayList<>();
		int watches = 0;
		for (int before = 1; before <= 6; before++) {
			waiting.add(clients.get(before).acquireAsync(LockRequest.exclusive(KEY)));
			watches += (before <= 4) ? before : 1;
			int expected = watches;
			await().until(() -> this.zk.watchers(KEY) == expected);
		}
		waiting.forEach((future) -> future.cancel(false));
		handle.release();
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void aDowngradeCostsOneTransaction(String strategy) throws Exception {
		LockHandle handle = open(strategy).acquire(LockRequest.write(KEY));
		long packets = this.zk.packetsAtRest();
		long zxid = this.zk.zxid();
		handle.downgrade();
		await().until(() -> server.zxid() - zxid == 1);
		assertThat(this.zk.packetsAtRest() - packets).isOne();
		handle.releaseAsync().join();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void fiveHandoversCostTenRequests(boolean far) throws Exception {
		LockRequest request = LockRequest.exclusive(KEY);
		List<LockClient> clients = open(5, far);
		LockHandle handle = clients.get(0).acquire(request);
		List<CompletableFuture<LockHandle>> waiting = new ArrayList<>();
		int watches = 0;
		for (int before = 1; before <= 4; before++) {
			waiting.add(clients.get(before).acquireAsync(request));
			watches += far ? before : 1;
			int expected = watches;
			await().until(() -> this.zk.watchers(KEY) == expected);
		}
		long packets = this.zk.packetsAtRest();
		handle.release();
		for (CompletableFuture<LockHandle> next : waiting) {
			Actor.get(next).releaseAsync().join();
		}
		assertThat(server.packetsReceived() - packets)
			.as("five deletes, one that was to take the key node along, and four looks: whether the own node is there,"
					+ " or a list")
			.isEqualTo(10);
	}

	// All before one holds, because that takes long: a holder comes to watch its own node
	private List<LockClient> open(int number, boolean far) throws Exception {
		List<LockClient> clients = new ArrayList<>();
		for (int i = 0; i < number; i++) {
			clients.add(far ? openFarAway() : open("sequential"));
		}
		return clients;
	}

	private LockClient openFarAway() throws Exception {
		LockClient client = openAt(new AtomicLong(MILLISECOND), this.zk.curator(LONG_SESSION));
		for (int i = 0; i < 160; i++) {
			client.acquire(LockRequest.exclusive("far away")).releaseAsync().join();
		}
		return client;
	}

	// By its own clock it waits so long for each answer
	private LockClient openAt(AtomicLong distance, CuratorFramework connection) throws Exception {
		AtomicLong later = new AtomicLong();
		LockSessions sessions = LockSessions.builder(connection)
			.root(this.zk.root())
			.clock(() -> System.nanoTime() + later.addAndGet(distance.get()))
			.build();
		this.sessionsFarAway.add(sessions);
		return this.zk.closing(ZooKeeperLockClient.builder(sessions).build(), connection);
	}

	// Each try is one read, with no write before it
	private static void tryOften(LockClient client, int times) throws Exception {
		for (int i = 0; i < times; i++) {
			assertThat(OneTry.of(client, LockRequest.exclusive(KEY))).isEmpty();
		}
	}

	@Test
	void behindALostConnectionFewAnswersShowThatTheServersAreFar() throws Exception {
		AtomicLong distance = new AtomicLong();
		CuratorFramework connection = this.zk.curator(LONG_SESSION);
		LockClient client = openAt(distance, connection);
		client.acquire(LockRequest.exclusive("connected")).releaseAsync().join();
		LockHandle held = open("sequential").acquire(LockRequest.exclusive(KEY));
		tryOften(client, 160);
		distance.set(MILLISECOND);
		long session = connection.getZookeeperClient().getZooKeeper().getSessionId();
		server.running().get(0).getServerCnxnFactory().closeSession(session, DisconnectReason.CONNECTION_CLOSE_FORCED);
		client.acquire(LockRequest.exclusive("connected again")).releaseAsync().join();
		tryOften(client, 40);
		CompletableFuture<LockHandle> next = open("sequential").acquireAsync(LockRequest.exclusive(KEY));
		await().until(() -> this.zk.watchers(KEY) == 1);
		CompletableFuture<LockHandle> last = client.acquireAsync(LockRequest.exclusive(KEY));
		await().until(() -> this.zk.watchers(KEY) == 1 + 2);
		held.release();
		Actor.get(next).release();
		Actor.get(last).release();
	}

	private LockClient open(String strategy) {
		return this.zk.client().strategy(strategy).session(LONG_SESSION).open();
	}

	@Test
	@Tag("NewcomerWatch.I1")
	void aLookAtNewcomersCostsOneListIfTheQueueHasChangedAndNothingOtherwise() throws Exception {
		LockHandle handle = open("sequential").acquire(LockRequest.exclusive(KEY));
		SessionSource source = sourceOf(open("sequential"));
		CuratorFramework others = this.zk.curator(LONG_SESSION);
		String keyNode = source.paths().keyNode(KEY);
		assertThat(others.checkExists().forPath(keyNode)).isNotNull();
		NewcomerWatch watch = new NewcomerWatch(source.current(), keyNode,
				new WaiterDescription(source.identity(), KEY));
		Queue<WaitingCaller> seen = new ConcurrentLinkedQueue<>();
		long before = this.zk.packetsAtRest();
		watch.look(LockMode.EXCLUSIVE, seen::addAll);
		await().untilAsserted(() -> assertThat(seen).hasSize(1));
		for (int i = 0; i < 10; i++) {
			watch.look(LockMode.EXCLUSIVE, seen::addAll);
		}
		assertThat(this.zk.packetsAtRest() - before).as("a list, and a read of the holder").isEqualTo(2);
		int newcomers = 50;
		for (int i = 0; i < newcomers; i++) {
			others.create()
				.withMode(CreateMode.EPHEMERAL_SEQUENTIAL)
				.forPath(keyNode + "/_c_" + UUID.randomUUID() + "-lock-");
		}
		assertThat(this.zk.packetsAtRest() - before).isEqualTo(2 + newcomers);
		await().untilAsserted(() -> {
			watch.look(LockMode.EXCLUSIVE, seen::addAll);
			assertThat(seen).hasSize(1 + newcomers);
		});
		assertThat(this.zk.packetsAtRest() - before).isEqualTo(2 + newcomers + 1 + newcomers);
		assertThat(seen).filteredOn((caller) -> caller.instance() == null)
			.hasSize(newcomers)
			.allMatch((caller) -> caller.mode() == LockMode.EXCLUSIVE);
		watch.leave();
		others.close();
		handle.releaseAsync().join();
	}

	@Test
	void aNodeForAsksCostsTwoPacketsAndNothingWhileNobodyAsks() throws Exception {
		LockClient client = open("sequential");
		LockHandle handle = client.acquire(LockRequest.exclusive(KEY));
		SessionSource source = sourceOf(client);
		List<AskNode> nodes = List.of(new AskNode(source.current(), source, KEY),
				new AskNode(source.current(), source, KEY));
		long before = this.zk.packetsAtRest();
		nodes.forEach((node) -> node.look(LockMode.EXCLUSIVE, (asks) -> {
		}));
		assertThat(this.zk.packetsAtRest() - before).isZero();
		assertThat(packetsOfALook(nodes.get(0), 4)).as("with their parent").isEqualTo(4);
		assertThat(packetsOfALook(nodes.get(1), 2)).isEqualTo(2);
		assertThat(packetsOfALook(nodes.get(1), 0)).isZero();
		nodes.forEach(AskNode::leave);
		handle.releaseAsync().join();
		await().until(() -> source.current().watches().count() == 0);
	}

	private long packetsOfALook(AskNode node, int expected) {
		long before = this.zk.packetsAtRest();
		node.look(LockMode.EXCLUSIVE, (asks) -> {
		});
		await().until(() -> server.packetsReceived() - before >= expected);
		return this.zk.packetsAtRest() - before;
	}

	private static SessionSource sourceOf(LockClient client) {
		SessionSource source = ((ZooKeeperLockClient) client).parts().source();
		await().until(() -> source.current() != null);
		return source;
	}

}
