package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockListener;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.LockUpgradeException;
import io.github.zklock.LostReason;
import io.github.zklock.fixture.OneTry;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * What a listener hears, and on which threads.
 */
@Timeout(60)
class ListenerTests {

	private static final String KEY = "orders";

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private final Queue<Heard> heard = new ConcurrentLinkedQueue<>();

	private LockClient open() {
		return this.zk.client().with((builder) -> builder.listener(new Recorder(this.heard))).open();
	}

	private List<String> told() {
		return this.heard.stream().map(Heard::what).toList();
	}

	private Map<Object, List<String>> toldOfEachCall() {
		return this.heard.stream()
			.collect(Collectors.groupingBy((heard) -> heard.event().id(),
					Collectors.mapping(Heard::what, Collectors.toList())));
	}

	@Test
	void theCallerItselfReportsThatItAsksAndEngineThreadsReportNothing() throws Exception {
		open().acquire(LockRequest.exclusive(KEY)).release();
		await().untilAsserted(() -> assertThat(told()).containsExactly("asked", "acquired GRANTED", "released"));
		assertThat(this.heard).first().extracting(Heard::thread).isEqualTo(Thread.currentThread().getName());
		assertThat(this.heard.stream().skip(1))
			.allSatisfy((later) -> assertThat(later.thread()).startsWith("zk-lock-callback"));
	}

	@Test
	void theEventsOfOneAcquisitionHaveOneIdAndItsTemplate() throws Exception {
		LockClient client = open();
		client.acquire(LockRequest.exclusive(KEY).template("orders/{id}")).release();
		client.acquire(LockRequest.exclusive(KEY)).release();
		await().untilAsserted(() -> assertThat(this.heard).hasSize(6));
		assertThat(this.heard.stream().map((told) -> told.event().id()).distinct()).hasSize(2);
		assertThat(this.heard.stream().map((told) -> told.event().template())).containsExactlyInAnyOrder("orders/{id}",
				"orders/{id}", "orders/{id}", null, null, null);
	}

	@Test
	void aReentryIsReportedAsOne() throws Exception {
		LockClient client = open();
		try (LockHandle outer = client.acquire(LockRequest.exclusive(KEY));
				LockHandle inner = client.acquire(LockRequest.exclusive(KEY))) {
			assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
		}
		await().untilAsserted(() -> assertThat(told()).containsSubsequence("acquired GRANTED", "acquired REENTERED",
				"released", "released"));
	}

	@Test
	void aLockThatALocalCallerHandedOffIsReportedAsHandedOff() throws Exception {
		LockClient client = open();
		LockHandle first = client.acquire(LockRequest.exclusive(KEY));
		CompletableFuture<LockHandle> second = client.acquireAsync(LockRequest.exclusive(KEY));
		first.release();
		Actor.get(second).release();
		await().untilAsserted(() -> assertThat(told()).contains("acquired GRANTED", "acquired HANDED_OVER"));
	}

	@Test
	void aReleaseIsReportedBeforeTheNextHolderIs() throws Exception {
		LockClient client = open();
		LockHandle first = client.acquire(LockRequest.exclusive(KEY));
		CompletableFuture<LockHandle> second = client.acquireAsync(LockRequest.exclusive(KEY));
		first.release();
		Actor.get(second).release();
		await().untilAsserted(() -> assertThat(told()).contains("released", "acquired HANDED_OVER"));
		assertThat(told()).containsSubsequence("acquired GRANTED", "released", "acquired HANDED_OVER");
	}

	@Test
	void aRefusedCallerIsNotifiedOfAfterItHasAsked() throws Exception {
		LockHandle held = this.zk.client().open().acquire(LockRequest.exclusive(KEY));
		assertThat(OneTry.of(open(), LockRequest.exclusive(KEY))).isEmpty();
		await().untilAsserted(() -> assertThat(toldOfEachCall().values()).isNotEmpty()
			.allSatisfy((told) -> assertThat(told).containsExactly("asked", "not acquired")));
		held.release();
	}

	@Test
	void callsThatFailBeforeTheyWaitAreReported() throws Exception {
		LockClient client = open();
		LockHandle read = client.acquire(LockRequest.keys(List.of(KEY)).mode(LockMode.READ));
		assertThatExceptionOfType(LockUpgradeException.class)
			.isThrownBy(() -> client.acquire(LockRequest.exclusive(KEY)));
		awaitFailures(1);
		read.release();
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(InterruptedException.class)
			.isThrownBy(() -> client.acquire(LockRequest.exclusive(KEY)));
		awaitFailures(2);
		client.close();
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> client.tryAcquire(LockRequest.exclusive(KEY)));
		assertThat(client.acquireAsync(LockRequest.exclusive(KEY))).isCompletedExceptionally();
		awaitFailures(4);
		assertThat(this.heard.stream().map((told) -> told.event().id()).distinct()).hasSize(5);
	}

	private void awaitFailures(int count) {
		await().untilAsserted(
				() -> assertThat(told().stream().filter((what) -> what.startsWith("not acquired"))).hasSize(count));
		assertThat(told().stream().filter("asked"::equals)).hasSize(count + 1);
	}

	@Test
	void aJobWhoseMarkIsRefusedIsReportedBesideItsLock() throws Exception {
		LockClient client = open();
		LockClient jobs = client.notAgainWithin(Duration.ofHours(1), false);
		LockRequest request = LockRequest.exclusive(KEY).timeout(Duration.ofSeconds(10));
		jobs.acquire(request).releaseAsync().join();
		CuratorFramework others = this.zk.curator(ZooKeeperFixture.SESSION);
		String mark = this.zk.root() + "/%~jobs/" + KEY;
		others.setACL().withACL(List.of(new ACL(ZooDefs.Perms.ALL, new Id("digest", "shop:gone")))).forPath(mark);
		await().untilAsserted(() -> assertThat(told()).hasSize(3));
		this.heard.clear();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> jobs.tryAcquire(request));
		String[] failed = { "asked", "acquired GRANTED", "asked", "not acquired", "released" };
		await().untilAsserted(() -> assertThat(told()).containsExactlyInAnyOrder(failed));
		this.heard.clear();
		assertThat(jobs.acquireAsync(request)).failsWithin(Duration.ofSeconds(10))
			.withThrowableThat()
			.withCauseInstanceOf(LockUnavailableException.class);
		await().untilAsserted(() -> assertThat(told()).containsExactlyInAnyOrder(failed));
		others.delete().forPath(mark);
	}

	@Test
	void aListenerThatThrowsDisturbsNothing() throws Exception {
		this.zk.announce("A lock listener failed");
		LockClient client = this.zk.client()
			.with((builder) -> builder.listener(new Thrower()).listener(new Recorder(this.heard)))
			.open();
		try (LockHandle handle = client.acquire(LockRequest.exclusive(KEY))) {
			assertThat(handle.isHeld()).isTrue();
		}
		await().untilAsserted(() -> assertThat(told()).containsExactly("asked", "acquired GRANTED", "released"));
	}

	@Test
	void anErrorOfOneListenerRobsNobody() throws Exception {
		this.zk.announce("A lock listener failed");
		LockClient client = this.zk.client()
			.with((builder) -> builder.listener(new ErrorThrower()).listener(new Recorder(this.heard)))
			.open();
		try (LockHandle outer = client.acquire(LockRequest.exclusive(KEY));
				LockHandle inner = client.acquire(LockRequest.exclusive(KEY))) {
			assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
		}
		await().untilAsserted(() -> assertThat(told()).containsExactlyInAnyOrder("asked", "acquired GRANTED", "asked",
				"acquired REENTERED", "released", "released"));
	}

	@Test
	void anExecutorForWhichThereIsNoThreadKeepsNobodyWaiting() throws Exception {
		LockClient client = this.zk.client()
			.with((builder) -> builder.listener(new Recorder(this.heard)).callbackExecutor((task) -> {
				throw new OutOfMemoryError("unable to create native thread, planted");
			}))
			.open();
		client.acquire(LockRequest.exclusive(KEY)).release();
		Actor.get(client.acquireAsync(LockRequest.exclusive(KEY))).releaseAsync().get(10, TimeUnit.SECONDS);
		await().untilAsserted(() -> assertThat(told()).hasSize(6));
	}

	@Test
	void behindAListenerThatDoesNotReturnALimitedNumberOfEventsWaits() throws Exception {
		this.zk.announce("events of locks wait");
		this.zk.announce("were not reported");
		this.zk.announce("was lost: its node was deleted");
		Blocker blocker = new Blocker(new CountDownLatch(1), new CountDownLatch(1));
		Counter counter = new Counter();
		LockClient client = this.zk.client().with((builder) -> builder.listener(blocker).listener(counter)).open();
		try (LockHandle held = client.acquire(LockRequest.exclusive(KEY))) {
			assertThat(blocker.entered().await(10, TimeUnit.SECONDS)).isTrue();
			for (int i = 0; i < 60_000; i++) {
				client.acquire(LockRequest.exclusive(KEY)).release();
			}
			assertThat(counter.asked).as("the first one, and those whose two events each wait").hasValue(1 + 50_000);
			assertThat(held.isHeld()).isTrue();
			assertThat(this.zk.warnings().lines()).singleElement()
				.asString()
				.contains("100000 events of locks wait",
						"LockListener " + Blocker.class.getName() + " has not returned");
			isLostAndSaysSo(client.acquire(LockRequest.exclusive("stock")));
		}
		finally {
			blocker.goOn().countDown();
		}
		await().until(() -> counter.released.get() == 1 + 50_000);
		assertThat(counter.acquired).hasValue(1 + 50_000);
		assertThat(this.zk.warnings().lines()).last().asString().contains("10001 locks were not reported");
		client.acquire(LockRequest.exclusive(KEY)).release();
		await().until(() -> counter.released.get() == 2 + 50_000);
		assertThat(this.zk.warnings().lines().filter((line) -> !line.contains("was lost"))).hasSize(2);
	}

	private void isLostAndSaysSo(LockHandle handle) throws InterruptedException {
		CountDownLatch lost = new CountDownLatch(1);
		handle.onLost(lost::countDown);
		this.zk.delete(this.zk.contenders(handle.key()).get(0));
		assertThat(lost.await(10, TimeUnit.SECONDS)).isTrue();
		handle.release();
	}

	@Test
	void callbacksHaveNoMoreThreadsThanTheBuilderWasGiven() throws Exception {
		LockClient client = this.zk.client()
			.with((builder) -> builder.listener(new Recorder(this.heard)).maxCallbackThreads(1))
			.open();
		CountDownLatch inside = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		LockHandle held = client.acquire(LockRequest.exclusive(KEY));
		CompletableFuture<Boolean> waited = client.acquireAsync(LockRequest.exclusive(KEY)).thenApply((handle) -> {
			inside.countDown();
			return awaitAndRelease(goOn, handle);
		});
		held.release();
		assertThat(inside.await(10, TimeUnit.SECONDS)).isTrue();
		CompletableFuture<LockHandle> other = client.acquireAsync(LockRequest.exclusive("stock"));
		await().during(Duration.ofMillis(200)).until(() -> !other.isDone());
		goOn.countDown();
		assertThat(Actor.get(waited)).isTrue();
		Actor.get(other).release();
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.zk.client().with((builder) -> builder.maxCallbackThreads(0)).open());
	}

	private static boolean awaitAndRelease(CountDownLatch goOn, LockHandle handle) {
		try {
			return goOn.await(10, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
		finally {
			handle.release();
		}
	}

	/** What was heard, and on which thread. */
	private record Heard(String what, LockListener.Event event, String thread) {
	}

	/**
	 * Does not return before it may.
	 *
	 * @param entered counted down when it is called
	 * @param goOn until when it does not return
	 */
	private record Blocker(CountDownLatch entered, CountDownLatch goOn) implements LockListener {

		@Override
		public void acquired(Event event) {
			this.entered.countDown();
			Actor.awaitQuietly(this.goOn);
		}

	}

	/** Counts events. */
	private static final class Counter implements LockListener {

		private final AtomicInteger asked = new AtomicInteger();

		private final AtomicInteger acquired = new AtomicInteger();

		private final AtomicInteger released = new AtomicInteger();

		@Override
		public void asked(Event event) {
			this.asked.incrementAndGet();
		}

		@Override
		public void acquired(Event event) {
			this.acquired.incrementAndGet();
		}

		@Override
		public void released(Event event) {
			this.released.incrementAndGet();
		}

	}

	private record Recorder(Queue<Heard> heard) implements LockListener {

		private void hear(String what, Event event) {
			this.heard.add(new Heard(what, event, Thread.currentThread().getName()));
		}

		@Override
		public void asked(Event event) {
			hear("asked", event);
		}

		@Override
		public void acquired(Event event) {
			hear("acquired " + event.way(), event);
		}

		@Override
		public void notAcquired(Event event, Throwable cause) {
			hear("not acquired", event);
		}

		@Override
		public void lost(Event event, LostReason reason) {
			hear("lost " + reason, event);
		}

		@Override
		public void released(Event event) {
			hear("released", event);
		}

	}

	private static final class ErrorThrower implements LockListener {

		@Override
		public void asked(Event event) {
			throw new NoClassDefFoundError("planted in asked");
		}

		@Override
		public void acquired(Event event) {
			throw new NoClassDefFoundError("planted in acquired");
		}

		@Override
		public void released(Event event) {
			throw new NoClassDefFoundError("planted in released");
		}

	}

	private static final class Thrower implements LockListener {

		@Override
		public void asked(Event event) {
			throw new IllegalStateException("asked");
		}

		@Override
		public void acquired(Event event) {
			throw new IllegalStateException("acquired");
		}

		@Override
		public void released(Event event) {
			throw new IllegalStateException("released");
		}

	}

}
