package io.github.zklock.aop;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;
import reactor.test.publisher.PublisherProbe;
import reactor.test.publisher.TestPublisher;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockContext;
import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.OnLost;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the attribute onLost promises for publishers.
 */
class DistributedLockPublisherLostTests {

	private final LockedBeans beans = LockedBeans.of(Losing.class);

	private final Losing losing = this.beans.get(Losing.class);

	private final TestPublisher<String> work = TestPublisher.create();

	@AfterEach
	void closeContext() {
		assertThat(this.beans.client().isHeld("k")).as("the lock is left").isFalse();
		this.beans.close();
	}

	private void lose() {
		this.beans.client().lastHandle().lose();
	}

	private void assertReleasedOnce() {
		assertThat(this.beans.client().handles()).singleElement().returns(1L, InMemoryLockClient.Handle::releases);
	}

	private static void isLoss(Throwable failure) {
		assertThat(failure).isExactlyInstanceOf(LockLostException.class)
			.hasMessageContaining("Lock 'k' was lost while")
			.hasMessageContaining("so its result is not returned");
	}

	@Test
	void throwCancelsTheWorkOfAMonoAndFailsAtOnce() {
		StepVerifier.create(this.losing.mono(this.work.mono()))
			.expectSubscription()
			.then(this::lose)
			.verifyErrorSatisfies(DistributedLockPublisherLostTests::isLoss);
		this.work.assertCancelled();
		assertReleasedOnce();
	}

	@Test
	void throwCancelsTheWorkOfAFluxAndFailsAtOnce() {
		StepVerifier.create(this.losing.flux(this.work.flux()))
			.then(() -> this.work.next("a"))
			.expectNext("a")
			.then(this::lose)
			.verifyErrorSatisfies(DistributedLockPublisherLostTests::isLoss);
		this.work.assertCancelled();
		assertReleasedOnce();
	}

	@Test
	void interruptDoesTheSame() {
		StepVerifier.create(this.losing.interrupting(this.work.mono()))
			.expectSubscription()
			.then(this::lose)
			.verifyErrorSatisfies(DistributedLockPublisherLostTests::isLoss);
		this.work.assertCancelled();
		assertReleasedOnce();
	}

	@Test
	void valueThatIsReadyButNotYetTheEndIsDiscarded() {
		List<Object> discarded = new ArrayList<>();
		TestPublisher<String> source = TestPublisher.createNoncompliant(TestPublisher.Violation.CLEANUP_ON_TERMINATE);
		StepVerifier.create(this.losing.mono(Mono.fromDirect(source)).doOnDiscard(String.class, discarded::add))
			.expectSubscription()
			.then(() -> source.next("value"))
			.then(this::lose)
			.verifyErrorSatisfies(DistributedLockPublisherLostTests::isLoss);
		assertThat(discarded).containsExactly("value");
	}

	@Test
	void valueIsNotEmittedWhenTheLeaseIsOverAlthoughNobodyHasReportedTheLossYet() {
		StepVerifier.create(this.losing.mono(this.work.mono()))
			.expectSubscription()
			.then(() -> this.beans.client().lastHandle().loseUnheard())
			.then(() -> this.work.emit("value"))
			.verifyErrorSatisfies(DistributedLockPublisherLostTests::isLoss);
	}

	@Test
	void valueIsDiscardedWhenTheLeaseIsOverAtTheEndOrTheWorkFailsAfterIt() {
		List<Object> discarded = new ArrayList<>();
		TestPublisher<String> first = TestPublisher.createNoncompliant(TestPublisher.Violation.CLEANUP_ON_TERMINATE);
		StepVerifier.create(this.losing.mono(Mono.fromDirect(first)).doOnDiscard(String.class, discarded::add))
			.expectSubscription()
			.then(() -> first.next("first"))
			.then(() -> this.beans.client().lastHandle().loseUnheard())
			.then(first::complete)
			.verifyErrorSatisfies(DistributedLockPublisherLostTests::isLoss);
		TestPublisher<String> second = TestPublisher.createNoncompliant(TestPublisher.Violation.CLEANUP_ON_TERMINATE);
		StepVerifier.create(this.losing.mono(Mono.fromDirect(second)).doOnDiscard(String.class, discarded::add))
			.expectSubscription()
			.then(() -> second.next("second"))
			.then(() -> second.error(new IllegalStateException("of the work")))
			.verifyErrorMessage("of the work");
		assertThat(discarded).containsExactly("first", "second");
	}

	@Test
	void emptyMonoFailsWhenTheLeaseIsOver() {
		StepVerifier.create(this.losing.mono(this.work.mono()))
			.expectSubscription()
			.then(() -> this.beans.client().lastHandle().loseUnheard())
			.then(this.work::complete)
			.verifyErrorSatisfies(DistributedLockPublisherLostTests::isLoss);
	}

	@Test
	void elementIsNotEmittedWhenTheLeaseIsOver() {
		List<Object> discarded = new ArrayList<>();
		StepVerifier.create(this.losing.flux(this.work.flux()).doOnDiscard(String.class, discarded::add))
			.then(() -> this.work.next("a"))
			.expectNext("a")
			.then(() -> this.beans.client().lastHandle().loseUnheard())
			.then(() -> this.work.next("b"))
			.verifyErrorSatisfies(DistributedLockPublisherLostTests::isLoss);
		this.work.assertCancelled();
		assertThat(discarded).containsExactly("b");
	}

	@Test
	void failureOfTheWorkWinsAndCarriesTheLoss() {
		StepVerifier.create(this.losing.mono(this.work.mono()))
			.expectSubscription()
			.then(() -> this.beans.client().lastHandle().loseUnheard())
			.then(() -> this.work.error(new IllegalStateException("of the work")))
			.verifyErrorSatisfies((failure) -> {
				assertThat(failure).hasMessage("of the work");
				assertThat(failure.getSuppressed()).singleElement().isInstanceOf(LockLostException.class);
			});
	}

	@Test
	void failureOfTheWorkAfterTheLossIsDropped() {
		TestPublisher<String> stubborn = TestPublisher.createNoncompliant(TestPublisher.Violation.CLEANUP_ON_TERMINATE);
		StepVerifier.create(this.losing.flux(stubborn.flux()))
			.expectSubscription()
			.then(this::lose)
			.then(() -> stubborn.error(new IllegalStateException("late")))
			.expectErrorSatisfies(DistributedLockPublisherLostTests::isLoss)
			.verifyThenAssertThat()
			.hasDroppedErrorWithMessage("late");
		assertReleasedOnce();
	}

	@Test
	void endOfTheWorkAfterTheLossIsNotReported() {
		TestPublisher<String> stubborn = TestPublisher.createNoncompliant(TestPublisher.Violation.CLEANUP_ON_TERMINATE);
		StepVerifier.create(this.losing.mono(Mono.fromDirect(stubborn)))
			.expectSubscription()
			.then(this::lose)
			.then(() -> stubborn.emit("late"))
			.verifyErrorSatisfies(DistributedLockPublisherLostTests::isLoss);
		assertReleasedOnce();
	}

	@Test
	void whatIsLostBeforeTheMethodBeginsKeepsItFromRunning() {
		this.beans.client().loseAll();
		PublisherProbe<String> made = PublisherProbe.of(Mono.just("value"));
		List<LockHandle> begun = new ArrayList<>();
		StepVerifier.create(this.losing.assembling(begun::add, made.mono()))
			.verifyErrorSatisfies((failure) -> assertThat(failure).isExactlyInstanceOf(LockLostException.class)
				.hasMessageContaining("began, which has not run")
				.matches((lost) -> !((LockLostException) lost).mayHaveTakenEffect()));
		assertThat(begun).isEmpty();
		made.assertWasNotSubscribed();
		assertReleasedOnce();
		StepVerifier.create(this.losing.ignoring(made.flux())).verifyError(LockLostException.class);
		made.assertWasNotSubscribed();
	}

	@Test
	void lossWhileTheMethodRunsIsReportedWhenItHasReturned() {
		PublisherProbe<String> made = PublisherProbe.of(Mono.just("value"));
		StepVerifier.create(this.losing.assembling((handle) -> lose(), made.mono()))
			.verifyErrorSatisfies(DistributedLockPublisherLostTests::isLoss);
		made.assertWasNotSubscribed();
		assertReleasedOnce();
	}

	@Test
	void lockThatIsLostWithinTheSubscriptionIsReleasedAfterIt() {
		List<Long> released = new ArrayList<>();
		StepVerifier.create(this.losing.mono(Mono.fromCallable(() -> {
			lose();
			released.add(this.beans.client().lastHandle().releases());
			return "value";
		}))).verifyErrorSatisfies(DistributedLockPublisherLostTests::isLoss);
		assertThat(released).containsExactly(0L);
		assertReleasedOnce();
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void ignoreLetsTheWorkGoOnAndLogsIt(CapturedOutput output) {
		StepVerifier.create(this.losing.ignoring(this.work.flux()))
			.expectSubscription()
			.then(this::lose)
			.then(() -> this.work.next("a").complete())
			.expectNext("a")
			.verifyComplete();
		assertThat(output).contains("WARN").contains("its outcome is kept, because onLost = IGNORE");
	}

	@Test
	void lossAfterTheEndIsNobodysConcern() {
		StepVerifier.create(this.losing.mono(Mono.just("done"))).expectNext("done").verifyComplete();
		lose();
		assertReleasedOnce();
	}

	@Test
	void earlyReleaseIsNoLoss() {
		StepVerifier.create(this.losing.flux(Flux.just("a", "b")
			.concatWith(ReactiveLockContext.current().doOnNext(LockHandle::release).then(Mono.empty()))
			.concatWithValues("c"))).expectNext("a", "b", "c").verifyComplete();
	}

	static class Losing {

		@DistributedLock(key = "k")
		public Mono<String> mono(Mono<String> work) {
			return work;
		}

		@DistributedLock(key = "k")
		public Mono<String> assembling(Consumer<LockHandle> body, Mono<String> work) {
			body.accept(LockContext.current());
			return work;
		}

		@DistributedLock(key = "k")
		public Flux<String> flux(Flux<String> work) {
			return work;
		}

		@DistributedLock(key = "k", onLost = OnLost.INTERRUPT)
		public Mono<String> interrupting(Mono<String> work) {
			return work;
		}

		@DistributedLock(key = "k", onLost = OnLost.IGNORE)
		public Flux<String> ignoring(Flux<String> work) {
			return work;
		}

	}

}
