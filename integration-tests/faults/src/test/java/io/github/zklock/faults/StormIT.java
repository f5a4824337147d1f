package io.github.zklock.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

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

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Case 7: interrupts, cancellations and time-outs at random moments leave nothing behind.
 * {@code -Dstorm.calls} sets how many there are of each.
 */
@Tag("slow")
@ExtendWith(FaultFixture.NoThreadsLeft.class)
class StormIT {

	private static final int CALLS = Integer.getInteger("storm.calls", 3_400);

	private static final List<LockMode> MODES = List.of(LockMode.values());

	@RegisterExtension
	final FaultFixture faults = FaultFixture.withSessions(Duration.ofSeconds(10));

	private static LockRequest request(String strategy, Random random) {
		LockMode mode = MODES.get(random.nextInt(MODES.size()));
		return LockRequest.exclusive("k" + random.nextInt(3))
			.mode(mode)
			.strategy(strategy)
			.timeout(Duration.ofSeconds(30));
	}

	@ParameterizedTest
	@CsvSource({ "naive, 64, 0", "sequential, 64, 0", "sequential, 0, 0", "sequential, 2, 20" })
	void interruptsAndCancellationsAndTimeOutsLeaveNothing(String strategy, int handoffs, int retainMillis)
			throws Exception {
		Random random = new Random(11);
		AtomicInteger granted = new AtomicInteger();
		Handoff handoff = new Handoff(handoffs, Duration.ofMillis(100), Duration.ofMillis(retainMillis));
		List<LockClient> clients = List.of(client(handoff), client(handoff));
		cancel(clients, strategy, random, granted);
		interrupt(clients, strategy, random.nextLong(), granted);
		assertThat(this.faults.arena().residue(Duration.ofSeconds(30))).isEmpty();
		System.out.println("FIGURES storm, %s, %d handoffs, retain %d ms: calls=%d granted=%d".formatted(strategy,
				handoffs, retainMillis, 3 * CALLS, granted.get()));
	}

	private LockClient client(Handoff handoff) {
		Arena arena = this.faults.arena();
		return arena.client(arena.curator(this.faults.servers().connectString(), Duration.ofSeconds(10)), handoff);
	}

	// One in two is cancelled, one in two has a short time-out.
	private static void cancel(List<LockClient> clients, String strategy, Random random, AtomicInteger granted) {
		List<CompletableFuture<?>> all = new ArrayList<>();
		for (int i = 0; i < 2 * CALLS; i++) {
			LockRequest request = request(strategy, random);
			LockClient client = clients.get(i % 2);
			long micros = random.nextInt(40_000);
			boolean cancelled = random.nextBoolean();
			CompletableFuture<LockHandle> future = client
				.acquireAsync(cancelled ? request : request.timeout(Duration.ofNanos(micros * 1_000)));
			all.add(future.handle((handle, failure) -> {
				if (handle != null) {
					granted.incrementAndGet();
					handle.release();
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
	}

	private static void interrupt(List<LockClient> clients, String strategy, long seed, AtomicInteger granted)
			throws InterruptedException {
		List<Thread> threads = new ArrayList<>();
		AtomicInteger calls = new AtomicInteger();
		AtomicInteger interrupted = new AtomicInteger();
		for (int i = 0; i < 20; i++) {
			Random random = new Random(seed + i);
			LockClient client = clients.get(i % 2);
			Thread thread = new Thread(() -> {
				while (calls.getAndIncrement() < CALLS) {
					try (LockHandle handle = client.acquire(request(strategy, random))) {
						granted.incrementAndGet();
						LockSupport.parkNanos(handle.isHeld() ? 50_000 : 0);
					}
					catch (InterruptedException ex) {
						interrupted.incrementAndGet();
					}
					catch (LockException ex) {
						throw new IllegalStateException(ex);
					}
				}
			}, "storm-" + i);
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
		assertThat(interrupted).hasPositiveValue();
	}

}
