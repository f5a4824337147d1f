package io.github.zklock.zookeeper.contract;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.zklock.LockClient;
import io.github.zklock.LockContext;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.WaitingCaller;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * A holder that learns who waits for it.
 */
interface ContentionContract extends LockContract {

	@Test
	@Tag("NewcomerWatch.I2")
	default void aHolderLearnsOfEachWaiterOfOtherClientsOnce() throws Exception {
		assumeFalse(strategy().equals("naive"), "behind a naive EXCLUSIVE holder no waiter has a node");
		LockHandle handle = open().acquire(LockRequest.exclusive(KEY));
		LockClient before = fixture().client().strategy(strategy()).instance("before").open();
		CompletableFuture<LockHandle> first = before.acquireAsync(LockRequest.exclusive(KEY));
		fixture().awaitWaiting(before, KEY);
		Queue<WaitingCaller> seen = new ConcurrentLinkedQueue<>();
		handle.onContended(seen::add);
		await().untilAsserted(() -> assertThat(seen).hasSize(1));
		LockClient behind = fixture().client().strategy(strategy()).instance("behind").open();
		CompletableFuture<LockHandle> second = behind.acquireAsync(LockRequest.read(KEY));
		await().untilAsserted(() -> assertThat(seen).hasSize(2));
		assertThat(seen).extracting(WaitingCaller::instance).containsExactly("before", "behind");
		assertThat(seen).extracting(WaitingCaller::mode).containsExactly(LockMode.EXCLUSIVE, LockMode.READ);
		assertThat(seen).allSatisfy((contention) -> {
			assertThat(contention.key()).isEqualTo(KEY);
			assertThat(contention.host()).isNotNull();
			assertThat(contention.process()).isEqualTo(Long.toString(ProcessHandle.current().pid()));
			assertThat(contention.thread()).isNotNull();
			assertThat(contention.waited()).isNotNull();
		});
		handle.release();
		Actor.get(first).release();
		Actor.get(second).release();
	}

	@Test
	default void aHolderLearnsOfCallersOfItsOwnClient() throws Exception {
		LockClient client = open();
		LockHandle handle = client.acquire(LockRequest.exclusive(KEY));
		Queue<WaitingCaller> seen = new ConcurrentLinkedQueue<>();
		handle.onContended((contention) -> {
			seen.add(contention);
			handle.release();
		});
		LockHandle next = Actor.get(client.acquireAsync(LockRequest.exclusive(KEY).owner("other")));
		assertThat(seen).hasSize(1);
		assertThat(seen.element().thread()).isNotNull();
		next.release();
	}

	@Test
	@Tag("slow")
	default void nothingIsReportedAfterTheReleaseAndNothingStays() throws Exception {
		LockClient client = open();
		LockHandle released = client.acquire(LockRequest.exclusive(KEY));
		Queue<WaitingCaller> seen = new ConcurrentLinkedQueue<>();
		released.onContended(seen::add);
		released.releaseAsync().join();
		released.onContended(seen::add);
		LockHandle handle = client.acquire(LockRequest.exclusive(KEY));
		CountDownLatch told = new CountDownLatch(1);
		handle.onContended((contention) -> told.countDown());
		CompletableFuture<LockHandle> waiting = client.acquireAsync(LockRequest.exclusive(KEY).owner("other"));
		told.await();
		assertThat(seen).isEmpty();
		handle.release();
		Actor.get(waiting).releaseAsync().join();
		fixture().awaitNothingLeftOf(client);
		await().untilAsserted(() -> assertThat(fixture().openCount(client)).isZero());
	}

	@Test
	@Tag("ContentionReport.I1")
	default void anActionThatBlocksOrThrowsHoldsUpNobodyElse() throws Exception {
		fixture().announce("An onContended action of lock");
		LockClient client = open();
		LockHandle handle = client.acquire(LockRequest.exclusive(KEY));
		CountDownLatch end = new CountDownLatch(1);
		Queue<WaitingCaller> blocked = new ConcurrentLinkedQueue<>();
		handle.onContended((contention) -> {
			blocked.add(contention);
			Actor.get(CompletableFuture.runAsync(() -> LockContract.awaitEnd(end)));
			throw new IllegalStateException("on purpose");
		});
		Queue<WaitingCaller> seen = new ConcurrentLinkedQueue<>();
		handle.onContended(seen::add);
		List<CompletableFuture<LockHandle>> waiting = List.of(
				client.acquireAsync(LockRequest.exclusive(KEY).owner("a")),
				client.acquireAsync(LockRequest.exclusive(KEY).owner("b")));
		await().untilAsserted(() -> assertThat(seen).hasSize(2));
		await().untilAsserted(() -> assertThat(blocked).hasSize(1));
		end.countDown();
		await().untilAsserted(() -> assertThat(blocked).hasSize(2));
		handle.release();
		for (CompletableFuture<LockHandle> next : waiting) {
			Actor.get(next).release();
		}
	}

	@Test
	@Tag("slow")
	default void readersCountForWritersOnly() throws Exception {
		LockClient client = open();
		LockHandle one = client.acquire(LockRequest.read(KEY));
		LockHandle two = open().acquire(LockRequest.read(KEY));
		Queue<WaitingCaller> first = new ConcurrentLinkedQueue<>();
		Queue<WaitingCaller> second = new ConcurrentLinkedQueue<>();
		one.onContended(first::add);
		two.onContended(second::add);
		LockClient writer = open();
		CompletableFuture<LockHandle> writing = writer.acquireAsync(LockRequest.write(KEY));
		await().untilAsserted(() -> assertThat(first).hasSize(1));
		await().untilAsserted(() -> assertThat(second).hasSize(1));
		assertThat(first.element().mode()).isEqualTo(LockMode.WRITE);
		one.release();
		two.release();
		Actor.get(writing).release();
	}

	@Test
	@Tag("slow")
	default void aReaderOfItsOwnClientIsNotReportedToAReader() throws Exception {
		LockClient client = open();
		LockHandle handle = client.acquire(LockRequest.read(KEY));
		Queue<WaitingCaller> seen = new ConcurrentLinkedQueue<>();
		handle.onContended(seen::add);
		LockClient writer = open();
		List<CompletableFuture<LockHandle>> waiting = new ArrayList<>();
		waiting.add(writer.acquireAsync(LockRequest.write(KEY)));
		fixture().awaitWaiting(writer, KEY);
		CompletableFuture<LockHandle> reading = readingBehindAWriter(client);
		waiting.add(reading);
		waiting.add(client.acquireAsync(LockRequest.write(KEY).owner("next")));
		await().untilAsserted(() -> assertThat(seen).hasSizeGreaterThan(1));
		// Who came before the last one has been reported before it
		waiting.add(client.acquireAsync(LockRequest.write(KEY).owner("last")));
		await().untilAsserted(() -> assertThat(seen).hasSizeGreaterThan(2));
		assertThat(reading).isNotDone();
		assertThat(seen).extracting(WaitingCaller::mode).containsOnly(LockMode.WRITE);
		handle.release();
		waiting.stream().map((each) -> each.thenCompose(LockHandle::releaseAsync)).toList().forEach(Actor::get);
	}

	// For a time readers join those of their client although a writer waits
	private CompletableFuture<LockHandle> readingBehindAWriter(LockClient client) {
		LockRequest request = LockRequest.read(KEY).owner("other");
		int before = fixture().contenders(KEY).size();
		return await("a reader who waits").until(() -> {
			CompletableFuture<LockHandle> reading = client.acquireAsync(request);
			await().until(() -> reading.isDone() || fixture().contenders(KEY).size() > before);
			if (!reading.isDone()) {
				return reading;
			}
			reading.join().release();
			return null;
		}, Objects::nonNull);
	}

	@Test
	@Tag("slow")
	default void aHandleOfSeveralKeysLearnsOfTheWaitersOfEach() throws Exception {
		LockClient client = open();
		LockHandle handle = client.acquire(LockRequest.keys(List.of(KEY, KEY + "-2")));
		Queue<WaitingCaller> seen = new ConcurrentLinkedQueue<>();
		handle.onContended(seen::add);
		CompletableFuture<LockHandle> one = client.acquireAsync(LockRequest.exclusive(KEY).owner("a"));
		CompletableFuture<LockHandle> two = client.acquireAsync(LockRequest.exclusive(KEY + "-2").owner("b"));
		CompletableFuture<LockHandle> none = client.acquireAsync(LockRequest.exclusive(KEY + "-3").owner("c"));
		Actor.get(none).release();
		await().untilAsserted(() -> assertThat(seen).hasSize(2));
		assertThat(seen).extracting(WaitingCaller::key).containsExactlyInAnyOrder(KEY, KEY + "-2");
		handle.release();
		Actor.get(one).release();
		Actor.get(two).release();
	}

	@Test
	@Tag("slow")
	default void holdersOfPermitsLearnOfThoseWhoFindNoneFree() throws Exception {
		LockHandle one = open().acquire(LockRequest.permits(KEY, 2));
		Queue<WaitingCaller> first = new ConcurrentLinkedQueue<>();
		one.onContended(first::add);
		LockHandle two = open().acquire(LockRequest.permits(KEY, 2));
		Queue<WaitingCaller> second = new ConcurrentLinkedQueue<>();
		two.onContended(second::add);
		LockClient third = fixture().client().strategy(strategy()).instance("third").open();
		CompletableFuture<LockHandle> waiting = third.acquireAsync(LockRequest.permits(KEY, 2));
		await().untilAsserted(() -> assertThat(first).hasSize(1));
		await().untilAsserted(() -> assertThat(second).hasSize(1));
		assertThat(first.element().instance()).isEqualTo("third");
		assertThat(second.element().instance()).isEqualTo("third");
		one.release();
		two.release();
		Actor.get(waiting).release();
	}

	@Test
	default void whatAReentryReportsEndsWithIt() throws Exception {
		LockClient client = open();
		LockHandle outer = client.acquire(LockRequest.exclusive(KEY));
		LockHandle inner = client.acquire(LockRequest.exclusive(KEY));
		Queue<WaitingCaller> seenByInner = new ConcurrentLinkedQueue<>();
		inner.onContended(seenByInner::add);
		inner.release();
		Queue<WaitingCaller> seen = new ConcurrentLinkedQueue<>();
		outer.onContended(seen::add);
		CompletableFuture<LockHandle> waiting = client.acquireAsync(LockRequest.exclusive(KEY).owner("other"));
		await().untilAsserted(() -> assertThat(seen).hasSize(1));
		assertThat(seenByInner).isEmpty();
		outer.release();
		Actor.get(waiting).release();
	}

	@Test
	@Tag("slow")
	default void workLearnsOfItsWaitersByItsCurrentHandle() throws Exception {
		LockClient client = open();
		CompletableFuture<WaitingCaller> seen = new CompletableFuture<>();
		CompletableFuture<LockHandle> waiting = client.call(LockRequest.exclusive(KEY), () -> {
			LockContext.current().onContended(seen::complete);
			CompletableFuture<LockHandle> next = client.acquireAsync(LockRequest.exclusive(KEY).owner("other"));
			assertThat(Actor.get(seen).key()).isEqualTo(KEY);
			return next;
		});
		Actor.get(waiting).release();
	}

}
