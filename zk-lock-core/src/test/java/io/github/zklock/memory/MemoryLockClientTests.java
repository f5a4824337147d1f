package io.github.zklock.memory;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.LockContext;
import io.github.zklock.LockException;
import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockSessionStatus;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LostReason;
import io.github.zklock.inspect.LockInspector;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.concurrent.StepFaults;
import io.github.zklock.internal.node.ClientIdentity;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.ContenderListener;
import io.github.zklock.spi.Grant;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.testing.Actor;
import io.github.zklock.testing.OtherJvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

@Timeout(60)
class MemoryLockClientTests {

	@RegisterExtension
	final MemoryFixture memory = new MemoryFixture();

	@Test
	void whoWaitsInTheCommonPoolRunsNothingElseUnderItsLocks() {
		try (OtherJvm other = OtherJvm.start(CommonPoolJvm.class)) {
			String last = null;
			for (String line = other.read(); line != null; line = other.read()) {
				last = line;
			}
			assertThat(last).isEqualTo("0");
			assertThat(other.awaitExit()).isZero();
		}
	}

	@Test
	void aWarningSaysThatNobodyOutsideThisProcessIsExcluded() {
		this.memory.client().open();
		assertThat(this.memory.warnings()).isEqualTo("Locks are in memory and exclude nobody outside this process");
	}

	@Test
	void theStatusSaysThatThereAreNoServers() {
		MemoryLockClient client = this.memory.client().open();
		assertThat(client.state()).isEqualTo(LockSessionStatus.State.CONNECTED);
		assertThat(client.servers()).contains("in memory");
		client.close();
		assertThat(client.state()).isEqualTo(LockSessionStatus.State.LOST);
	}

	@Test
	@Tag("KeyQueues.I2")
	void tokensAreLargerThanThoseOfAnEarlierProcess() throws Exception {
		long before = System.currentTimeMillis();
		LockHandle handle = this.memory.client().open().acquire(LockRequest.exclusive("orders"));
		assertThat((handle.fencingToken() / Grant.TOKENS) >> 10).isGreaterThanOrEqualTo(before);
		handle.release();
	}

	@Test
	void workKnowsItsHandle() throws Exception {
		MemoryLockClient client = this.memory.client().open();
		AtomicReference<LockHandle> seen = new AtomicReference<>();
		client.run(LockRequest.exclusive("orders"), () -> seen.set(LockContext.current()));
		assertThat(seen.get().key()).isEqualTo("orders");
	}

	@Test
	void whereNoWorkRunsAThreadWithoutANameIsKnownByItsNumber() {
		Thread thread = Thread.currentThread();
		String name = thread.getName();
		thread.setName("");
		try {
			assertThatIllegalStateException().isThrownBy(LockContext::current)
				.withMessageMatching("No method with @DistributedLock runs on thread '#\\d+', .*");
		}
		finally {
			thread.setName(name);
		}
	}

	@Test
	void theTimeoutOfAKeyAppliesWhereTheRequestHasNone() throws Exception {
		MemoryLockClient client = this.memory.client().timeout("orders/*", Duration.ofMillis(20)).open();
		try (LockHandle handle = client.acquire(LockRequest.exclusive("orders/1").owner("another"))) {
			assertThatExceptionOfType(LockTimeoutException.class)
				.isThrownBy(() -> client.acquire(LockRequest.exclusive("orders/1")))
				.withMessageContaining("within 20ms");
			assertThat(handle.isHeld()).isTrue();
		}
	}

	@Test
	void whoTriesOnceIsToldWhoHolds() throws Exception {
		MemoryLockClient holder = this.memory.client().instance("shop-1").open();
		LockHandle held = holder.acquire(LockRequest.exclusive("orders"));
		MemoryLockClient other = this.memory.client().instance("shop-2").open();
		assertThatExceptionOfType(LockTimeoutException.class)
			.isThrownBy(() -> other.acquire(LockRequest.exclusive("orders").timeout(Duration.ZERO)))
			.withMessageContaining("at once: held by shop-1 (");
		held.release();
	}

	@Test
	void waitsThatNobodyCanWaitAreRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> MemoryLockClient.builder().slowWait(Duration.ofDays(200_000)));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> MemoryLockClient.builder().slowWaitInterval(Duration.ofSeconds(Long.MAX_VALUE)));
	}

	@Test
	void otherNamesOfStrategiesAreServedWhenAnnounced() throws Exception {
		try (MemoryLockClient client = MemoryLockClient.builder().strategies(List.of("ours")).build()) {
			client.acquire(LockRequest.exclusive("orders").strategy("ours")).release();
			assertThat(client.strategies()).containsExactly("naive", "ours", "sequential");
		}
		assertThatIllegalArgumentException().isThrownBy(() -> MemoryLockClient.builder().strategy("ours").build())
			.withMessageContaining("ours");
	}

	@Test
	void tooManyKeysAreRefused() {
		try (MemoryLockClient client = MemoryLockClient.builder().maxKeysPerRequest(1).build()) {
			assertThatIllegalArgumentException().isThrownBy(() -> client.acquire(LockRequest.keys(List.of("a", "b"))))
				.withMessageContaining("at most 1 keys");
		}
	}

	@Test
	void theInspectorShowsWhoHoldsAndWhoWaitsForWhom() throws Exception {
		MemoryLockClient one = this.memory.client().instance("one").open();
		MemoryLockClient two = this.memory.client().instance("two").open();
		LockHandle handle = one.acquire(LockRequest.exclusive("orders"));
		CompletableFuture<LockHandle> waiting = two.acquireAsync(LockRequest.read("orders"));
		this.memory.awaitWaiting(two, "orders");
		LockInspector inspector = one.inspector();
		assertThat(inspector.keys(0, 10).lines()).singleElement()
			.isEqualTo(inspector.line("orders"))
			.satisfies((queue) -> {
				assertThat(queue.contenders()).extracting((contender) -> contender.origin().instance())
					.containsExactly("one", "two");
				assertThat(queue.contenders()).extracting((contender) -> contender.holds())
					.containsExactly(true, false);
				assertThat(queue.contenders()).extracting((contender) -> contender.ours()).containsExactly(true, false);
				assertThat(queue.contenders()).extracting((contender) -> contender.mode())
					.containsExactly(LockMode.EXCLUSIVE, LockMode.READ);
			});
		assertThat(inspector.keys(1, 10).lines()).isEmpty();
		assertThat(inspector.waits().waits()).singleElement().satisfies((wait) -> {
			assertThat(wait.waiter().instance()).isEqualTo("two");
			assertThat(wait.blocker().instance()).isEqualTo("one");
		});
		handle.release();
		Actor.get(waiting).release();
	}

	@Test
	void whatIsForciblyReleasedIsLostAndFree() throws Exception {
		this.memory.announce("lost: its node was deleted");
		MemoryLockClient one = this.memory.client().open();
		LockHandle handle = one.acquire(LockRequest.exclusive("orders"));
		MemoryLockClient two = this.memory.client().open();
		CompletableFuture<LockHandle> waiting = two.acquireAsync(LockRequest.exclusive("orders"));
		this.memory.awaitWaiting(two, "orders");
		assertThat(two.inspector().forceRelease("orders")).hasSize(1);
		LockHandle next = Actor.get(waiting);
		await().untilAsserted(() -> assertThat(handle.isHeld()).isFalse());
		assertThat(next.fencingToken()).isGreaterThan(handle.fencingToken());
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> one.acquire(LockRequest.exclusive("orders")));
		handle.release();
		next.release();
	}

	@Test
	void aRequestOfSeveralKeysIsShownAsAWaiterUntilItHasAll() throws Exception {
		MemoryLockClient one = this.memory.client().open();
		MemoryLockClient two = this.memory.client().open();
		LockHandle handle = one.acquire(LockRequest.exclusive("stock"));
		CompletableFuture<LockHandle> waiting = two.acquireAsync(LockRequest.keys(List.of("orders", "stock")));
		this.memory.awaitWaiting(two, "stock");
		assertThat(one.inspector().line("orders").contenders()).singleElement().matches((first) -> !first.holds());
		assertThat(one.inspector().forceRelease("orders")).isEmpty();
		handle.release();
		LockHandle both = Actor.get(waiting);
		assertThat(both.isHeld()).isTrue();
		both.release();
	}

	@Test
	void aForcedReleaseLeavesTheLockToWhoIsNext() throws Exception {
		this.memory.announce("lost: its node was deleted");
		MemoryLockClient one = this.memory.client().instance("one").open();
		MemoryLockClient two = this.memory.client().instance("two").open();
		MemoryLockClient three = this.memory.client().instance("three").open();
		LockHandle handle = one.acquire(LockRequest.exclusive("orders"));
		CompletableFuture<LockHandle> second = two.acquireAsync(LockRequest.exclusive("orders"));
		this.memory.awaitWaiting(two, "orders");
		CompletableFuture<LockHandle> third = three.acquireAsync(LockRequest.exclusive("orders"));
		this.memory.awaitWaiting(three, "orders");
		assertThat(one.inspector().forceRelease("orders")).hasSize(1);
		assertThat(one.inspector().line("orders").contenders())
			.extracting((contender) -> contender.origin().instance(), (contender) -> contender.holds())
			.containsExactly(tuple("two", true), tuple("three", false));
		handle.release();
		LockHandle next = Actor.get(second);
		assertThat(next.isHeld()).isTrue();
		next.release();
		Actor.get(third).release();
	}

	@Test
	@Tag("KeyQueues.I3")
	void aListenerThatFailsLeavesTheKeyToTheNext() {
		this.memory.announce("A step of MemoryContender failed");
		StepFailures failures = new StepFailures();
		MemoryLockStrategy strategy = strategy(failures);
		RecordingListener broken = new RecordingListener();
		broken.failing = true;
		RecordingListener sound = new RecordingListener();
		LockAttempt attempt = new LockAttempt(List.of("orders"), LockMode.EXCLUSIVE, false, "test");
		strategy.enter(attempt, broken);
		Contender next = strategy.enter(attempt, sound);
		assertThat(broken.heard).isEqualTo("granted lost ENGINE_FAILED ");
		assertThat(sound.heard).isEqualTo("granted ");
		assertThat(failures.count()).isOne();
		assertThat(next.leave()).isCompleted();
		assertThat(strategy.queues().ask(strategy.queues()::keys)).isCompletedWithValue(List.of());
	}

	@Test
	@Tag("MemoryContender.I1")
	void whoHasLeftHearsNothing() {
		MemoryLockStrategy strategy = strategy(new StepFailures());
		RecordingListener quitter = new RecordingListener();
		LockAttempt attempt = new LockAttempt(List.of("orders"), LockMode.EXCLUSIVE, false, "test");
		Contender holder = strategy.enter(attempt, new RecordingListener());
		Contender waiting = strategy.enter(attempt, quitter);
		waiting.leave();
		holder.leave();
		assertThat(quitter.heard).isEqualTo("blocked ");
	}

	@Test
	void aGrantReportsWhoWaitsBehindIt() {
		MemoryLockStrategy strategy = strategy(new StepFailures());
		RecordingListener reader = new RecordingListener();
		Contender first = strategy.enter(attempt(LockMode.READ), reader);
		CompletableFuture<Void> contended = reader.grant.whenContended().toCompletableFuture();
		Contender second = strategy.enter(attempt(LockMode.READ), new RecordingListener());
		assertThat(contended).isNotDone();
		assertThat(reader.grant.isContended()).isCompletedWithValue(false);
		Contender writer = strategy.enter(attempt(LockMode.WRITE), new RecordingListener());
		assertThat(contended).isCompleted();
		assertThat(reader.grant.isContended()).isCompletedWithValue(true);
		writer.leave();
		assertThat(reader.grant.isContended()).isCompletedWithValue(false);
		second.leave();
		first.leave();
	}

	@Test
	void whoFailsWhenItLeavesHasLeftAllTheSame() {
		this.memory.announce("A step of MemoryContender failed");
		StepFailures failures = new StepFailures();
		MemoryLockStrategy strategy = strategy(failures);
		RecordingListener listener = new RecordingListener();
		Contender holder = strategy.enter(attempt(LockMode.WRITE), listener);
		StepFaults.in(failures, 1, false);
		assertThat(holder.leave()).isCompleted();
		assertThat(failures.count()).isOne();
		assertThat(strategy.queues().ask(strategy.queues()::keys)).isCompletedWithValue(List.of());
		assertThat(listener.heard).isEqualTo("granted ");
	}

	@Test
	void aGrantIsNotKeptFromOtherClientsForWhatAChangeTakes() {
		MemoryLockStrategy strategy = strategy(new StepFailures());
		RecordingListener listener = new RecordingListener();
		Contender holder = strategy.enter(attempt(LockMode.WRITE), listener);
		assertThat(listener.grant.changeNanos()).isZero();
		assertThat(listener.grant.leastChangeNanos()).isZero();
		holder.leave();
	}

	private static LockAttempt attempt(LockMode mode) {
		return new LockAttempt(List.of("orders"), mode, false, "test");
	}

	private MemoryLockStrategy strategy(StepFailures failures) {
		return new MemoryLockStrategy(KeyQueues.of(this.memory.root() + "/own", 0),
				new ClientIdentity("test", "test-1", "localhost", 1, InstantSource.system()), failures,
				System::nanoTime);
	}

	/**
	 * Writes down what it hears.
	 */
	private static final class RecordingListener implements ContenderListener {

		private String heard = "";

		private boolean failing;

		private Grant grant;

		@Override
		public void granted(List<Grant> grants) {
			this.heard += "granted ";
			this.grant = grants.get(0);
			if (this.failing) {
				throw new IllegalStateException("A test's failure");
			}
		}

		@Override
		public void blocked(Blocker blocker) {
			this.heard += "blocked ";
		}

		@Override
		public void busy(Blocker blocker) {
			this.heard += "busy ";
		}

		@Override
		public void failed(LockException cause) {
			this.heard += "failed ";
		}

		@Override
		public void disturbed(Exception cause) {
			this.heard += "disturbed ";
		}

		@Override
		public void lost(Grant lost, LostReason reason) {
			this.heard += "lost " + reason + " ";
		}

	}

}
