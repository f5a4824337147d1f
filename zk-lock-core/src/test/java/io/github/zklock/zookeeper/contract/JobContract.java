package io.github.zklock.zookeeper.contract;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.WaitingCaller;
import io.github.zklock.inspect.JobRun;
import io.github.zklock.inspect.LockInspector;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

/**
 * Jobs that each instance starts, and that run once for each firing.
 */
interface JobContract extends LockContract {

	/** Longer than any test takes. */
	Duration LONG = Duration.ofMinutes(10);

	/** For a lock that is to be lost, but not before its job has started. */
	Duration LONGER_THAN_A_START = Duration.ofSeconds(2);

	/** Shorter than between two starts in a test. */
	Duration SHORT = Duration.ofMillis(1);

	private static Optional<LockHandle> start(LockClient client) throws InterruptedException {
		return client.tryAcquire(LockRequest.exclusive(KEY).timeout(Duration.ofSeconds(5)));
	}

	@Test
	default void aJobThatIsOverDoesNotRunAgainOnAnotherInstance() throws Exception {
		LockClient one = open().notAgainWithin(LONG, false);
		LockClient other = open().notAgainWithin(LONG, false);
		LockHandle run = start(one).orElseThrow();
		assertThat(run.isHeld()).isTrue();
		run.releaseAsync().join();
		assertThat(start(other)).isEmpty();
		assertThat(start(one)).isEmpty();
		assertThatExceptionOfType(LockTimeoutException.class).isThrownBy(() -> other.acquire(request(LockMode.WRITE)))
			.withMessageContaining("Job 'orders' is not due: it was started at")
			.withMessageContaining("not again within PT10M");
		try (LockHandle plain = open().acquire(request(LockMode.EXCLUSIVE))) {
			assertThat(plain.isHeld()).isTrue();
		}
	}

	@Test
	default void itRunsAgainWhenTheTimeIsOver() throws Exception {
		LockClient client = open().notAgainWithin(SHORT, false);
		for (int i = 0; i < 3; i++) {
			start(client).orElseThrow().releaseAsync().join();
			spin(SHORT);
		}
	}

	private static void spin(Duration time) {
		long later = System.nanoTime() + time.toNanos();
		while (System.nanoTime() < later) {
			Thread.onSpinWait();
		}
	}

	@Test
	default void anInstanceThatIsGoneHasRunAllTheSame() throws Exception {
		LockClient gone = open();
		start(gone.notAgainWithin(LONG, false)).orElseThrow().releaseAsync().join();
		gone.close();
		assertThat(start(open().notAgainWithin(LONG, false))).isEmpty();
	}

	@Test
	default void theRunOfAnInstanceThatIsGoneIsTakenOverIfThatIsWanted() throws Exception {
		fixture().announce("was lost");
		LockClient gone = open();
		LockHandle unfinished = gone.notAgainWithin(LONG, true).acquire(request(LockMode.EXCLUSIVE));
		gone.close();
		assertThat(unfinished.isHeld()).isFalse();
		assertThat(start(open().notAgainWithin(LONG, false))).isEmpty();
		LockHandle again = start(open().notAgainWithin(LONG, true)).orElseThrow();
		again.releaseAsync().join();
		assertThat(start(open().notAgainWithin(LONG, true))).isEmpty();
	}

	@Test
	default void aStartThatIsCancelledHasLeftWhileItsStagesRun() throws Exception {
		LockHandle handle = open().acquire(request(LockMode.EXCLUSIVE));
		LockClient client = open();
		LockClient jobs = client.notAgainWithin(LONG, false);
		CompletableFuture<LockHandle> quitting = jobs.acquireAsync(request(LockMode.EXCLUSIVE).timeout(LONG));
		fixture().awaitWaiting(client, KEY);
		CompletableFuture<Boolean> stage = quitting.handle((none, failure) -> {
			fixture().awaitNothingLeftOf(client);
			return true;
		});
		quitting.cancel(false);
		assertThat(Actor.get(stage)).isTrue();
		handle.release();
		start(jobs).orElseThrow().releaseAsync().join();
	}

	@Test
	default void whatACallerHasWaitedForItDoesNotRunAgain() throws Exception {
		Duration within = Duration.ofMillis(800);
		LockClient other = fixture().client().strategy(strategy()).maxHeld("*", 1).open();
		LockHandle share = other.acquire(LockRequest.exclusive("share"));
		// Asks before the run starts, however long that takes
		CompletableFuture<LockHandle> next = other.notAgainWithin(within, true)
			.acquireAsync(request(LockMode.EXCLUSIVE).timeout(LONG));
		LockHandle run = start(open().notAgainWithin(within, true)).orElseThrow();
		share.release();
		fixture().awaitWaiting(other, KEY);
		await().during(within).until(() -> !next.isDone());
		run.releaseAsync().join();
		assertThatThrownBy(() -> Actor.get(next)).isInstanceOf(LockTimeoutException.class)
			.hasMessageContaining("is not due");
	}

	@Test
	default void aRunThatHasLostItsLockIsMadeUpForIfThatIsWanted() throws Exception {
		fixture().announce("was lost");
		LockHandle outstayed = open().notAgainWithin(LONG, true)
			.acquire(request(LockMode.EXCLUSIVE).maxHold(LONGER_THAN_A_START));
		await().until(() -> !outstayed.isHeld());
		outstayed.releaseAsync().join();
		assertThat(start(open().notAgainWithin(LONG, false))).isEmpty();
		start(open().notAgainWithin(LONG, true)).orElseThrow().releaseAsync().join();
		assertThat(start(open().notAgainWithin(LONG, true))).isEmpty();
	}

	@Test
	default void aRunThatGoesOnIsNotTakenOverByACallInsideIt() throws Exception {
		LockClient client = open().notAgainWithin(LONG, true);
		LockHandle run = start(client).orElseThrow();
		assertThat(start(client)).isEmpty();
		assertThat(run.isHeld()).isTrue();
		run.releaseAsync().join();
		assertThat(start(open().notAgainWithin(LONG, true))).as("its end was noted").isEmpty();
		assertThat(start(client)).isEmpty();
	}

	@Test
	default void aStartThatIsGivenUpLeavesTheKeyFree() {
		LockClient client = open();
		LockClient jobs = client.notAgainWithin(LONG, false);
		LockClient others = open().notAgainWithin(LONG, false);
		for (int i = 0; i < 20; i++) {
			LockRequest request = LockRequest.exclusive(KEY + i).timeout(Duration.ofSeconds(10));
			CompletableFuture<LockHandle> start = jobs.acquireAsync(request);
			LockSupport.parkNanos(i * SHORT.toNanos() / 4);
			boolean givenUp = start.cancel(false);
			if (!givenUp) {
				start.join().releaseAsync().join();
			}
			Actor.get(client.acquireAsync(request)).releaseAsync().join();
			CompletableFuture<LockHandle> next = others.acquireAsync(request);
			if (givenUp) {
				Actor.get(next).releaseAsync().join();
			}
			else {
				assertThatThrownBy(() -> Actor.get(next)).isInstanceOf(LockTimeoutException.class)
					.hasMessageContaining("is not due");
			}
		}
	}

	@Test
	default void ofManyWhoStartAtOnceOneRuns() {
		AtomicInteger runs = new AtomicInteger();
		CompletableFuture<?>[] starts = new CompletableFuture<?>[6];
		for (int i = 0; i < starts.length; i++) {
			LockClient client = open().notAgainWithin(LONG, false);
			starts[i] = fixture().actor().call(() -> {
				start(client).ifPresent((handle) -> {
					runs.incrementAndGet();
					handle.release();
				});
				return null;
			});
		}
		Actor.get(CompletableFuture.allOf(starts));
		assertThat(runs).hasValue(1);
	}

	@Test
	default void asynchronousStartsAreOneRunToo() {
		LockClient one = open().notAgainWithin(LONG, false);
		LockClient other = open().notAgainWithin(LONG, false);
		LockHandle run = Actor.get(one.acquireAsync(request(LockMode.EXCLUSIVE)));
		run.releaseAsync().join();
		CompletableFuture<LockHandle> second = other.acquireAsync(request(LockMode.EXCLUSIVE));
		assertThatThrownBy(() -> Actor.get(second)).isInstanceOf(LockTimeoutException.class);
		try (LockHandle plain = Actor.get(open().acquireAsync(request(LockMode.EXCLUSIVE)))) {
			assertThat(plain.isHeld()).isTrue();
		}
	}

	@Test
	default void jobsOfOtherKeysAreOtherJobs() throws Exception {
		LockClient client = open().notAgainWithin(LONG, false);
		start(client).orElseThrow().release();
		client.acquire(LockRequest.exclusive("stock")).release();
		client.acquire(LockRequest.exclusive("a label / 03:00")).release();
		assertThat(client.tryAcquire(LockRequest.exclusive("a label / 03:00"))).isEmpty();
	}

	@Test
	default void workThatIsCalledRunsOnce() throws Exception {
		LockClient client = open().notAgainWithin(LONG, false);
		assertThat(client.<String, RuntimeException>call(request(LockMode.EXCLUSIVE), () -> "done")).isEqualTo("done");
		assertThatExceptionOfType(LockTimeoutException.class)
			.isThrownBy(() -> client.run(request(LockMode.EXCLUSIVE), () -> {
				throw new AssertionError("It ran twice");
			}));
	}

	@Test
	default void whoFindsAJobNotDueLearnsWhoRanIt() throws Exception {
		LockClient first = fixture().client().strategy(strategy()).instance("the first").open();
		start(first.notAgainWithin(LONG, false)).orElseThrow().releaseAsync().join();
		LockClient other = open().notAgainWithin(LONG, false);
		assertThatExceptionOfType(LockTimeoutException.class)
			.isThrownBy(() -> other.acquire(request(LockMode.EXCLUSIVE)))
			.withMessageMatching("Job 'orders' is not due: it was started at \\S+ by the first, and .*");
	}

	@Test
	default void theHandleOfARunIsThatOfItsLock() throws Exception {
		LockClient client = open();
		LockHandle other = client.acquire(LockRequest.read("shard"));
		LockHandle run = client.notAgainWithin(LONG, false)
			.acquire(LockRequest.write(KEY).and(LockRequest.read("shard")));
		assertThat(run.keys()).containsExactly(KEY, "shard");
		assertThat(run.mode(KEY)).isEqualTo(LockMode.WRITE);
		assertThat(run.mode("shard")).isEqualTo(LockMode.READ);
		assertThat(run.fencingToken("shard")).isEqualTo(other.fencingToken()).isNotEqualTo(run.fencingToken());
		run.downgrade();
		assertThat(run.mode()).isEqualTo(LockMode.READ);
		run.release();
		other.release();
	}

	@Test
	@Tag("slow")
	default void aRunLearnsOfItsWaitersAndOfItsLoss() throws Exception {
		fixture().announce("was lost");
		LockClient client = open();
		LockHandle run = client.notAgainWithin(LONG, false).acquire(request(LockMode.EXCLUSIVE));
		CompletableFuture<WaitingCaller> seen = new CompletableFuture<>();
		run.onContended(seen::complete);
		CompletableFuture<LockHandle> next = client.acquireAsync(request(LockMode.EXCLUSIVE).owner("other"));
		assertThat(Actor.get(seen).key()).isEqualTo(KEY);
		run.release();
		Actor.get(next).release();
		LockHandle outstayed = client.notAgainWithin(SHORT, false)
			.acquire(request(LockMode.EXCLUSIVE).maxHold(LONGER_THAN_A_START));
		CompletableFuture<Void> lost = new CompletableFuture<>();
		outstayed.onLost(() -> lost.complete(null));
		assertThat(lost).succeedsWithin(Actor.PATIENCE);
		outstayed.release();
	}

	@Test
	default void theInspectorShowsTheLastRunOfEachJob() throws Exception {
		LockClient client = open();
		LockClient jobs = client.notAgainWithin(SHORT, false);
		start(jobs).orElseThrow().releaseAsync().join();
		spin(SHORT);
		LockHandle second = start(jobs).orElseThrow();
		spin(SHORT.multipliedBy(5));
		second.failed(new IllegalStateException("planned"));
		second.ended();
		second.releaseAsync().join();
		jobs.acquire(LockRequest.exclusive("stock")).releaseAsync().join();
		try (LockInspector inspector = fixture().inspector(client)) {
			List<JobRun> runs = inspector.jobs();
			assertThat(runs).extracting(JobRun::key, JobRun::number)
				.containsExactly(tuple("stock", 1L), tuple(KEY, 2L));
			assertThat(runs.get(1).took()).isGreaterThanOrEqualTo(SHORT.multipliedBy(5));
			assertThat(runs.get(1).outcome()).isEqualTo("failed: java.lang.IllegalStateException");
			assertThat(runs.get(0).outcome()).isEqualTo("ok");
		}
	}

	@Test
	default void badRulesAreRefused() {
		LockClient client = open();
		for (Duration bad : new Duration[] { Duration.ZERO, Duration.ofSeconds(-1), Duration.ofDays(367) }) {
			assertThatIllegalArgumentException().isThrownBy(() -> client.notAgainWithin(bad, false))
				.withMessageContaining("must be positive, and a year at most");
		}
		assertThatIllegalArgumentException()
			.isThrownBy(() -> client.notAgainWithin(LONG, false).acquire(request(LockMode.READ)))
			.withMessageContaining("must exclude others");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> client.notAgainWithin(LONG, true)
				.acquire(LockRequest.read("nightly").and(LockRequest.write("shard"))))
			.withMessageContaining("must exclude others");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> client.notAgainWithin(LONG, false).acquire(LockRequest.permits(KEY, 2)))
			.withMessageContaining("must exclude others, but a permit was asked for");
	}

	@Test
	default void jobsHaveNoViewsOfJavaUtilConcurrent() {
		LockClient jobs = open().notAgainWithin(LONG, false);
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> jobs.asLock(KEY));
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> jobs.asReadWriteLock(KEY));
	}

}
