package io.github.zklock.internal.client;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.zklock.Handoff;
import io.github.zklock.LockException;
import io.github.zklock.LockHandle;
import io.github.zklock.LockListener;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LostReason;
import io.github.zklock.fixture.MemoryStrategy;
import io.github.zklock.internal.client.HoldInterleavingTests.MemoryLocalGrant;
import io.github.zklock.internal.cohort.Cohorts;
import io.github.zklock.internal.concurrent.Deadline;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.concurrent.Unstartable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Callers of a client for whose timer the system has no thread, and futures that are
 * cancelled behind the grant.
 */
class LockAcquirerTests implements LockListener {

	private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

	private final List<String> notified = new ArrayList<>();

	private final StepFailures failures = new StepFailures();

	private final MemoryStrategy strategy = new MemoryStrategy(true);

	private final OpenAcquisitions open = new OpenAcquisitions(DirectReports.to(this.failures, this), new NobodyWaits(),
			Unstartable.timer(this.failures), () -> "servers");

	private final LockAcquirer acquirer = acquirer(this.strategy, Runnable::run);

	private CompletableFuture<Void> closing = new CompletableFuture<>();

	private Runnable whenAcquired = () -> {
	};

	@Test
	void aFutureWhoseDeadlineCannotBeTimedFailsAndNothingIsHeld() {
		MemoryStrategy others = new MemoryStrategy(false);
		CompletableFuture<LockHandle> future = acquirer(others, Runnable::run)
			.acquireAsync(LockRequest.exclusive("key"));
		assertThat(future).isCompletedExceptionally();
		others.grantFirst();
		assertThat(others.length()).isZero();
		assertThat(this.open.count()).isZero();
		assertThat(this.notified).containsExactly("asked", "notAcquired");
	}

	@Test
	@Tag("Acquisition.I3")
	void whatWasGrantedToAFutureThatIsCancelledIsReleasedAtOnce() {
		Queue<Runnable> callbacks = new ArrayDeque<>();
		LockAcquirer acquiring = acquirer(this.strategy, callbacks::add);
		CompletableFuture<LockHandle> future = acquiring.acquireAsync(LockRequest.exclusive("key"));
		assertThat(this.open.count()).isEqualTo(1);
		future.cancel(false);
		assertThat(this.strategy.length()).isZero();
		assertThat(this.open.count()).isZero();
		callbacks.forEach(Runnable::run);
		assertThat(this.notified).containsExactly("asked", "acquired", "released");
	}

	@Test
	@Tag("Acquisition.I3")
	void nobodyLosesWhatWasGrantedToAFutureThatIsCancelled() {
		MemoryStrategy others = new MemoryStrategy(false);
		CompletableFuture<LockHandle> future = acquirer(others, Runnable::run)
			.acquireAsync(LockRequest.exclusive("key").timeout(FOREVER));
		this.whenAcquired = () -> {
			future.cancel(false);
			this.closing = this.open.close();
		};
		others.grantFirst();
		assertThat(this.closing).isCompleted();
		assertThat(others.length()).isZero();
		assertThat(this.open.count()).isZero();
		assertThat(this.notified).containsExactly("asked", "acquired", "released");
	}

	@Test
	@Tag("Acquisition.I3")
	void aFutureThatTheUserHasCompletedDoesNotKeepWhatWasGranted() {
		Queue<Runnable> callbacks = new ArrayDeque<>();
		CompletableFuture<LockHandle> future = acquirer(this.strategy, callbacks::add)
			.acquireAsync(LockRequest.exclusive("key"));
		future.complete(null);
		assertThat(this.strategy.length()).isZero();
		callbacks.forEach(Runnable::run);
		assertThat(this.notified).containsExactly("asked", "acquired", "released");
	}

	@Test
	@Tag("CallersFuture.I1")
	void whoGivesUpHasLeftBeforeItsOwnStagesRun() {
		List<Consumer<CompletableFuture<LockHandle>>> ends = List.of((future) -> future.cancel(false),
				(future) -> future.complete(null), (future) -> future.completeExceptionally(new TimeoutException()),
				(future) -> future.completeAsync(() -> null, Runnable::run), (future) -> future.completeAsync(() -> {
					throw new IllegalStateException("planted");
				}, Runnable::run), (future) -> future.obtrudeValue(null),
				(future) -> future.obtrudeException(new TimeoutException()));
		for (Consumer<CompletableFuture<LockHandle>> end : ends) {
			MemoryStrategy others = new MemoryStrategy(false);
			CompletableFuture<LockHandle> future = acquirer(others, Runnable::run)
				.acquireAsync(LockRequest.exclusive("key").timeout(FOREVER));
			List<Integer> lengths = new ArrayList<>();
			CompletableFuture<Boolean> stage = future.handle((handle, failure) -> lengths.add(others.length()));
			end.accept(future);
			assertThat(stage).isCompleted();
			assertThat(lengths).containsExactly(0);
			assertThat(this.open.count()).isZero();
		}
	}

	@Test
	@Tag("CallersFuture.I1")
	void whoGivesUpBehindTheGrantHasReleasedBeforeItsOwnStagesRun() {
		Queue<Runnable> callbacks = new ArrayDeque<>();
		CompletableFuture<LockHandle> future = acquirer(this.strategy, callbacks::add)
			.acquireAsync(LockRequest.exclusive("key"));
		List<Integer> lengths = new ArrayList<>();
		CompletableFuture<Boolean> stage = future.handle((handle, failure) -> lengths.add(this.strategy.length()));
		future.cancel(false);
		assertThat(stage).isCompleted();
		assertThat(lengths).containsExactly(0);
	}

	@Test
	@Tag("CallersFuture.I2")
	void whoGivesUpGetsNoOutcomeOfOurs() {
		MemoryStrategy others = new MemoryStrategy(false);
		CompletableFuture<LockHandle> future = acquirer(others, Runnable::run)
			.acquireAsync(LockRequest.exclusive("key").timeout(FOREVER));
		TimeoutException own = new TimeoutException();
		assertThat(future.completeExceptionally(own)).isTrue();
		others.grantFirst();
		assertThat(future.cancel(false)).isFalse();
		assertThat(future.handle((handle, failure) -> failure)).isCompletedWithValue(own);
		assertThat(this.open.count()).isZero();
	}

	@Test
	@Tag("CallersFuture.I2")
	void whatIsGrantedToAFutureThatIsCompletedOtherwiseIsReleased() {
		MemoryStrategy others = new MemoryStrategy(false);
		CompletableFuture<LockHandle> waiting = acquirer(others, Runnable::run)
			.acquireAsync(LockRequest.exclusive("key").timeout(FOREVER));
		waiting.completeAsync(() -> null, Runnable::run);
		assertThat(others.length()).isZero();
		Queue<Runnable> callbacks = new ArrayDeque<>();
		CompletableFuture<LockHandle> granted = acquirer(this.strategy, callbacks::add)
			.acquireAsync(LockRequest.exclusive("key"));
		granted.obtrudeException(new TimeoutException());
		callbacks.forEach(Runnable::run);
		assertThat(this.strategy.length()).isZero();
		assertThat(this.open.count()).isZero();
	}

	@Test
	void aCopyThatIsCancelledKeepsNobodyFromTheHandle() throws Exception {
		MemoryStrategy others = new MemoryStrategy(false);
		CompletableFuture<LockHandle> future = acquirer(others, Runnable::run)
			.acquireAsync(LockRequest.exclusive("key").timeout(FOREVER));
		assertThat(future.copy().cancel(false)).isTrue();
		assertThat(future.minimalCompletionStage().toCompletableFuture().cancel(false)).isTrue();
		CompletableFuture<LockHandle> copy = future.copy();
		others.grantFirst();
		assertThat(future).isCompleted();
		assertThat(copy).isCompletedWithValue(future.join());
		copy.join().release();
		assertThat(others.length()).isZero();
		assertThat(this.open.count()).isZero();
	}

	@Test
	void aCopyEndsWithTheFutureThatIsCancelled() {
		MemoryStrategy others = new MemoryStrategy(false);
		CompletableFuture<LockHandle> future = acquirer(others, Runnable::run)
			.acquireAsync(LockRequest.exclusive("key").timeout(FOREVER));
		CompletableFuture<LockHandle> copy = future.copy();
		CompletableFuture<LockHandle> minimal = future.minimalCompletionStage().toCompletableFuture();
		future.cancel(false);
		assertThat(copy).isCompletedExceptionally();
		assertThat(minimal).isCompletedExceptionally();
		assertThat(others.length()).isZero();
		assertThat(this.open.count()).isZero();
	}

	@Test
	void aFutureThatIsCancelledNeedsNoCallback() {
		MemoryStrategy others = new MemoryStrategy(false);
		Queue<Runnable> callbacks = new ArrayDeque<>();
		CompletableFuture<LockHandle> future = acquirer(others, callbacks::add)
			.acquireAsync(LockRequest.exclusive("key").timeout(FOREVER));
		future.cancel(false);
		assertThat(others.length()).isZero();
		assertThat(callbacks).isEmpty();
		assertThat(this.notified).containsExactly("asked", "notAcquired");
	}

	@Test
	void whatCannotBeLimitedIsNotAcquired() {
		LockRequest request = LockRequest.exclusive("key").maxHold(Duration.ofMinutes(1));
		assertThatExceptionOfType(LockException.class).isThrownBy(() -> this.acquirer.acquire(request))
			.withCauseInstanceOf(OutOfMemoryError.class);
		assertThat(this.strategy.length()).isZero();
		assertThat(this.open.count()).isZero();
		assertThat(this.notified).containsExactly("asked", "notAcquired");
	}

	@Test
	void whatCannotBeLimitedIsNotEnteredAgain() throws Exception {
		LockRequest request = LockRequest.exclusive("key");
		LockHandle outer = this.acquirer.acquire(request);
		assertThatExceptionOfType(LockException.class)
			.isThrownBy(() -> this.acquirer.acquire(request.maxHold(Duration.ofMinutes(1))))
			.withCauseInstanceOf(OutOfMemoryError.class);
		assertThat(this.notified).containsExactly("asked", "acquired", "asked", "notAcquired");
		assertThat(outer.isHeld()).isTrue();
		outer.release();
		assertThat(this.strategy.length()).isZero();
		assertThat(this.open.count()).isZero();
	}

	@Test
	@Tag("CallersFuture.I2")
	void whatIsBroughtWhileTheUserGivesUpIsNotTheOutcome() {
		List<Consumer<CallersFuture>> outcomes = List.of((users) -> users.fail(new LockException("ours")),
				(users) -> assertThat(users.answer(null)).isFalse());
		for (Consumer<CallersFuture> outcome : outcomes) {
			CallersFuture users = new CallersFuture();
			users.onGivenUp((cause) -> outcome.accept(users));
			TimeoutException own = new TimeoutException();
			assertThat(users.completeExceptionally(own)).isTrue();
			assertThat(users.handle((handle, failure) -> failure)).isCompletedWithValue(own);
		}
	}

	@Test
	@Tag("CallersFuture.I2")
	void whatIsBroughtBehindAnOutcomeOfTheUserIsReleased() {
		Queue<Runnable> callbacks = new ArrayDeque<>();
		CompletableFuture<LockHandle> future = acquirer(this.strategy, callbacks::add)
			.acquireAsync(LockRequest.exclusive("key"));
		CompletableFuture<Void> stage = future.thenRun(() -> callbacks.remove().run());
		future.completeAsync(() -> null, Runnable::run);
		assertThat(stage).isCompleted();
		assertThat(this.strategy.length()).isZero();
		assertThat(this.open.count()).isZero();
	}

	@Test
	@Tag("OpenAcquisitions.I2")
	void aLossIsReportedBehindTheGrantHoweverEarlyItIs() {
		LockRequest request = LockRequest.exclusive("key");
		Acquisition acquisition = new Acquisition(this.open,
				new ResolvedRequest(request, "memory", this.strategy, "owner", Deadline.in(FOREVER, null, () -> 0)),
				List.of(), (made) -> false);
		this.open.admit(acquisition, () -> CompletableFuture.completedStage(null));
		acquisition.granted(List.of(new MemoryLocalGrant(LockMode.EXCLUSIVE) {

			@Override
			public LockMode mode() {
				LockAcquirerTests.this.closing = LockAcquirerTests.this.open.close();
				return super.mode();
			}

		}));
		assertThat(this.closing).isCompleted();
		acquisition.outcome().join().release();
		assertThat(this.notified).containsExactly("acquired", "lost", "released");
	}

	private LockAcquirer acquirer(MemoryStrategy asked, Executor callbacks) {
		Cohorts cohorts = new Cohorts((nanos, step) -> () -> {
		}, () -> 0, (key) -> Handoff.DEFAULT, () -> true, this.failures, 64);
		return new LockAcquirer(PlainRules.of(asked, () -> 0), this.open, Unwarned.access(cohorts), callbacks);
	}

	@Override
	public void asked(Event event) {
		this.notified.add("asked");
	}

	@Override
	public void acquired(Event event) {
		this.notified.add("acquired");
		this.whenAcquired.run();
	}

	@Override
	public void notAcquired(Event event, Throwable cause) {
		this.notified.add("notAcquired");
	}

	@Override
	public void lost(Event event, LostReason reason) {
		this.notified.add("lost");
	}

	@Override
	public void released(Event event) {
		this.notified.add("released");
	}

}
