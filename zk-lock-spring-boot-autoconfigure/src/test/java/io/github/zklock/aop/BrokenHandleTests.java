package io.github.zklock.aop;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;
import reactor.test.publisher.TestPublisher;

import io.github.zklock.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A handle that is of a user's own strategy, or asked with too little stack, may be
 * unable to say whether it is held. Its lock is released all the same, once, and the
 * caller gets to know.
 */
@Timeout(30)
class BrokenHandleTests {

	private static final Duration PATIENCE = Duration.ofSeconds(5);

	private final LockedBeans beans = LockedBeans.of(Work.class);

	private final Work work = this.beans.get(Work.class);

	private final Error fault = new StackOverflowError("planted");

	@AfterEach
	void theLockIsReleasedOnce() {
		assertThat(this.beans.client().isHeld("k")).as("the lock is left").isFalse();
		assertThat(this.beans.client().lastHandle().releases()).isOne();
		this.beans.close();
	}

	private void breakHandle() {
		this.beans.client().lastHandle().breakWith(this.fault);
	}

	private static void isOfTheWork(Throwable failure) {
		assertThat(failure).hasMessage("of the work");
		assertThat(failure.getSuppressed()).isNotEmpty().hasOnlyElementsOfType(StackOverflowError.class);
	}

	@Test
	void theCallerOfAMethodIsNotified() {
		assertThatExceptionOfType(StackOverflowError.class).isThrownBy(() -> this.work.value(() -> {
			breakHandle();
			return "done";
		})).isSameAs(this.fault);
	}

	@Test
	void theFailureOfAMethodIsKept() {
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> this.work.value(() -> {
			breakHandle();
			throw new IllegalStateException("of the work");
		})).satisfies(BrokenHandleTests::isOfTheWork);
	}

	@Test
	void aMethodThatFailsWithTheSameIsNoFailureOfTheEnd() {
		assertThatExceptionOfType(StackOverflowError.class).isThrownBy(() -> this.work.value(() -> {
			breakHandle();
			throw this.fault;
		})).isSameAs(this.fault);
	}

	@Test
	void aFutureIsComplete() {
		CompletableFuture<String> stage = new CompletableFuture<>();
		CompletableFuture<String> followed = this.work.future(stage);
		breakHandle();
		stage.complete("done");
		assertThat(followed).failsWithin(PATIENCE).withThrowableOfType(ExecutionException.class).withCause(this.fault);
	}

	@Test
	void theFailureOfAFutureIsKept() {
		CompletableFuture<String> stage = new CompletableFuture<>();
		CompletableFuture<String> followed = this.work.future(stage);
		breakHandle();
		stage.completeExceptionally(new IllegalStateException("of the work"));
		assertThat(followed).failsWithin(PATIENCE)
			.withThrowableOfType(ExecutionException.class)
			.satisfies((ex) -> isOfTheWork(ex.getCause()));
	}

	@Test
	void theSubscriberOfAMonoIsNotified() {
		TestPublisher<String> source = TestPublisher.create();
		StepVerifier.create(this.work.mono(source.mono()))
			.then(this::breakHandle)
			.then(() -> source.emit("done"))
			.expectErrorSatisfies((failure) -> assertThat(failure).isSameAs(this.fault))
			.verify(PATIENCE);
	}

	@Test
	void theSubscriberIsNotifiedAtTheEnd() {
		TestPublisher<String> source = TestPublisher.create();
		StepVerifier.create(this.work.flux(source.flux()))
			.then(() -> source.next("a"))
			.expectNext("a")
			.then(this::breakHandle)
			.then(source::complete)
			.expectErrorSatisfies((failure) -> assertThat(failure).isSameAs(this.fault))
			.verify(PATIENCE);
	}

	@Test
	void theSubscriberIsNotifiedAtAnElement() {
		TestPublisher<String> source = TestPublisher.create();
		StepVerifier.create(this.work.flux(source.flux()))
			.then(() -> source.next("a"))
			.expectNext("a")
			.then(this::breakHandle)
			.then(() -> source.next("b"))
			.expectErrorSatisfies((failure) -> assertThat(failure).isSameAs(this.fault))
			.verify(PATIENCE);
		source.assertCancelled();
	}

	@Test
	void theFailureOfAPublisherIsKept() {
		TestPublisher<String> source = TestPublisher.create();
		StepVerifier.create(this.work.flux(source.flux()))
			.expectSubscription()
			.then(this::breakHandle)
			.then(() -> source.error(new IllegalStateException("of the work")))
			.expectErrorSatisfies(BrokenHandleTests::isOfTheWork)
			.verify(PATIENCE);
	}

	@Test
	void aSubscriberThatCancelsKeepsNoLock() {
		TestPublisher<String> source = TestPublisher.create();
		Disposable subscription = this.work.flux(source.flux()).subscribe();
		breakHandle();
		subscription.dispose();
		source.assertCancelled();
	}

	@Test
	void theSubscriberIsNotifiedWithinTheSubscription() {
		Flux<String> source = Flux.<String>create((sink) -> {
			breakHandle();
			sink.next("a");
		});
		StepVerifier.create(this.work.flux(source))
			.expectErrorSatisfies((failure) -> assertThat(failure).isSameAs(this.fault))
			.verify(PATIENCE);
	}

	static class Work {

		@DistributedLock(key = "k")
		public String value(Supplier<String> work) {
			return work.get();
		}

		@DistributedLock(key = "k")
		public CompletableFuture<String> future(CompletableFuture<String> work) {
			return work;
		}

		@DistributedLock(key = "k")
		public Mono<String> mono(Mono<String> work) {
			return work;
		}

		@DistributedLock(key = "k")
		public Flux<String> flux(Flux<String> work) {
			return work;
		}

	}

}
