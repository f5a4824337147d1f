package io.github.zklock.zookeeper.contract;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockContext;
import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.WaitingCaller;
import io.github.zklock.fixture.OneTry;
import io.github.zklock.testing.Actor;
import io.github.zklock.testing.Stopwatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What becomes of holders and waiters whose session or node ends.
 */
interface LossContract extends ServerContract {

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "READ" })
	default void aHolderWhoseSessionExpiresIsNotifiedOnceThatItLost(LockMode mode) throws Exception {
		zk().announce("lost");
		LockClient client = open();
		LockHandle handle = client.acquire(request(mode));
		AtomicInteger lost = new AtomicInteger();
		handle.onLost(lost::incrementAndGet);
		zk().expireSession(client);
		await().untilAsserted(() -> assertThat(lost).hasValue(1));
		assertThat(handle.isHeld()).isFalse();
		LockClient other = open();
		LockHandle next = other.acquire(request(LockMode.WRITE));
		assertThat(next.fencingToken()).isGreaterThan(handle.fencingToken());
		handle.releaseAsync().join();
		assertThat(next.isHeld()).isTrue();
		assertThat(isFree(client, LockMode.READ)).isFalse();
		next.release();
		assertThat(lost).hasValue(1);
	}

	@Test
	default void whoAsksAfterTheLossIsNotifiedSoon() throws Exception {
		zk().announce("lost");
		LockClient client = open();
		LockHandle handle = client.acquire(request(LockMode.EXCLUSIVE));
		zk().expireSession(client);
		await().until(() -> !handle.isHeld());
		AtomicInteger lost = new AtomicInteger();
		handle.onLost(lost::incrementAndGet);
		await().untilAsserted(() -> assertThat(lost).hasValue(1));
		handle.release();
	}

	@Test
	default void anActionThatFailsIsLoggedAndTheNextOneRuns() throws Exception {
		zk().announce("lost");
		zk().announce("An onLost action of lock 'orders' failed");
		LockHandle handle = open().acquire(request(LockMode.EXCLUSIVE).maxHold(Duration.ofMillis(100)));
		AtomicInteger lost = new AtomicInteger();
		handle.onLost(() -> {
			throw new IllegalStateException("planned");
		});
		handle.onLost(lost::incrementAndGet);
		await().untilAsserted(() -> assertThat(lost).hasValue(1));
		await().untilAsserted(() -> assertThat(zk().warnings()).contains("An onLost action of lock 'orders' failed"));
		handle.release();
	}

	@Test
	default void anActionOfALostLockRunsAlthoughItWasReleasedMeanwhile() throws Exception {
		zk().announce("lost");
		Queue<Runnable> callbacks = new ConcurrentLinkedQueue<>();
		LockClient client = zk().client()
			.strategy(strategy())
			.with((builder) -> builder.callbackExecutor(callbacks::add))
			.open();
		LockHandle handle = client.acquire(request(LockMode.EXCLUSIVE));
		AtomicInteger lost = new AtomicInteger();
		handle.onLost(lost::incrementAndGet);
		zk().expireSession(client);
		await().until(() -> !callbacks.isEmpty());
		handle.release();
		callbacks.forEach(Runnable::run);
		assertThat(lost).hasValue(1);
	}

	@Test
	default void allHandlesOfALostHoldAreNotified() throws Exception {
		zk().announce("lost");
		LockClient client = open();
		LockHandle outer = client.acquire(request(LockMode.EXCLUSIVE));
		LockHandle inner = client.acquire(request(LockMode.EXCLUSIVE));
		AtomicInteger lost = new AtomicInteger();
		outer.onLost(lost::incrementAndGet);
		inner.onLost(lost::incrementAndGet);
		zk().expireSession(client);
		await().untilAsserted(() -> assertThat(lost).hasValue(2));
		assertThat(inner.isHeld()).isFalse();
		inner.release();
		assertThat(outer.isHeld()).isFalse();
		outer.release();
	}

	@ParameterizedTest
	@Tag("ThreadOwnedLocks.I2")
	@EnumSource
	@SuppressWarnings("LockNotBeforeTry") // its unlock is to fail
	default void aViewThatWasLostSaysSoAtEachUnlockAndCanBeLockedAgain(LockMode mode) throws Exception {
		zk().announce("lost");
		LockClient client = open();
		Lock lock = view(client, mode);
		lock.lock();
		lock.lock();
		LockHandle handle = client.acquire(request(mode));
		zk().expireSession(client);
		await().until(() -> !handle.isHeld());
		handle.release();
		for (int level = 0; level < 2; level++) {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock)
				.withMessage("Lock 'orders' in mode " + mode
						+ " was lost before it was unlocked: another client may have held it meanwhile");
		}
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
		lock.lock();
		lock.unlock();
		awaitFree(open(), LockMode.WRITE);
	}

	private static Lock view(LockClient client, LockMode mode) {
		return switch (mode) {
			case EXCLUSIVE -> client.asLock(KEY);
			case READ -> client.asReadWriteLock(KEY).readLock();
			case WRITE -> client.asReadWriteLock(KEY).writeLock();
		};
	}

	@Test
	default void workWhoseLockIsLostHasNoResult() {
		zk().announce("lost");
		LockClient client = open();
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> client.call(request(LockMode.EXCLUSIVE), () -> {
				lose(client);
				return "result";
			}))
			.withMessage(
					"Lock 'orders' was lost while the work under it ran, so its result is not returned: another client may have held the lock meanwhile");
		awaitFree(client, LockMode.WRITE);
	}

	@Test
	default void allLocksOfWorkAreNamedWhenOneIsLost() {
		zk().announce("lost");
		LockClient client = open();
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> client.run(LockRequest.keys(List.of(KEY, "stock")), () -> lose(client)))
			.withMessage(
					"A hold of locks [orders, stock] was lost while the work under it ran, so its result is not returned: another client may have held the lock meanwhile");
		awaitFree(client, LockMode.WRITE);
	}

	@Test
	default void workThatFailsHavingLostItsLockThrowsItsOwnException() {
		zk().announce("lost");
		LockClient client = open();
		IOException failure = new IOException("no disk");
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> client.call(request(LockMode.EXCLUSIVE), () -> {
			lose(client);
			throw failure;
		})).isSameAs(failure);
		assertThat(failure.getSuppressed()).singleElement().isInstanceOf(LockLostException.class);
		awaitFree(client, LockMode.WRITE);
	}

	@Test
	default void workThatReleasesALostLockHasLostIt() {
		zk().announce("lost");
		LockClient client = open();
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> client.run(request(LockMode.EXCLUSIVE), () -> {
				lose(client);
				LockContext.current().release();
			}));
	}

	private void lose(LockClient client) {
		try {
			zk().expireSession(client);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
		LockHandle handle = LockContext.current();
		await().until(() -> !handle.isHeld());
	}

	@ParameterizedTest
	@Tag("slow")
	@Tag("SessionSource.I1")
	@EnumSource(names = { "EXCLUSIVE", "READ" })
	default void aWaiterWhoseSessionExpiresEntersAgain(LockMode mode) throws Exception {
		LockHandle handle = open().acquire(request(LockMode.EXCLUSIVE));
		LockClient client = open();
		CompletableFuture<LockHandle> waiting = client.acquireAsync(request(mode));
		zk().awaitWaiting(client, KEY);
		long session = zk().sessionOf(client);
		zk().expireSession(client);
		await().atMost(Actor.PATIENCE).until(() -> zk().sessionOf(client) != session);
		zk().awaitWaiting(client, KEY);
		assertThat(waiting).isNotDone();
		assertThat(handle.isHeld()).isTrue();
		handle.release();
		LockHandle next = Actor.get(waiting);
		assertThat(next.isHeld()).isTrue();
		next.release();
	}

	@ParameterizedTest
	@Tag("slow")
	@EnumSource(names = { "EXCLUSIVE", "READ" })
	default void theExpiryOfAHolderLetsTheNextOneIn(LockMode mode) throws Exception {
		zk().announce("lost");
		LockClient client = open();
		LockHandle handle = client.acquire(request(LockMode.WRITE));
		LockClient other = open();
		CompletableFuture<LockHandle> waiting = other.acquireAsync(request(mode));
		zk().awaitWaiting(other, KEY);
		zk().expireSession(client);
		LockHandle next = Actor.get(waiting);
		assertThat(next.isHeld()).isTrue();
		await().until(() -> !handle.isHeld());
		handle.release();
		next.release();
	}

	@ParameterizedTest
	@Tag("LockNode.I1")
	@EnumSource(names = { "EXCLUSIVE", "READ" })
	default void aHolderWhoseNodeWasDeletedByAnOperatorIsNotified(LockMode mode) throws Exception {
		zk().announce("lost");
		LockClient client = open();
		LockHandle handle = client.acquire(request(mode));
		AtomicInteger lost = new AtomicInteger();
		handle.onLost(lost::incrementAndGet);
		zk().awaitWaiting(client, KEY);
		zk().delete(zk().contenders(KEY).get(0));
		await().untilAsserted(() -> assertThat(lost).hasValue(1));
		assertThat(handle.isHeld()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> OneTry.of(client, request(mode)));
		LockHandle next = open().acquire(request(LockMode.EXCLUSIVE));
		List<String> nodeOfNext = zk().contendersOnNewestServer(KEY);
		handle.releaseAsync().join();
		assertThat(nodeOfNext).hasSize(1);
		assertThat(zk().contendersOnNewestServer(KEY)).isEqualTo(nodeOfNext);
		assertThat(next.isHeld()).isTrue();
		next.release();
	}

	@Test
	default void aDowngradedHolderWhoseNodeWasDeletedByAnOperatorIsNotifiedAndNotBefore() throws Exception {
		zk().announce("lost");
		LockClient client = open();
		LockHandle handle = client.acquire(request(LockMode.WRITE));
		AtomicInteger lost = new AtomicInteger();
		handle.onLost(lost::incrementAndGet);
		zk().awaitWaiting(client, KEY);
		handle.downgrade();
		await().untilAsserted(() -> assertThat(zk().contenders(KEY)).singleElement().asString().contains("__READ__"));
		zk().awaitWaiting(client, KEY);
		assertThat(handle.isHeld()).isTrue();
		assertThat(lost).hasValue(0);
		zk().delete(zk().contenders(KEY).get(0));
		await().untilAsserted(() -> assertThat(lost).hasValue(1));
		assertThat(handle.isHeld()).isFalse();
		handle.release();
	}

	@Test
	default void aWaiterWhoseNodeWasDeletedByAnOperatorEntersAgain() throws Exception {
		LockHandle handle = open().acquire(request(LockMode.WRITE));
		String held = zk().contenders(KEY).get(0);
		LockClient client = open();
		CompletableFuture<LockHandle> waiting = client.acquireAsync(request(LockMode.WRITE));
		zk().awaitWaiting(client, KEY);
		zk().contenders(KEY).stream().filter((path) -> !path.equals(held)).forEach(zk()::delete);
		handle.release();
		LockHandle next = Actor.get(waiting);
		assertThat(next.isHeld()).isTrue();
		assertThat(isFree(open(), LockMode.READ)).isFalse();
		next.release();
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "READ" })
	default void aHoldThatOutlivesItsBoundIsGivenUpAndIsLost(LockMode mode) throws Exception {
		zk().announce("lost");
		LockClient other = open();
		isFree(other, LockMode.READ);
		LockClient client = open();
		Stopwatch stopwatch = Stopwatch.start();
		LockHandle handle = client.acquire(request(mode).maxHold(Duration.ofMillis(300)));
		AtomicInteger lost = new AtomicInteger();
		handle.onLost(lost::incrementAndGet);
		LockHandle next = other.acquire(request(LockMode.WRITE));
		stopwatch.assertBetween(Duration.ofMillis(300), Duration.ofSeconds(1));
		assertThat(handle.isHeld()).isFalse();
		await().untilAsserted(() -> assertThat(lost).hasValue(1));
		handle.release();
		assertThat(next.isHeld()).isTrue();
		next.release();
	}

	@Test
	default void aHoldThatIsReleasedWithinItsBoundIsNotLost() throws Exception {
		LockClient client = open();
		AtomicInteger lost = new AtomicInteger();
		// So long that a busy machine releases it within it
		Duration bound = Duration.ofSeconds(1);
		try (LockHandle handle = client.acquire(request(LockMode.EXCLUSIVE).maxHold(bound))) {
			handle.onLost(lost::incrementAndGet);
		}
		LockHandle next = client.acquire(request(LockMode.EXCLUSIVE));
		await().during(bound.plusMillis(100)).atMost(Actor.PATIENCE).until(next::isHeld);
		assertThat(lost).hasValue(0);
		next.release();
	}

	@Test
	default void theEarliestBoundOfAnOwnersHandlesApplies() throws Exception {
		zk().announce("lost");
		LockClient client = open();
		LockHandle outer = client.acquire(request(LockMode.EXCLUSIVE));
		LockHandle inner = client.acquire(request(LockMode.EXCLUSIVE).maxHold(Duration.ofMillis(200)));
		await().atMost(Duration.ofSeconds(3)).until(() -> !inner.isHeld());
		assertThat(outer.isHeld()).isFalse();
		inner.release();
		outer.release();
	}

	@Test
	@Tag("slow")
	default void aHolderWhoseSessionExpiresIsNotNotifiedOfWaiters() throws Exception {
		zk().announce("lost");
		LockClient client = open();
		LockHandle handle = client.acquire(request(LockMode.EXCLUSIVE));
		Queue<WaitingCaller> seen = new ConcurrentLinkedQueue<>();
		handle.onContended(seen::add);
		zk().expireSession(client);
		await().until(() -> !handle.isHeld());
		LockClient nextClient = open();
		LockHandle next = nextClient.acquire(request(LockMode.EXCLUSIVE));
		Queue<WaitingCaller> seenByNext = new ConcurrentLinkedQueue<>();
		next.onContended(seenByNext::add);
		handle.onContended(seen::add);
		CompletableFuture<LockHandle> waiting = client.acquireAsync(request(LockMode.EXCLUSIVE).owner("other"));
		// Of others behind a naive holder nothing is seen, but of its own client's
		// callers
		CompletableFuture<LockHandle> beside = nextClient.acquireAsync(request(LockMode.EXCLUSIVE).owner("other"));
		await().untilAsserted(() -> assertThat(seenByNext).isNotEmpty());
		assertThat(seen).isEmpty();
		List<CompletableFuture<Void>> ends = List.of(waiting.thenAccept(LockHandle::release),
				beside.thenAccept(LockHandle::release));
		next.release();
		for (CompletableFuture<Void> end : ends) {
			Actor.get(end);
		}
		handle.release();
	}

}
