package io.github.zklock.aop;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockException;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.OnBusy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What the attributes onBusy and fallback promise.
 */
class DistributedLockBusyTests {

	private final LockedBeans beans = LockedBeans.of(Busy.class);

	private final Busy busy = this.beans.get(Busy.class);

	@AfterEach
	void closeContext() {
		this.beans.close();
	}

	@Test
	void throwsWhenBusy() {
		this.beans.client().holdByAnother("k");
		assertThatExceptionOfType(LockTimeoutException.class).isThrownBy(this.busy::throwing);
		assertThat(this.busy.hasRun()).isFalse();
	}

	@Test
	void skipReturnsTheEmptyValueOfTheReturnType() {
		this.beans.client().holdByAnother("k");
		assertThat(this.busy.skippedText()).isNull();
		assertThat(this.busy.skippedWrapper()).isNull();
		assertThat(this.busy.skippedOptional()).isEmpty();
		assertThat(this.busy.skippedOptionalInt()).isEmpty();
		assertThat(this.busy.skippedOptionalLong()).isEmpty();
		assertThat(this.busy.skippedFuture()).isCompletedWithValue(null);
		assertThat(this.busy.skippedFutureOfOptional()).isCompletedWithValue(Optional.empty());
		this.busy.skippedVoid();
		assertThat(this.busy.hasRun()).isFalse();
	}

	@Test
	void skipRunsTheMethodWhenFree() {
		assertThat(this.busy.skippedText()).isEqualTo("ran");
		assertThat(this.beans.client().lastHandle().releases()).isOne();
	}

	@Test
	void skipDoesNotHideThatZooKeeperIsAway() {
		this.beans.client().failWith(new LockUnavailableException("away"));
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(this.busy::skippedText);
	}

	@Test
	void fallbackIsCalledWithTheSameArguments() {
		this.beans.client().holdByAnother("k");
		assertThat(this.busy.withFallback("a", 1)).isEqualTo("fallback a1");
		assertThat(this.busy.hasRun()).isFalse();
	}

	@Test
	void fallbackMayTakeTheException() {
		this.beans.client().holdByAnother("k");
		assertThat(this.busy.withExplainedFallback("a")).isEqualTo("a: Could not acquire lock 'k'");
		assertThat(this.busy.withGeneralFallback("a")).isEqualTo("LockTimeoutException");
	}

	@Test
	void ofAMethodWithoutResultTheFallbackMayHaveOne() {
		this.beans.client().holdByAnother("k");
		this.busy.withFallbackThatCounts();
		assertThat(this.busy.hasRun()).isFalse();
		assertThat(this.busy.counted()).isOne();
	}

	@Test
	void fallbackMayTakeWhatTheClassGivesATypeVariable() {
		try (LockedBeans beans = LockedBeans.of(Texts.class)) {
			beans.client().holdByAnother("k");
			assertThat(beans.get(Texts.class).work("a")).isEqualTo("busy a");
		}
	}

	@Test
	void fallbackIsNotCalledWhenFree() {
		assertThat(this.busy.withFallback("a", 1)).isEqualTo("ran");
	}

	@Test
	void fallbackIsNotCalledWhenZooKeeperIsAway() {
		this.beans.client().failWith(new LockUnavailableException("away"));
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.busy.withFallback("a", 1));
	}

	@Test
	void fallbackIsNotCalledForATimeoutOfTheMethodItself() {
		assertThatExceptionOfType(LockTimeoutException.class).isThrownBy(() -> this.busy.timesOutItself("a"))
			.withMessage("inner");
		assertThat(this.beans.client().lastHandle().releases()).isOne();
	}

	@Test
	void fallbackThrowsItsOwnException() {
		this.beans.client().holdByAnother("k");
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(this.busy::withFailingFallback);
	}

	@Test
	void futureFailsWhenBusy() {
		this.beans.client().holdByAnother("k");
		assertThat(this.busy.future()).isCompletedExceptionally()
			.failsWithin(Duration.ofSeconds(1))
			.withThrowableThat()
			.withCauseInstanceOf(LockTimeoutException.class);
	}

	@Test
	void futureFailsWhenZooKeeperIsAway() {
		this.beans.client().failWith(new LockUnavailableException("away"));
		assertThat(this.busy.future()).failsWithin(Duration.ofSeconds(1))
			.withThrowableThat()
			.withCauseInstanceOf(LockUnavailableException.class);
	}

	@Test
	void interruptWhileWaitingReachesAMethodThatDeclaresIt() {
		this.beans.client().holdByAnother("k");
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(this.busy::interruptible);
		assertThat(Thread.interrupted()).isFalse();
	}

	@Test
	void interruptWhileWaitingReachesAMethodThatDeclaresAllExceptions() {
		this.beans.client().holdByAnother("k");
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(this.busy::throwingAll);
		assertThat(Thread.interrupted()).isFalse();
	}

	@Test
	void interruptWhileWaitingIsKeptForAMethodThatDoesNotDeclareIt() {
		this.beans.client().holdByAnother("k");
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(LockException.class).isThrownBy(this.busy::throwing)
			.isExactlyInstanceOf(LockException.class)
			.withMessageContaining("Interrupted while waiting for lock 'k'")
			.withCauseInstanceOf(InterruptedException.class);
		assertThat(Thread.interrupted()).isTrue();
		assertThat(this.busy.hasRun()).isFalse();
	}

	@Test
	void allKeysOfACallThatIsInterruptedAreNamed() {
		this.beans.client().holdByAnother("k");
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(LockException.class).isThrownBy(this.busy::ofTwo)
			.withMessageContaining("Interrupted while waiting for locks [k, other]; nothing is held");
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void releaseNeverMasksTheResult() {
		this.beans.client().failReleaseWith(new IllegalStateException("release"));
		assertThat(this.busy.skippedText()).isEqualTo("ran");
	}

	@Test
	void releaseNeverMasksTheException() {
		this.beans.client().failReleaseWith(new IllegalStateException("release"));
		assertThatExceptionOfType(LockTimeoutException.class).isThrownBy(() -> this.busy.timesOutItself("a"))
			.withMessage("inner");
	}

	abstract static class Generic<T> {

		@DistributedLock(key = "k", timeout = "0", fallback = "busy")
		public String work(T argument) {
			return "worked with " + argument;
		}

	}

	static class Texts extends Generic<String> {

		String busy(String argument) {
			return "busy " + argument;
		}

	}

	static class Busy {

		private boolean ran;

		private int counted;

		boolean hasRun() {
			return this.ran;
		}

		int counted() {
			return this.counted;
		}

		@DistributedLock(key = "k", timeout = "0")
		public void throwing() {
			this.ran = true;
		}

		@DistributedLock(key = { "k", "other" })
		public void ofTwo() {
			this.ran = true;
		}

		@DistributedLock(key = "k")
		public void interruptible() throws InterruptedException {
			this.ran = true;
		}

		@DistributedLock(key = "k")
		public void throwingAll() throws Exception {
			this.ran = true;
		}

		@DistributedLock(key = "k", timeout = "0", onBusy = OnBusy.SKIP)
		public void skippedVoid() {
			this.ran = true;
		}

		@DistributedLock(key = "k", timeout = "0", onBusy = OnBusy.SKIP)
		public String skippedText() {
			this.ran = true;
			return "ran";
		}

		@DistributedLock(key = "k", timeout = "0", onBusy = OnBusy.SKIP)
		public Integer skippedWrapper() {
			this.ran = true;
			return 1;
		}

		@DistributedLock(key = "k", timeout = "0", onBusy = OnBusy.SKIP)
		public Optional<String> skippedOptional() {
			this.ran = true;
			return Optional.of("ran");
		}

		@DistributedLock(key = "k", timeout = "0", onBusy = OnBusy.SKIP)
		public OptionalInt skippedOptionalInt() {
			this.ran = true;
			return OptionalInt.of(1);
		}

		@DistributedLock(key = "k", timeout = "0", onBusy = OnBusy.SKIP)
		public OptionalLong skippedOptionalLong() {
			this.ran = true;
			return OptionalLong.of(1);
		}

		@DistributedLock(key = "k", timeout = "0", onBusy = OnBusy.SKIP)
		public CompletableFuture<List<String>> skippedFuture() {
			this.ran = true;
			return CompletableFuture.completedFuture(List.of());
		}

		@DistributedLock(key = "k", timeout = "0", onBusy = OnBusy.SKIP)
		public CompletableFuture<Optional<String>> skippedFutureOfOptional() {
			this.ran = true;
			return CompletableFuture.completedFuture(Optional.of("ran"));
		}

		@DistributedLock(key = "k", timeout = "0")
		public CompletableFuture<String> future() {
			this.ran = true;
			return CompletableFuture.completedFuture("ran");
		}

		@DistributedLock(key = "k", timeout = "0", fallback = "instead")
		public String withFallback(String text, int number) {
			this.ran = true;
			return "ran";
		}

		@SuppressWarnings("UnusedMethod")
		private String instead(String text, int number) {
			return "fallback " + text + number;
		}

		@DistributedLock(key = "k", timeout = "0", fallback = "explain")
		public String withExplainedFallback(String text) {
			this.ran = true;
			return "ran";
		}

		String explain(String text) {
			return "the one without the exception";
		}

		String explain(String text, LockTimeoutException cause) {
			return text + ": " + cause.getMessage();
		}

		@DistributedLock(key = "k", timeout = "0", fallback = "general")
		public CharSequence withGeneralFallback(String text) {
			return "ran";
		}

		static String general(String text, Exception cause) {
			return cause.getClass().getSimpleName();
		}

		@DistributedLock(key = "k", timeout = "0", fallback = "count")
		public void withFallbackThatCounts() {
			this.ran = true;
		}

		int count() {
			return ++this.counted;
		}

		@DistributedLock(key = "k", timeout = "0", fallback = "timesOutFallback")
		public String timesOutItself(String text) {
			throw new LockTimeoutException("inner");
		}

		String timesOutFallback(String text) {
			return "fallback";
		}

		@DistributedLock(key = "k", timeout = "0", fallback = "failing")
		public void withFailingFallback() {
		}

		void failing() {
			throw new UnsupportedOperationException();
		}

	}

}
