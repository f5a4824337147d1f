package io.github.zklock.aop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.util.retry.Retry;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.LockUpgradeException;
import io.github.zklock.OnBusy;
import io.github.zklock.OnLost;
import io.github.zklock.testing.Actor;
import io.github.zklock.testing.ServerFixture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Locked publishers on a real server.
 */
@Timeout(120)
class DistributedLockPublisherServerTests {

	private static final String KEY = "k";

	@RegisterExtension
	final ServerFixture zk = ServerFixture.onOneServer();

	private LockClient client;

	private LockClient other;

	private LockedBeans beans;

	private Locked locked;

	@BeforeEach
	void open() {
		this.client = LockClients.open(this.zk);
		this.other = LockClients.open(this.zk);
		this.beans = LockedBeans.on(this.client, Locked.class);
		this.locked = this.beans.get(Locked.class);
	}

	@AfterEach
	void closeContext() {
		this.beans.close();
	}

	private LockHandle holdByAnother() throws InterruptedException {
		return this.other.acquire(LockRequest.exclusive(KEY).owner("another"));
	}

	// Who is impatient gives a server little time to answer
	private static <T> Flux<T> answered(Flux<T> tried) {
		return tried
			.retryWhen(Retry.fixedDelay(50, Duration.ofMillis(20)).filter(LockUnavailableException.class::isInstance));
	}

	private void assertBusy() {
		assertThat(this.zk.contenders(KEY)).hasSize(1);
	}

	private void assertFree() {
		await().atMost(Actor.PATIENCE).until(() -> this.zk.contenders(KEY).isEmpty());
	}

	@Test
	void monoIsLockedUntilItEnds() {
		Sinks.One<String> end = Sinks.one();
		CompletableFuture<String> result = this.locked.mono(end.asMono()).toFuture();
		await().until(() -> end.currentSubscriberCount() == 1);
		assertBusy();
		end.emitValue("done", Sinks.EmitFailureHandler.FAIL_FAST);
		assertThat(Actor.get(result)).isEqualTo("done");
		assertFree();
	}

	@Test
	void fluxIsLockedUntilItIsCancelled() {
		StepVerifier.create(this.locked.flux(Flux.just("a").concatWith(Flux.never())))
			.expectNext("a")
			.then(this::assertBusy)
			.thenCancel()
			.verify(Actor.PATIENCE);
		assertFree();
	}

	@Test
	void failureReleasesTheLock() {
		StepVerifier.create(this.locked.flux(Flux.error(new IllegalStateException("of the work"))))
			.expectErrorMessage("of the work")
			.verify(Actor.PATIENCE);
		assertFree();
	}

	@Test
	void nextSubscriptionIsServedWhenTheFirstHasEnded() throws InterruptedException {
		Mono<Long> token = this.locked.token(new Inside());
		LockHandle held = holdByAnother();
		CompletableFuture<Long> waiting = token.toFuture();
		this.zk.awaitWaiting(this.client, KEY);
		held.release();
		assertThat(Actor.get(waiting)).isGreaterThan(held.fencingToken());
		assertThat(token.block(Actor.PATIENCE)).isGreaterThan(waiting.join());
	}

	@Test
	void busyKeyIsSkippedFailedOrFallenBackFrom() throws InterruptedException {
		LockHandle held = holdByAnother();
		StepVerifier.create(answered(this.locked.skipped())).expectComplete().verify(Actor.PATIENCE);
		StepVerifier.create(answered(this.locked.impatient().flux()))
			.expectErrorSatisfies((failure) -> assertThat(failure).isInstanceOf(LockTimeoutException.class)
				.hasMessageContaining("Could not acquire lock 'k' within"))
			.verify(Actor.PATIENCE);
		StepVerifier.create(answered(this.locked.withFallback().flux()))
			.expectNext("fallback")
			.expectComplete()
			.verify(Actor.PATIENCE);
		held.release();
		assertFree();
		StepVerifier.create(answered(this.locked.skipped())).expectNext("ran").expectComplete().verify(Actor.PATIENCE);
	}

	@Test
	void innerCallsEnterAgainAndReadersMayNotWrite() {
		StepVerifier.create(this.locked.defer(() -> this.locked.defer(() -> Mono.just("inner"))))
			.expectNext("inner")
			.expectComplete()
			.verify(Actor.PATIENCE);
		StepVerifier.create(this.locked.reading(this.locked.mono(Mono.just("inner"))))
			.expectError(LockUpgradeException.class)
			.verify(Actor.PATIENCE);
		assertFree();
	}

	@Test
	void expiredSessionEndsTheWork() {
		this.zk.announce("was lost");
		Sinks.One<SignalType> end = Sinks.one();
		CompletableFuture<String> result = this.locked
			.mono(Mono.<String>never()
				.doFinally((signal) -> end.emitValue(signal, Sinks.EmitFailureHandler.FAIL_FAST))
				.doOnSubscribe((subscription) -> this.zk.expireSession(this.client)))
			.toFuture();
		assertThat(end.asMono().block(Actor.PATIENCE)).isEqualTo(SignalType.CANCEL);
		await().atMost(Actor.PATIENCE)
			.untilAsserted(() -> assertThat(result).isCompletedExceptionally()
				.failsWithin(Duration.ZERO)
				.withThrowableThat()
				.withCauseInstanceOf(LockLostException.class));
	}

	@Test
	void maxHoldEndsTheWork() {
		this.zk.announce("was lost");
		StepVerifier.create(this.locked.bounded(Flux.never()))
			.expectError(LockLostException.class)
			.verify(Actor.PATIENCE);
		assertFree();
	}

	@Test
	void innerCallOfALostHoldFails() {
		this.zk.announce("was lost");
		Mono<String> inner = this.locked.mono(Mono.just("inner"));
		StepVerifier
			.create(this.locked.ignoring(ReactiveLockContext.current()
				.flatMap((handle) -> Mono.<String>create((sink) -> handle.onLost(sink::success)).then(inner))))
			.expectErrorSatisfies((failure) -> assertThat(failure).isInstanceOf(LockLostException.class)
				.hasMessageContaining("Could not enter lock 'k' again"))
			.verify(Actor.PATIENCE);
	}

	@Test
	void closedClientEndsTheWait() throws InterruptedException {
		LockHandle held = holdByAnother();
		CompletableFuture<String> waiting = this.locked.mono(Mono.just("ran")).toFuture();
		this.zk.awaitWaiting(this.client, KEY);
		this.client.close();
		assertThat(waiting).failsWithin(Actor.PATIENCE)
			.withThrowableThat()
			.withCauseInstanceOf(LockUnavailableException.class);
		held.release();
	}

	@Test
	void waitersBlockNoThread() throws InterruptedException {
		int waiters = 150;
		Scheduler single = Schedulers.newSingle("subscriber");
		Inside inside = new Inside();
		LockHandle held = holdByAnother();
		List<CompletableFuture<Long>> waiting = IntStream.range(0, waiters)
			.mapToObj((i) -> this.locked.token(inside).subscribeOn(single).toFuture())
			.toList();
		assertThat(Mono.fromCallable(() -> Thread.currentThread().getName()).subscribeOn(single).block(Actor.PATIENCE))
			.as("the thread that subscribed to all of them")
			.startsWith("subscriber");
		this.zk.awaitWaiting(this.client, KEY);
		assertThat(waiting).noneMatch(CompletableFuture::isDone);
		assertThat(Thread.getAllStackTraces().keySet())
			.filteredOn((thread) -> thread.getName().startsWith("zk-lock-callback"))
			.as("threads that wait")
			.hasSizeLessThan(10);
		held.release();
		List<Long> tokens = waiting.stream().map(Actor::get).toList();
		assertThat(tokens).isSorted().doesNotHaveDuplicates();
		assertThat(inside.entered).hasValue(waiters);
		assertThat(inside.most).hasValue(1);
		single.dispose();
	}

	@Test
	void cancellationsAtRandomMomentsLeaveNothing() throws InterruptedException {
		long seed = System.nanoTime();
		Random random = new Random(seed);
		int calls = 600;
		CountDownLatch over = new CountDownLatch(calls);
		List<SignalType> ends = Collections.synchronizedList(new ArrayList<>());
		for (int i = 0; i < calls; i++) {
			Disposable call = this.locked
				.mono(Mono.delay(Duration.ofNanos(random.nextInt(1_000_000))).map(Object::toString))
				.subscribeOn(Schedulers.parallel())
				.doFinally((end) -> {
					ends.add(end);
					over.countDown();
				})
				.subscribe();
			Mono.delay(Duration.ofNanos(random.nextInt(20_000_000)), Schedulers.parallel())
				.subscribe((now) -> call.dispose());
		}
		assertThat(over.await(60, TimeUnit.SECONDS)).as("all are over, with seed " + seed).isTrue();
		assertThat(ends).as("seed " + seed)
			.hasSize(calls)
			.contains(SignalType.CANCEL)
			.doesNotContain(SignalType.ON_ERROR);
		this.zk.awaitNothingLeftOf(this.client);
		assertFree();
	}

	/**
	 * Counts who is inside a locked method at once.
	 */
	static final class Inside {

		private final AtomicInteger now = new AtomicInteger();

		private final AtomicInteger most = new AtomicInteger();

		private final AtomicInteger entered = new AtomicInteger();

	}

	static class Locked {

		@DistributedLock(key = KEY)
		public Mono<String> mono(Mono<String> work) {
			return work;
		}

		@DistributedLock(key = KEY)
		public Mono<String> defer(Supplier<Mono<String>> work) {
			return work.get();
		}

		@DistributedLock(key = KEY)
		public Flux<String> flux(Flux<String> work) {
			return work;
		}

		@DistributedLock(key = KEY)
		public Mono<Long> token(Inside inside) {
			return ReactiveLockContext.current().map((handle) -> {
				inside.most.accumulateAndGet(inside.now.incrementAndGet(), Math::max);
				inside.entered.incrementAndGet();
				LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(300));
				assertThat(handle.isHeld()).isTrue();
				inside.now.decrementAndGet();
				return handle.fencingToken();
			});
		}

		@DistributedLock(key = KEY, timeout = "0", onBusy = OnBusy.SKIP)
		public Flux<String> skipped() {
			return Flux.just("ran");
		}

		@DistributedLock(key = KEY, timeout = "500ms")
		public Mono<String> impatient() {
			return Mono.just("ran");
		}

		@DistributedLock(key = KEY, timeout = "0", fallback = "instead")
		public Mono<String> withFallback() {
			return Mono.just("ran");
		}

		Mono<String> instead() {
			return Mono.just("fallback");
		}

		@DistributedLock(key = KEY, mode = LockMode.READ)
		public Mono<String> reading(Mono<String> work) {
			return work;
		}

		@DistributedLock(key = KEY, maxHold = "200ms")
		public Flux<String> bounded(Flux<String> work) {
			return work;
		}

		@DistributedLock(key = KEY, maxHold = "200ms", onLost = OnLost.IGNORE)
		public Mono<String> ignoring(Mono<String> work) {
			return work;
		}

	}

}
