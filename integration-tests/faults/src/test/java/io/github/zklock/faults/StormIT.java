package io.github.zklock.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.github.zklock.Handoff;
import io.github.zklock.LockClient;
import io.github.zklock.LockException;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.zookeeper.KeyRule;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Case 7: interrupts, cancellations and time-outs at random moments leave nothing behind.
 * {@code -Dstorm.calls} sets how many there are of each.
 */
@Tag("slow")
@ExtendWith(FaultFixture.NoThreadsLeft.class)
class StormIT {

	private static final int CALLS = Integer.getInteger("storm.calls", 3_400);

	private static final int KEYS = 3;

	private static final List<LockMode> MODES = List.of(LockMode.values());

	private static final AtomicInteger DOWNGRADED = new AtomicInteger();

	@RegisterExtension
	final FaultFixture faults = FaultFixture.withSessions(Duration.ofSeconds(10));

	private final Map<LockClient, Map<String, Integer>> held = new ConcurrentHashMap<>();

	private final AtomicInteger mostHeld = new AtomicInteger();

	// One in six for two keys, if so many may be held
	private static LockRequest request(String strategy, int most, Random random) {
		int key = random.nextInt(KEYS);
		LockRequest request = request(key, random);
		if (most > 1 && random.nextInt(6) == 0) {
			request = request.and(request((key + 1 + random.nextInt(KEYS - 1)) % KEYS, random));
		}
		return request.strategy(strategy).timeout(Duration.ofSeconds(30));
	}

	private static LockRequest request(int number, Random random) {
		LockMode mode = MODES.get(random.nextInt(MODES.size()));
		String key = "k" + number;
		return (random.nextInt(4) == 0) ? LockRequest.permits(key, 2) : LockRequest.exclusive(key).mode(mode);
	}

	// On a machine without time few calls are granted, so all storms count together
	@AfterAll
	static void someWereDowngraded() {
		assertThat(DOWNGRADED).hasPositiveValue();
	}

	@ParameterizedTest
	@CsvSource({ "naive, 64, 0, 3", "sequential, 64, 0, 3", "sequential, 0, 0, 3", "sequential, 2, 20, 3",
			"sequential, 64, 20, 1", "naive, 64, 0, 2" })
	void interruptsAndCancellationsAndTimeOutsLeaveNothing(String strategy, int handoffs, int retainMillis, int most)
			throws Exception {
		Random random = new Random(11);
		AtomicInteger granted = new AtomicInteger();
		Handoff handoff = new Handoff(handoffs, Duration.ofMillis(100), Duration.ofMillis(retainMillis));
		List<LockClient> clients = List.of(client(handoff, most), client(handoff, most));
		cancel(clients, strategy, most, random, granted);
		interrupt(clients, strategy, most, random.nextLong(), granted);
		haveEachKey(clients, strategy);
		assertThat(this.faults.arena().residue(Duration.ofSeconds(30))).isEmpty();
		assertThat(this.mostHeld).hasValueBetween(1, most);
		System.out
			.println("FIGURES storm, %s, %d handoffs, retain %d ms, %d keys at a time at most: calls=%d granted=%d"
				.formatted(strategy, handoffs, retainMillis, most, 3 * CALLS, granted.get()));
	}

	// On a machine without time a storm may be over before anybody was granted a lock
	private void haveEachKey(List<LockClient> clients, String strategy) throws InterruptedException {
		for (LockClient client : clients) {
			for (int key = 0; key < KEYS; key++) {
				try (LockHandle handle = client
					.acquire(LockRequest.exclusive("k" + key).strategy(strategy).timeout(Duration.ofSeconds(30)))) {
					using(client, handle, false, () -> {
					});
				}
			}
		}
	}

	private LockClient client(Handoff handoff, int most) {
		Arena arena = this.faults.arena();
		return arena.client(arena.curator(this.faults.servers().connectString(), Duration.ofSeconds(10)), (builder) -> {
			builder.handoff(handoff);
			if (most < KEYS) {
				builder.rule(KeyRule.of("k*").maxHeld(most));
			}
		});
	}

	// One WRITE in four goes on as a READ
	private void using(LockClient client, LockHandle handle, boolean downgrades, Runnable section) {
		Map<String, Integer> keys = this.held.computeIfAbsent(client, (any) -> new HashMap<>());
		count(keys, handle.keys(), 1);
		section.run();
		List<LockMode> modes = handle.keys().stream().map(handle::mode).toList();
		if (downgrades && modes.contains(LockMode.WRITE) && !modes.contains(LockMode.EXCLUSIVE)) {
			handle.downgrade();
			DOWNGRADED.incrementAndGet();
			section.run();
		}
		count(keys, handle.keys(), -1);
	}

	private void count(Map<String, Integer> keys, List<String> changed, int difference) {
		synchronized (keys) {
			changed.forEach((key) -> keys.merge(key, difference, Integer::sum));
			keys.values().removeIf((number) -> number == 0);
			this.mostHeld.accumulateAndGet(keys.size(), Math::max);
		}
	}

	// One in two is cancelled, one in two has a short time-out.
	private void cancel(List<LockClient> clients, String strategy, int most, Random random, AtomicInteger granted) {
		List<CompletableFuture<?>> all = new ArrayList<>();
		Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
		for (int i = 0; i < 2 * CALLS; i++) {
			LockRequest request = request(strategy, most, random);
			LockClient client = clients.get(i % 2);
			long micros = random.nextInt(40_000);
			boolean downgrades = random.nextInt(4) == 0;
			boolean cancelled = random.nextBoolean();
			CompletableFuture<LockHandle> future = client
				.acquireAsync(cancelled ? request : request.timeout(Duration.ofNanos(micros * 1_000)));
			all.add(future.handle((handle, failure) -> {
				if (handle != null) {
					granted.incrementAndGet();
					using(client, handle, downgrades, () -> LockSupport.parkNanos(1_000));
					handle.release();
				}
				else if (!(failure instanceof CancellationException || failure instanceof LockTimeoutException
						|| failure instanceof LockUnavailableException)) {
					failures.add(failure);
				}
				return null;
			}));
			if (cancelled) {
				all.add(CompletableFuture.runAsync(() -> future.cancel(false),
						CompletableFuture.delayedExecutor(micros, TimeUnit.MICROSECONDS)));
			}
			LockSupport.parkNanos(20_000);
		}
		CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).join();
		assertThat(failures).isEmpty();
	}

	private void interrupt(List<LockClient> clients, String strategy, int most, long seed, AtomicInteger granted)
			throws InterruptedException {
		List<Thread> threads = new ArrayList<>();
		AtomicInteger calls = new AtomicInteger();
		AtomicInteger interrupted = new AtomicInteger();
		Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
		for (int i = 0; i < 20; i++) {
			Random random = new Random(seed + i);
			LockClient client = clients.get(i % 2);
			Thread thread = new Thread(() -> {
				while (calls.getAndIncrement() < CALLS) {
					try (LockHandle handle = client.acquire(request(strategy, most, random))) {
						granted.incrementAndGet();
						using(client, handle, random.nextInt(4) == 0,
								() -> LockSupport.parkNanos(handle.isHeld() ? 50_000 : 0));
					}
					catch (InterruptedException ex) {
						interrupted.incrementAndGet();
					}
					catch (LockException ex) {
						failures.add(ex);
					}
				}
			}, "storm-" + i);
			thread.setUncaughtExceptionHandler((unused, failure) -> failures.add(failure));
			threads.add(thread);
			thread.start();
		}
		Random random = new Random(seed);
		while (threads.stream().anyMatch(Thread::isAlive)) {
			threads.get(random.nextInt(threads.size())).interrupt();
			LockSupport.parkNanos(random.nextInt(400_000));
		}
		for (Thread thread : threads) {
			thread.join();
		}
		assertThat(failures).isEmpty();
		assertThat(interrupted).hasPositiveValue();
	}

}
