package io.github.zklock.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.WaitingCaller;
import io.github.zklock.inspect.ContenderOrigin;
import io.github.zklock.inspect.JobRun;
import io.github.zklock.inspect.LockInspector.LocalWaiter;
import io.github.zklock.inspect.LockInspector.Page;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.inspect.LockQueue.Contender;
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
class ZooKeeperLockInspectorTests extends InspectedShop {

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
			.mapToObj((each) -> this.zk.actor()
				.call(() -> this.a.acquire(LockRequest.exclusive("k")))
				.whenComplete((handle, failure) -> handle.release()))
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
	void whoIsInterruptedSeesNothingAndStaysSo() {
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.inspector.keys(0, 1));
		assertThat(Thread.interrupted()).isTrue();
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
	void longDataOfStrangersAreNotShown() throws Exception {
		String longer = this.zk.plant(this.zk.keyNode("s") + "/x-lock-0000000000", CreateMode.PERSISTENT);
		String shorter = this.zk.plant(this.zk.keyNode("s") + "/y-lock-0000000001", CreateMode.PERSISTENT);
		this.zk.curatorOf(this.a).setData().forPath(longer, "x".repeat(8193).getBytes(StandardCharsets.UTF_8));
		this.zk.curatorOf(this.a).setData().forPath(shorter, "x".repeat(8192).getBytes(StandardCharsets.UTF_8));
		assertThat(this.inspector.line("s").contenders()).extracting(Contender::description)
			.containsExactly("", "x".repeat(8192));
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

}
