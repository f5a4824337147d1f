package io.github.zklock.zookeeper;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.server.NIOServerCnxn;
import org.apache.zookeeper.server.ServerCnxn;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.WaitingCaller;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.inspect.ContenderOrigin;
import io.github.zklock.inspect.JobRun;
import io.github.zklock.inspect.LockInspector.Caller;
import io.github.zklock.inspect.LockInspector.Deadlock;
import io.github.zklock.inspect.LockInspector.LocalWaiter;
import io.github.zklock.inspect.LockInspector.Page;
import io.github.zklock.inspect.LockInspector.Wait;
import io.github.zklock.inspect.LockInspector.Waits;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.inspect.LockQueue.Contender;
import io.github.zklock.internal.concurrent.Timer;
import io.github.zklock.internal.node.KeyEncoding;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

/**
 * What operators see of the locks, on a real server.
 */
@Timeout(120)
class ZooKeeperLockInspectorTests {

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private LockClient a;

	private LockClient b;

	private ZooKeeperLockInspector inspector;

	@BeforeEach
	void open() {
		this.a = this.zk.client().with((builder) -> builder.application("shop").instance("shop-1")).open();
		this.b = this.zk.client().with((builder) -> builder.application("shop").instance("shop-2")).open();
		this.inspector = inspector(Duration.ofMinutes(1));
	}

	@Test
	void oneThatIsNeverIdleIsClosedAllTheSame() throws Exception {
		try (ZooKeeperLockInspector lasting = inspector(Duration.ofSeconds(Long.MAX_VALUE))) {
			assertThat(lasting.line("orders").contenders()).isEmpty();
			Actor other = this.zk.actor();
			Actor.get(other.call(() -> {
				lasting.close();
				return true;
			}));
			assertThat(lasting.isConnected()).isFalse();
		}
	}

	@AfterEach
	void close() {
		this.inspector.close();
	}

	private ZooKeeperLockInspector inspector(Duration idle) {
		String servers = this.zk.servers().connectString();
		return new ZooKeeperLockInspector((ZooKeeperLockClient) this.a,
				() -> CuratorFrameworkFactory.newClient(servers, new RetryOneTime(50)), idle);
	}

	private CompletableFuture<LockHandle> asks(Actor actor, LockClient client, String key) {
		return actor.call(() -> client.acquire(LockRequest.exclusive(key)));
	}

	private LockHandle takes(Actor actor, LockClient client, String key) {
		return Actor.get(asks(actor, client, key));
	}

	@Test
	void keysAreShownPageByPage() throws Exception {
		List<LockHandle> held = new ArrayList<>();
		for (String key : List.of("c", "a/1", "b", "e", "d")) {
			held.add(this.a.acquire(LockRequest.exclusive(key)));
		}
		Page first = this.inspector.keys(0, 2);
		Page last = this.inspector.keys(2, 2);
		assertThat(first.total()).isEqualTo(5);
		assertThat(first.lines()).extracting(LockQueue::key).containsExactly("a/1", "b");
		assertThat(last.lines()).extracting(LockQueue::key).containsExactly("e");
		assertThat(this.inspector.keys(7, 2).lines()).isEmpty();
		assertThatIllegalArgumentException().isThrownBy(() -> this.inspector.keys(-1, 2));
		assertThatIllegalArgumentException().isThrownBy(() -> this.inspector.keys(0, 0));
		held.forEach(LockHandle::release);
	}

	@Test
	void keysThatAreFreeTakeNoRoomOnAPage() throws Exception {
		this.zk.plant(this.zk.keyNode("a-free-one"), CreateMode.PERSISTENT);
		this.zk.plant(this.zk.keyNode("a-strange-one") + "/junk", CreateMode.PERSISTENT);
		LockHandle held = this.a.acquire(LockRequest.exclusive("k"));
		LockHandle naive = this.a.acquire(LockRequest.exclusive("n").strategy("naive"));
		Page page = this.inspector.keys(0, 1);
		assertThat(page.total()).isEqualTo(2);
		assertThat(page.lines()).extracting(LockQueue::key).containsExactly("k");
		assertThat(this.inspector.keys(1, 1).lines()).extracting(LockQueue::key).containsExactly("n");
		held.release();
		naive.release();
	}

	@Test
	void callersBehindOneNodeAreLocalWaiters() throws Exception {
		LockHandle held = this.a.acquire(LockRequest.exclusive("k"));
		List<CompletableFuture<LockHandle>> waiting = IntStream.range(0, 3)
			.mapToObj((each) -> asks(this.zk.actor(), this.a, "k").whenComplete((handle, failure) -> handle.release()))
			.toList();
		await().untilAsserted(() -> assertThat(this.inspector.localWaiters()).hasSize(3));
		List<LocalWaiter> waiters = this.inspector.localWaiters();
		assertThat(waiters).extracting(LocalWaiter::caller)
			.containsExactlyInAnyOrder("test-actor-0", "test-actor-1", "test-actor-2");
		assertThat(waiters).extracting(LocalWaiter::key).containsOnly("k");
		assertThat(waiters).extracting(LocalWaiter::mode).containsOnly(LockMode.EXCLUSIVE);
		assertThat(waiters).extracting(LocalWaiter::waited).isSortedAccordingTo(Comparator.reverseOrder());
		held.release();
		waiting.forEach(Actor::get);
		assertThat(this.inspector.localWaiters()).isEmpty();
	}

	@Test
	void anAgeIsKnownIfTheNodeSaysSinceWhen() {
		Instant now = Instant.parse("2026-11-21T20:05:10Z");
		assertThat(since("2026-11-21T20:05:09.5Z").age(now)).isEqualTo(Duration.ofMillis(500));
		assertThat(since("2026-11-21T20:05:11Z").age(now)).isZero();
		assertThat(since("yesterday").age(now)).isNull();
		assertThat(since("-1000000000-01-01T00:00:00Z").age(now)).isNull();
		assertThat(since(null).age(now)).isNull();
	}

	private static ContenderOrigin since(String since) {
		return new ContenderOrigin("id", null, null, null, null, null, since);
	}

	@Test
	void whoIsFirstOfManyIsShownWhereTheNumbersBeganAnew() throws Exception {
		String keyNode = this.zk.keyNode("long");
		this.zk.plant(keyNode + "/z-lock-2147483647", CreateMode.PERSISTENT);
		for (int i = 0; i <= 1000; i++) {
			this.zk.plant(keyNode + "/x-lock-" + (Integer.MIN_VALUE + i), CreateMode.PERSISTENT);
		}
		List<Contender> contenders = this.inspector.line("long").contenders();
		assertThat(contenders).hasSize(1000)
			.filteredOn(Contender::holds)
			.extracting(Contender::path)
			.containsExactly(keyNode + "/z-lock-2147483647");
	}

	@ParameterizedTest
	@ValueSource(strings = { "2000-permit-lock-", "__READ__" })
	void allHoldersAreReleasedAlsoThoseThatAreNotShown(String kind) throws Exception {
		List<String> holders = holders("many", 1001, kind);
		assertThat(this.inspector.line("many").contenders()).hasSize(1000);
		assertThat(this.inspector.forceRelease("many")).extracting(Contender::path)
			.containsExactlyInAnyOrderElementsOf(holders);
		assertThat(this.zk.contenders("many")).isEmpty();
	}

	@Test
	void oneLockNodeIsFoundAlsoWhereItIsNotShown() throws Exception {
		List<String> holders = holders("many", 1001, "__READ__");
		String last = holders.get(1000);
		LockHandle naive = this.a.acquire(LockRequest.exclusive("n").strategy("naive"));
		assertThat(this.inspector.line("many").contenders()).extracting(Contender::path).doesNotContain(last);
		assertThat(this.inspector.contender(last)).get()
			.extracting(Contender::path, Contender::mode, Contender::holds)
			.containsExactly(last, LockMode.READ, true);
		assertThat(this.inspector.contender(this.zk.keyNode("n"))).get()
			.extracting(Contender::token)
			.isEqualTo(naive.fencingToken());
		for (String none : List.of("many", "many/junk", "many/x-lock-0000000000", "none/x-lock-0000000000", "none",
				"%~jobs")) {
			assertThat(this.inspector.contender(this.zk.root() + "/" + none)).as(none).isEmpty();
		}
		assertThat(this.inspector.contender(this.zk.root())).isEmpty();
		assertThat(this.inspector.contender("/elsewhere/x-lock-0000000000")).isEmpty();
		naive.release();
	}

	private List<String> holders(String key, int count, String kind) throws Exception {
		String keyNode = this.zk.plant(this.zk.keyNode(key), CreateMode.PERSISTENT);
		List<Op> creates = IntStream.range(0, count)
			.mapToObj((each) -> Op.create("%s/_c_%s-%s".formatted(keyNode, UUID.randomUUID(), kind), new byte[0],
					ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL_SEQUENTIAL))
			.toList();
		return this.zk.curatorOf(this.b)
			.getZookeeperClient()
			.getZooKeeper()
			.multi(creates)
			.stream()
			.map((created) -> ((OpResult.CreateResult) created).getPath())
			.toList();
	}

	@Test
	void aThreadWithoutANameIsShownByItsNumber() throws Exception {
		CompletableFuture<LockHandle> taken = new CompletableFuture<>();
		Thread unnamed = new Thread(() -> {
			try {
				taken.complete(this.a.acquire(LockRequest.exclusive("u")));
			}
			catch (InterruptedException ex) {
				taken.completeExceptionally(ex);
			}
		}, "");
		unnamed.setDaemon(true);
		unnamed.start();
		LockHandle held = Actor.get(taken);
		String number = "#" + unnamed.getId();
		assertThat(this.inspector.line("u").contenders()).singleElement()
			.extracting((each) -> each.origin().thread())
			.isEqualTo(number);
		assertThatExceptionOfType(LockTimeoutException.class)
			.isThrownBy(() -> this.a.acquire(LockRequest.exclusive("u").timeout(Duration.ofMillis(1))))
			.withMessageContaining("this process (thread " + number + ")");
		held.release();
	}

	@Test
	void aKeyHasItsHolderAndItsQueueWithWhoTheyAre() throws Exception {
		LockHandle held = this.a.acquire(LockRequest.exclusive("k"));
		CompletableFuture<LockHandle> waiting = this.b.acquireAsync(LockRequest.exclusive("k"));
		this.zk.awaitWaiting(this.b, "k");
		LockHandle naive = this.b.acquire(LockRequest.exclusive("n").strategy("naive"));
		LockQueue queue = this.inspector.line("k");
		assertThat(queue.contenders()).extracting(Contender::holds, Contender::ours)
			.containsExactly(tuple(true, true), tuple(false, false));
		assertThat(queue.contenders().get(0).token()).isEqualTo(held.fencingToken());
		assertThat(queue.contenders()).extracting((each) -> each.origin().instance())
			.containsExactly("shop-1", "shop-2");
		assertThat(queue.contenders()).allSatisfy((each) -> {
			assertThat(each.origin().application()).isEqualTo("shop");
			assertThat(each.origin().pid()).isEqualTo(Long.toString(ProcessHandle.current().pid()));
			assertThat(each.origin().thread()).isEqualTo("main");
			assertThat(each.origin().since()).startsWith("20");
		});
		assertThat(this.inspector.line("n").contenders()).singleElement()
			.extracting(Contender::holds, Contender::token)
			.containsExactly(true, naive.fencingToken());
		assertThat(this.inspector.line("nobody").contenders()).isEmpty();
		held.release();
		naive.release();
		Actor.get(waiting).release();
	}

	@Test
	void behindANaiveHolderOfModeExclusiveASequentialWaiterHasNoNode() throws Exception {
		LockRequest naive = LockRequest.exclusive("k").strategy("naive");
		LockHandle held = this.a.acquire(naive);
		Queue<WaitingCaller> seen = new ConcurrentLinkedQueue<>();
		held.onContended(seen::add);
		CompletableFuture<LockHandle> waiting = this.b.acquireAsync(LockRequest.exclusive("k").strategy("sequential"));
		this.zk.awaitWaiting(this.b, "k");
		CompletableFuture<LockHandle> local = this.a.acquireAsync(naive);
		await().untilAsserted(() -> assertThat(seen).isNotEmpty());
		CompletableFuture<LockHandle> later = this.a.acquireAsync(naive);
		await().untilAsserted(() -> assertThat(seen).hasSize(2));
		assertThat(seen).extracting(WaitingCaller::instance).containsOnly("shop-1");
		assertThat(this.inspector.line("k").contenders()).singleElement()
			.extracting(Contender::holds, Contender::ours)
			.containsExactly(true, true);
		held.release();
		// In any order
		List.of(local, later, waiting)
			.stream()
			.map((next) -> next.thenAccept(LockHandle::release))
			.toList()
			.forEach(Actor::get);
	}

	@Test
	void behindASequentialHolderANaiveWaiterHasANode() throws Exception {
		LockHandle held = this.a.acquire(LockRequest.exclusive("k").strategy("sequential"));
		CompletableFuture<WaitingCaller> seen = new CompletableFuture<>();
		held.onContended(seen::complete);
		CompletableFuture<LockHandle> waiting = this.b.acquireAsync(LockRequest.exclusive("k").strategy("naive"));
		assertThat(Actor.get(seen).instance()).isEqualTo("shop-2");
		assertThat(this.inspector.line("k").contenders()).extracting(Contender::holds).containsExactly(true, false);
		held.release();
		Actor.get(waiting).release();
	}

	@Test
	void nodesOfStrangersAreShownAsFarAsTheyTell() throws Exception {
		String keyNode = this.zk.keyNode("s");
		String empty = this.zk.plant(keyNode + "/x-lock-0000000000", CreateMode.PERSISTENT);
		String junk = this.zk.plant(keyNode + "/y-lock-0000000001", CreateMode.PERSISTENT);
		String other = this.zk.plant(keyNode + "/z-lock-0000000002", CreateMode.PERSISTENT);
		String forged = this.zk.plant(keyNode + "/z-lock-0000000003", CreateMode.PERSISTENT);
		CuratorFramework curator = this.zk.curatorOf(this.a);
		curator.setData().forPath(empty, new byte[0]);
		curator.setData().forPath(junk, new byte[] { (byte) 0xff, 0, '"', '{' });
		curator.setData().forPath(other, "{\"id\":\"x\",\"host\":\"b\",\"pid\":7}".getBytes(StandardCharsets.UTF_8));
		curator.setData()
			.forPath(forged, ("{\"id\":\"x\",\"application\":\"y\",\"instance\":\"z\","
					+ "\"host\":\"a\\u000ab\",\"pid\":\"7\",\"thread\":7}")
				.getBytes(StandardCharsets.UTF_8));
		List<Contender> queue = this.inspector.line("s").contenders();
		assertThat(queue).extracting(Contender::path).containsExactly(empty, junk, other, forged);
		assertThat(queue.get(0).origin()).isNull();
		assertThat(queue.get(1).origin()).isNull();
		assertThat(queue.get(2).origin()).isNull();
		assertThat(queue.get(3).origin().host()).isEqualTo("a?b");
		assertThat(queue.get(3).origin().thread()).isNull();
		assertThat(this.inspector.waits().waits()).hasSize(6);
	}

	@Test
	void twoInstancesThatHoldAndWantEachOthersKeysAreACircle() throws Exception {
		Actor one = this.zk.actor();
		Actor two = this.zk.actor();
		LockHandle left = takes(one, this.a, "left");
		LockHandle right = takes(two, this.b, "right");
		CompletableFuture<LockHandle> wantsRight = asks(one, this.a, "right");
		this.zk.awaitWaiting(this.a, "right");
		assertThat(this.inspector.waits().waits()).hasSize(1);
		assertThat(this.inspector.waits().deadlocks()).isEmpty();
		CompletableFuture<LockHandle> wantsLeft = asks(two, this.b, "left");
		this.zk.awaitWaiting(this.b, "left");
		assertThat(this.inspector.waits().deadlocks()).singleElement().satisfies((deadlock) -> {
			assertThat(deadlock.sameCallers()).isTrue();
			assertThat(deadlock.circle())
				.extracting((wait) -> wait.waiter().instance(), Wait::key, (wait) -> wait.blocker().instance())
				.containsExactlyInAnyOrder(tuple("shop-1", "right", "shop-2"), tuple("shop-2", "left", "shop-1"));
		});
		this.zk.announce("was lost");
		assertThat(this.inspector.forceRelease("left")).singleElement()
			.extracting(Contender::token)
			.isEqualTo(left.fencingToken());
		LockHandle freed = Actor.get(wantsLeft);
		assertThat(freed.fencingToken()).isGreaterThan(left.fencingToken());
		freed.release();
		right.release();
		Actor.get(wantsRight).release();
		await().until(() -> !left.isHeld());
		left.release();
		assertThat(this.inspector.waits().deadlocks()).isEmpty();
	}

	@ParameterizedTest
	@CsvSource({ "sequential,EXCLUSIVE", "sequential,READ", "naive,EXCLUSIVE", "naive,WRITE" })
	void aHolderInThisProcessIsNotifiedOfAForcedReleaseBeforeTheNextOneHolds(String strategy, LockMode mode)
			throws Exception {
		LockRequest request = LockRequest.exclusive("k").mode(mode).strategy(strategy);
		LockHandle held = this.a.acquire(request);
		AtomicInteger lost = new AtomicInteger();
		held.onLost(lost::incrementAndGet);
		CompletableFuture<Boolean> heldByTwo = this.b.acquireAsync(LockRequest.write("k").strategy(strategy))
			.thenApply((next) -> {
				boolean both = held.isHeld();
				next.release();
				return both;
			});
		this.zk.awaitWaiting(this.b, "k");
		this.zk.announce("was lost");
		assertThat(this.inspector.forceRelease("k")).hasSize(1);
		assertThat(held.isHeld()).isFalse();
		assertThat(heldByTwo).succeedsWithin(Actor.PATIENCE).isEqualTo(false);
		await().untilAsserted(() -> assertThat(lost).hasValue(1));
		held.release();
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 60 })
	void aLocalCallerWithoutANodeIsPartOfTheCircle(int encodedCharacters) throws Exception {
		String before = "ж".repeat(encodedCharacters);
		Actor one = this.zk.actor();
		Actor two = this.zk.actor();
		Actor three = this.zk.actor();
		LockHandle x = takes(one, this.a, before + "x");
		LockHandle y = takes(two, this.a, before + "y");
		LockHandle z = takes(three, this.b, before + "z");
		CompletableFuture<LockHandle> wantsZ = asks(one, this.a, before + "z");
		this.zk.awaitWaiting(this.a, KeyEncoding.encode(before + "z"));
		CompletableFuture<LockHandle> wantsX = asks(two, this.a, before + "x");
		CompletableFuture<LockHandle> wantsY = asks(three, this.b, before + "y");
		this.zk.awaitWaiting(this.b, KeyEncoding.encode(before + "y"));
		await().untilAsserted(() -> {
			List<Deadlock> deadlocks = this.inspector.waits().deadlocks();
			assertThat(deadlocks).singleElement().satisfies((deadlock) -> {
				assertThat(deadlock.sameCallers()).isTrue();
				assertThat(deadlock.circle()).extracting(Wait::key)
					.containsExactlyInAnyOrder(before + "x", before + "y", before + "z");
				assertThat(deadlock.circle()).extracting(Wait::waiter)
					.extracting(Caller::caller)
					.containsExactlyInAnyOrder("test-actor-0", "test-actor-1", "test-actor-2");
			});
		});
		z.release();
		Actor.get(wantsZ).release();
		x.release();
		Actor.get(wantsX).release();
		y.release();
		Actor.get(wantsY).release();
	}

	@Test
	void aKeyThatHasOnlyItsDigestIsShownWholeWhereItIsKnown() throws Exception {
		String held = "ж".repeat(60) + "held";
		String wanted = "ж".repeat(60) + "wanted";
		LockHandle here = this.a.acquire(LockRequest.exclusive(held));
		LockHandle there = this.b.acquire(LockRequest.exclusive(wanted));
		assertThat(this.inspector.keys(0, 10).lines()).extracting(LockQueue::key)
			.hasSize(2)
			.contains(held)
			.doesNotContain(wanted);
		CompletableFuture<LockHandle> waiting = this.a.acquireAsync(LockRequest.exclusive(wanted));
		this.zk.awaitWaiting(this.a, KeyEncoding.encode(wanted));
		assertThat(this.inspector.keys(0, 10).lines()).extracting(LockQueue::key)
			.containsExactlyInAnyOrder(held, wanted);
		assertThat(this.inspector.localWaiters()).extracting(LocalWaiter::key).containsExactly(wanted);
		there.release();
		Actor.get(waiting).release();
		here.release();
	}

	@Test
	void twoRequestsOfSeveralKeysInOneQueueWaitForEachOtherInOneDirectionOnly() throws Exception {
		LockHandle k = this.b.acquire(LockRequest.exclusive("k"));
		List<CompletableFuture<LockHandle>> asked = new ArrayList<>();
		for (String other : List.of("x", "y")) {
			asked.add(this.zk.actor().call(() -> this.a.acquire(LockRequest.keys(List.of("k", other)))));
			await().until(() -> this.inspector.line("k").contenders().size() == 1 + asked.size());
		}
		CompletableFuture<LockHandle> alone = asks(this.zk.actor(), this.a, "k");
		await().until(() -> this.inspector.line("k").contenders().size() == 4);
		Waits waits = this.inspector.waits();
		assertThat(waits.deadlocks()).isEmpty();
		assertThat(waits.waits()).filteredOn((wait) -> wait.waiter().ours() && wait.blocker().ours())
			.extracting((wait) -> wait.waiter().caller(), (wait) -> wait.blocker().caller())
			.containsExactlyInAnyOrder(tuple("test-actor-1", "test-actor-0"), tuple("test-actor-2", "test-actor-0"),
					tuple("test-actor-2", "test-actor-1"));
		k.release();
		for (CompletableFuture<LockHandle> next : asked) {
			Actor.get(next).release();
		}
		Actor.get(alone).release();
	}

	@Test
	void aRequestOfSeveralKeysIsShownAsTheHolderWhereItIsFirst() throws Exception {
		this.zk.announce("lost: its node was deleted");
		LockHandle x = this.b.acquire(LockRequest.exclusive("x"));
		CompletableFuture<LockHandle> asked = this.a.acquireAsync(LockRequest.keys(List.of("k", "x")));
		await().until(() -> this.inspector.line("x").contenders().size() == 2);
		assertThat(this.inspector.line("k").contenders()).singleElement().matches(Contender::holds);
		assertThat(this.inspector.forceRelease("k")).hasSize(1);
		assertThat(this.inspector.line("k").contenders()).isEmpty();
		assertThat(asked).isNotDone();
		x.release();
		LockHandle lost = Actor.get(asked);
		await().untilAsserted(() -> assertThat(lost.isHeld()).isFalse());
		lost.release();
	}

	@Test
	void requestsOfOneThreadThatCannotBeToldApartAreNoCircle() throws Exception {
		LockHandle k = this.b.acquire(LockRequest.exclusive("k"));
		LockClient third = this.zk.client().open();
		List<CompletableFuture<LockHandle>> asked = new ArrayList<>();
		for (LockRequest next : List.of(LockRequest.keys(List.of("k", "x")), LockRequest.read("k"),
				LockRequest.keys(List.of("k", "y")))) {
			asked.add((next.keys().size() > 1) ? this.a.acquireAsync(next)
					: this.zk.actor().call(() -> third.acquire(next)));
			await().until(() -> this.inspector.line("k").contenders().size() == 1 + asked.size());
		}
		assertThat(this.inspector.waits().waits()).as("for the holder").hasSize(3);
		assertThat(this.inspector.waits().deadlocks()).isEmpty();
		k.release();
		for (CompletableFuture<LockHandle> next : asked) {
			Actor.get(next).release();
		}
	}

	@Test
	void circleOfInstancesWhoseCallersDifferIsReportedAsSuch() throws Exception {
		Actor one = this.zk.actor();
		Actor two = this.zk.actor();
		LockHandle left = this.a.acquire(LockRequest.exclusive("left"));
		LockHandle right = this.b.acquire(LockRequest.exclusive("right"));
		CompletableFuture<LockHandle> wantsRight = asks(one, this.a, "right");
		CompletableFuture<LockHandle> wantsLeft = asks(two, this.b, "left");
		this.zk.awaitWaiting(this.a, "right");
		this.zk.awaitWaiting(this.b, "left");
		assertThat(this.inspector.waits().deadlocks()).singleElement()
			.extracting(Deadlock::sameCallers, (deadlock) -> deadlock.circle().size())
			.containsExactly(false, 2);
		left.release();
		right.release();
		Actor.get(wantsLeft).release();
		Actor.get(wantsRight).release();
	}

	@Test
	void readersThatShareAKeyDoNotWaitForEachOther() throws Exception {
		LockHandle one = this.a.acquire(LockRequest.read("k"));
		LockHandle two = this.b.acquire(LockRequest.read("k"));
		assertThat(this.inspector.waits().waits()).isEmpty();
		one.release();
		two.release();
	}

	@Test
	void theConnectionIsOpenedWhenItIsNeededAndClosedWhenItIsNot() {
		try (ZooKeeperLockInspector shortLived = inspector(Duration.ofMillis(300))) {
			assertThat(shortLived.isConnected()).isFalse();
			shortLived.keys(0, 1);
			assertThat(shortLived.isConnected()).isTrue();
			await().until(() -> !shortLived.isConnected());
			assertThat(shortLived.keys(0, 1).lines()).isEmpty();
		}
	}

	@Test
	void oneEndIsTimedHoweverManyAsk() {
		Timer timer = ((ZooKeeperLockClient) this.a).parts().source().timer();
		this.inspector.line("orders");
		int before = timer.count();
		for (int i = 0; i < 100; i++) {
			this.inspector.line("orders");
		}
		assertThat(timer.count()).isLessThan(before + 20);
	}

	@Test
	void noEndIsTimedOfWhatIsClosed() {
		Timer timer = ((ZooKeeperLockClient) this.a).parts().source().timer();
		int before = timer.count();
		for (int i = 0; i < 40; i++) {
			try (ZooKeeperLockInspector brief = inspector(Duration.ofHours(1))) {
				brief.line("orders");
			}
		}
		assertThat(timer.count()).isLessThan(before + 20);
	}

	@Test
	void aClosedInspectorAnswersNothing() {
		this.inspector.keys(0, 1);
		this.inspector.close();
		assertThat(this.inspector.isConnected()).isFalse();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.inspector.keys(0, 1));
	}

	// To close the connection must not end the interrupt.
	@Test
	void aCallThatWaitsForAServerEndsWhenTheInspectorIsClosed() {
		CountDownLatch asked = new CountDownLatch(1);
		ZooKeeperLockInspector waiting = new ZooKeeperLockInspector((ZooKeeperLockClient) this.a, () -> {
			asked.countDown();
			return CuratorFrameworkFactory.newClient("127.0.0.1:1", new RetryOneTime(50));
		}, Duration.ofMinutes(1));
		CompletableFuture<Page> page = this.zk.actor().call(() -> waiting.keys(0, 10));
		await().until(() -> asked.getCount() == 0);
		waiting.close();
		assertThat(page).failsWithin(Actor.PATIENCE)
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(LockUnavailableException.class)
			.withMessageContaining("is closed");
	}

	@Test
	void theCloseDoesNotWaitForAServerThatDoesNotAnswer() {
		CuratorFramework connection = CuratorFrameworkFactory.newClient(this.zk.servers().connectString(),
				new RetryOneTime(50));
		ZooKeeperLockInspector waiting = new ZooKeeperLockInspector((ZooKeeperLockClient) this.a, () -> connection,
				Duration.ofMinutes(1));
		waiting.line("orders");
		ServerCnxn server = readNoMore(connection);
		Actor other = this.zk.actor();
		CompletableFuture<Page> page = other.call(() -> waiting.keys(0, 1));
		other.awaitBlocked();
		long began = System.nanoTime();
		waiting.close();
		assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(2));
		assertThat(page).failsWithin(Actor.PATIENCE)
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(LockUnavailableException.class)
			.withMessageContaining("is closed");
		assertThat(waiting.isConnected()).isFalse();
		server.close(ServerCnxn.DisconnectReason.CONNECTION_CLOSE_FORCED);
	}

	// The server behind a connection reads nothing more that comes by it
	private ServerCnxn readNoMore(CuratorFramework connection) {
		long session = Actor.get(this.zk.actor().call(() -> connection.getZookeeperClient().getZooKeeper()))
			.getSessionId();
		for (ServerCnxn each : this.zk.servers().running().get(0).getServerCnxnFactory().getConnections()) {
			if (each.getSessionId() == session) {
				((NIOServerCnxn) each).disableRecv(false);
				return each;
			}
		}
		throw new AssertionError("The server has no such connection");
	}

	@Test
	void whoIsInterruptedWhileAskingStaysInterruptedAndLeavesNoSession() throws Exception {
		AtomicLong session = new AtomicLong();
		CompletableFuture<Boolean> interrupted = this.zk.actor().call(() -> {
			try (ZooKeeperLockInspector silent = new ZooKeeperLockInspector((ZooKeeperLockClient) this.a,
					() -> interrupting(session), Duration.ofMinutes(1))) {
				assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> silent.keys(0, 1))
					.withMessageContaining("Interrupted");
				assertThat(session).doesNotHaveValue(0);
				assertThat(sessions()).doesNotContain(session.get());
				return Thread.currentThread().isInterrupted();
			}
		});
		assertThat(Actor.get(interrupted)).isTrue();
	}

	private CuratorFramework interrupting(AtomicLong session) {
		return CuratorFrameworkFactory.builder()
			.connectString(this.zk.servers().connectString())
			.retryPolicy(new RetryOneTime(50))
			.zookeeperFactory((servers, timeout, watcher, readOnly) -> new InterruptsInsteadOfListing(servers, timeout,
					watcher, session))
			.build();
	}

	private Collection<Long> sessions() {
		return this.zk.servers().running().get(0).getZKDatabase().getSessions();
	}

	@Test
	void aListThatIsTooLongForItsConnectionLeavesTheLocksConnectionAlone() throws Exception {
		LockHandle held = this.a.acquire(LockRequest.exclusive("k"));
		long session = this.zk.sessionOf(this.a);
		List<String> many = IntStream.range(0, 6000).mapToObj((i) -> this.zk.keyNode("long".repeat(49) + i)).toList();
		ZooKeeper zooKeeper = this.zk.curatorOf(this.b).getZookeeperClient().getZooKeeper();
		CountDownLatch created = new CountDownLatch(many.size());
		many.forEach((path) -> zooKeeper.create(path, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT,
				(rc, given, context, name) -> created.countDown(), null));
		created.await();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.inspector.keys(0, 10))
			.withMessageContaining("jute.maxbuffer");
		assertThat(this.inspector.isConnected()).isFalse();
		assertThat(this.inspector.line("k").contenders()).hasSize(1);
		assertThat(held.isHeld()).isTrue();
		assertThat(this.zk.sessionOf(this.a)).isEqualTo(session);
		this.a.acquire(LockRequest.exclusive("other")).release();
		held.release();
		CountDownLatch deleted = new CountDownLatch(many.size());
		many.forEach((path) -> zooKeeper.delete(path, -1, (rc, given, context) -> deleted.countDown(), null));
		deleted.await();
		assertThat(Arrays.asList(this.inspector.keys(0, 10).page())).containsExactly(0);
	}

	@Test
	void ofManyJobsThoseThatRanLastAreShown() throws Exception {
		String marks = this.zk.plant(this.zk.root() + "/%~jobs", CreateMode.PERSISTENT);
		ZooKeeper zooKeeper = this.zk.curatorOf(this.b).getZookeeperClient().getZooKeeper();
		int jobs = 1002;
		CountDownLatch created = new CountDownLatch(jobs);
		for (int i = 0; i < jobs; i++) {
			String mark = "{\"key\":\"job-%d\",\"id\":\"%d\",\"started\":\"%d\"}".formatted(i, i, 1_000_000 + i);
			zooKeeper.create("%s/job-%04d".formatted(marks, i), mark.getBytes(StandardCharsets.UTF_8),
					ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT,
					(rc, given, context, name) -> created.countDown(), null);
		}
		assertThat(created.await(20, TimeUnit.SECONDS)).isTrue();
		assertThat(this.inspector.jobs()).extracting(JobRun::key)
			.containsExactlyElementsOf(IntStream.range(0, 1000).mapToObj((i) -> "job-" + (jobs - 1 - i)).toList());
	}

	private static final class InterruptsInsteadOfListing extends ZooKeeper {

		private final AtomicLong session;

		InterruptsInsteadOfListing(String servers, int sessionTimeout, Watcher watcher, AtomicLong session)
				throws IOException {
			super(servers, sessionTimeout, watcher);
			this.session = session;
		}

		@Override
		public void getChildren(String path, Watcher watcher, AsyncCallback.Children2Callback callback,
				Object context) {
			this.session.set(getSessionId());
			Thread.currentThread().interrupt();
		}

	}

}
