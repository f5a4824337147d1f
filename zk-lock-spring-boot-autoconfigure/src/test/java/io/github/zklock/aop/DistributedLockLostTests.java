package io.github.zklock.aop;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockContext;
import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.OnLost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * What the attribute onLost promises.
 */
class DistributedLockLostTests {

	private final LockedBeans beans = LockedBeans.of(Losing.class);

	private final Losing losing = this.beans.get(Losing.class);

	@AfterEach
	void closeContext() {
		assertThat(Thread.interrupted()).as("no interrupt is left on the thread").isFalse();
		this.beans.close();
	}

	private void lose() {
		this.beans.client().lastHandle().lose();
	}

	private void loseElsewhere() {
		Thread other = new Thread(this::lose);
		other.start();
		boolean joined = false;
		while (!joined) {
			try {
				other.join();
				joined = true;
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				joined = !other.isAlive();
			}
		}
	}

	@Test
	void throwGivesAnExceptionInsteadOfTheResult() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.losing.throwing(this::lose))
			.withMessageContaining("Lock 'k' was lost while")
			.withMessageContaining("Losing.throwing(Runnable) ran")
			.withNoCause();
		assertThat(this.beans.client().lastHandle().releases()).isOne();
	}

	@Test
	void whatIsLostBeforeTheMethodBeginsKeepsItFromRunning() {
		this.beans.client().loseAll();
		AtomicInteger runs = new AtomicInteger();
		List<ThrowingCallable> calls = List.of(() -> this.losing.throwing(runs::incrementAndGet),
				() -> this.losing.ignoring(runs::incrementAndGet), () -> this.losing.waiting(runs::incrementAndGet),
				this.losing.future(runs::incrementAndGet)::get);
		calls.forEach((call) -> assertThat(catchThrowable(call))
			.satisfiesAnyOf((thrown) -> assertThat(thrown).isInstanceOf(LockLostException.class),
					(thrown) -> assertThat(thrown).hasCauseInstanceOf(LockLostException.class))
			.hasMessageContaining("Lock 'k' was lost before")
			.hasMessageContaining("began, which has not run"));
		assertThat(runs).hasValue(0);
		assertThat(this.beans.client().handles()).hasSize(4)
			.allSatisfy((handle) -> assertThat(handle.releases()).isOne())
			.allSatisfy((handle) -> assertThat(handle.failure()).isInstanceOf(LockLostException.class));
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void allKeysAreNamed(CapturedOutput output) {
		String name = "A hold of locks [k, other] was lost ";
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.losing.throwingOfTwo(this::lose))
			.withMessageContaining(name + "while ")
			.withMessageContaining("Losing.throwingOfTwo(Runnable) ran");
		assertThat(this.losing.ignoringOfTwo(this::lose)).isEqualTo("result");
		assertThat(output).contains(name + "while ");
		this.beans.client().failReleaseWith(new IllegalStateException("release"));
		assertThat(this.losing.ignoringOfTwo(() -> {
		})).isEqualTo("result");
		assertThat(output).contains("Could not release locks [k, other] of ");
		this.beans.client().failReleaseWith(null);
		this.beans.client().loseAll();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.losing.throwingOfTwo(this::lose))
			.withMessageContaining(name + "before ");
	}

	@Test
	void throwDoesNotInterrupt() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.losing.throwing(() -> {
			lose();
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
		}));
	}

	@Test
	void exceptionOfTheMethodWinsAndCarriesTheLoss() {
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> this.losing.throwing(() -> {
			lose();
			throw new IllegalStateException("of the method");
		}))
			.withMessage("of the method")
			.satisfies((ex) -> assertThat(ex.getSuppressed()).singleElement().isInstanceOf(LockLostException.class));
	}

	@Test
	void exceptionOfTheMethodIsUntouchedWhenNothingIsLost() {
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> this.losing.throwing(() -> {
			throw new IllegalStateException("of the method");
		})).satisfies((ex) -> assertThat(ex.getSuppressed()).isEmpty());
		assertThat(this.beans.client().lastHandle().releases()).isOne();
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void ignoreReturnsTheResultAndLogsIt(CapturedOutput output) {
		assertThat(this.losing.ignoring(this::lose)).isEqualTo("result");
		assertThat(output).contains("WARN")
			.contains("Lock 'k' was lost while")
			.contains("its outcome is kept, because onLost = IGNORE");
	}

	@Test
	void ignoreLeavesTheExceptionOfTheMethodAlone() {
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> this.losing.ignoring(() -> {
			lose();
			throw new IllegalStateException("of the method");
		})).satisfies((ex) -> assertThat(ex.getSuppressed()).isEmpty());
	}

	@Test
	void interruptWakesTheMethodAndTheLossIsThrown() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.losing.waiting(this::lose))
			.withCauseInstanceOf(InterruptedException.class);
	}

	private void lose(int... handles) {
		for (int handle : handles) {
			this.beans.client().handles().get(handle).lose();
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void methodAroundAnInterruptedOneIsInterruptedToo(boolean innerFirst) {
		int inner = innerFirst ? 1 : 0;
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.losing.interrupting(() -> {
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> this.losing.waitingInside(() -> lose(inner, 1 - inner)))
				.withMessageContaining("Lock 'inner' was lost")
				.withCauseInstanceOf(InterruptedException.class);
			assertThat(Thread.currentThread().isInterrupted()).isTrue();
		})).withMessageContaining("Lock 'k' was lost").withNoCause();
	}

	@Test
	void interruptThatTheMethodDidNotNoticeIsCleared() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.losing.interrupting(() -> {
			loseElsewhere();
			assertThat(Thread.currentThread().isInterrupted()).isTrue();
		}));
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void interruptIsClearedAlsoWhenTheMethodThrows() {
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> this.losing.interrupting(() -> {
			loseElsewhere();
			throw new IllegalStateException("of the method");
		})).satisfies((ex) -> assertThat(ex.getSuppressed()).singleElement().isInstanceOf(LockLostException.class));
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void interruptOfAnotherThreadStays() {
		assertThat(this.losing.interrupting(() -> Thread.currentThread().interrupt())).isEqualTo("result");
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void interruptNeverComesAfterTheMethod() {
		assertThat(this.losing.interrupting(() -> {
		})).isEqualTo("result");
		loseElsewhere();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void interruptSentByTheUserThroughTheThreadIsThrownAsItIs() {
		assertThatExceptionOfType(InterruptedException.class)
			.isThrownBy(() -> this.losing.waiting(() -> Thread.currentThread().interrupt()))
			.satisfies((ex) -> assertThat(ex.getSuppressed()).isEmpty());
	}

	@Test
	void listenersOfTheMethodAreNotifiedOfTheLoss() {
		CountDownLatch heard = new CountDownLatch(1);
		assertThat(this.losing.ignoring(() -> {
			LockContext.current().onLost(heard::countDown);
			lose();
			assertThat(LockContext.current().isHeld()).isFalse();
		})).isEqualTo("result");
		assertThat(heard.getCount()).isZero();
	}

	@Test
	void aReleaseByAnotherThreadInTheMomentOfTheEndIsNoLoss() {
		assertThat(this.losing.throwing(() -> {
			LockHandle own = LockContext.current();
			this.beans.client().lastHandle().whenAsked(own::release);
		})).isEqualTo("result");
	}

	@Test
	void anEarlyReleaseIsNoLoss() {
		assertThat(this.losing.throwing(() -> LockContext.current().release())).isEqualTo("result");
		assertThat(this.losing.throwing(() -> LockContext.current().releaseAsync().join())).isEqualTo("result");
	}

	@Test
	void aReleaseOfALockThatIsLostDoesNotHideTheLoss() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.losing.throwing(() -> {
			lose();
			LockContext.current().release();
		}));
	}

	static class Losing {

		@DistributedLock(key = "k")
		public String throwing(Runnable work) {
			work.run();
			return "result";
		}

		@DistributedLock(key = "k", onLost = OnLost.IGNORE)
		public String ignoring(Runnable work) {
			work.run();
			return "result";
		}

		@DistributedLock(key = { "k", "other" })
		public String throwingOfTwo(Runnable work) {
			work.run();
			return "result";
		}

		@DistributedLock(key = { "k", "other" }, onLost = OnLost.IGNORE)
		public String ignoringOfTwo(Runnable work) {
			work.run();
			return "result";
		}

		@DistributedLock(key = "k", onLost = OnLost.INTERRUPT)
		public String interrupting(Runnable work) {
			work.run();
			return "result";
		}

		@DistributedLock(key = "k")
		public CompletableFuture<String> future(Runnable work) {
			work.run();
			return CompletableFuture.completedFuture("result");
		}

		@DistributedLock(key = "inner", onLost = OnLost.INTERRUPT)
		public void waitingInside(Runnable work) throws InterruptedException {
			waiting(work);
		}

		@DistributedLock(key = "k", onLost = OnLost.INTERRUPT)
		public void waiting(Runnable work) throws InterruptedException {
			work.run();
			new CountDownLatch(1).await();
		}

	}

}
