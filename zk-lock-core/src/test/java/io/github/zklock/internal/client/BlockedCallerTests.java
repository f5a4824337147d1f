package io.github.zklock.internal.client;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.github.zklock.LockException;
import io.github.zklock.LockHandle;
import io.github.zklock.LockListener;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.fixture.MemoryStrategy;
import io.github.zklock.internal.client.HoldInterleavingTests.MemoryLocalGrant;
import io.github.zklock.internal.cohort.LocalContender;
import io.github.zklock.internal.concurrent.Deadline;
import io.github.zklock.spi.Blocker;
import io.github.zklock.zookeeper.Engines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A thread that waits, and is woken before it is granted the lock.
 */
@Timeout(60)
class BlockedCallerTests {

	private static final Duration LONG = Duration.ofMinutes(5);

	private final MemoryStrategy strategy = new MemoryStrategy(false);

	private final Acquisition.Host client = Engines.host(Engines.client(this.strategy, new LockListener() {
	}));

	private final Waiting waiting = new Waiting();

	@Test
	void whoIsWokenSaysThatItIsAwakeAndWaitsOn() throws Exception {
		Acquisition acquisition = acquisition(LONG);
		FutureTask<LockHandle> caller = start(acquisition, new BlockedCaller(acquisition)::await);
		acquisition.wake();
		await().untilAsserted(() -> assertThat(this.waiting.awake).hasValue(1));
		assertThat(caller.isDone()).isFalse();
		acquisition.granted(List.of(new MemoryLocalGrant(LockMode.EXCLUSIVE)));
		assertThat(caller.get().isHeld()).isTrue();
		assertThat(this.waiting.awake).hasValue(1);
	}

	@Test
	void whoIsWokenWithoutRegardToInterruptsSaysSoToo() throws Exception {
		Acquisition acquisition = acquisition(LONG);
		FutureTask<LockHandle> caller = start(acquisition, new BlockedCaller(acquisition)::awaitUninterruptibly);
		acquisition.wake();
		await().untilAsserted(() -> assertThat(this.waiting.awake).hasValue(1));
		acquisition.granted(List.of(new MemoryLocalGrant(LockMode.EXCLUSIVE)));
		assertThat(caller.get().isHeld()).isTrue();
	}

	@Test
	void whoIsGrantedTheLockInItsSleepSaysNothing() throws Exception {
		Acquisition acquisition = acquisition(LONG);
		FutureTask<LockHandle> caller = start(acquisition, new BlockedCaller(acquisition)::await);
		acquisition.granted(List.of(new MemoryLocalGrant(LockMode.EXCLUSIVE)));
		assertThat(caller.get().isHeld()).isTrue();
		assertThat(this.waiting.awake).hasValue(0);
	}

	@Test
	void aFailureShowsWhereItsCallerWaited() throws Exception {
		Acquisition acquisition = acquisition(LONG);
		LockException failure = new LockException("planted");
		FutureTask<LockHandle> caller = start(acquisition, new BlockedCaller(acquisition)::await);
		acquisition.failed(failure);
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(caller::get).withCause(failure);
		assertThat(failure.getStackTrace()).extracting(StackTraceElement::getClassName)
			.contains(BlockedCaller.class.getName());
	}

	@Test
	void whoIsWokenAndNotGrantedTheLockGivesUpInTime() throws Exception {
		Acquisition acquisition = acquisition(Duration.ofMillis(300));
		FutureTask<LockHandle> caller = start(acquisition, new BlockedCaller(acquisition)::await);
		acquisition.wake();
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(caller::get)
			.withCauseInstanceOf(LockTimeoutException.class);
		assertThat(this.waiting.left).hasValue(1);
	}

	@Test
	void anInterruptEndsTheSleepAndTheWaitBehindIt() throws Exception {
		for (boolean woken : new boolean[] { false, true }) {
			Acquisition acquisition = acquisition(LONG);
			FutureTask<LockHandle> caller = new FutureTask<>(new BlockedCaller(acquisition)::await);
			Thread thread = startIn(acquisition, caller);
			if (woken) {
				acquisition.wake();
				await().untilAsserted(() -> assertThat(this.waiting.awake).hasValue(1));
			}
			thread.interrupt();
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(caller::get)
				.withCauseInstanceOf(InterruptedException.class);
		}
		assertThat(this.waiting.left).hasValue(2);
	}

	@Test
	void whereItCannotSayThatItIsAwakeItGivesUp() throws Exception {
		this.waiting.failure = new StackOverflowError();
		Acquisition acquisition = acquisition(LONG);
		FutureTask<LockHandle> caller = start(acquisition, new BlockedCaller(acquisition)::await);
		acquisition.wake();
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(caller::get)
			.withCauseInstanceOf(LockException.class)
			.withRootCauseInstanceOf(StackOverflowError.class);
		assertThat(this.waiting.left).hasValue(1);
	}

	@Test
	@Tag("AcquiringCaller.I1")
	void whoSleepsBehindAnOutcomeIsAwake() {
		Acquisition acquisition = acquisition(LONG);
		acquisition.fail(new CancellationException());
		acquisition.caller().sleep().uninterruptiblyUntil(acquisition.caller()::isToBeAwake);
		assertThat(acquisition.outcome()).isDone();
	}

	@Test
	void whatElseEndsTheSleepLeavesNothing() {
		Acquisition pending = acquisition(LONG, this::noTime);
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(new BlockedCaller(pending)::await);
		assertThat(this.waiting.left).hasValue(1);
		assertThat(pending.outcome()).isCompletedExceptionally();
	}

	@Test
	void whatElseEndsTheSleepReleasesWhatIsGranted() {
		Acquisition[] acquisition = new Acquisition[1];
		MemoryLocalGrant grant = new MemoryLocalGrant(LockMode.EXCLUSIVE);
		AtomicBoolean asked = new AtomicBoolean();
		acquisition[0] = acquisition(LONG, () -> {
			if (!asked.compareAndSet(false, true)) {
				return System.nanoTime();
			}
			acquisition[0].granted(List.of(grant));
			return noTime();
		});
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(new BlockedCaller(acquisition[0])::await);
		assertThat(grant.releases).hasValue(1);
	}

	private long noTime() {
		throw new OutOfMemoryError("planted");
	}

	@Test
	void poolThatHasNoOtherThreadHasItsThreadsWait() throws Exception {
		ForkJoinPool pool = new ForkJoinPool(1, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, false, 1, 1, 1,
				null, 60, TimeUnit.SECONDS);
		try {
			Acquisition acquisition = acquisition(LONG);
			AtomicReference<Thread> worker = new AtomicReference<>(Thread.currentThread());
			ForkJoinTask<LockHandle> waiting = pool.submit(() -> {
				worker.set(Thread.currentThread());
				return new BlockedCaller(acquisition).await();
			});
			await().until(() -> waiting.isDone() || worker.get().getState() == Thread.State.TIMED_WAITING);
			acquisition.granted(List.of(new MemoryLocalGrant(LockMode.EXCLUSIVE)));
			assertThat(waiting.get().isHeld()).isTrue();
		}
		finally {
			pool.shutdownNow();
		}
	}

	@Test
	void aFutureDoesNotSleep() {
		Acquisition acquisition = acquisition(LONG);
		assertThat(acquisition.isAsleep()).isFalse();
		acquisition.wake();
		assertThat(acquisition.outcome()).isNotDone();
	}

	private Acquisition acquisition(Duration timeout) {
		return acquisition(timeout, System::nanoTime);
	}

	private Acquisition acquisition(Duration timeout, LongSupplier later) {
		LongSupplier[] clock = { System::nanoTime };
		Deadline deadline = Deadline.in(timeout, null, () -> clock[0].getAsLong());
		clock[0] = later;
		LockRequest request = LockRequest.exclusive("key").owner("owner");
		Acquisition acquisition = new Acquisition(this.client,
				new ResolvedRequest(request, "memory", this.strategy, "owner", deadline), List.of(), (made) -> false);
		acquisition.entered(this.waiting);
		return acquisition;
	}

	private static FutureTask<LockHandle> start(Acquisition acquisition, Callable<LockHandle> call) {
		FutureTask<LockHandle> caller = new FutureTask<>(call);
		startIn(acquisition, caller);
		return caller;
	}

	private static Thread startIn(Acquisition acquisition, FutureTask<LockHandle> caller) {
		Thread thread = new Thread(caller, "caller");
		thread.start();
		await().until(acquisition::isAsleep);
		return thread;
	}

	/** Waits, and counts. */
	private static final class Waiting implements LocalContender {

		private final AtomicInteger awake = new AtomicInteger();

		private final AtomicInteger left = new AtomicInteger();

		private volatile @Nullable StackOverflowError failure;

		@Override
		public void awake() {
			StackOverflowError planted = this.failure;
			if (planted != null) {
				throw planted;
			}
			this.awake.incrementAndGet();
		}

		@Override
		public CompletionStage<Void> leave() {
			this.left.incrementAndGet();
			return CompletableFuture.completedStage(null);
		}

		@Override
		public Blocker blocker() {
			return new Blocker("key", "another client", true, null);
		}

		@Override
		public @Nullable Exception disturbance() {
			return null;
		}

	}

}
