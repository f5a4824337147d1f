package io.github.zklock.aop;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockContext;
import io.github.zklock.LockHandle;
import io.github.zklock.LockTimeoutException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Who enters a lock again that a publisher holds, and where its handle is found.
 */
class DistributedLockPublisherReentryTests {

	private final LockedBeans beans = LockedBeans.of(Locked.class);

	private final Locked locked = this.beans.get(Locked.class);

	@AfterEach
	void closeContext() {
		assertThat(this.beans.client().isHeld("k")).as("the lock is left").isFalse();
		this.beans.close();
	}

	@Test
	void lockedMethodInTheChainEntersAgain() {
		Mono<String> inner = this.locked.run(() -> Mono.just("inner"));
		StepVerifier.create(this.locked.run(() -> Mono.just("outer").flatMap((text) -> inner)))
			.expectNext("inner")
			.verifyComplete();
		assertThat(this.beans.client().handles()).hasSize(2);
	}

	@Test
	void lockIsHeldUntilTheOuterOneHasEnded() {
		List<Boolean> held = new ArrayList<>();
		StepVerifier.create(this.locked.run(() -> this.locked.run(() -> Mono.just("inner"))
			.doOnNext((text) -> held.add(this.beans.client().isHeld("k"))))).expectNext("inner").verifyComplete();
		assertThat(held).containsExactly(true);
	}

	@Test
	void lockedMethodOnAnotherThreadOfTheChainEntersAgain() {
		StepVerifier.create(this.locked.run(() -> Mono.just("outer")
			.publishOn(Schedulers.parallel())
			.flatMap((text) -> this.locked.run(() -> Mono.just("inner")))
			.subscribeOn(Schedulers.boundedElastic()))).expectNext("inner").verifyComplete();
	}

	@Test
	void innerCallWithAnotherKeyIsAnOwnerOfItsOwn() {
		StepVerifier.create(this.locked.run(() -> Flux.range(0, 2)
			.flatMap((i) -> this.locked.other(() -> this.locked.run(() -> Mono.just("inner"))))
			.last())).expectNext("inner").verifyComplete();
		Object outer = this.beans.client().requests().get(0).owner();
		assertThat(this.beans.client().requests()).filteredOn((request) -> request.keys().equals(List.of("k")))
			.allMatch((request) -> request.owner() == outer);
		assertThat(this.beans.client().requests()).filteredOn((request) -> request.keys().equals(List.of("other")))
			.extracting((request) -> request.owner())
			.hasSize(2)
			.doesNotContain(outer)
			.doesNotHaveDuplicates();
	}

	@Test
	void chainBehindTheLockedPublisherDoesNotEnterAgain() {
		StepVerifier
			.create(this.locked.elements(Flux.just("a")).concatMap((text) -> this.locked.run(() -> Mono.just("inner"))))
			.verifyError(LockTimeoutException.class);
		StepVerifier
			.create(this.locked.run(() -> Mono.just("first"))
				.flatMap((text) -> this.locked.run(() -> Mono.just("second"))))
			.expectNext("second")
			.verifyComplete();
	}

	@Test
	void publisherThatIsSubscribedToElsewhereDoesNotEnterAgain() {
		Mono<String> escaped = this.locked.run(() -> Mono.just("escaped"));
		StepVerifier.create(this.locked.run(() -> {
			assertThatExceptionOfType(LockTimeoutException.class)
				.isThrownBy(() -> escaped.subscribeOn(Schedulers.boundedElastic()).block());
			return Mono.just("outer");
		})).expectNext("outer").verifyComplete();
	}

	@Test
	void lockedMethodsThatTheMethodItselfCallsEnterAgain() {
		StepVerifier.create(this.locked.run(() -> {
			String value = this.locked.value();
			String future = this.locked.future().join();
			String mono = this.locked.run(() -> Mono.just("mono")).block();
			return Mono.just(value + " " + future + " " + mono);
		})).expectNext("value future mono").verifyComplete();
		assertThat(this.beans.client().handles()).hasSize(4);
	}

	@Test
	void lockedMethodsThatTheInnerMethodItselfCallsEnterTheOuterLockAgain() {
		StepVerifier.create(this.locked
			.run(() -> Mono.just("outer").flatMap((text) -> this.locked.other(() -> Mono.just(this.locked.value())))))
			.expectNext("value")
			.verifyComplete();
	}

	@Test
	void publisherDoesNotEnterALockThatAThreadHolds() {
		assertThatExceptionOfType(LockTimeoutException.class)
			.isThrownBy(() -> this.locked.blocking(this.locked.run(() -> Mono.just("inner"))));
	}

	@Test
	void publisherThatAMethodWithAFutureSubscribesToEntersAgain() {
		assertThat(this.locked.future(this.locked.run(() -> Mono.just("inner")))).isCompletedWithValue("inner");
	}

	@Test
	void handleIsInTheContext() {
		StepVerifier.create(this.locked.run(() -> ReactiveLockContext.current().map((lock) -> describe(lock))))
			.expectNext("k 1 true")
			.verifyComplete();
		StepVerifier
			.create(this.locked.run(
					() -> Mono.deferContextual((context) -> Mono.just(describe(ReactiveLockContext.current(context))))))
			.expectNext("k 2 true")
			.verifyComplete();
	}

	private static String describe(LockHandle handle) {
		return handle.key() + " " + handle.fencingToken() + " " + handle.isHeld();
	}

	@Test
	void handleIsThatOfTheInnermostLock() {
		StepVerifier
			.create(this.locked.run(() -> this.locked.other(() -> ReactiveLockContext.current().map(LockHandle::key))
				.zipWith(ReactiveLockContext.current().map(LockHandle::key), String::concat)))
			.expectNext("otherk")
			.verifyComplete();
	}

	@Test
	void missingHandleIsAFailure() {
		StepVerifier.create(ReactiveLockContext.current())
			.verifyErrorSatisfies((failure) -> assertThat(failure).isInstanceOf(IllegalStateException.class)
				.hasMessageContaining("There is no lock in Reactor's context"));
		StepVerifier.create(Mono.deferContextual((context) -> Mono.just(ReactiveLockContext.find(context).isPresent())))
			.expectNext(false)
			.verifyComplete();
	}

	@Test
	void handleOfOnesOwnCanBePutThere() throws InterruptedException {
		LockHandle own = this.beans.client().holdByAnother("own");
		StepVerifier
			.create(ReactiveLockContext.current().map(LockHandle::key).contextWrite(ReactiveLockContext.with(own)))
			.expectNext("own")
			.verifyComplete();
		own.release();
	}

	@Test
	void currentLockOfTheThreadIsThatOfTheMethodWhileItRuns() {
		StepVerifier
			.create(this.locked
				.run(() -> Mono.just(LockContext.current().key()).map((key) -> key + LockContext.find().isPresent())))
			.expectNext("kfalse")
			.verifyComplete();
		assertThatIllegalStateException().isThrownBy(LockContext::current);
	}

	@Test
	void anOperatorThatAsksTheThreadForItsLockIsToldWhereItIs() {
		StepVerifier.create(this.locked.run(() -> Mono.just("").map((nothing) -> LockContext.current().key())))
			.verifyErrorSatisfies((failure) -> assertThat(failure).isInstanceOf(IllegalStateException.class)
				.hasMessageContaining("ReactiveLockContext"));
	}

	@Test
	void contextOfTheSubscriberReachesTheWork() {
		StepVerifier
			.create(this.locked.run(() -> Mono.deferContextual((context) -> Mono.just(context.<String>get("who"))))
				.contextWrite((context) -> context.put("who", "me")))
			.expectNext("me")
			.verifyComplete();
	}

	static class Locked {

		@DistributedLock(key = "k", timeout = "0")
		public Mono<String> run(Supplier<Mono<String>> work) {
			return work.get();
		}

		@DistributedLock(key = "k", timeout = "0")
		public Flux<String> elements(Flux<String> work) {
			return work;
		}

		@DistributedLock(key = "other")
		public Mono<String> other(Supplier<Mono<String>> work) {
			return work.get();
		}

		@DistributedLock(key = "k", timeout = "0")
		public String value() {
			return "value";
		}

		@DistributedLock(key = "k", timeout = "0")
		public String blocking(Mono<String> work) {
			return work.block();
		}

		@DistributedLock(key = "k", timeout = "0")
		public CompletableFuture<String> future() {
			return CompletableFuture.completedFuture("future");
		}

		@DistributedLock(key = "k", timeout = "0")
		public CompletableFuture<String> future(Mono<String> work) {
			return work.toFuture();
		}

	}

}
