package io.github.zklock.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.ConfigurableApplicationContext;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockClient;
import io.github.zklock.LockContext;
import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.OnLost;
import io.github.zklock.harness.FaultProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Case 2 through the annotation: the session ends while locked methods of an application
 * run.
 */
@Tag("slow")
@ExtendWith(FaultFixture.NoThreadsLeft.class)
class OnLostIT {

	private static final Duration SESSION = Duration.ofSeconds(3);

	@RegisterExtension
	final FaultFixture faults = FaultFixture.withSessions(SESSION);

	private static final int RACERS = 8;

	private final ExecutorService threads = Executors.newCachedThreadPool();

	@AfterEach
	void endThreads() {
		this.threads.shutdownNow();
	}

	private static Class<? extends Work> workIn(LockMode mode) {
		return switch (mode) {
			case EXCLUSIVE -> ExclusiveWork.class;
			case READ -> ReadingWork.class;
			case WRITE -> WritingWork.class;
		};
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@CsvSource({ "naive,EXCLUSIVE", "naive,READ", "naive,WRITE", "sequential,EXCLUSIVE", "sequential,READ",
			"sequential,WRITE" })
	void eachDoesWhatItSaysWhenTheSessionExpires(String strategy, LockMode mode) throws Throwable {
		ConfigurableApplicationContext application = this.faults.arena()
			.application(this.faults.proxy().connectString(), SESSION, strategy, workIn(mode));
		Work work = application.getBean(Work.class);
		Run throwing = run("throw", strategy, work::throwing);
		Run interrupted = run("interrupt", strategy, work::interrupted);
		Run ignoring = run("ignore", strategy, work::ignoring);
		List<Racer> racers = race(work);
		this.faults.proxy().hold(FaultProxy.Direction.TO_SERVER, FaultProxy.Direction.TO_CLIENT);
		long margin = Long.MAX_VALUE;
		for (Run run : List.of(throwing, interrupted, ignoring)) {
			long granted = run.next.get(20, TimeUnit.SECONDS);
			margin = Math.min(margin, granted - run.notified.get());
			assertThat(run.notified).as("when the holder of %s was told", run.key).doesNotHaveValue(0);
		}
		margin = Math.min(margin, interrupted.next.get() - interrupted.awoke.get());
		System.out.println("FIGURES on lost, %s %s: margin=%dms racers=%d".formatted(strategy, mode,
				TimeUnit.NANOSECONDS.toMillis(margin), racers.size()));
		assertThat(margin).as("nanoseconds from the last who was told to the first who was granted").isPositive();
		judge(throwing, interrupted, ignoring, racers);
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@CsvSource({ "naive,EXCLUSIVE", "sequential,EXCLUSIVE", "sequential,READ" })
	void eachDoesWhatItSaysWhenTheServersEndTheSession(String strategy, LockMode mode) throws Throwable {
		ConfigurableApplicationContext application = this.faults.arena()
			.application(this.faults.servers().connectString(), SESSION, strategy, workIn(mode));
		Work work = application.getBean(Work.class);
		Run throwing = run("throw", strategy, work::throwing);
		Run interrupted = run("interrupt", strategy, work::interrupted);
		Run ignoring = run("ignore", strategy, work::ignoring);
		List<Racer> racers = race(work);
		this.faults.servers()
			.endSession(application.getBean(CuratorFramework.class).getZookeeperClient().getZooKeeper());
		for (Run run : List.of(throwing, interrupted, ignoring)) {
			run.next.get(20, TimeUnit.SECONDS);
			await().atMost(SESSION).until(() -> run.notified.get() != 0);
		}
		judge(throwing, interrupted, ignoring, racers);
	}

	private void judge(Run throwing, Run interrupted, Run ignoring, List<Racer> racers) throws Throwable {
		this.faults.proxy().heal();
		throwing.mayEnd.countDown();
		ignoring.mayEnd.countDown();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(throwing::outcome)
			.withMessageContaining("so its result is not returned")
			.withNoCause();
		assertThat(throwing.awoke).as("no interrupt under THROW").hasValue(0);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(interrupted::outcome)
			.withCauseInstanceOf(InterruptedException.class);
		assertThat(ignoring.outcome()).isEqualTo("result");
		assertThat(ignoring.awoke).as("no interrupt under IGNORE").hasValue(0);
		for (Racer racer : racers) {
			assertThat(racer.outcome.get(10, TimeUnit.SECONDS)).isEqualTo("lost, and no interrupt after it");
		}
	}

	/** Starts a locked method, and somebody else who waits for its key. */
	private Run run(String key, String strategy, Call call) throws InterruptedException {
		Run run = new Run(key);
		run.result = CompletableFuture.supplyAsync(() -> {
			try {
				return call.on(run);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException("Nobody but the lock may interrupt", ex);
			}
		}, this.threads);
		assertThat(run.entered.await(20, TimeUnit.SECONDS)).isTrue();
		LockClient other = this.faults.arena().client(this.faults.servers().connectString(), Duration.ofSeconds(20));
		run.next = CompletableFuture.supplyAsync(() -> {
			LockRequest request = LockRequest.write(key).strategy(strategy).timeout(Duration.ofSeconds(20));
			try (LockHandle handle = other.acquire(request)) {
				long granted = System.nanoTime();
				assertThat(handle.isHeld()).as("the next holder holds '%s'", key).isTrue();
				return granted;
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}, this.threads);
		return run;
	}

	/** Starts locked methods that end at the moment when they see the loss. */
	private List<Racer> race(Work work) throws InterruptedException {
		List<Racer> racers = new ArrayList<>();
		for (int i = 0; i < RACERS; i++) {
			String key = "racer-" + i;
			CountDownLatch entered = new CountDownLatch(1);
			racers.add(new Racer(CompletableFuture.supplyAsync(() -> end(work, key, entered), this.threads)));
			assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();
		}
		return racers;
	}

	private static String end(Work work, String key, CountDownLatch entered) {
		try {
			return "returned " + work.racing(key, entered);
		}
		catch (LockLostException ex) {
			long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(500);
			while (System.nanoTime() - until < 0) {
				if (Thread.interrupted()) {
					return "interrupted after it";
				}
				LockSupport.parkNanos(100_000);
			}
			return "lost, and no interrupt after it";
		}
	}

	private interface Call {

		String on(Run run) throws InterruptedException;

	}

	private record Racer(CompletableFuture<String> outcome) {
	}

	/** One call of a locked method. */
	static final class Run {

		private final String key;

		private final CountDownLatch entered = new CountDownLatch(1);

		private final CountDownLatch mayEnd = new CountDownLatch(1);

		private final AtomicLong notified = new AtomicLong();

		private final AtomicLong awoke = new AtomicLong();

		private CompletableFuture<String> result;

		private CompletableFuture<Long> next;

		Run(String key) {
			this.key = key;
		}

		public String key() {
			return this.key;
		}

		private String outcome() throws Throwable {
			try {
				return this.result.get(10, TimeUnit.SECONDS);
			}
			catch (ExecutionException ex) {
				throw ex.getCause();
			}
		}

		private String work() throws InterruptedException {
			LockContext.current().onLost(() -> this.notified.compareAndSet(0, System.nanoTime()));
			this.entered.countDown();
			try {
				this.mayEnd.await();
			}
			catch (InterruptedException ex) {
				this.awoke.set(System.nanoTime());
				throw ex;
			}
			return "result";
		}

	}

	interface Work {

		String throwing(Run run) throws InterruptedException;

		String interrupted(Run run) throws InterruptedException;

		String ignoring(Run run) throws InterruptedException;

		String racing(String key, CountDownLatch entered);

		static String race(CountDownLatch entered) {
			LockHandle handle = LockContext.current();
			entered.countDown();
			while (handle.isHeld()) {
				LockSupport.parkNanos(100_000);
			}
			return "result";
		}

	}

	static class ExclusiveWork implements Work {

		@Override
		@DistributedLock(key = "#{#run.key()}")
		public String throwing(Run run) throws InterruptedException {
			return run.work();
		}

		@Override
		@DistributedLock(key = "#{#run.key()}", onLost = OnLost.INTERRUPT)
		public String interrupted(Run run) throws InterruptedException {
			return run.work();
		}

		@Override
		@DistributedLock(key = "#{#run.key()}", onLost = OnLost.IGNORE)
		public String ignoring(Run run) throws InterruptedException {
			return run.work();
		}

		@Override
		@DistributedLock(key = "#{#key}", onLost = OnLost.INTERRUPT)
		public String racing(String key, CountDownLatch entered) {
			return Work.race(entered);
		}

	}

	static class ReadingWork implements Work {

		@Override
		@DistributedLock(key = "#{#run.key()}", mode = LockMode.READ)
		public String throwing(Run run) throws InterruptedException {
			return run.work();
		}

		@Override
		@DistributedLock(key = "#{#run.key()}", mode = LockMode.READ, onLost = OnLost.INTERRUPT)
		public String interrupted(Run run) throws InterruptedException {
			return run.work();
		}

		@Override
		@DistributedLock(key = "#{#run.key()}", mode = LockMode.READ, onLost = OnLost.IGNORE)
		public String ignoring(Run run) throws InterruptedException {
			return run.work();
		}

		@Override
		@DistributedLock(key = "#{#key}", mode = LockMode.READ, onLost = OnLost.INTERRUPT)
		public String racing(String key, CountDownLatch entered) {
			return Work.race(entered);
		}

	}

	static class WritingWork implements Work {

		@Override
		@DistributedLock(key = "#{#run.key()}", mode = LockMode.WRITE)
		public String throwing(Run run) throws InterruptedException {
			return run.work();
		}

		@Override
		@DistributedLock(key = "#{#run.key()}", mode = LockMode.WRITE, onLost = OnLost.INTERRUPT)
		public String interrupted(Run run) throws InterruptedException {
			return run.work();
		}

		@Override
		@DistributedLock(key = "#{#run.key()}", mode = LockMode.WRITE, onLost = OnLost.IGNORE)
		public String ignoring(Run run) throws InterruptedException {
			return run.work();
		}

		@Override
		@DistributedLock(key = "#{#key}", mode = LockMode.WRITE, onLost = OnLost.INTERRUPT)
		public String racing(String key, CountDownLatch entered) {
			return Work.race(entered);
		}

	}

}
