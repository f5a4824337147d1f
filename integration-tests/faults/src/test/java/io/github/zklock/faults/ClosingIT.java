package io.github.zklock.faults;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockClient;
import io.github.zklock.LockContext;
import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Case 12: a client, or its application, is closed while it holds and while it waits.
 */
@Tag("slow")
@ExtendWith(FaultFixture.NoThreadsLeft.class)
class ClosingIT {

	private static final Duration SESSION = Duration.ofSeconds(10);

	@RegisterExtension
	final FaultFixture faults = FaultFixture.withSessions(SESSION);

	private final ExecutorService threads = Executors.newCachedThreadPool();

	@AfterEach
	void endThreads() {
		this.threads.shutdownNow();
	}

	private static LockRequest request(String key, String strategy, LockMode mode) {
		return LockRequest.exclusive(key).mode(mode).strategy(strategy).timeout(Duration.ofSeconds(30));
	}

	// The moment at which somebody else is granted what is free again.
	private CompletableFuture<Long> next(String key, String strategy) throws Exception {
		LockClient other = this.faults.client();
		CompletableFuture<Long> next = CompletableFuture.supplyAsync(() -> {
			try (LockHandle handle = other.acquire(request(key, strategy, LockMode.WRITE))) {
				long granted = System.nanoTime();
				assertThat(handle.isHeld()).as("the next holder holds '%s'", key).isTrue();
				return granted;
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}, this.threads);
		this.faults.awaitWaits(other, key);
		return next;
	}

	// Not before, and long before the servers would have ended the session
	private static void assertFreedByTheEnd(long nanos) {
		assertThat(Duration.ofNanos(nanos)).as("free after").isPositive().isLessThan(SESSION.dividedBy(2));
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@CsvSource({ "naive,EXCLUSIVE", "naive,READ", "naive,WRITE", "sequential,EXCLUSIVE", "sequential,READ",
			"sequential,WRITE" })
	void whatAClosedClientHeldIsFreeAtOnceAndWhoWaitedIsNotified(String strategy, LockMode mode) throws Exception {
		LockClient client = this.faults.client();
		LockHandle handle = client.acquire(request("held", strategy, mode));
		CompletableFuture<Long> next = next("held", strategy);
		try (LockHandle others = this.faults.client().acquire(request("wanted", strategy, LockMode.WRITE))) {
			CompletableFuture<LockHandle> waiting = client.acquireAsync(request("wanted", strategy, mode));
			CompletableFuture<LockHandle> blocked = CompletableFuture.supplyAsync(() -> {
				try {
					return client.acquire(request("wanted", strategy, mode));
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
			}, this.threads);
			this.faults.awaitWaits(client, "wanted");
			long began = System.nanoTime();
			client.close();
			long closed = System.nanoTime() - began;
			assertThat(handle.isHeld()).isFalse();
			for (CompletableFuture<LockHandle> notified : List.of(waiting, blocked)) {
				assertThat(notified).failsWithin(Duration.ofSeconds(1))
					.withThrowableOfType(ExecutionException.class)
					.withCauseInstanceOf(LockUnavailableException.class)
					.withMessageContaining("the lock client is closed");
			}
			long free = next.get(10, TimeUnit.SECONDS) - began;
			System.out.println("FIGURES closing, %s %s: closed after %dms, free after %dms".formatted(strategy, mode,
					TimeUnit.NANOSECONDS.toMillis(closed), TimeUnit.NANOSECONDS.toMillis(free)));
			assertFreedByTheEnd(free);
			assertThat(others.isHeld()).isTrue();
		}
		handle.release();
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@ValueSource(strings = { "naive", "sequential" })
	void aContextThatIsClosedFreesWhatItsMethodsHoldAndNotifiesThoseThatWait(String strategy) throws Exception {
		ConfigurableApplicationContext application = this.faults.arena()
			.application(this.faults.servers().connectString(), SESSION, strategy, Jobs.class);
		Jobs jobs = application.getBean(Jobs.class);
		Job holding = new Job();
		CompletableFuture<String> result = CompletableFuture.supplyAsync(() -> jobs.run("held", holding), this.threads);
		assertThat(holding.entered.await(10, TimeUnit.SECONDS)).isTrue();
		CompletableFuture<Long> next = next("held", strategy);
		try (LockHandle others = this.faults.client().acquire(request("wanted", strategy, LockMode.WRITE))) {
			Job waiting = new Job();
			CompletableFuture<String> waiter = CompletableFuture.supplyAsync(() -> jobs.run("wanted", waiting),
					this.threads);
			this.faults.awaitWaits(application.getBean(LockClient.class), "wanted");
			long began = System.nanoTime();
			application.close();
			long closed = System.nanoTime() - began;
			long free = next.get(10, TimeUnit.SECONDS) - began;
			System.out.println("FIGURES context closed, %s: after %dms, free after %dms".formatted(strategy,
					TimeUnit.NANOSECONDS.toMillis(closed), TimeUnit.NANOSECONDS.toMillis(free)));
			assertFreedByTheEnd(free);
			assertThat(waiter).failsWithin(Duration.ofSeconds(1))
				.withThrowableOfType(ExecutionException.class)
				.withCauseInstanceOf(LockUnavailableException.class);
			assertThat(waiting.entered.getCount()).as("the method that waited has not run").isOne();
			assertThat(others.isHeld()).isTrue();
		}
		holding.mayEnd.countDown();
		assertThat(result).failsWithin(Duration.ofSeconds(10))
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(LockLostException.class);
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@ValueSource(strings = { "naive", "sequential" })
	void aContextThatIsClosedLetsItsTasksEndUnderTheirLocksFirst(String strategy) throws Exception {
		ConfigurableApplicationContext application = this.faults.arena()
			.application(this.faults.servers().connectString(), SESSION, strategy, Tasks.class, Jobs.class);
		Job job = new Job();
		CompletableFuture<String> result = application.getBean(Jobs.class).runElsewhere("held", job);
		assertThat(job.entered.await(10, TimeUnit.SECONDS)).isTrue();
		CompletableFuture<Long> next = next("held", strategy);
		CompletableFuture<Void> closing = CompletableFuture.runAsync(application::close, this.threads);
		await().atMost(SESSION).until(application::isClosed);
		await().during(Duration.ofMillis(300)).atMost(Duration.ofSeconds(5)).until(() -> !next.isDone());
		assertThat(closing).isNotDone();
		job.mayEnd.countDown();
		assertThat(result).succeedsWithin(Duration.ofSeconds(10)).isEqualTo("done under its lock");
		assertThat(closing).succeedsWithin(Duration.ofSeconds(10));
		assertThat(next).succeedsWithin(Duration.ofSeconds(10));
	}

	/** One call of a locked method. */
	static final class Job {

		private final CountDownLatch entered = new CountDownLatch(1);

		private final CountDownLatch mayEnd = new CountDownLatch(1);

		private String work() {
			LockHandle handle = LockContext.current();
			this.entered.countDown();
			try {
				this.mayEnd.await();
			}
			catch (InterruptedException ex) {
				return "interrupted";
			}
			return handle.isHeld() ? "done under its lock" : "done without it";
		}

	}

	static class Jobs {

		@DistributedLock(key = "#{#key}", timeout = "30s")
		public String run(String key, Job job) {
			return job.work();
		}

		@Async
		@DistributedLock(key = "#{#key}", timeout = "30s")
		public CompletableFuture<String> runElsewhere(String key, Job job) {
			return CompletableFuture.completedFuture(job.work());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	static class Tasks {

		@Bean
		ThreadPoolTaskExecutor taskExecutor() {
			return new ThreadPoolTaskExecutor();
		}

	}

}
