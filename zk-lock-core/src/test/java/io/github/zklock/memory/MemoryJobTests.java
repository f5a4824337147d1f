package io.github.zklock.memory;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.LockRequest;
import io.github.zklock.inspect.JobRun;
import io.github.zklock.internal.client.JobMarks;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.node.ClientIdentity;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What is remembered of jobs in this process, and for how long.
 */
@Timeout(60)
class MemoryJobTests {

	private static final Duration DAY = Duration.ofDays(1);

	@RegisterExtension
	final MemoryFixture memory = new MemoryFixture();

	@Test
	void noRunIsStartedUnderALockThatIsLost() throws Exception {
		this.memory.announce("was lost");
		MemoryLockClient client = this.memory.client().open();
		LockHandle lock = client.acquire(LockRequest.exclusive("nightly"));
		client.inspector().forceRelease("nightly");
		assertThat(new MemoryJobMarks(strategy()).start(lock, new JobMarks.Rule(DAY, true), () -> 0, Long.MAX_VALUE)
			.outcome()).isCompletedExceptionally()
			.failsWithin(Duration.ZERO)
			.withThrowableThat()
			.withCauseInstanceOf(LockLostException.class);
		assertThat(client.inspector().jobs()).isEmpty();
		lock.release();
	}

	private MemoryLockStrategy strategy() {
		return strategy(System::nanoTime);
	}

	private MemoryLockStrategy strategy(LongSupplier clock) {
		return new MemoryLockStrategy(KeyQueues.of(this.memory.root(), 0),
				new ClientIdentity("test", "test-1", "localhost", 1, InstantSource.system()), new StepFailures(),
				clock);
	}

	@Test
	void aPauseWhileTheTimeIsReadMakesNoJobWaitThatIsDue() throws Exception {
		AtomicLong clock = new AtomicLong();
		MemoryLockStrategy strategy = strategy(clock::get);
		try (LockHandle lock = this.memory.client().open().acquire(LockRequest.exclusive("nightly"))) {
			JobMarks.Rule daily = new JobMarks.Rule(DAY, false);
			assertThat(run(strategy, lock, daily, () -> 0)).isNotNull();
			long asked = clock.addAndGet(DAY.toNanos());
			assertThat(run(strategy, lock, daily, () -> clock.addAndGet(1_000_000) - asked)).isNotNull();
			assertThat(run(strategy, lock, daily, () -> 0)).isNull();
		}
	}

	private static JobMarks.@Nullable Run run(MemoryLockStrategy strategy, LockHandle lock, JobMarks.Rule rule,
			LongSupplier waited) {
		return new MemoryJobMarks(strategy).start(lock, rule, waited, Long.MAX_VALUE).outcome().join().run();
	}

	@Test
	void aRunThatIsTakenBackLeavesTheOneBeforeIt() throws Exception {
		MemoryLockClient client = this.memory.client().open();
		Duration within = Duration.ofNanos(1);
		client.notAgainWithin(within, false).acquire(LockRequest.exclusive("nightly")).release();
		List<JobRun> before = client.inspector().jobs();
		assertThat(before).hasSize(1);
		try (LockHandle lock = client.acquire(LockRequest.exclusive("nightly"))) {
			JobMarks.Attempt attempt = new MemoryJobMarks(strategy())
				.start(lock, new JobMarks.Rule(within, false), () -> 0, Long.MAX_VALUE)
				.outcome()
				.join();
			assertThat(client.inspector().jobs()).isNotEqualTo(before);
			attempt.run().takeBack();
			assertThat(client.inspector().jobs()).isEqualTo(before);
		}
	}

	@Test
	void aRunThatWasStartedJustBeforeItsFutureWasCancelledIsTakenBackByNoCallback() throws Exception {
		this.memory.announce("Locks are in memory");
		BlockingQueue<Runnable> callbacks = new LinkedBlockingQueue<>();
		try (MemoryLockClient client = MemoryLockClient.builder()
			.root(this.memory.root())
			.callbackExecutor(callbacks::add)
			.build()) {
			CompletableFuture<LockHandle> start = client.notAgainWithin(DAY, false)
				.acquireAsync(LockRequest.exclusive("nightly"));
			callbacks.take().run();
			Runnable answer = callbacks.take();
			assertThat(client.inspector().jobs()).hasSize(1);
			start.cancel(false);
			await().until(() -> client.inspector().jobs().isEmpty());
			await().until(() -> client.inspector().line("nightly").contenders().isEmpty());
			answer.run();
			assertThat(client.inspector().jobs()).isEmpty();
		}
	}

	@Test
	void theEndOfARunThatHasLostItsLockIsNotNotedInThatOfAnother() throws Exception {
		this.memory.announce("was lost");
		MemoryLockClient client = this.memory.client().open();
		LockHandle lost = client.notAgainWithin(DAY, true).acquire(LockRequest.exclusive("nightly"));
		client.inspector().forceRelease("nightly");
		LockHandle next = this.memory.client()
			.open()
			.notAgainWithin(DAY, true)
			.acquire(LockRequest.exclusive("nightly"));
		List<JobRun> begun = client.inspector().jobs();
		lost.releaseAsync().join();
		assertThat(client.inspector().jobs()).isEqualTo(begun);
		next.release();
	}

	@Test
	void noneOfManyJobsRunsTwiceWithinItsTime() throws Exception {
		LockClient jobs = this.memory.client().open().notAgainWithin(DAY, false);
		for (int i = 0; i < 1500; i++) {
			jobs.acquire(LockRequest.exclusive("invoice-" + i)).release();
		}
		for (int i = 0; i < 1500; i++) {
			assertThat(jobs.tryAcquire(LockRequest.exclusive("invoice-" + i))).isEmpty();
		}
	}

	@Test
	void ofManyJobsThoseAreForgottenThatMayRunAgain() throws Exception {
		MemoryLockClient client = this.memory.client().open();
		LockClient jobs = client.notAgainWithin(Duration.ofNanos(1), false);
		for (int i = 0; i < 1500; i++) {
			jobs.acquire(LockRequest.exclusive("invoice-" + i)).release();
		}
		KeyQueues queues = KeyQueues.of(this.memory.root(), 0);
		assertThat(queues.ask(() -> queues.mark("invoice-0") == null)).isCompletedWithValue(true);
		assertThat(client.inspector().jobs()).isNotEmpty().hasSizeLessThanOrEqualTo(1000);
	}

	@Test
	void aJobThatSomebodyWaitsForIsNotForgotten() throws Exception {
		Duration within = Duration.ofMillis(100);
		MemoryLockClient client = this.memory.client().open();
		MemoryLockClient other = this.memory.client().open();
		LockHandle before = this.memory.client().open().acquire(LockRequest.exclusive("nightly"));
		CompletableFuture<LockHandle> starting = client.notAgainWithin(within, true)
			.acquireAsync(LockRequest.exclusive("nightly"));
		this.memory.awaitWaiting(client, "nightly");
		CompletableFuture<Optional<LockHandle>> next = this.memory.actor()
			.call(() -> other.notAgainWithin(within, true)
				.tryAcquire(LockRequest.exclusive("nightly").timeout(Duration.ofSeconds(20))));
		this.memory.awaitWaiting(other, "nightly");
		before.release();
		LockHandle run = Actor.get(starting);
		await().during(within.multipliedBy(2)).until(() -> !next.isDone());
		LockClient jobs = client.notAgainWithin(Duration.ofNanos(1), false);
		for (int i = 0; i < 1500; i++) {
			jobs.acquire(LockRequest.exclusive("invoice-" + i)).release();
		}
		run.release();
		assertThat(Actor.get(next)).isEmpty();
	}

	@Test
	void aJobThatSomebodyWaitsForOutsideItsQueueIsNotForgotten() throws Exception {
		Duration within = Duration.ofMillis(100);
		MemoryLockClient client = this.memory.client().open();
		MemoryLockClient bounded = this.memory.client().maxHeld("*", 1).open();
		LockHandle held = bounded.acquire(LockRequest.exclusive("held"));
		CompletableFuture<Optional<LockHandle>> next = this.memory.actor()
			.call(() -> bounded.notAgainWithin(within, true)
				.tryAcquire(LockRequest.exclusive("nightly").timeout(Duration.ofSeconds(20))));
		await().until(() -> bounded.inspector().localWaiters().size() == 1);
		client.notAgainWithin(within, true).acquire(LockRequest.exclusive("nightly")).release();
		await().during(within.multipliedBy(2)).until(() -> !next.isDone());
		LockClient jobs = client.notAgainWithin(Duration.ofNanos(1), false);
		for (int i = 0; i < 1500; i++) {
			jobs.acquire(LockRequest.exclusive("invoice-" + i)).release();
		}
		held.release();
		assertThat(Actor.get(next)).isEmpty();
	}

	@Test
	void aJobDoesNotRunAgainWhenItsClientIsForgotten() throws Exception {
		this.memory.announce("Locks are in memory");
		String root = "/locks-" + UUID.randomUUID();
		WeakReference<MemoryLockClient> gone = runOnceBelow(root);
		await().until(() -> {
			System.gc();
			return gone.get() == null;
		});
		try (MemoryLockClient next = MemoryLockClient.builder().root(root).build()) {
			assertThat(next.notAgainWithin(DAY, false).tryAcquire(LockRequest.exclusive("nightly"))).isEmpty();
		}
	}

	private static WeakReference<MemoryLockClient> runOnceBelow(String root) throws InterruptedException {
		try (MemoryLockClient client = MemoryLockClient.builder().root(root).build()) {
			client.notAgainWithin(DAY, false).acquire(LockRequest.exclusive("nightly")).release();
			return new WeakReference<>(client);
		}
	}

}
