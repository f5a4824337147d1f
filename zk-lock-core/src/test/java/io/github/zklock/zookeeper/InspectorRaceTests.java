package io.github.zklock.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.inspect.HolderNote;
import io.github.zklock.inspect.LockInspector;
import io.github.zklock.inspect.LockQueue.Contender;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

/**
 * What the inspector shows and releases while holders change between its requests. Each
 * change is made at the same moment in each run.
 */
@Timeout(60)
class InspectorRaceTests {

	private static final String KEY = "k";

	private static final LockRequest NAIVE = LockRequest.exclusive(KEY).strategy("naive");

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private final ReadingMoments moments = new ReadingMoments();

	private LockClient here;

	private LockClient elsewhere;

	private ZooKeeperLockInspector inspector;

	@BeforeEach
	void open() {
		this.here = this.zk.client().open();
		this.elsewhere = this.zk.client().open();
		this.inspector = new ZooKeeperLockInspector((ZooKeeperLockClient) this.here,
				() -> CuratorFrameworkFactory.builder()
					.connectString(this.zk.servers().connectString())
					.retryPolicy(new RetryOneTime(50))
					.zookeeperFactory(this.moments)
					.build(),
				Duration.ofMinutes(1));
	}

	@AfterEach
	void close() {
		this.inspector.close();
	}

	private LockClient client(boolean isHere) {
		return isHere ? this.here : this.elsewhere;
	}

	private static LockHandle change(LockHandle from, LockClient to, LockRequest request) throws InterruptedException {
		from.releaseAsync().join();
		return to.acquire(request);
	}

	private void assertReleased(LockHandle holder) {
		this.zk.announce("was lost");
		assertThat(this.inspector.forceRelease(KEY)).extracting(Contender::token)
			.containsExactly(holder.fencingToken());
		await().until(() -> !holder.isHeld());
		holder.release();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aHolderIsNotReleasedInTheNameOfTheOneThatALaggingServerShows(boolean isHere) throws Exception {
		LockHandle first = this.zk.client().open().acquire(NAIVE);
		assertThat(this.inspector.line(KEY).contenders()).hasSize(1);
		LockHandle next = change(first, client(isHere), NAIVE);
		this.moments.lag();
		assertReleased(next);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aHolderIsNotReleasedInTheNameOfTheOneThatWasThereBefore(boolean isHere) throws Exception {
		LockHandle first = this.zk.client().open().acquire(NAIVE);
		AtomicReference<LockHandle> next = new AtomicReference<>();
		this.moments.behindRead(this.zk.keyNode(KEY), () -> {
			next.set(change(first, client(isHere), NAIVE));
			return true;
		});
		this.zk.announce("was lost");
		assertThat(this.inspector.forceRelease(KEY)).extracting(Contender::token)
			.containsExactly(next.get().fencingToken());
		await().until(() -> !next.get().isHeld());
		next.get().release();
	}

	@Test
	void aHolderThatLeavesByItselfIsNotReportedAndTheNextOneIsReleased() throws Exception {
		LockHandle first = this.elsewhere.acquire(LockRequest.exclusive(KEY));
		String node = this.zk.contenders(KEY).get(0);
		CompletableFuture<LockHandle> waiting = waiting(LockRequest.exclusive(KEY));
		this.moments.behindRead(node, () -> {
			first.releaseAsync().join();
			return Actor.get(waiting);
		});
		this.zk.announce("was lost");
		assertThat(this.inspector.forceRelease(KEY)).extracting(Contender::token)
			.containsExactly(Actor.get(waiting).fencingToken());
		await().until(() -> !Actor.get(waiting).isHeld());
		Actor.get(waiting).release();
	}

	@Test
	void ofSeveralHoldersThoseAreReleasedThatHaveNotLeft() throws Exception {
		LockHandle leaving = this.elsewhere.acquire(LockRequest.read(KEY));
		String node = this.zk.contenders(KEY).get(0);
		LockHandle staying = this.here.acquire(LockRequest.read(KEY));
		CompletableFuture<LockHandle> waiting = waiting(LockRequest.write(KEY));
		this.moments.behindRead(node, () -> leaving.releaseAsync().join());
		this.zk.announce("was lost");
		assertThat(this.inspector.forceRelease(KEY)).extracting(Contender::token)
			.containsExactly(staying.fencingToken());
		assertThat(staying.isHeld()).isFalse();
		assertThat(Actor.get(waiting).isHeld()).isTrue();
		Actor.get(waiting).release();
		staying.release();
	}

	@Test
	void nothingIsReleasedWhereTheHolderChangesAtEachLook() throws Exception {
		AtomicReference<LockHandle> holder = new AtomicReference<>(this.elsewhere.acquire(NAIVE));
		AtomicInteger changes = new AtomicInteger();
		String node = this.zk.keyNode(KEY);
		Callable<?> change = new Callable<Boolean>() {

			@Override
			public Boolean call() throws Exception {
				holder.set(change(holder.get(), client(changes.incrementAndGet() % 2 == 0), NAIVE));
				InspectorRaceTests.this.moments.behindRead(node, this);
				return true;
			}

		};
		this.moments.behindRead(node, change);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.inspector.forceRelease(KEY))
			.withMessageContaining("nothing was released");
		assertThat(holder.get().isHeld()).isTrue();
		assertThat(this.zk.contenders(KEY)).containsExactly(node);
		holder.get().release();
	}

	private AtomicReference<LockHandle> aKeyNodeTakesTheHoldersPathBeforeThatIsRead() throws Exception {
		LockHandle naive = this.zk.client().open().acquire(NAIVE);
		AtomicReference<LockHandle> next = new AtomicReference<>();
		this.moments.beforeRead(this.zk.keyNode(KEY), () -> {
			next.set(change(naive, this.elsewhere, LockRequest.exclusive(KEY)));
			return true;
		});
		return next;
	}

	@Test
	void aKeyNodeIsNoHolder() throws Exception {
		AtomicReference<LockHandle> next = aKeyNodeTakesTheHoldersPathBeforeThatIsRead();
		assertThat(this.inspector.line(KEY).contenders()).extracting(Contender::path)
			.containsExactlyElementsOf(this.zk.contenders(KEY))
			.doesNotContain(this.zk.keyNode(KEY));
		next.get().release();
	}

	@Test
	void aKeyNodeIsNotReleased() throws Exception {
		AtomicReference<LockHandle> next = aKeyNodeTakesTheHoldersPathBeforeThatIsRead();
		this.zk.announce("was lost");
		assertThat(this.inspector.forceRelease(KEY)).extracting(Contender::token)
			.containsExactly(next.get().fencingToken());
		await().until(() -> !next.get().isHeld());
		next.get().release();
	}

	private String plantHolder() throws Exception {
		String holder = ((ZooKeeperLockClient) this.here).parts().source().paths().askedBeside(KEY) + "1";
		CuratorFramework curator = this.zk.curatorOf(this.elsewhere);
		curator.create().creatingParentContainersIfNeeded().forPath(holder, note("\"id\":\"1\",\"key\":\"" + KEY));
		return holder;
	}

	private static byte[] note(String fields) {
		return ("{" + fields + "\",\"application\":\"shop\",\"instance\":\"holder\",\"host\":\"a\",\"pid\":\"7\"}")
			.getBytes(StandardCharsets.UTF_8);
	}

	private HolderNote noteAt(String path) throws Exception {
		return HolderNote
			.parse(new String(this.zk.curatorOf(this.elsewhere).getData().forPath(path), StandardCharsets.UTF_8));
	}

	@Test
	void aHolderThatAnotherAsksMeanwhileIsAskedAllTheSame() throws Exception {
		String holder = plantHolder();
		CuratorFramework curator = this.zk.curatorOf(this.elsewhere);
		this.moments.behindRead(holder,
				() -> curator.setData().forPath(holder, note("\"id\":\"1\",\"ask\":\"another")));
		CompletableFuture<List<HolderNote>> asked = this.zk.actor().call(() -> this.inspector.ask(KEY, "why"));
		await().until(() -> "why".equals(noteAt(holder).reason()));
		curator.delete().forPath(holder);
		assertThat(Actor.get(asked)).extracting(HolderNote::reason, HolderNote::noticed)
			.containsExactly(tuple("why", true));
	}

	@Test
	void whoAsksBehindAnotherLearnsWhoTheHolderIsAndOnlyOfItsOwnAsk() throws Exception {
		String holder = plantHolder();
		CuratorFramework curator = this.zk.curatorOf(this.elsewhere);
		try (LockInspector another = this.zk.inspector(this.elsewhere)) {
			CompletableFuture<List<HolderNote>> first = this.zk.actor().call(() -> this.inspector.ask(KEY, "first"));
			await().until(() -> "first".equals(noteAt(holder).reason()));
			CompletableFuture<List<HolderNote>> second = this.zk.actor().call(() -> another.ask(KEY, "second"));
			await().until(() -> "second".equals(noteAt(holder).reason()));
			assertThat(noteAt(holder).instance()).isEqualTo("holder");
			String ask = noteAt(holder).ask();
			curator.setData()
				.forPath(holder, note("\"id\":\"1\",\"ask\":\"" + ask + "\",\"noticed\":\"true\",\"reason\":\"second"));
			assertThat(Actor.get(second)).containsExactly(new HolderNote(ask, "second", true, "holder", "a", "7"));
			curator.delete().forPath(holder);
			assertThat(Actor.get(first)).extracting(HolderNote::reason, HolderNote::noticed, HolderNote::instance)
				.containsExactly(tuple("first", true, "holder"));
		}
	}

	private CompletableFuture<LockHandle> waiting(LockRequest request) {
		LockClient waiter = this.zk.client().open();
		CompletableFuture<LockHandle> waiting = waiter.acquireAsync(request);
		this.zk.awaitWaiting(waiter, KEY);
		return waiting;
	}

	// Until its client knows the new name
	private static boolean downgrade(LockHandle writer, String node, LockClient client) {
		writer.downgrade();
		await().until(() -> !((ZooKeeperLockClient) client).parts().source().current().held().isHeldBy(null, node));
		return true;
	}

	@Test
	void whoWaitsForAWriterThatIsDowngradedMeanwhileIsNoHolder() throws Exception {
		LockHandle writer = this.elsewhere.acquire(LockRequest.write(KEY));
		String node = this.zk.contenders(KEY).get(0);
		CompletableFuture<LockHandle> waiting = waiting(LockRequest.write(KEY));
		this.moments.beforeRead(node, () -> downgrade(writer, node, this.elsewhere));
		assertThat(this.inspector.line(KEY).contenders()).extracting(Contender::mode, Contender::holds)
			.containsExactly(tuple(LockMode.READ, true), tuple(LockMode.WRITE, false));
		writer.release();
		Actor.get(waiting).release();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void whoWaitsForAWriterThatIsDowngradedMeanwhileIsNotReleased(boolean isBeforeTheRead) throws Exception {
		LockHandle writer = this.here.acquire(LockRequest.write(KEY));
		String node = this.zk.contenders(KEY).get(0);
		CompletableFuture<LockHandle> waiting = waiting(LockRequest.write(KEY));
		if (isBeforeTheRead) {
			this.moments.beforeRead(node, () -> downgrade(writer, node, this.here));
		}
		else {
			this.moments.behindRead(node, () -> downgrade(writer, node, this.here));
		}
		this.zk.announce("was lost");
		assertThat(this.inspector.forceRelease(KEY)).extracting(Contender::mode).containsExactly(LockMode.READ);
		assertThat(writer.isHeld()).isFalse();
		assertThat(Actor.get(waiting).isHeld()).isTrue();
		Actor.get(waiting).release();
		writer.release();
	}

	@Test
	void aWriterWhoseDowngradeIsNotYetAnsweredIsToldBeforeItsNodeIsDeleted() throws Exception {
		LockHandle writer = this.here.acquire(LockRequest.write(KEY));
		CompletableFuture<LockHandle> waiting = waiting(LockRequest.write(KEY));
		CountDownLatch answers = new CountDownLatch(1);
		((ZooKeeperLockClient) this.here).parts().source().current().requests().exists("/", (code, stat) -> {
			try {
				answers.await();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		});
		writer.downgrade();
		await().until(() -> this.zk.contenders(KEY).stream().anyMatch((path) -> path.contains("__READ__")));
		this.zk.announce("was lost");
		CompletableFuture<List<Contender>> released = this.zk.actor().call(() -> this.inspector.forceRelease(KEY));
		try {
			await().until(() -> !writer.isHeld());
			assertThat(waiting).isNotDone();
		}
		finally {
			answers.countDown();
		}
		assertThat(Actor.get(released)).extracting(Contender::mode).containsExactly(LockMode.READ);
		Actor.get(waiting).release();
		writer.release();
	}

}
