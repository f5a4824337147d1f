package io.github.zklock.aop;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.zklock.DelegatingLockHandle;
import io.github.zklock.DistributedLock;
import io.github.zklock.LockContext;
import io.github.zklock.LockLostException;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.OnLost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * A method that returns a future holds its lock until the future is complete.
 */
class DistributedLockFutureTests {

	private final LockedBeans beans = LockedBeans.of(Futures.class, Sync.class, Both.class, Concrete.class);

	private final Futures futures = this.beans.get(Futures.class);

	private final CompletableFuture<String> work = new CompletableFuture<>();

	@AfterEach
	void closeContext() {
		this.beans.close();
	}

	private boolean isHeld() {
		return this.beans.client().isHeld("k");
	}

	@Test
	void lockIsHeldUntilTheWorkIsDone() {
		CompletableFuture<String> result = this.futures.run(() -> this.work);
		assertThat(isHeld()).isTrue();
		assertThat(result).isNotDone();
		this.work.complete("done");
		assertThat(isHeld()).isFalse();
		assertThat(result).isCompletedWithValue("done");
		assertThat(this.beans.client().lastHandle().releases()).isOne();
	}

	@Test
	void lockIsReleasedBeforeTheCallerIsNotifiedOfTheEnd() {
		CompletableFuture<String> result = this.futures.run(() -> this.work);
		CompletableFuture<Boolean> heldAtTheEnd = result.thenApply((text) -> isHeld());
		this.work.complete("done");
		assertThat(heldAtTheEnd).isCompletedWithValue(false);
	}

	@Test
	void lockIsReleasedBeforeTheCallerIsNotifiedOfACancellation() {
		CompletableFuture<String> result = this.futures.run(() -> this.work);
		CompletableFuture<Boolean> heldAtTheEnd = result.handle((text, failure) -> isHeld());
		assertThat(result.cancel(true)).isTrue();
		assertThat(heldAtTheEnd).isCompletedWithValue(false);
	}

	@Test
	void failureOfTheWorkIsPassedOn() {
		CompletableFuture<String> result = this.futures.run(() -> this.work);
		this.work.completeExceptionally(new IllegalStateException("of the work"));
		assertThat(isHeld()).isFalse();
		assertThat(catchThrowable(result::join)).isInstanceOf(CompletionException.class)
			.hasCauseInstanceOf(IllegalStateException.class);
	}

	@Test
	void failureOfTheMethodItselfReleasesTheLock() {
		assertThatIllegalStateException().isThrownBy(() -> this.futures.run(() -> {
			throw new IllegalStateException("of the method");
		}));
		assertThat(isHeld()).isFalse();
	}

	@Test
	void missingFutureReleasesTheLock() {
		assertThat(this.futures.run(() -> null)).isNull();
		assertThat(isHeld()).isFalse();
	}

	@Test
	void stagesAreFollowedToo() {
		CompletionStage<String> result = this.futures.stage(this.work.minimalCompletionStage());
		assertThat(isHeld()).isTrue();
		this.work.complete("done");
		assertThat(isHeld()).isFalse();
		assertThat(result.toCompletableFuture()).isCompletedWithValue("done");
	}

	@Test
	void aStageThatCannotBeFollowedReleasesTheLock() {
		CompletionStage<String> closed = new CompletableFuture<>() {
			@Override
			public CompletableFuture<String> whenComplete(BiConsumer<? super String, ? super Throwable> action) {
				throw new IllegalStateException("of the stage");
			}
		};
		assertThatIllegalStateException().isThrownBy(() -> this.futures.stage(closed)).withMessage("of the stage");
		assertThat(isHeld()).isFalse();
		assertThatIllegalStateException().isThrownBy(() -> this.futures.undeclared(closed)).withMessage("of the stage");
		assertThat(isHeld()).isFalse();
	}

	@Test
	void aStageThatFailsWhenItHasNotifiedReleasesTheLockOnce() {
		CompletableFuture<String> done = new CompletableFuture<>() {
			@Override
			public CompletableFuture<String> whenComplete(BiConsumer<? super String, ? super Throwable> action) {
				action.accept("done", null);
				throw new IllegalStateException("of the stage");
			}
		};
		assertThatIllegalStateException().isThrownBy(() -> this.futures.stage(done)).withMessage("of the stage");
		assertThat(this.beans.client().lastHandle().releases()).isOne();
		assertThatIllegalStateException().isThrownBy(() -> this.futures.undeclared(done)).withMessage("of the stage");
		assertThat(this.beans.client().lastHandle().releases()).isOne();
	}

	@Test
	void futureThatTheMethodDoesNotDeclareIsRefusedButItsWorkIsLocked() {
		assertThatIllegalStateException().isThrownBy(() -> this.futures.undeclared(this.work))
			.withMessageEndingWith(
					"returned a CompletableFuture, whose work would run without the lock. Declare CompletableFuture or CompletionStage as the return type, which holds the lock until the work is done.");
		assertThat(isHeld()).isTrue();
		this.work.complete("done");
		assertThat(isHeld()).isFalse();
		assertThat(this.beans.client().lastHandle().releases()).isOne();
	}

	@Test
	void futureThatCannotReportItsEndIsRefusedAlsoWhenTheMethodDoesNotDeclareIt() {
		assertThatIllegalStateException().isThrownBy(() -> this.futures.undeclared(new FutureTask<>(() -> "never run")))
			.withMessageContaining("returned a FutureTask, whose work would run without the lock");
		assertThat(isHeld()).isFalse();
	}

	@Test
	void futureIsDeclaredAlsoByTheTypeThatTheClassGivesAVariable() {
		Concrete concrete = this.beans.get(Concrete.class);
		CompletableFuture<String> first = concrete.generic(this.work);
		assertThat(first).isNotDone();
		assertThat(concrete.generic(CompletableFuture.completedFuture("second"))).failsWithin(Duration.ofSeconds(1))
			.withThrowableThat()
			.withCauseInstanceOf(LockTimeoutException.class);
		this.work.complete("first");
		assertThat(first).isCompletedWithValue("first");
		assertThat(isHeld()).isFalse();
	}

	@Test
	void publisherThatTheMethodDoesNotDeclareIsRefused() {
		Flow.Publisher<String> publisher = (subscriber) -> subscriber.onComplete();
		assertThatIllegalStateException().isThrownBy(() -> this.futures.undeclared(publisher))
			.withMessageContaining("returned a publisher, whose work would run without the lock");
		assertThat(isHeld()).isFalse();
	}

	@Test
	void cancelReachesTheWork() {
		CompletableFuture<String> result = this.futures.run(() -> this.work);
		assertThat(result.cancel(true)).isTrue();
		assertThat(this.work).isCancelled();
		assertThat(isHeld()).isFalse();
	}

	@Test
	void workThatGoesOnWhenItsFutureIsCancelledHasLostItsLock() {
		CompletableFuture<String> result = this.futures.run(() -> this.work.copy());
		assertThat(result.cancel(true)).isTrue();
		assertThat(this.work).isNotDone();
		assertThat(isHeld()).isFalse();
	}

	@Test
	void cancelDoesNotReachTheWorkOfAMinimalStage() {
		CompletionStage<String> result = this.futures.stage(this.work.minimalCompletionStage());
		assertThat(result.toCompletableFuture().cancel(true)).isTrue();
		assertThat(result.toCompletableFuture()).isCancelled();
		assertThat(isHeld()).isTrue();
		this.work.complete("done");
		assertThat(isHeld()).isFalse();
	}

	@Test
	void cancelOfACopyDoesNotReachTheWork() {
		CompletableFuture<String> result = this.futures.run(() -> this.work);
		assertThat(result.copy().cancel(true)).isTrue();
		assertThat(this.work).isNotDone();
		assertThat(isHeld()).isTrue();
		this.work.complete("done");
		assertThat(isHeld()).isFalse();
	}

	@Test
	void timeoutOfTheCallerDoesNotEndTheHold() {
		CompletableFuture<String> result = this.futures.run(() -> this.work);
		result.completeExceptionally(new TimeoutException());
		assertThat(isHeld()).isTrue();
		this.work.complete("done");
		assertThat(isHeld()).isFalse();
	}

	@Test
	void lossIsReportedInsteadOfTheResult() {
		CompletableFuture<String> result = this.futures.run(() -> this.work);
		this.beans.client().lastHandle().lose();
		this.work.complete("done");
		assertThat(result).failsWithin(Duration.ofSeconds(1))
			.withThrowableThat()
			.withCauseInstanceOf(LockLostException.class);
	}

	@Test
	void lossNeitherCancelsTheWorkNorInterruptsAThread() {
		CompletableFuture<String> result = this.futures.interrupting(this.work);
		this.beans.client().lastHandle().lose();
		assertThat(this.work).isNotDone();
		assertThat(result).isNotDone();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		this.work.complete("done");
		assertThat(result).failsWithin(Duration.ofSeconds(1))
			.withThrowableThat()
			.withCauseInstanceOf(LockLostException.class);
	}

	@Test
	void lossIsAddedToTheFailure() {
		CompletableFuture<String> result = this.futures.run(() -> this.work);
		this.beans.client().lastHandle().lose();
		IllegalStateException failure = new IllegalStateException("of the work");
		this.work.completeExceptionally(failure);
		assertThat(result).isCompletedExceptionally();
		assertThat(failure.getSuppressed()).singleElement().isInstanceOf(LockLostException.class);
	}

	@Test
	void ofDependentWorkTheFailureIsNotThatOfTheFuture() {
		CompletableFuture<String> result = this.futures.run(() -> this.work.thenApply(String::trim));
		this.beans.client().lastHandle().lose();
		IllegalStateException failure = new IllegalStateException("of the work");
		this.work.completeExceptionally(failure);
		assertThat(catchThrowable(result::join)).hasCause(failure);
		assertThat(failure.getSuppressed()).singleElement().isInstanceOf(LockLostException.class);
		assertThat(this.beans.client().lastHandle().failure()).isSameAs(failure);
	}

	@Test
	void lossCanBeIgnored() {
		CompletableFuture<String> result = this.futures.ignoring(this.work);
		this.beans.client().lastHandle().lose();
		this.work.complete("done");
		assertThat(result).isCompletedWithValue("done");
	}

	@Test
	void threadThatIsFreeAgainDoesNotReenter() {
		CompletableFuture<String> first = this.futures.run(() -> this.work);
		CompletableFuture<String> second = this.futures.run(() -> CompletableFuture.completedFuture("second"));
		assertThat(second).failsWithin(Duration.ofSeconds(1))
			.withThrowableThat()
			.withCauseInstanceOf(LockTimeoutException.class);
		this.work.complete("first");
		assertThat(first).isCompletedWithValue("first");
	}

	@Test
	void lockedMethodThatTheMethodCallsReenters() {
		Sync sync = this.beans.get(Sync.class);
		CompletableFuture<String> result = this.futures.run(() -> CompletableFuture.completedFuture(sync.sameKey()));
		assertThat(result).isCompletedWithValue("same");
		assertThat(isHeld()).isFalse();
	}

	@Test
	void lockedMethodBelowOneThatAddsAKeyReenters() {
		Both both = this.beans.get(Both.class);
		Sync sync = this.beans.get(Sync.class);
		CompletableFuture<String> result = this.futures.run(() -> {
			this.work.complete(both.bothKeys(() -> sync.sameKey() + " and " + sync.otherKey()));
			return this.work;
		});
		assertThat(result).isCompletedWithValue("same and other");
		assertThat(this.beans.client().isHeld("other")).isFalse();
	}

	@Test
	void lockedMethodWithAFutureThatTheMethodCallsReenters() {
		CompletableFuture<String> result = this.futures.run(() -> this.futures.run(() -> this.work));
		assertThat(result).isNotDone();
		assertThat(isHeld()).isTrue();
		this.work.complete("inner");
		assertThat(result).isCompletedWithValue("inner");
		assertThat(isHeld()).isFalse();
	}

	@Test
	void innerFutureKeepsTheLockWhenTheOuterOneIsComplete() {
		CompletableFuture<String> result = this.futures.run(() -> {
			assertThat(this.futures.run(() -> this.work)).isNotDone();
			return CompletableFuture.completedFuture("outer");
		});
		assertThat(result).isCompletedWithValue("outer");
		assertThat(isHeld()).isTrue();
		this.work.complete("inner");
		assertThat(isHeld()).isFalse();
	}

	@Test
	void lockedMethodWithAnotherKeyBelongsToTheThread() {
		Sync sync = this.beans.get(Sync.class);
		CompletableFuture<String> result = this.futures.run(() -> CompletableFuture.completedFuture(sync.otherKey()));
		assertThat(result).isCompletedWithValue("other");
		assertThat(this.beans.client().lastRequest().owner()).isNull();
	}

	@Test
	void lockedMethodThatIsCalledLaterOnTheThreadDoesNotReenter() {
		CompletableFuture<String> result = this.futures.run(() -> this.work);
		assertThatExceptionOfType(LockTimeoutException.class).isThrownBy(this.beans.get(Sync.class)::sameKey);
		this.work.complete("done");
		assertThat(result).isDone();
	}

	@Test
	void behindTheHandleOfTheMethodIsThatOfTheClient() {
		CompletableFuture<String> result = this.futures.run(() -> {
			assertThat(DelegatingLockHandle.innermost(LockContext.current()))
				.isSameAs(this.beans.client().lastHandle());
			return CompletableFuture.completedFuture("done");
		});
		assertThat(result).isCompletedWithValue("done");
	}

	@Test
	void currentLockIsThatOfTheMethodWhileItRuns() {
		CompletableFuture<String> result = this.futures
			.run(() -> CompletableFuture.completedFuture(LockContext.current().key()));
		assertThat(result).isCompletedWithValue("k");
		assertThat(LockContext.find()).isEmpty();
	}

	static class Futures {

		@DistributedLock(key = "k", timeout = "0")
		public CompletableFuture<String> run(Supplier<CompletableFuture<String>> work) {
			return work.get();
		}

		@DistributedLock(key = "k", timeout = "0")
		public CompletionStage<String> stage(CompletionStage<String> work) {
			return work;
		}

		@DistributedLock(key = "k", timeout = "0")
		public Object undeclared(Object work) {
			return work;
		}

		@DistributedLock(key = "k", timeout = "0", onLost = OnLost.INTERRUPT)
		public CompletableFuture<String> interrupting(CompletableFuture<String> work) {
			return work;
		}

		@DistributedLock(key = "k", timeout = "0", onLost = OnLost.IGNORE)
		public CompletableFuture<String> ignoring(CompletableFuture<String> work) {
			return work;
		}

	}

	abstract static class Generic<T> {

		@DistributedLock(key = "k", timeout = "0")
		public T generic(T result) {
			return result;
		}

	}

	static class Concrete extends Generic<CompletableFuture<String>> {

	}

	static class Both {

		@DistributedLock(key = { "k", "other" }, timeout = "0")
		public String bothKeys(Supplier<String> work) {
			return work.get();
		}

	}

	static class Sync {

		@DistributedLock(key = "k", timeout = "0")
		public String sameKey() {
			return "same";
		}

		@DistributedLock(key = "other", timeout = "0")
		public String otherKey() {
			return "other";
		}

	}

}
