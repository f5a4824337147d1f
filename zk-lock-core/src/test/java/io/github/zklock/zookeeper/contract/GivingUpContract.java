package io.github.zklock.zookeeper.contract;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What is left of those who do not want the lock any more: nothing. That nothing stays
 * behind is checked by the fixture after each test, before the clients are closed.
 */
interface GivingUpContract extends LockContract {

	@ParameterizedTest
	@EnumSource(LockMode.class)
	default void anInterruptEndsTheWaitAndClearsTheFlag(LockMode mode) throws Exception {
		LockHandle handle = open().acquire(request(LockMode.EXCLUSIVE));
		LockClient client = open();
		Actor actor = fixture().actor();
		AtomicBoolean flag = new AtomicBoolean(true);
		CompletableFuture<LockHandle> waiting = actor.call(() -> {
			try {
				return client.acquire(request(mode));
			}
			finally {
				flag.set(Thread.currentThread().isInterrupted());
			}
		});
		fixture().awaitWaiting(client, KEY);
		actor.interrupt();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> Actor.get(waiting));
		assertThat(flag).isFalse();
		assertThat(handle.isHeld()).isTrue();
		fixture().awaitNothingLeftOf(client);
		handle.release();
	}

	@Test
	default void aThreadThatIsInterruptedAlreadyDoesNotEvenTry() {
		LockClient client = open();
		fixture().actor().run(() -> {
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(InterruptedException.class)
				.isThrownBy(() -> client.acquire(request(LockMode.EXCLUSIVE)));
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(InterruptedException.class)
				.isThrownBy(() -> client.tryAcquire(request(LockMode.EXCLUSIVE)));
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
		});
	}

	@ParameterizedTest
	@EnumSource(WayOut.class)
	default void completingTheFutureFromOutsideGivesUp(WayOut way) throws Exception {
		LockHandle handle = open().acquire(request(LockMode.WRITE));
		for (LockMode mode : LockMode.values()) {
			LockClient client = open();
			CompletableFuture<LockHandle> waiting = client.acquireAsync(request(mode));
			fixture().awaitWaiting(client, KEY);
			way.take(waiting);
			await().until(waiting::isDone);
			fixture().awaitNothingLeftOf(client);
		}
		assertThat(handle.isHeld()).isTrue();
		handle.release();
	}

	@ParameterizedTest
	@EnumSource(WayOut.class)
	default void whoStoodBehindTheOneThatGaveUpIsNext(WayOut way) throws Exception {
		LockHandle handle = open().acquire(request(LockMode.EXCLUSIVE));
		LockClient quitter = open();
		CompletableFuture<LockHandle> quitting = quitter.acquireAsync(request(LockMode.EXCLUSIVE));
		fixture().awaitWaiting(quitter, KEY);
		LockClient patient = open();
		CompletableFuture<LockHandle> waiting = patient.acquireAsync(request(LockMode.EXCLUSIVE));
		fixture().awaitWaiting(patient, KEY);
		way.take(quitting);
		await().until(quitting::isDone);
		fixture().awaitNothingLeftOf(quitter);
		assertThat(waiting).isNotDone();
		handle.release();
		LockHandle next = Actor.get(waiting);
		assertThat(next.isHeld()).isTrue();
		next.release();
	}

	@ParameterizedTest
	@EnumSource(WayOut.class)
	default void aStageOfAFutureThatGaveUpMayAskForTheSameKey(WayOut way) throws Exception {
		LockHandle handle = open().acquire(request(LockMode.EXCLUSIVE));
		LockClient client = open();
		CompletableFuture<LockHandle> quitting = client.acquireAsync(request(LockMode.EXCLUSIVE));
		fixture().awaitWaiting(client, KEY);
		CompletableFuture<LockHandle> next = quitting.handle((none, failure) -> {
			handle.release();
			return fixture().actor().get(() -> client.acquire(request(LockMode.EXCLUSIVE)));
		});
		way.take(quitting);
		Actor.get(next).release();
	}

	@Test
	default void anotherCallerOfTheClientStaysWhenOneGivesUp() throws Exception {
		LockHandle handle = open().acquire(request(LockMode.EXCLUSIVE));
		LockClient client = open();
		CompletableFuture<LockHandle> quitting = client.acquireAsync(request(LockMode.EXCLUSIVE));
		CompletableFuture<LockHandle> waiting = client.acquireAsync(request(LockMode.EXCLUSIVE));
		fixture().awaitWaiting(client, KEY);
		quitting.cancel(false);
		handle.release();
		LockHandle next = Actor.get(waiting);
		assertThat(next.isHeld()).isTrue();
		next.release();
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	default void givingUpAtAnyMomentLeavesNothing(LockMode mode) {
		LockClient one = open();
		LockClient two = open();
		List<CompletableFuture<LockHandle>> futures = new ArrayList<>();
		List<CompletableFuture<Void>> releases = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			CompletableFuture<LockHandle> future = ((i % 2 == 0) ? one : two).acquireAsync(request(mode));
			releases.add(future.thenCompose(LockHandle::releaseAsync).exceptionally((ex) -> null));
			futures.add(future);
			if (i % 3 == 0) {
				future.orTimeout(i * 50L, TimeUnit.MICROSECONDS);
			}
			else {
				futures.get(i / 2).cancel(false);
			}
		}
		futures.forEach((future) -> future.cancel(false));
		releases.forEach(Actor::get);
		await().untilAsserted(() -> assertThat(fixture().contenders(KEY)).isEmpty());
		awaitFree(open(), LockMode.WRITE);
	}

	@Test
	default void aHandleThatNobodyTookIsReleased() throws Exception {
		LockClient[] clients = { open(), open() };
		LockHandle handle = clients[1].acquire(request(LockMode.EXCLUSIVE));
		for (int i = 0; i < 20; i++) {
			LockClient client = clients[i % 2];
			CompletableFuture<LockHandle> waiting = client.acquireAsync(request(LockMode.EXCLUSIVE));
			fixture().awaitWaiting(client, KEY);
			handle.release();
			boolean gaveUp = waiting.cancel(false);
			handle = gaveUp ? Actor.get(client.acquireAsync(request(LockMode.EXCLUSIVE))) : waiting.join();
		}
		handle.release();
	}

	/**
	 * What a caller may do to the future that it was given.
	 */
	enum WayOut {

		CANCEL, CANCEL_WITH_INTERRUPT, OR_TIMEOUT, COMPLETE_ON_TIMEOUT, COMPLETE, COMPLETE_ASYNC,
		COMPLETE_EXCEPTIONALLY, OBTRUDE, OBTRUDE_EXCEPTION;

		void take(CompletableFuture<LockHandle> future) {
			switch (this) {
				case CANCEL -> future.cancel(false);
				case CANCEL_WITH_INTERRUPT -> future.cancel(true);
				case OR_TIMEOUT -> future.orTimeout(1, TimeUnit.MILLISECONDS);
				case COMPLETE_ON_TIMEOUT -> future.completeOnTimeout(null, 1, TimeUnit.MILLISECONDS);
				case COMPLETE -> future.complete(null);
				case COMPLETE_ASYNC -> future.completeAsync(() -> null);
				case COMPLETE_EXCEPTIONALLY -> future.completeExceptionally(new IllegalStateException("enough"));
				case OBTRUDE -> future.obtrudeValue(null);
				case OBTRUDE_EXCEPTION -> future.obtrudeException(new IllegalStateException("enough"));
			}
		}

	}

}
