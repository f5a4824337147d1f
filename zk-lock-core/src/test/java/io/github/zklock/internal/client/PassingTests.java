package io.github.zklock.internal.client;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.Handoff;
import io.github.zklock.LockHandle;
import io.github.zklock.LockListener;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.MemoryStrategy;
import io.github.zklock.internal.cohort.Cohorts;
import io.github.zklock.internal.concurrent.SerialExecutor;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Callers of a client that come while a thread wakes that is next. Its step is kept back.
 */
@Timeout(60)
class PassingTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("key");

	private final StepFailures failures = new StepFailures();

	private final MemoryStrategy strategy = new MemoryStrategy(true, TimeUnit.MILLISECONDS.toNanos(1));

	private final Cohorts cohorts = new Cohorts((nanos, step) -> () -> {
	}, () -> 0, (key) -> Handoff.DEFAULT, () -> true, this.failures, 1, this::steps);

	private final Queue<Runnable> keptBack = new ConcurrentLinkedQueue<>();

	private volatile @Nullable Thread next;

	@ParameterizedTest
	@Tag("Succession.I1")
	@ValueSource(booleans = { true, false })
	void othersHaveTheLockUntilTheThreadIsAwake(boolean listening) throws Exception {
		LockAcquirer acquirer = acquirer(listening);
		try (Actor actor = new Actor("next")) {
			CompletableFuture<LockHandle> granted = waking(acquirer, actor, false);
			LockHandle quick = acquirer.acquire(REQUEST);
			assertThat(granted).isNotDone();
			quick.release();
			this.keptBack.remove().run();
			LockHandle handle = Actor.get(granted);
			assertThat(handle.isHeld()).isTrue();
			assertThat(handle.fencingToken()).isEqualTo(quick.fencingToken() + 1);
			handle.release();
		}
		assertThat(this.strategy.length()).isZero();
	}

	@Test
	void aThreadThatWaitsWithoutRegardToInterruptsIsPassedToo() throws Exception {
		LockAcquirer acquirer = acquirer(false);
		try (Actor actor = new Actor("next")) {
			CompletableFuture<LockHandle> granted = waking(acquirer, actor, true);
			acquirer.acquire(REQUEST).release();
			assertThat(granted).isNotDone();
			this.keptBack.remove().run();
			Actor.get(granted).release();
		}
		assertThat(this.strategy.length()).isZero();
	}

	@ParameterizedTest
	@Tag("Succession.I4")
	@ValueSource(booleans = { true, false })
	void whoTriesOncePassesNobody(boolean listening) throws Exception {
		LockAcquirer acquirer = acquirer(listening);
		try (Actor actor = new Actor("next")) {
			CompletableFuture<LockHandle> granted = waking(acquirer, actor, false);
			assertThat(acquirer.tryAcquire(REQUEST.timeout(Duration.ZERO))).isEmpty();
			assertThat(granted).isNotDone();
			this.keptBack.remove().run();
			Actor.get(granted).release();
		}
		assertThat(this.strategy.length()).isZero();
	}

	// Callers come back at once; then a thread waits, is next, and wakes
	private CompletableFuture<LockHandle> waking(LockAcquirer acquirer, Actor actor, boolean uninterruptibly)
			throws InterruptedException {
		LockHandle holder = acquirer.acquire(REQUEST);
		for (int i = 0; i < 2; i++) {
			CompletableFuture<LockHandle> other = acquirer.acquireAsync(REQUEST);
			holder.release();
			CompletableFuture<LockHandle> back = acquirer.acquireAsync(REQUEST);
			Actor.get(other).release();
			holder = Actor.get(back);
		}
		Thread thread = actor.get(Thread::currentThread);
		CompletableFuture<LockHandle> granted = actor
			.call(() -> uninterruptibly ? acquirer.acquireUninterruptibly(REQUEST) : acquirer.acquire(REQUEST));
		actor.awaitBlocked();
		this.next = thread;
		holder.release();
		await().until(() -> !this.keptBack.isEmpty());
		return granted;
	}

	private Executor steps() {
		SerialExecutor steps = new SerialExecutor(this.failures);
		return (step) -> {
			if (Thread.currentThread() == this.next) {
				this.keptBack.add(() -> steps.execute(step));
			}
			else {
				steps.execute(step);
			}
		};
	}

	private LockAcquirer acquirer(boolean listening) {
		OpenAcquisitions open = listening ? DirectReports.open(this.failures, new LockListener() {
		}) : DirectReports.open(this.failures);
		return new LockAcquirer(PlainRules.of(this.strategy, System::nanoTime), open, Unwarned.access(this.cohorts),
				Runnable::run);
	}

}
