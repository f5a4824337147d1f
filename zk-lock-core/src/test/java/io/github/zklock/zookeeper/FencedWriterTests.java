package io.github.zklock.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.framework.api.transaction.CuratorTransactionResult;
import org.apache.curator.framework.api.transaction.OperationType;
import org.apache.curator.framework.api.transaction.TypeAndPath;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.DelegatingLockHandle;
import io.github.zklock.Handoff;
import io.github.zklock.LockException;
import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.spi.Grant;
import io.github.zklock.testing.Actor;
import io.github.zklock.testing.ServerFixture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * What a guarded write does, and when the servers refuse it.
 */
@Timeout(60)
class FencedWriterTests {

	private static final String KEY = "orders";

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private String data;

	private ZooKeeperLockClient client;

	private CuratorFramework curator;

	private FencedWriter writer;

	@BeforeEach
	void open() {
		this.data = this.zk.plant(this.zk.root() + "-data", CreateMode.PERSISTENT);
		open(Handoff.DEFAULT);
	}

	private void open(Handoff handoff) {
		this.client = (ZooKeeperLockClient) this.zk.client().with((builder) -> builder.handoff(handoff)).open();
		this.curator = this.zk.curatorOf(this.client);
		this.writer = new FencedWriter(this.client);
	}

	private LockHandle acquire(String strategy, String... keys) throws InterruptedException {
		return this.client.acquire(LockRequest.keys(List.of(keys)).strategy(strategy).owner(new Object()));
	}

	private CuratorOp set(String text) throws Exception {
		return this.curator.transactionOp().setData().forPath(this.data, text.getBytes(StandardCharsets.UTF_8));
	}

	private String written() throws Exception {
		return new String(this.curator.getData().forPath(this.data), StandardCharsets.UTF_8);
	}

	@Test
	void aWriteIsRefusedAsTheLockIsLostWhereTheServersAreClosingTheSession() throws Exception {
		AtomicBoolean closing = new AtomicBoolean();
		CuratorFramework refused = this.zk.curator(CuratorFrameworkFactory.builder()
			.sessionTimeoutMs((int) ServerFixture.SESSION.toMillis())
			.zookeeperFactory((servers, timeout, watcher, readOnly) -> new ZooKeeper(servers, timeout, watcher) {

				@Override
				public void multi(Iterable<Op> ops, AsyncCallback.MultiCallback callback, Object context) {
					if (closing.get()) {
						List<OpResult> results = new ArrayList<>();
						ops.forEach((op) -> results.add(new OpResult.ErrorResult(
								(results.isEmpty() ? Code.SESSIONEXPIRED : Code.RUNTIMEINCONSISTENCY).intValue())));
						callback.processResult(Code.SESSIONEXPIRED.intValue(), "", context, results);
					}
					else {
						super.multi(ops, callback, context);
					}
				}

			}), this.zk.servers().connectString());
		ZooKeeperFixture.awaitConnected(refused);
		try (ZooKeeperLockClient other = this.zk
			.closing(ZooKeeperLockClient.builder(refused).root(this.zk.root()).build(), refused)) {
			this.zk.announce("was lost");
			LockHandle handle = other.acquire(LockRequest.exclusive(KEY));
			CuratorOp write = set("refused");
			closing.set(true);
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> new FencedWriter(other).write(handle, write));
			refused.close();
		}
	}

	private void assertRefused(LockHandle handle) throws Exception {
		String before = written();
		CuratorOp write = set("refused");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.writer.write(handle, write))
			.withMessage("%s was lost or released before the write, so nothing was written", subject(handle));
		assertThat(written()).isEqualTo(before);
	}

	private static String subject(LockHandle handle) {
		return (handle.keys().size() == 1) ? "Lock '" + handle.key() + "'" : "A hold of locks " + handle.keys();
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void writesGoOnWhileTheLockIsBeingDowngradedAndAfterwards(String strategy) throws Exception {
		LockHandle handle = this.client.acquire(LockRequest.write(KEY).strategy(strategy));
		for (int i = 0; i < 3; i++) {
			CompletableFuture<?> before = this.writer.writeAsync(handle, set("before"));
			handle.downgrade();
			CompletableFuture<?> after = this.writer.writeAsync(handle, set("after"));
			assertThat(Actor.get(before)).isNotNull();
			assertThat(Actor.get(after)).isNotNull();
			assertThat(written()).isEqualTo("after");
		}
		this.writer.write(handle, set("last"));
		assertThat(written()).isEqualTo("last");
		handle.release();
		assertRefused(handle);
	}

	@Test
	void aWriteUnderKeysThatWereEnteredOneByOneIsSentBeforeAnyOfThemIsDeleted() throws Exception {
		AtomicReference<Runnable> atSending = new AtomicReference<>();
		CuratorFramework connection = this.zk.curator(ZooKeeperFixture.SESSION);
		LockSessions sessions = LockSessions.builder(connection)
			.root(this.zk.root())
			.clock(() -> runWhenSending(atSending))
			.build();
		ZooKeeperLockClient holder = this.zk.closing(ZooKeeperLockClient.builder(sessions).build(), connection);
		LockRequest second = LockRequest.exclusive("second").strategy("naive").owner(this);
		LockHandle outer = holder.acquire(LockRequest.exclusive("first").owner(this));
		LockHandle inner = holder.acquire(second);
		LockHandle both = holder.acquire(LockRequest.keys(List.of("first", "second")).owner(this));
		CuratorOp write = set("written");
		CompletableFuture<LockHandle> next = this.client.acquireAsync(second);
		this.zk.awaitWaiting(this.client, "second");
		AtomicBoolean deleted = new AtomicBoolean();
		atSending.set(() -> CompletableFuture.allOf(both.releaseAsync(), inner.releaseAsync())
			.orTimeout(1, TimeUnit.SECONDS)
			.handle((done, failure) -> deleted.getAndSet(failure == null))
			.join());
		new FencedWriter(holder).writeAsync(both, List.of(write)).get(10, TimeUnit.SECONDS);
		assertThat(deleted).as("the node is gone before the write").isFalse();
		Actor.get(next).release();
		outer.release();
		sessions.close();
	}

	// The clock is read last before a transaction is sent
	private static long runWhenSending(AtomicReference<Runnable> step) {
		boolean sending = step.get() != null && StackWalker.getInstance()
			.walk((frames) -> frames.map(StackWalker.StackFrame::getMethodName).limit(40).toList())
			.containsAll(List.of("multi", "send"));
		Runnable once = sending ? step.getAndSet(null) : null;
		if (once != null) {
			once.run();
		}
		return System.nanoTime();
	}

	@Test
	void anOperationThatThrowsEndsTheWriteAndNotTheLock() throws Exception {
		CuratorOp broken = new BrokenOp();
		try (LockHandle handle = acquire("sequential", KEY)) {
			CompletableFuture<List<CuratorTransactionResult>> write = this.writer.writeAsync(handle,
					List.of(set("not written"), broken));
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> write.get(5, TimeUnit.SECONDS))
				.withCauseInstanceOf(NoClassDefFoundError.class);
			assertThatIllegalArgumentException().isThrownBy(() -> this.writer.write(handle, broken))
				.withCauseInstanceOf(NoClassDefFoundError.class);
			assertThat(written()).isNotEqualTo("not written");
			assertThat(handle.isHeld()).isTrue();
		}
	}

	@Test
	void whatWasWrittenIsNotSaidToBeUnsentIfItsAnswerCannotBeHandled() throws Exception {
		CuratorOp written = set("written");
		CuratorOp forgetful = new BrokenOp() {
			@Override
			public Op get() {
				return written.get();
			}
		};
		try (LockHandle handle = acquire("sequential", KEY)) {
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> this.writer.write(handle, forgetful))
				.withMessage("A write under lock 'orders' was done, but its results could not be read")
				.matches(LockException::mayHaveTakenEffect)
				.withCauseInstanceOf(NoClassDefFoundError.class);
			assertThat(written()).isEqualTo("written");
		}
	}

	@Test
	void aWriteThatIsTooLargeIsRefusedAndCostsNobodyTheConnection() throws Exception {
		Queue<ConnectionState> changes = ZooKeeperFixture.changesOf(this.curator);
		try (LockHandle handle = acquire("sequential", KEY)) {
			assertThatIllegalArgumentException().isThrownBy(() -> this.writer.write(handle, set("x".repeat(0xfffff))))
				.withMessageStartingWith("A transaction may have at most 1048575 bytes, but this one has 1048");
			this.writer.write(handle, set("x".repeat(0xfffff - 1024)));
			assertThat(handle.isHeld()).isTrue();
		}
		assertThat(changes).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void holderWrites(String strategy) throws Exception {
		try (LockHandle handle = acquire(strategy, KEY)) {
			String child = this.data + "/child";
			List<CuratorTransactionResult> results = this.writer.write(handle, set("first"),
					this.curator.transactionOp().create().forPath(child), set("second"),
					this.curator.transactionOp().delete().forPath(child));
			assertThat(written()).isEqualTo("second");
			assertThat(results).extracting(CuratorTransactionResult::getType)
				.containsExactly(OperationType.SET_DATA, OperationType.CREATE, OperationType.SET_DATA,
						OperationType.DELETE);
			assertThat(results.get(0).getResultStat().getVersion()).isOne();
			assertThat(results.get(1).getResultPath()).isEqualTo(child);
			assertThat(results.get(2).getForPath()).isEqualTo(this.data);
		}
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void everyModeGuards(LockMode mode) throws Exception {
		LockHandle handle = this.client.acquire(LockRequest.keys(List.of(KEY)).mode(mode));
		this.writer.write(handle, set(mode.name()));
		assertThat(written()).isEqualTo(mode.name());
		handle.release();
		assertRefused(handle);
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void nothingIsWrittenAfterTheRelease(String strategy) throws Exception {
		LockHandle handle = acquire(strategy, KEY);
		handle.release();
		assertRefused(handle);
		try (LockHandle next = acquire(strategy, KEY)) {
			assertRefused(handle);
			this.writer.write(next, set("next"));
			assertThat(written()).isEqualTo("next");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void nothingIsWrittenWhenTheSessionHasEnded(String strategy) throws Exception {
		this.zk.announce("lost");
		LockHandle handle = acquire(strategy, KEY);
		this.zk.expireSession(this.client);
		CompletableFuture<List<CuratorTransactionResult>> atOnce = this.writer.writeAsync(handle,
				List.of(set("refused")));
		assertThat(atOnce).failsWithin(Actor.PATIENCE)
			.withThrowableThat()
			.satisfies((ex) -> assertThat(ex.getCause()).isInstanceOfAny(LockLostException.class,
					LockUnavailableException.class));
		assertThat(written()).isNotEqualTo("refused");
		await().until(() -> !handle.isHeld());
		assertRefused(handle);
		handle.release();
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void serversRefuseWhoHasNotNoticedTheLoss(String strategy) throws Exception {
		LockHandle handle = acquire(strategy, KEY);
		this.zk.delete(node(strategy));
		assertThat(handle.isHeld()).as("it has not noticed").isTrue();
		assertRefused(handle);
		handle.release();
	}

	private String node(String strategy) {
		return strategy.equals("naive") ? this.zk.keyNode(KEY) : this.zk.contenders(KEY).get(0);
	}

	@Test
	void allKeysAreChecked() throws Exception {
		LockHandle handle = acquire("sequential", "a", "b", "c");
		this.writer.write(handle, set("all"));
		assertThat(written()).isEqualTo("all");
		this.zk.delete(this.zk.contenders("b").get(0));
		assertRefused(handle);
		handle.release();
	}

	@Test
	void keysThatWereTakenOneAfterTheOtherAreChecked() throws Exception {
		try (LockHandle first = this.client.acquire(LockRequest.exclusive("a"));
				LockHandle both = this.client.acquire(LockRequest.keys(List.of("b", "a")))) {
			this.writer.write(both, set("both"));
			assertThat(written()).isEqualTo("both");
			this.zk.delete(this.zk.contenders("a").get(0));
			assertRefused(both);
			assertThat(first.isHeld()).as("it has not noticed").isTrue();
		}
	}

	@Test
	void handoffMovesTheRightToWriteAlthoughTheNodeIsTheSame() throws Exception {
		LockHandle first = acquire("sequential", KEY);
		CompletableFuture<LockHandle> next = this.client.acquireAsync(LockRequest.exclusive(KEY));
		first.release();
		LockHandle second = Actor.get(next);
		assertThat(second.fencingToken()).isEqualTo(first.fencingToken() + 1);
		assertRefused(first);
		this.writer.write(second, set("second"));
		assertThat(written()).isEqualTo("second");
		second.release();
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void grantIsNotHandedOffByAHolderWhoseTimeIsOver(String strategy) throws Exception {
		this.zk.announce("lost");
		LockHandle first = this.client
			.acquire(LockRequest.exclusive(KEY).strategy(strategy).owner("first").maxHold(Duration.ofMillis(100)));
		LockHandle second = acquire(strategy, KEY);
		assertThat(second.fencingToken() / Grant.TOKENS).isGreaterThan(first.fencingToken() / Grant.TOKENS);
		assertRefused(first);
		this.writer.write(second, set("second"));
		assertThat(written()).isEqualTo("second");
		first.release();
		second.release();
	}

	@Test
	void retainedLockGuardsNothing() throws Exception {
		open(new Handoff(64, Duration.ofSeconds(1), Duration.ofMinutes(1)));
		LockHandle handle = acquire("sequential", KEY);
		handle.release();
		assertThat(this.zk.contenders(KEY)).as("the node is kept").hasSize(1);
		assertRefused(handle);
		this.client.close();
	}

	@Test
	void reentryWritesUntilItIsReleased() throws Exception {
		try (LockHandle outer = this.client.acquire(LockRequest.exclusive(KEY))) {
			LockHandle inner = this.client.acquire(LockRequest.exclusive(KEY));
			this.writer.write(inner, set("inner"));
			assertThat(written()).isEqualTo("inner");
			inner.release();
			assertRefused(inner);
			this.writer.write(outer, set("outer"));
			assertThat(written()).isEqualTo("outer");
		}
	}

	@Test
	void failureOfAnOperationIsReportedWithItsPath() throws Exception {
		try (LockHandle handle = acquire("sequential", KEY)) {
			CuratorOp stale = this.curator.transactionOp().setData().withVersion(7).forPath(this.data);
			assertThatExceptionOfType(KeeperException.BadVersionException.class)
				.isThrownBy(() -> this.writer.write(handle, set("first"), stale))
				.satisfies((ex) -> assertThat(ex.getPath()).isEqualTo(this.data));
			assertThat(written()).isNotEqualTo("first");
			CuratorOp missing = this.curator.transactionOp().delete().forPath(this.data + "/missing");
			assertThatExceptionOfType(KeeperException.NoNodeException.class)
				.isThrownBy(() -> this.writer.write(handle, missing));
		}
	}

	@Test
	void writeOfNothingAsksTheServers() throws Exception {
		LockHandle handle = acquire("sequential", KEY);
		assertThat(this.writer.write(handle)).isEmpty();
		this.zk.delete(node("sequential"));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.writer.write(handle));
		handle.release();
	}

	@Test
	void asynchronousWriteCompletesOnTheCallbackExecutor() throws Exception {
		try (LockHandle handle = acquire("sequential", KEY)) {
			CompletableFuture<String> thread = this.writer.writeAsync(handle, List.of(set("later")))
				.thenApply((results) -> Thread.currentThread().getName());
			assertThat(Actor.get(thread)).doesNotContain("EventThread");
			assertThat(written()).isEqualTo("later");
		}
	}

	@Test
	void resultsAreInTheNamespaceOfTheOperations() throws Exception {
		CuratorFramework below = this.curator.usingNamespace(this.data.substring(1));
		try (LockHandle handle = acquire("sequential", KEY)) {
			List<CuratorTransactionResult> results = this.writer.write(handle,
					below.transactionOp().create().withMode(CreateMode.PERSISTENT_SEQUENTIAL).forPath("/n-"));
			assertThat(results).singleElement()
				.extracting(CuratorTransactionResult::getResultPath)
				.isEqualTo("/n-0000000000");
			this.writer.write(handle, below.transactionOp().delete().forPath("/n-0000000000"));
		}
	}

	@Test
	void aHandleOfTheUsersAroundOneOfTheClientWritesWhileThatIsHeld() throws Exception {
		LockHandle users = new DelegatingLockHandle(acquire("sequential", KEY)) {
		};
		this.writer.write(users, set("users"));
		assertThat(written()).isEqualTo("users");
		users.close();
		assertRefused(users);
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void whatWasReleasedGuardsNothingWhateverItsHandleSays(String strategy) throws Exception {
		LockHandle released = acquire(strategy, KEY);
		List<Grant> grants = this.client.parts().core().open().holds().grantsOf(released);
		released.releaseAsync().join();
		try (LockHandle next = this.zk.client().open().acquire(LockRequest.exclusive(KEY).strategy(strategy))) {
			FencedTransaction write = new FencedTransaction(new DelegatingLockHandle(released) {

				@Override
				public boolean isHeld() {
					return true;
				}

			}, List.of(set("refused").get()));
			write.under(grants);
			assertThat(write.outcome()).failsWithin(Actor.PATIENCE)
				.withThrowableThat()
				.withCauseInstanceOf(LockLostException.class);
			assertThat(written()).isNotEqualTo("refused");
			assertThat(next.isHeld()).isTrue();
		}
	}

	@Test
	void handlesOfOthersAreRefused() throws Exception {
		try (LockHandle others = this.zk.client().open().acquire(LockRequest.exclusive(KEY))) {
			assertThatIllegalArgumentException().isThrownBy(() -> this.writer.write(others))
				.withMessageContaining("is not one of this lock client");
		}
	}

	@Test
	void noAnswerIsNeitherSuccessNorRefusal() throws Exception {
		try (TestingServer server = new TestingServer();
				CuratorFramework own = CuratorFrameworkFactory.newClient(server.getConnectString(), 60_000, 1000,
						new RetryOneTime(100))) {
			own.start();
			try (ZooKeeperLockClient ours = ZooKeeperLockClient.builder(own).build()) {
				LockHandle handle = ours.acquire(LockRequest.exclusive(KEY));
				CuratorOp write = own.transactionOp().create().forPath("/written");
				server.stop();
				assertThat(handle.isHeld()).isTrue();
				assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> new FencedWriter(ours).write(handle, write))
					.withMessageContaining("whether it was written is not known")
					.matches(LockException::mayHaveTakenEffect);
				server.restart();
				// ZooKeeper's client may take longer to connect again than a close waits
				await().ignoreExceptions().until(() -> own.checkExists().forPath("/") != null);
				handle.release();
			}
		}
	}

	@Test
	void anAnswerIsAwaitedForASessionTimeout() throws Exception {
		try (LockHandle handle = acquire("sequential", KEY)) {
			FencedTransaction write = new FencedTransaction(handle, List.of());
			write.under(this.client.parts().core().open().holds().grantsOf(handle));
			assertThat(write.patience()).isEqualTo(this.client.parts().source().current().timeoutNanos());
			Actor.get(write.outcome());
		}
	}

	private static class BrokenOp implements CuratorOp {

		@Override
		public Op get() {
			throw new NoClassDefFoundError("planted");
		}

		@Override
		public TypeAndPath getTypeAndPath() {
			throw new NoClassDefFoundError("planted");
		}

	}

}
