package io.github.zklock.aop;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Single;
import org.aspectj.lang.JoinPoint;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.Before;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.Disposable;
import reactor.core.Exceptions;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;
import reactor.test.publisher.PublisherProbe;
import reactor.test.publisher.TestPublisher;
import reactor.util.context.Context;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockContext;
import io.github.zklock.LockLostException;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.OnBusy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * A method that returns a publisher locks each subscription until it has ended.
 */
class DistributedLockPublisherTests {

	private final LockedBeans beans = LockedBeans.of(Publishers.class);

	private final Publishers publishers = this.beans.get(Publishers.class);

	private final TestPublisher<String> work = TestPublisher.create();

	@AfterEach
	void closeContext() {
		assertThat(this.beans.client().isHeld("k")).as("the lock is left").isFalse();
		assertThat(this.beans.client().waiting()).as("nobody waits").isZero();
		this.beans.close();
	}

	private boolean isHeld() {
		return this.beans.client().isHeld("k");
	}

	@Test
	void nothingHappensBeforeTheSubscription() {
		assertThat(this.publishers.mono(() -> this.work.mono())).isNotNull();
		assertThat(this.beans.client().requests()).isEmpty();
		assertThat(this.publishers.runs()).isZero();
	}

	@Test
	void methodRunsWhenTheLockIsHeld() {
		var other = this.beans.client().holdByAnother("k");
		StepVerifier.create(this.publishers.mono(() -> Mono.just("done")))
			.expectSubscription()
			.then(() -> assertThat(this.publishers.runs()).isZero())
			.then(other::release)
			.expectNext("done")
			.verifyComplete();
		assertThat(this.publishers.runs()).isOne();
	}

	@Test
	void lockIsHeldUntilTheMonoHasEnded() {
		StepVerifier.create(this.publishers.mono(() -> this.work.mono()))
			.then(() -> assertThat(isHeld()).isTrue())
			.then(() -> this.work.emit("done"))
			.expectNext("done")
			.verifyComplete();
		assertThat(isHeld()).isFalse();
		assertThat(this.beans.client().lastHandle().releases()).isOne();
	}

	@Test
	void lockOfAMonoIsReleasedBeforeTheSubscriberHasTheValue() {
		StepVerifier.create(this.publishers.mono(() -> Mono.just("done")).map((text) -> isHeld()))
			.expectNext(false)
			.verifyComplete();
	}

	@Test
	void emptyMonoReleasesTheLock() {
		StepVerifier.create(this.publishers.mono(Mono::empty)).verifyComplete();
		assertThat(this.beans.client().lastHandle().releases()).isOne();
	}

	@Test
	void lockOfAFluxIsHeldForAllElementsAndReleasedBeforeTheEnd() {
		List<Boolean> held = new ArrayList<>();
		StepVerifier
			.create(this.publishers.flux(() -> Flux.just("a", "b"))
				.doOnNext((text) -> held.add(isHeld()))
				.doOnComplete(() -> held.add(isHeld())))
			.expectNext("a", "b")
			.verifyComplete();
		assertThat(held).containsExactly(true, true, false);
	}

	@Test
	void failureIsPassedOnWhenTheLockIsReleased() {
		AtomicBoolean held = new AtomicBoolean(true);
		StepVerifier.create(this.publishers.flux(() -> this.work.flux()).doOnError((failure) -> held.set(isHeld())))
			.then(() -> this.work.next("a").error(new IllegalStateException("of the work")))
			.expectNext("a")
			.verifyErrorMessage("of the work");
		assertThat(held).isFalse();
	}

	@Test
	void failureOfTheMethodItselfIsASignal() {
		Mono<String> failing = this.publishers.mono(() -> {
			throw new IllegalStateException("of the method");
		});
		StepVerifier.create(failing).verifyErrorMessage("of the method");
		assertThat(this.beans.client().lastHandle().releases()).isOne();
	}

	@Test
	void missingPublisherIsAFailure() {
		StepVerifier.create(this.publishers.mono(() -> null))
			.verifyErrorSatisfies((failure) -> assertThat(failure).isInstanceOf(IllegalStateException.class)
				.hasMessageContaining("Publishers.mono(Supplier) returned null instead of a publisher"));
	}

	@Test
	void publisherThatRefusesItsSubscriberIsAFailure() {
		StepVerifier.create(this.publishers.publisher((subscriber) -> {
			throw new IllegalStateException("no");
		})).verifyErrorMessage("no");
	}

	@Test
	void cancellationReachesTheWorkAndReleasesTheLock() {
		StepVerifier.create(this.publishers.flux(() -> this.work.flux()))
			.then(() -> this.work.next("a"))
			.expectNext("a")
			.thenCancel()
			.verify();
		this.work.assertCancelled();
		assertThat(this.beans.client().lastHandle().failure()).isInstanceOf(CancellationException.class);
		assertThat(this.beans.client().lastHandle().releases()).isOne();
	}

	@ParameterizedTest
	@MethodSource("refusals")
	void workThatRefusesItsCancellationKeepsNoLock(Throwable refusal) {
		List<Throwable> dropped = new ArrayList<>();
		Flux.from(this.publishers.publisher(refusing(refusal)))
			.contextWrite(droppingTo(dropped::add))
			.subscribe()
			.dispose();
		assertThat(this.beans.client().lastHandle().releases()).isOne();
		assertThat(dropped).containsExactly(refusal);
	}

	@ParameterizedTest
	@MethodSource("refusals")
	void workThatRefusesItsCancellationKeepsNoLossFromItsSubscriber(Throwable refusal) {
		List<Throwable> dropped = new ArrayList<>();
		StepVerifier
			.create(Flux.from(this.publishers.publisher(refusing(refusal))).contextWrite(droppingTo(dropped::add)))
			.then(() -> this.beans.client().lastHandle().lose())
			.expectError(LockLostException.class)
			.verify(Duration.ofSeconds(5));
		assertThat(this.beans.client().lastHandle().releases()).isOne();
		assertThat(dropped).containsExactly(refusal);
	}

	@Test
	void aHookThatThrowsWhatWorkRefusesKeepsNoLock() {
		Context throwing = droppingTo((failure) -> {
			throw Exceptions.bubble(failure);
		});
		Publisher<String> work = refusing(new IllegalStateException("no"));
		Flux.from(this.publishers.publisher(work)).contextWrite(throwing).subscribe().dispose();
		assertThat(this.beans.client().lastHandle().releases()).isOne();
		StepVerifier.create(Flux.from(this.publishers.publisher(work)).contextWrite(throwing))
			.then(() -> this.beans.client().lastHandle().lose())
			.expectError(LockLostException.class)
			.verify(Duration.ofSeconds(5));
		assertThat(this.beans.client().lastHandle().releases()).isOne();
	}

	private static Stream<Throwable> refusals() {
		return Stream.of(new IllegalStateException("no"), new IOException("no"), new AssertionError("no"));
	}

	// As operators have it of Hooks.onErrorDropped, for one subscription
	private static Context droppingTo(Consumer<Throwable> hook) {
		return Context.of("reactor.onErrorDropped.local", hook);
	}

	private static Publisher<String> refusing(Throwable refusal) {
		return (subscriber) -> subscriber.onSubscribe(new Subscription() {

			@Override
			public void request(long n) {
			}

			@Override
			public void cancel() {
				DistributedLockPublisherTests.<RuntimeException>sneakilyThrow(refusal);
			}

		});
	}

	@SuppressWarnings("unchecked")
	private static <X extends Throwable> void sneakilyThrow(Throwable failure) throws X {
		throw (X) failure;
	}

	@Test
	void cancellationWhileTheLockIsWaitedForLeavesNothing() {
		var other = this.beans.client().holdByAnother("k");
		Disposable waiting = this.publishers.mono(() -> this.work.mono()).subscribe();
		assertThat(this.beans.client().waiting()).isOne();
		waiting.dispose();
		assertThat(this.beans.client().waiting()).isZero();
		other.release();
		assertThat(this.publishers.runs()).isZero();
	}

	@Test
	void lockThatIsGrantedAfterTheCancellationIsReleased() {
		var other = this.beans.client().holdByAnother("k");
		this.beans.client().cancelLate();
		this.publishers.mono(() -> this.work.mono()).subscribe().dispose();
		other.release();
		assertThat(this.beans.client().lastHandle().releases()).isOne();
		assertThat(this.beans.client().lastHandle().failure()).isInstanceOf(CancellationException.class);
		assertThat(this.publishers.runs()).isZero();
	}

	@Test
	void cancellationWhileTheLockIsAskedForLeavesNothing() {
		var other = this.beans.client().holdByAnother("k");
		BaseSubscriber<String> subscriber = new BaseSubscriber<>() {
		};
		this.beans.client().whenAsked(subscriber::cancel);
		this.publishers.mono(() -> this.work.mono()).subscribe(subscriber);
		assertThat(this.beans.client().requests()).hasSize(2);
		assertThat(this.beans.client().waiting()).isZero();
		other.release();
	}

	@Test
	void valueThatComesAfterTheCancellationIsDiscarded() {
		List<Object> discarded = new ArrayList<>();
		TestPublisher<String> source = TestPublisher.createNoncompliant(TestPublisher.Violation.CLEANUP_ON_TERMINATE);
		this.publishers.mono(() -> Mono.fromDirect(source))
			.doOnDiscard(String.class, discarded::add)
			.subscribe()
			.dispose();
		source.next("late");
		assertThat(discarded).containsExactly("late");
	}

	@Test
	void lockIsHeldWhileTheMethodRunsAlthoughTheSubscriberHasCancelled() {
		var other = this.beans.client().holdByAnother("k");
		AtomicReference<Disposable> subscription = new AtomicReference<>();
		PublisherProbe<String> made = PublisherProbe.of(Mono.just("done"));
		AtomicBoolean heldAfterwards = new AtomicBoolean();
		subscription.set(this.publishers.mono(() -> {
			subscription.get().dispose();
			heldAfterwards.set(isHeld());
			return made.mono();
		}).subscribe());
		other.release();
		assertThat(heldAfterwards).isTrue();
		made.assertWasNotSubscribed();
		assertThat(this.beans.client().lastHandle().releases()).isOne();
		assertThat(this.beans.client().lastHandle().failure()).isInstanceOf(CancellationException.class);
	}

	@Test
	void lockIsHeldWhileTheWorkIsDoneWithinTheSubscriptionAlthoughTheSubscriberHasCancelled() {
		var other = this.beans.client().holdByAnother("k");
		AtomicReference<Disposable> subscription = new AtomicReference<>();
		AtomicBoolean heldAfterwards = new AtomicBoolean();
		subscription.set(this.publishers.mono(() -> Mono.fromRunnable(() -> {
			subscription.get().dispose();
			heldAfterwards.set(isHeld());
		})).subscribe());
		other.release();
		assertThat(heldAfterwards).isTrue();
		assertThat(this.beans.client().lastHandle().releases()).isOne();
	}

	@Test
	void failureOfAMethodWhoseSubscriberHasCancelledReleasesTheLock() {
		var other = this.beans.client().holdByAnother("k");
		AtomicReference<Disposable> subscription = new AtomicReference<>();
		subscription.set(this.publishers.mono(() -> {
			subscription.get().dispose();
			throw new IllegalStateException("of the method");
		}).subscribe());
		other.release();
		assertThat(this.beans.client().lastHandle().releases()).isOne();
	}

	@Test
	void subscriberThatCancelsAtOnceAsksForNothing() {
		this.publishers.mono(() -> this.work.mono()).subscribe(new BaseSubscriber<>() {
			@Override
			protected void hookOnSubscribe(Subscription subscription) {
				subscription.cancel();
			}
		});
		assertThat(this.beans.client().requests()).isEmpty();
	}

	@Test
	void eachSubscriptionLocksAndRunsTheMethod() {
		Mono<String> twice = this.publishers.mono(() -> Mono.just("done"));
		StepVerifier.create(twice.concatWith(twice)).expectNext("done", "done").verifyComplete();
		assertThat(this.publishers.runs()).isEqualTo(2);
		assertThat(this.beans.client().handles()).hasSize(2).allMatch((handle) -> handle.releases() == 1);
		assertThat(this.beans.client().requests()).extracting(LockRequest::owner).doesNotHaveDuplicates();
	}

	@Test
	void subscriptionsExcludeEachOther() {
		Sinks.One<String> end = Sinks.one();
		Mono<String> twice = this.publishers.mono(end::asMono);
		List<String> seen = new ArrayList<>();
		twice.subscribe(seen::add);
		twice.subscribe(seen::add);
		assertThat(this.publishers.runs()).isOne();
		assertThat(this.beans.client().waiting()).isOne();
		end.emitValue("done", Sinks.EmitFailureHandler.FAIL_FAST);
		assertThat(seen).containsExactly("done", "done");
		assertThat(this.publishers.runs()).isEqualTo(2);
	}

	@Test
	void keysAreEvaluatedOnceAtTheCall() {
		List<String> keys = new ArrayList<>(List.of("k1", "k2"));
		Mono<Integer> counted = this.publishers.keyed(keys);
		keys.clear();
		StepVerifier.create(counted.concatWith(counted)).expectNext(0, 0).verifyComplete();
		assertThat(this.beans.client().requests()).hasSize(2)
			.allSatisfy((request) -> assertThat(request.keys()).containsExactly("k1", "k2"));
	}

	@Test
	void badKeyIsReportedAtTheCall() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.publishers.keyed(List.of()))
			.withMessageContaining("gave no key");
	}

	@Test
	void callWhoseConditionIsFalseIsNotTouched() {
		Mono<String> result = Mono.just("done");
		assertThat(this.publishers.conditional(false, result)).isSameAs(result);
		StepVerifier.create(this.publishers.conditional(true, result)).expectNext("done").verifyComplete();
		assertThat(this.beans.client().requests()).hasSize(1);
	}

	@Test
	void attributesReachTheRequest() {
		StepVerifier.create(this.publishers.configured()).verifyComplete();
		assertThat(this.beans.client().lastRequest()).returns(LockMode.READ, LockRequest::mode)
			.returns(Duration.ofSeconds(3), LockRequest::timeout)
			.returns("naive", LockRequest::strategy)
			.returns(Duration.ofMinutes(1), LockRequest::maxHold);
	}

	@Test
	void busyIsASignal() {
		var other = this.beans.client().holdByAnother("k");
		StepVerifier.create(this.publishers.impatient()).verifyError(LockTimeoutException.class);
		other.release();
		StepVerifier.create(this.publishers.impatient()).expectNext("ran").verifyComplete();
	}

	@Test
	void skipIsAnEmptyPublisher() {
		var other = this.beans.client().holdByAnother("k");
		StepVerifier.create(this.publishers.skippedMono()).verifyComplete();
		StepVerifier.create(this.publishers.skippedFlux()).verifyComplete();
		this.publishers.skippedMaybe().test().assertNoValues().assertComplete();
		other.release();
		StepVerifier.create(this.publishers.skippedFlux()).expectNext("ran").verifyComplete();
	}

	// As a client gives it that has added something to the future of another one
	@Test
	void busyOfADependentFutureIsBusyToo() {
		this.beans.client().failWith(new CompletionException(new LockTimeoutException("busy")));
		StepVerifier.create(this.publishers.skippedMono()).verifyComplete();
		StepVerifier.create(this.publishers.withFallback("a")).expectNext("fallback a", "busy").verifyComplete();
	}

	@Test
	void skipDoesNotHideThatZooKeeperIsAway() {
		this.beans.client().failWith(new LockUnavailableException("away"));
		StepVerifier.create(this.publishers.skippedMono()).verifyError(LockUnavailableException.class);
	}

	@Test
	void refusalOfTheClientIsASignal() {
		this.beans.client().refuseWith(new IllegalArgumentException("Unknown lock strategy"));
		StepVerifier.create(this.publishers.mono(Mono::empty)).verifyErrorMessage("Unknown lock strategy");
	}

	@Test
	void acquisitionThatSomebodyElseCancelsIsASignal() {
		this.beans.client().failWith(new CancellationException("shut down"));
		StepVerifier.create(this.publishers.mono(Mono::empty)).verifyErrorMessage("shut down");
	}

	@Test
	void publisherOfTheFallbackIsSubscribedToWithoutTheLock() {
		var other = this.beans.client().holdByAnother("k");
		StepVerifier.create(this.publishers.withFallback("a"), 0)
			.thenRequest(1)
			.expectNext("fallback a")
			.thenRequest(1)
			.expectNext("Could not acquire lock 'k'")
			.verifyComplete();
		StepVerifier.create(this.publishers.withFallback("fail")).verifyErrorMessage("fallback");
		StepVerifier.create(this.publishers.withFallback(null))
			.verifyErrorSatisfies((failure) -> assertThat(failure).hasMessageContaining("returned null"));
		this.publishers.withFallbackTo(this.work.flux()).subscribe().dispose();
		this.work.assertWasSubscribed();
		this.work.assertCancelled();
		assertThat(this.publishers.runs()).isZero();
		other.release();
		StepVerifier.create(this.publishers.withFallback("a")).expectNext("ran").verifyComplete();
	}

	@Test
	void fallbackIsNotCalledWhenZooKeeperIsAway() {
		this.beans.client().failWith(new LockUnavailableException("away"));
		StepVerifier.create(this.publishers.withFallback("a")).verifyError(LockUnavailableException.class);
	}

	@Test
	void releaseNeverMasksTheResult() {
		this.beans.client().failReleaseWith(new IllegalStateException("release"));
		StepVerifier.create(this.publishers.mono(() -> Mono.just("done"))).expectNext("done").verifyComplete();
		StepVerifier.create(this.publishers.mono(() -> Mono.error(new IllegalStateException("of the work"))))
			.verifyErrorMessage("of the work");
	}

	@Test
	void elementsComeAsTheyAreAskedFor() {
		StepVerifier.create(this.publishers.flux(() -> Flux.just("a", "b", "c")), 0)
			.expectSubscription()
			.then(() -> assertThat(isHeld()).isTrue())
			.thenRequest(1)
			.expectNext("a")
			.then(() -> assertThat(isHeld()).isTrue())
			.thenRequest(2)
			.expectNext("b", "c")
			.verifyComplete();
	}

	@Test
	void sourceIsNotAskedForMoreThanTheSubscriberAskedFor() {
		TestPublisher<String> source = TestPublisher.create();
		StepVerifier.create(this.publishers.flux(source::flux), 3)
			.then(() -> source.assertMinRequested(3).assertMaxRequested(3))
			.thenCancel()
			.verify();
	}

	@Test
	void singleValueWaitsUntilItIsAskedForAndDoesNotKeepTheLock() {
		StepVerifier.create(this.publishers.mono(() -> Mono.just("done")), 0)
			.expectSubscription()
			.then(() -> assertThat(isHeld()).isFalse())
			.thenRequest(1)
			.expectNext("done")
			.verifyComplete();
	}

	@Test
	void otherTypesAreAdapted() {
		StepVerifier.create(this.publishers.publisher(Flux.just("a", "b"))).expectNext("a", "b").verifyComplete();
		StepVerifier
			.create(JdkFlowAdapter
				.flowPublisherToFlux(this.publishers.flow(JdkFlowAdapter.publisherToFlowPublisher(Flux.just("a")))))
			.expectNext("a")
			.verifyComplete();
		this.publishers.flowable(Flowable.just("a", "b")).test().assertResult("a", "b");
		this.publishers.observable(Observable.just("a", "b")).test().assertResult("a", "b");
		this.publishers.single(Single.just("a")).test().assertResult("a");
		this.publishers.maybe(Maybe.just("a")).test().assertResult("a");
		this.publishers.completable(Completable.complete()).test().assertResult();
		assertThat(this.beans.client().handles()).hasSize(7).allMatch((handle) -> handle.releases() == 1);
	}

	@Test
	void interfacesMayDeclareLess() {
		try (LockedBeans byInterface = LockedBeans.byInterface(MonoSource.class)) {
			Source source = byInterface.get(Source.class);
			assertThat(source.get()).isInstanceOf(Mono.class);
			StepVerifier.create(source.get()).expectNext("done").verifyComplete();
			assertThat(byInterface.client().requests()).hasSize(1);
		}
	}

	@Test
	void aspectsInsideOfTheLockKnowTheCallAlsoLaterAndEachTime() throws Exception {
		try (LockedBeans withAspect = LockedBeans.of(Publishers.class, KeyAspect.class, Aspects.class)) {
			Mono<String> later = withAspect.get(Publishers.class).mono(() -> Mono.just("done"));
			assertThat(withAspect.get(KeyAspect.class).seen).isEmpty();
			Thread subscriber = new Thread(() -> later.repeat(1).subscribe());
			subscriber.start();
			subscriber.join();
			assertThat(withAspect.get(KeyAspect.class).seen).containsExactly("mono with lock k", "mono with lock k");
		}
	}

	static class Publishers {

		private int runs;

		int runs() {
			return this.runs;
		}

		@DistributedLock(key = "k")
		public Mono<String> mono(Supplier<Mono<String>> work) {
			this.runs++;
			return work.get();
		}

		@DistributedLock(key = "k")
		public Flux<String> flux(Supplier<Flux<String>> work) {
			this.runs++;
			return work.get();
		}

		@DistributedLock(key = "k")
		public Publisher<String> publisher(Publisher<String> work) {
			return work;
		}

		@DistributedLock(key = "k")
		public Flow.Publisher<String> flow(Flow.Publisher<String> work) {
			return work;
		}

		@DistributedLock(key = "k")
		public Flowable<String> flowable(Flowable<String> work) {
			return work;
		}

		@DistributedLock(key = "k")
		public Observable<String> observable(Observable<String> work) {
			return work;
		}

		@DistributedLock(key = "k")
		public Single<String> single(Single<String> work) {
			return work;
		}

		@DistributedLock(key = "k")
		public Maybe<String> maybe(Maybe<String> work) {
			return work;
		}

		@DistributedLock(key = "k")
		public Completable completable(Completable work) {
			return work;
		}

		@DistributedLock(key = "#keys")
		public Mono<Integer> keyed(List<String> keys) {
			return Mono.just(keys.size());
		}

		@DistributedLock(key = "k", condition = "#locked")
		public Mono<String> conditional(boolean locked, Mono<String> work) {
			return work;
		}

		@DistributedLock(key = "k", mode = LockMode.READ, timeout = "3s", strategy = "naive", maxHold = "1m")
		public Mono<Void> configured() {
			return Mono.empty();
		}

		@DistributedLock(key = "k", timeout = "0")
		public Mono<String> impatient() {
			this.runs++;
			return Mono.just("ran");
		}

		@DistributedLock(key = "k", timeout = "0", onBusy = OnBusy.SKIP)
		public Mono<String> skippedMono() {
			return Mono.just("ran");
		}

		@DistributedLock(key = "k", timeout = "0", onBusy = OnBusy.SKIP)
		public Flux<String> skippedFlux() {
			return Flux.just("ran");
		}

		@DistributedLock(key = "k", timeout = "0", onBusy = OnBusy.SKIP)
		public Maybe<String> skippedMaybe() {
			return Maybe.just("ran");
		}

		@DistributedLock(key = "k", timeout = "0", fallback = "instead")
		public Flux<String> withFallback(String text) {
			this.runs++;
			return Flux.just("ran");
		}

		Flux<String> instead(String text, LockTimeoutException cause) {
			if (text == null) {
				return null;
			}
			if (text.equals("fail")) {
				throw new IllegalStateException("fallback");
			}
			return Flux.just("fallback " + text, cause.getMessage());
		}

		@DistributedLock(key = "k", timeout = "0", fallback = "otherwise")
		public Flux<String> withFallbackTo(Flux<String> work) {
			return Flux.empty();
		}

		Flux<String> otherwise(Flux<String> work) {
			return work;
		}

	}

	interface Source {

		Publisher<String> get();

	}

	static class MonoSource implements Source {

		@Override
		@DistributedLock(key = "k")
		public Mono<String> get() {
			return Mono.just("done");
		}

	}

	@Aspect
	static class KeyAspect {

		private final List<String> seen = new CopyOnWriteArrayList<>();

		@Before("execution(* io.github.zklock.aop.DistributedLockPublisherTests.Publishers.mono(..))")
		void see(JoinPoint joinPoint) {
			this.seen.add(joinPoint.getSignature().getName() + " with lock " + LockContext.current().key());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAspectJAutoProxy
	static class Aspects {

	}

}
