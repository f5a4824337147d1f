package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.OneTry;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.internal.contender.KeyNodeCache;
import io.github.zklock.testing.Actor;
import io.github.zklock.testing.TestServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A key that is used once leaves nothing and costs two requests; one that is in use keeps
 * its key node; a key node that is anybody else's stays. Counted by a server that nobody
 * else uses.
 */
@Timeout(60)
class FreshKeyTests {

	private static final String KEY = "orders";

	private static final Duration LONG_SESSION = Duration.ofMinutes(5);

	@AutoClose
	private static final TestServers server = TestServers.startOne();

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.on(() -> server);

	@ParameterizedTest
	@CsvSource({ "sequential, EXCLUSIVE", "sequential, WRITE", "sequential, READ", "naive, EXCLUSIVE", "naive, WRITE",
			"naive, READ" })
	void aKeyThatIsUsedOnceCostsTwoRequestsAndLeavesNothing(String strategy, LockMode mode) throws Exception {
		LockClient client = open(strategy);
		LockRequest request = LockRequest.exclusive(KEY).mode(mode);
		use(client, request);
		Costs costs = new Costs();
		int keys = 30;
		for (int i = 0; i < keys; i++) {
			use(client, LockRequest.exclusive("order " + i).mode(mode));
		}
		costs.are(2 * keys, 2 * keys);
		assertThat(nodes()).containsExactly(this.zk.root());
	}

	@Test
	void aKeyThatIsUsedAgainKeepsItsKeyNode() throws Exception {
		LockClient client = open("sequential");
		use(client, LockRequest.exclusive("the root is made"));
		Costs costs = new Costs();
		use(client, LockRequest.exclusive(KEY));
		costs.are(2, 2);
		assertThat(nodes()).containsExactly(this.zk.root());
		use(client, LockRequest.exclusive(KEY));
		costs.are(4, 4);
		assertThat(nodes()).containsExactly(this.zk.root(), this.zk.keyNode(KEY));
		use(client, LockRequest.exclusive(KEY));
		costs.are(7, 6);
		assertThat(nodes()).containsExactly(this.zk.root(), this.zk.keyNode(KEY));
	}

	@Test
	void whoDoesNotWaitForTheReleaseKnowsThatThereWillBeNoKeyNode() throws Exception {
		LockClient client = open("sequential");
		use(client, LockRequest.exclusive("the root is made"));
		Costs costs = new Costs();
		client.acquire(LockRequest.exclusive(KEY)).release();
		use(client, LockRequest.exclusive(KEY));
		costs.are(4, 4);
	}

	@Test
	void aKeyThatLooksFreeIsTakenWithOneMoreRead() throws Exception {
		LockClient client = open("sequential");
		use(client, LockRequest.exclusive("the root is made"));
		Costs costs = new Costs();
		use(client, LockRequest.exclusive(KEY).timeout(Duration.ZERO).answerTimeout(Actor.PATIENCE));
		costs.are(3, 2);
		assertThat(nodes()).containsExactly(this.zk.root());
	}

	@Test
	void theFirstKeyOfAllAlsoMakesTheRoot() throws Exception {
		LockClient client = open("sequential");
		Costs costs = new Costs();
		use(client, LockRequest.exclusive(KEY));
		costs.are(4, 4);
	}

	@Test
	@Tag("KeyNodeCache.I1")
	void aKeyNodeThatWasReapedIsMadeAgain() throws Exception {
		LockClient client = open("sequential");
		use(client, LockRequest.exclusive(KEY));
		use(client, LockRequest.exclusive(KEY));
		this.zk.reap(this.zk.keyNode(KEY));
		Costs costs = new Costs();
		use(client, LockRequest.exclusive(KEY));
		costs.are(4, 3);
	}

	@Test
	@Tag("KeyNodeCache.I1")
	void aKeyNodeThatAnotherClientMadeIsFoundAndKept() throws Exception {
		LockClient other = open("sequential");
		use(other, LockRequest.exclusive(KEY));
		use(other, LockRequest.exclusive(KEY));
		LockClient client = open("sequential");
		Costs costs = new Costs();
		use(client, LockRequest.exclusive(KEY));
		costs.are(4, 3);
		assertThat(nodes()).containsExactly(this.zk.root(), this.zk.keyNode(KEY));
	}

	@Test
	void aKeyNodeThatOthersKeepIsExpectedHoweverSeldomItIsUsed() throws Exception {
		AtomicLong later = new AtomicLong();
		CuratorFramework connection = this.zk.curator(LONG_SESSION);
		LockSessions sessions = LockSessions.builder(connection)
			.root(this.zk.root())
			.clock(() -> System.nanoTime() + later.get())
			.build();
		LockClient client = this.zk.closing(ZooKeeperLockClient.builder(sessions).build(), connection);
		try (LockHandle kept = open("sequential").acquire(LockRequest.read(KEY))) {
			use(client, LockRequest.read(KEY));
			Costs costs = new Costs();
			for (int i = 0; i < 3; i++) {
				later.addAndGet(KeyNodeCache.LATELY_NANOS);
				use(client, LockRequest.read(KEY));
			}
			assertThat(this.zk.zxid() - costs.zxid).as("transactions, none of them refused").isEqualTo(3 * 2);
			assertThat(kept.isHeld()).isTrue();
		}
		sessions.close();
	}

	@Test
	void whoWaitsBehindTheOneThatMadeTheKeyNodeIsServed() throws Exception {
		LockHandle maker = open("sequential").acquire(LockRequest.exclusive(KEY));
		LockClient other = open("sequential");
		CompletableFuture<LockHandle> waiting = other.acquireAsync(LockRequest.exclusive(KEY));
		this.zk.awaitWaiting(other, KEY);
		Costs costs = new Costs();
		maker.releaseAsync().join();
		LockHandle next = Actor.get(waiting);
		costs.become(2 + 1, 2);
		assertThat(next.isHeld()).isTrue();
		assertThat(next.fencingToken()).isGreaterThan(maker.fencingToken());
		next.releaseAsync().join();
		assertThat(nodes()).containsExactly(this.zk.root(), this.zk.keyNode(KEY));
	}

	@Test
	void aMakerThatHasSeenOthersComeDoesNotTryToRemoveTheKeyNode() throws Exception {
		LockClient client = open("sequential");
		LockHandle maker = client.acquire(LockRequest.exclusive(KEY));
		CompletableFuture<LockHandle> local = client.acquireAsync(LockRequest.exclusive(KEY));
		maker.release();
		LockHandle second = Actor.get(local);
		this.zk.awaitWaiting(client, KEY);
		LockClient other = open("sequential");
		CompletableFuture<LockHandle> waiting = other.acquireAsync(LockRequest.exclusive(KEY));
		this.zk.awaitWaiting(other, KEY);
		Costs costs = new Costs();
		second.releaseAsync().join();
		LockHandle next = Actor.get(waiting);
		costs.become(1 + 1, 1);
		next.release();
	}

	@Test
	@Tag("LockNode.I3")
	void aChildOfAStrangerKeepsTheKeyNode() throws Exception {
		LockHandle handle = open("sequential").acquire(LockRequest.exclusive(KEY));
		String note = this.zk.plant(this.zk.keyNode(KEY) + "/note", CreateMode.PERSISTENT);
		handle.releaseAsync().join();
		assertThat(nodes()).containsExactly(this.zk.root(), this.zk.keyNode(KEY), note);
	}

	@Test
	@Tag("LockNode.I3")
	void dataOfAStrangerKeepsTheKeyNode() throws Exception {
		LockClient client = open("sequential");
		LockHandle handle = client.acquire(LockRequest.exclusive(KEY));
		this.zk.curatorOf(client).setData().forPath(this.zk.keyNode(KEY), new byte[] { 42 });
		handle.releaseAsync().join();
		assertThat(nodes()).containsExactly(this.zk.root(), this.zk.keyNode(KEY));
	}

	@Test
	void aNodeThatAnOperatorHasDeletedLeavesTheKeyNodeToTheServers() throws Exception {
		LockHandle handle = open("sequential").acquire(LockRequest.exclusive(KEY));
		this.zk.delete(this.zk.contenders(KEY).get(0));
		handle.releaseAsync().join();
		assertThat(nodes()).containsExactly(this.zk.root(), this.zk.keyNode(KEY));
		this.zk.reap(this.zk.keyNode(KEY));
	}

	@Test
	@Tag("NodeCreation.I1")
	void aContenderThatGivesUpWhileItsKeyNodeIsBeingMadeLeavesNothing() throws Exception {
		LockClient client = open("sequential");
		use(client, LockRequest.exclusive("the root is made"));
		for (int i = 0; i < 50; i++) {
			CompletableFuture<LockHandle> asked = client.acquireAsync(LockRequest.exclusive("order " + i));
			if (!asked.cancel(false)) {
				// It was granted before it could be cancelled
				asked.join().release();
			}
		}
		this.zk.awaitNothingLeftOf(client);
		assertThat(nodes()).containsExactly(this.zk.root());
	}

	@Test
	void aNodeWithoutNumberWhereTheKeyNodeWouldBeIsWaitedFor() throws Exception {
		LockHandle naive = open("naive").acquire(LockRequest.exclusive(KEY));
		LockClient client = open("sequential");
		CompletableFuture<LockHandle> waiting = client.acquireAsync(LockRequest.exclusive(KEY));
		this.zk.awaitWaiting(client, KEY);
		assertThat(nodes()).containsExactly(this.zk.root(), this.zk.keyNode(KEY));
		naive.release();
		LockHandle next = Actor.get(waiting);
		assertThat(next.isHeld()).isTrue();
		next.releaseAsync().join();
		assertThat(nodes()).containsExactly(this.zk.root());
	}

	@Test
	void curatorsMutexMakesItsKeyNodeAnewWhereOursWasRemoved() throws Exception {
		LockClient client = open("sequential");
		CuratorFramework curator = this.zk.curator(LONG_SESSION);
		InterProcessMutex mutex = new InterProcessMutex(curator, this.zk.keyNode(KEY));
		for (int i = 0; i < 20; i++) {
			use(client, LockRequest.exclusive(KEY + i));
			mutex = new InterProcessMutex(curator, this.zk.keyNode(KEY + i));
			mutex.acquire();
			assertThat(OneTry.of(client, LockRequest.exclusive(KEY + i))).isEmpty();
			mutex.release();
		}
		mutex.acquire();
		CompletableFuture<LockHandle> waiting = client.acquireAsync(LockRequest.exclusive(KEY + 19));
		this.zk.awaitWaiting(client, KEY + 19);
		mutex.release();
		Actor.get(waiting).releaseAsync().join();
	}

	private static void use(LockClient client, LockRequest request) throws InterruptedException {
		client.acquire(request).releaseAsync().join();
	}

	private List<String> nodes() {
		return List.copyOf(server.nodes(this.zk.root()).keySet());
	}

	private LockClient open(String strategy) {
		return this.zk.client().strategy(strategy).session(LONG_SESSION).open();
	}

	/** Counts from when it is made. */
	private final class Costs {

		private final long packets = FreshKeyTests.this.zk.packetsAtRest();

		private final long zxid = FreshKeyTests.this.zk.zxid();

		void are(int requests, int transactions) {
			assertThat(server.packetsReceived() - this.packets).as("requests").isEqualTo(requests);
			assertThat(server.zxid() - this.zxid).as("transactions").isEqualTo(transactions);
		}

		// Who was granted by an event looks for its own node, and does not wait for that.
		void become(int requests, int transactions) {
			await().untilAsserted(() -> are(requests, transactions));
		}

	}

}
