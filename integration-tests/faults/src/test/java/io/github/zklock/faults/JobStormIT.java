package io.github.zklock.faults;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockException;
import io.github.zklock.LockHandle;
import io.github.zklock.LockListener;
import io.github.zklock.LockRequest;
import io.github.zklock.LostReason;
import io.github.zklock.inspect.JobRun;
import io.github.zklock.zookeeper.OpenWork;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Case 17: three clients fire one job all the time, and give up at random moments, while
 * requests, answers and connections of two of them are lost; then the job runs again.
 * {@code -Djobs.faults} sets how many faults there are, {@code -Djobs.seed} repeats them.
 */
@Tag("slow")
@ExtendWith(FaultFixture.NoThreadsLeft.class)
class JobStormIT {

	private static final int FAULTS = Integer.getInteger("jobs.faults", 40);

	private static final int RUNS_AFTERWARDS = 10;

	private static final Duration WITHIN = Duration.ofMillis(150);

	private static final Duration SESSION = Duration.ofSeconds(8);

	private static final String KEY = "nightly";

	@RegisterExtension
	final FaultFixture faults = FaultFixture.withSessions(SESSION);

	private final ConcurrentSkipListMap<Long, JobRun> runs = new ConcurrentSkipListMap<>();

	private final List<String> findings = Collections.synchronizedList(new ArrayList<>());

	private final AtomicInteger givenUp = new AtomicInteger();

	private final AtomicInteger locksLost = new AtomicInteger();

	private final Set<Long> runsLost = ConcurrentHashMap.newKeySet();

	private final List<CompletableFuture<String>> losses = new ArrayList<>();

	private CuratorFramework observer;

	private volatile boolean over;

	@ParameterizedTest
	@CsvSource({ "sequential,false", "sequential,true", "naive,false", "naive,true" })
	void noFiringRunsTwiceAndEachEndIsNoted(String strategy, boolean takesOver) throws Exception {
		long seed = Long.getLong("jobs.seed", System.nanoTime());
		Random random = new Random(seed);
		this.observer = this.faults.arena().curator(this.faults.servers().connectString(), SESSION);
		String proxied = this.faults.proxy().connectString();
		List<LockClient> clients = Stream.of(proxied, proxied, this.faults.servers().connectString())
			.map(this::client)
			.toList();
		ExecutorService workers = Executors.newFixedThreadPool(2 * clients.size());
		List<Future<?>> working = new ArrayList<>();
		for (int i = 0; i < 2 * clients.size(); i++) {
			LockClient client = clients.get(i % clients.size());
			long choices = random.nextLong();
			working.add(workers.submit(() -> {
				work(client.notAgainWithin(WITHIN, takesOver), client, strategy, new Random(choices));
				return null;
			}));
		}
		for (int i = 0; i < FAULTS; i++) {
			fault(random);
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(700)));
		}
		this.faults.proxy().heal();
		int during = this.runs.size();
		await().atMost(Duration.ofSeconds(60)).until(() -> this.runs.size() >= during + RUNS_AFTERWARDS);
		this.over = true;
		for (Future<?> worker : working) {
			worker.get(60, TimeUnit.SECONDS);
		}
		workers.shutdown();
		JobRun before = null;
		for (JobRun run : this.runs.values()) {
			boolean takenOver = takesOver && before != null && this.runsLost.contains(before.number());
			if (before != null && !takenOver
					&& Duration.between(before.started(), run.started()).compareTo(WITHIN) < 0) {
				this.findings.add("started too early: " + before + " and " + run);
			}
			before = run;
		}
		long lost = this.losses.stream().filter(CompletableFuture::isDone).count();
		// One that is given up may still be taken back
		long last = await().until(this::mark, JobRun::isOver).number();
		System.out.println("FIGURES storm of jobs, %s%s: faults=%d lost=%d runs=%d+%d of %d, given up=%d, seed=%d"
			.formatted(strategy, takesOver ? " taken over" : "", FAULTS, lost, during, this.runs.size() - during, last,
					this.givenUp.get(), seed));
		// Where the lock is lost nobody takes back what was started
		await().untilAsserted(() -> assertThat(last - this.runs.size()).as("runs without work, seed " + seed)
			.isBetween(0L, (long) this.locksLost.get()));
		assertThat(this.findings).as("seed " + seed).isEmpty();
	}

	private LockClient client(String connectString) {
		return this.faults.arena()
			.client(this.faults.arena().curator(connectString, SESSION), (builder) -> builder.listener(new Losses()));
	}

	private void fault(Random random) {
		int number = 1 + random.nextInt(4);
		switch (random.nextInt(7)) {
			case 0, 1 -> this.losses.add(this.faults.proxy().loseAnswer(number, LockRequestTypes.MARKS));
			case 2 -> this.losses.add(this.faults.proxy().loseRequest(number, LockRequestTypes.MARKS));
			case 3 -> this.losses.add(this.faults.proxy().loseAnswer(number, LockRequestTypes.DELETIONS));
			case 4 -> this.losses.add(this.faults.proxy().loseRequest(number, LockRequestTypes.CREATIONS));
			case 5 -> this.faults.proxy().delay(Duration.ofMillis(random.nextInt(30)));
			default -> this.faults.proxy().cut();
		}
	}

	private void work(LockClient jobs, LockClient client, String strategy, Random random) throws Exception {
		while (!this.over) {
			LockRequest request = LockRequest.exclusive(KEY).strategy(strategy);
			LockHandle handle = random.nextBoolean() ? patient(jobs, request, random)
					: impatient(jobs, request, random);
			if (handle != null) {
				run(client, handle, random);
			}
		}
	}

	private LockHandle patient(LockClient jobs, LockRequest request, Random random) throws InterruptedException {
		try {
			return jobs.tryAcquire(request.timeout(Duration.ofMillis(random.nextInt(1_000)))).orElse(null);
		}
		catch (LockException ex) {
			this.givenUp.incrementAndGet();
			return null;
		}
	}

	private LockHandle impatient(LockClient jobs, LockRequest request, Random random) {
		CompletableFuture<LockHandle> start = jobs.acquireAsync(request.timeout(Duration.ofSeconds(5)));
		LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random.nextInt(20_000)));
		if (start.cancel(false)) {
			this.givenUp.incrementAndGet();
			return null;
		}
		return start.exceptionally((failure) -> null).join();
	}

	private JobRun mark() throws Exception {
		String path = this.faults.arena().root() + "/%~jobs/" + KEY;
		Arena.catchUp(this.observer);
		return JobRun.parse(new String(this.observer.getData().forPath(path), StandardCharsets.UTF_8));
	}

	private void run(LockClient client, LockHandle handle, Random random) throws Exception {
		long session = OpenWork.sessionId(client);
		JobRun run = mark();
		if (!handle.isHeld()) {
			handle.releaseAsync().join();
			return;
		}
		JobRun same = this.runs.put(run.number(), run);
		if (same != null || run.isOver()) {
			this.findings.add("is there twice: " + same + " and " + run);
		}
		LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random.nextInt(20_000)));
		boolean held = handle.isHeld();
		if (!held) {
			this.runsLost.add(run.number());
		}
		handle.releaseAsync().join();
		if (held && goesOn(run) && OpenWork.sessionId(client) == session) {
			this.findings.add("is released before its end is noted: " + run);
		}
		await().atMost(Duration.ofSeconds(20)).until(() -> !goesOn(run));
	}

	private boolean goesOn(JobRun run) throws Exception {
		JobRun now = mark();
		return now != null && now.id().equals(run.id()) && !now.isOver();
	}

	/** Counts the locks that are lost, also those that nobody waits for any more. */
	private final class Losses implements LockListener {

		@Override
		public void lost(Event event, LostReason reason) {
			JobStormIT.this.locksLost.incrementAndGet();
		}

	}

}
