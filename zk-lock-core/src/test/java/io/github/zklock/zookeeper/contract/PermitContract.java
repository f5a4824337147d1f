package io.github.zklock.zookeeper.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockException;
import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUpgradeException;
import io.github.zklock.fixture.InVain;
import io.github.zklock.fixture.OneTry;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Some holders at a time.
 */
interface PermitContract extends LockContract {

	/** Asks for a permit for an owner of its own. */
	private static LockRequest permit(int permits) {
		return LockRequest.permits(KEY, permits).owner(new Object());
	}

	private List<LockHandle> hold(int count, int permits) throws Exception {
		List<LockHandle> handles = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			handles.add(open().acquire(permit(permits)));
		}
		return handles;
	}

	private boolean isPermitFree(LockClient client, int permits) {
		return fixture().actor().get(() -> {
			LockHandle handle = OneTry.of(client, permit(permits)).orElse(null);
			if (handle != null) {
				handle.releaseAsync().join();
			}
			return handle != null;
		});
	}

	@Test
	default void soManyHoldAtATimeAndNoMore() throws Exception {
		List<LockHandle> handles = hold(3, 3);
		assertThat(handles).allMatch(LockHandle::isHeld);
		LockClient late = open();
		assertThat(isPermitFree(late, 3)).isFalse();
		InVain.of(() -> late.acquire(permit(3).timeout(Duration.ofMillis(500))),
				(ex) -> assertThat(ex).hasMessageContaining("held by")
					.hasMessageNotContaining("another contender")
					.hasMessageNotContaining("permits"));
		CompletableFuture<LockHandle> waiting = late.acquireAsync(permit(3));
		fixture().awaitWaiting(late, KEY);
		handles.get(1).release();
		LockHandle next = Actor.get(waiting);
		assertThat(next.isHeld()).isTrue();
		assertThat(handles.get(0).isHeld()).isTrue();
		assertThat(handles.get(2).isHeld()).isTrue();
		assertThat(isPermitFree(open(), 3)).isFalse();
		next.releaseAsync().join();
		await("free").atMost(Actor.PATIENCE).until(() -> isPermitFree(late, 3));
		handles.get(0).release();
		handles.get(2).release();
	}

	@Test
	default void whoCameFirstIsServedFirst() throws Exception {
		List<LockHandle> holders = hold(2, 2);
		List<CompletableFuture<LockHandle>> waiting = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			LockClient client = open();
			waiting.add(client.acquireAsync(permit(2)));
			fixture().awaitWaiting(client, KEY);
		}
		holders.get(1).release();
		LockHandle first = Actor.get(waiting.get(0));
		assertThat(waiting.get(1)).isNotDone();
		holders.get(0).release();
		LockHandle second = Actor.get(waiting.get(1));
		assertThat(waiting.get(2)).isNotDone();
		second.release();
		LockHandle third = Actor.get(waiting.get(2));
		assertThat(waiting.get(3)).isNotDone();
		first.release();
		Actor.get(waiting.get(3)).release();
		third.release();
	}

	@Test
	default void aWaiterThatGivesUpIsPassedByThoseBehind() throws Exception {
		List<LockHandle> holders = hold(2, 2);
		List<LockClient> clients = new ArrayList<>();
		List<CompletableFuture<LockHandle>> waiting = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			clients.add(open());
			waiting.add(clients.get(i).acquireAsync(permit(2)));
			fixture().awaitWaiting(clients.get(i), KEY);
		}
		waiting.get(0).cancel(false);
		waiting.get(2).cancel(false);
		fixture().awaitNothingLeftOf(clients.get(0));
		fixture().awaitNothingLeftOf(clients.get(2));
		assertThat(waiting.get(1)).isNotDone();
		holders.forEach(LockHandle::release);
		Actor.get(waiting.get(1)).release();
		Actor.get(waiting.get(3)).release();
	}

	@Test
	default void permitsAndTheLockKeepEachOtherOut() throws Exception {
		List<LockHandle> holders = hold(2, 3);
		assertThat(isFree(open(), LockMode.EXCLUSIVE)).isFalse();
		assertThat(isFree(open(), LockMode.READ)).isFalse();
		LockClient writer = open();
		CompletableFuture<LockHandle> writing = writer.acquireAsync(request(LockMode.WRITE));
		fixture().awaitWaiting(writer, KEY);
		LockClient third = open();
		CompletableFuture<LockHandle> waiting = third.acquireAsync(permit(3));
		fixture().awaitWaiting(third, KEY);
		LockClient fourth = open();
		CompletableFuture<LockHandle> waitingToo = fourth.acquireAsync(permit(3));
		fixture().awaitWaiting(fourth, KEY);
		holders.get(0).release();
		fixture().awaitWaiting(writer, KEY);
		holders.get(1).release();
		LockHandle writes = Actor.get(writing);
		assertThat(waiting).isNotDone();
		writes.release();
		LockHandle one = Actor.get(waiting);
		LockHandle other = Actor.get(waitingToo);
		assertThat(one.isHeld()).isTrue();
		assertThat(other.isHeld()).isTrue();
		one.release();
		other.release();
		awaitFree(open(), LockMode.EXCLUSIVE);
	}

	@Test
	default void ofTwoNumbersTheSmallerOneCounts() throws Exception {
		List<LockHandle> holders = hold(2, 2);
		assertThat(isPermitFree(open(), 5)).isFalse();
		LockClient late = open();
		CompletableFuture<LockHandle> waiting = late.acquireAsync(permit(5));
		fixture().awaitWaiting(late, KEY);
		holders.get(0).release();
		LockHandle third = Actor.get(waiting);
		assertThat(isPermitFree(open(), 5)).isFalse();
		holders.get(1).releaseAsync().join();
		List<LockHandle> more = hold(4, 5);
		assertThat(isPermitFree(open(), 5)).isFalse();
		assertThat(isPermitFree(open(), 2)).isFalse();
		third.release();
		more.forEach(LockHandle::release);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 5 })
	default void whoTimesOutBehindAnotherNumberIsGivenBoth(int holders) throws Exception {
		List<LockHandle> held = hold(holders, holders);
		LockClient late = open();
		InVain.of(() -> late.acquire(permit(7).timeout(Duration.ofSeconds(1))),
				(ex) -> assertThat(ex).hasMessageContaining("(%d permits there, 7 here)", holders));
		held.forEach(LockHandle::release);
	}

	@Test
	default void oneClientHasOneNumberAtATime() throws Exception {
		LockClient client = open();
		LockHandle handle = client.acquire(permit(5));
		assertThatExceptionOfType(LockException.class).isThrownBy(() -> client.acquire(permit(8)))
			.withMessageContaining("5")
			.withMessageContaining("8")
			.withMessageContaining(KEY);
		handle.releaseAsync().join();
		client.acquire(permit(8)).release();
	}

	@Test
	default void aClientMayAskWithAnotherNumberOnceNobodyHoldsOrWaits() throws Exception {
		LockClient client = open();
		for (int i = 0; i < 10; i++) {
			client.acquire(permit(5)).release();
			client.acquire(permit(8)).release();
		}
		LockHandle others = open().acquire(permit(1));
		for (int permits : List.of(5, 4)) {
			InVain.of(() -> client.acquire(permit(permits).timeout(Duration.ofMillis(200))));
		}
		others.release();
		client.acquire(permit(3)).release();
	}

	@Test
	default void anOwnerHasOnePermitHoweverOftenItEnters() throws Exception {
		LockClient client = open();
		LockRequest own = LockRequest.permits(KEY, 2);
		LockHandle outer = client.acquire(own);
		LockHandle inner = client.acquire(own);
		assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
		assertThat(isPermitFree(open(), 2)).isTrue();
		outer.release();
		assertThat(inner.isHeld()).isTrue();
		assertThatExceptionOfType(LockUpgradeException.class)
			.isThrownBy(() -> client.acquire(request(LockMode.EXCLUSIVE)))
			.withMessageContaining("permits");
		assertThatExceptionOfType(LockUpgradeException.class)
			.isThrownBy(() -> client.acquire(LockRequest.permits(KEY, 3)))
			.withMessageContaining("2")
			.withMessageContaining("3");
		inner.releaseAsync().join();
		try (LockHandle lock = client.acquire(request(LockMode.EXCLUSIVE));
				LockHandle permit = client.acquire(own.owner(Thread.currentThread()))) {
			assertThat(permit.fencingToken()).isEqualTo(lock.fencingToken());
		}
	}

	@Test
	default void aRequestOfSeveralKeysMayHaveAnotherNumberAndTheSmallerOneCounts() throws Exception {
		LockClient client = open();
		LockHandle first = client.acquire(permit(2));
		LockHandle second = client.acquire(permit(5).and(LockRequest.write("account")));
		CompletableFuture<LockHandle> third = client.acquireAsync(permit(5).and(LockRequest.write("stock")));
		fixture().awaitWaiting(client, KEY);
		assertThat(third).isNotDone();
		first.release();
		Actor.get(third).release();
		second.release();
	}

	@Test
	default void whoHasLostAPermitIsNotSaidToWaitForItself() throws Exception {
		fixture().announce("was lost");
		LockClient client = open();
		LockHandle handle = client.acquire(LockRequest.permits(KEY, 2).maxHold(Duration.ofMillis(10)));
		await("lost").atMost(Actor.PATIENCE).until(() -> !handle.isHeld());
		for (LockRequest more : List.of(request(LockMode.EXCLUSIVE), LockRequest.permits(KEY, 3))) {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> client.acquire(more))
				.withMessageContaining("maxHold");
		}
		handle.releaseAsync().join();
		client.acquire(request(LockMode.EXCLUSIVE)).release();
	}

	@Test
	default void callersOfOneClientHaveNoMore() throws Exception {
		LockClient client = open();
		LockHandle first = client.acquire(permit(2));
		LockHandle second = client.acquire(permit(2));
		assertThat(isPermitFree(client, 2)).isFalse();
		assertThat(isPermitFree(open(), 2)).isFalse();
		Set<Long> tokens = new HashSet<>(List.of(first.fencingToken(), second.fencingToken()));
		List<CompletableFuture<LockHandle>> waiting = new ArrayList<>();
		for (int i = 0; i < 6; i++) {
			waiting.add(client.acquireAsync(permit(2)));
		}
		waiting.get(2).cancel(false);
		for (int i : List.of(0, 1, 3, 4, 5)) {
			first.release();
			first = second;
			second = Actor.get(waiting.get(i));
			assertThat(first.isHeld()).isTrue();
			assertThat(tokens.add(second.fencingToken())).isTrue();
			assertThat(waiting.subList(i + 1, 6)).noneMatch((later) -> later.isDone() && !later.isCancelled());
		}
		first.release();
		second.releaseAsync().join();
		await("free").atMost(Actor.PATIENCE).until(() -> isFree(open(), LockMode.EXCLUSIVE));
	}

	@Test
	default void callersOfTwoClientsAreAllServedAndHaveNoMore() throws Exception {
		LockClient one = open();
		LockClient two = open();
		List<CompletableFuture<LockHandle>> all = new ArrayList<>();
		for (int i = 0; i < 12; i++) {
			all.add(((i % 2 == 0) ? one : two).acquireAsync(permit(3)));
		}
		List<LockHandle> held = new ArrayList<>();
		int served = 0;
		while (served < all.size()) {
			await("somebody").atMost(Actor.PATIENCE)
				.until(() -> all.stream().anyMatch((future) -> future.isDone() && !held.contains(future.join())));
			List<LockHandle> now = all.stream()
				.filter(CompletableFuture::isDone)
				.map(CompletableFuture::join)
				.filter((handle) -> !held.contains(handle))
				.toList();
			assertThat(now).hasSizeLessThanOrEqualTo(3);
			held.addAll(now);
			now.forEach(LockHandle::release);
			served += now.size();
		}
	}

	@Test
	default void callersOfOneClientDoNotKeepAPermitFromAnotherForEver() throws Exception {
		LockClient one = open();
		AtomicBoolean served = new AtomicBoolean();
		AtomicInteger held = new AtomicInteger();
		List<CompletableFuture<Void>> busy = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			busy.add(fixture().actor().call(() -> {
				while (!served.get()) {
					LockHandle handle = one.acquire(permit(2));
					held.incrementAndGet();
					LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
					handle.release();
				}
				return null;
			}));
		}
		await("all take part").atMost(Actor.PATIENCE).until(() -> held.get() > 20);
		// Long before the tokens of a grant are used up
		LockHandle others = open().acquire(permit(2).timeout(Duration.ofSeconds(4)));
		served.set(true);
		others.release();
		busy.forEach(Actor::get);
	}

	@Test
	default void permitsAndLocksAreTakenTogether() throws Exception {
		LockRequest both = permit(2).and(LockRequest.write("account"));
		LockHandle handle = open().acquire(both);
		assertThat(isPermitFree(open(), 2)).isTrue();
		LockHandle other = open().acquire(permit(2));
		LockClient late = open();
		CompletableFuture<LockHandle> waiting = late.acquireAsync(permit(2).and(LockRequest.write("stock")));
		fixture().awaitWaiting(late, KEY);
		assertThat(waiting).isNotDone();
		handle.release();
		LockHandle next = Actor.get(waiting);
		assertThat(next.isHeld()).isTrue();
		next.release();
		other.release();
		assertThatIllegalArgumentException().isThrownBy(() -> permit(2).and(LockRequest.permits(KEY, 2)))
			.withMessageContaining(KEY);
		assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.read(KEY).and(LockRequest.permits(KEY, 2)))
			.withMessageContaining(KEY);
	}

	@Test
	default void aNumberOutOfBoundsIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.permits(KEY, 0)).withMessageContaining("0");
		assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.permits(KEY, LockRequest.MAX_PERMITS + 1))
			.withMessageContaining("10001");
		assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.permits(KEY, 2).mode(LockMode.READ))
			.withMessageContaining("READ");
	}

}
