package io.github.zklock.faults;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.harness.EnsembleProcesses;
import io.github.zklock.zookeeper.OpenWork;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Case 13: a great many locks and time-outs leave the heap, the servers' watches and the
 * nodes as they were. {@code -Dvolume.calls} sets how many.
 */
@Tag("slow")
class VolumeIT {

	private static final int CALLS = Integer.getInteger("volume.calls", 4_000);

	private static final int AT_ONCE = 100;

	private static final long MEGABYTE = 1L << 20;

	private static EnsembleProcesses servers;

	@BeforeAll
	static void startServers() {
		servers = EnsembleProcesses.start(1, "-Dznode.container.checkIntervalMs=200",
				"-Dznode.container.maxPerMinute=10000000", "-Xmx512m");
	}

	@AfterAll
	static void stopServers() {
		servers.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "naive", "sequential" })
	void locksOfManyKeysLeaveNothing(String strategy) {
		try (Arena arena = new Arena(servers)) {
			LockClient client = arena.client(servers.connectString(), Duration.ofSeconds(20));
			IntFunction<LockRequest> requests = (
					i) -> LockRequest.exclusive("key " + i).strategy(strategy).timeout(Duration.ofSeconds(20));
			run(client, CALLS / 10, requests);
			long nodes = nodes();
			long heap = heap();
			int granted = run(client, CALLS, requests);
			assertThat(granted).isEqualTo(CALLS);
			judge("locks of as many keys", strategy, arena, nodes, heap);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "naive", "sequential" })
	void timeOutsOnOneKeyLeaveNothing(String strategy) throws Exception {
		try (Arena arena = new Arena(servers)) {
			LockClient client = arena.client(servers.connectString(), Duration.ofSeconds(20));
			LockClient holder = arena.client(servers.connectString(), Duration.ofSeconds(20));
			LockRequest request = LockRequest.exclusive("held").strategy(strategy);
			try (LockHandle handle = holder.acquire(request)) {
				run(client, CALLS / 10, (i) -> request.timeout(Duration.ofMillis(i % 20)));
				long nodes = nodes();
				long heap = heap();
				int granted = run(client, CALLS, (i) -> request.timeout(Duration.ofMillis(i % 20)));
				assertThat(granted).isZero();
				assertThat(handle.isHeld()).isTrue();
				// The holder watches itself
				await().atMost(Duration.ofSeconds(20))
					.until(() -> servers.watchers(arena.root()).size() <= 1 && OpenWork.of(client) == 0);
				judgeHeap("time-outs", strategy, nodes, heap);
			}
			assertThat(arena.residue(Duration.ofSeconds(20))).isEmpty();
		}
	}

	@SuppressWarnings("FutureReturnValueIgnored") // the window counts them
	private static int run(LockClient client, int calls, IntFunction<LockRequest> requests) {
		Semaphore window = new Semaphore(AT_ONCE);
		AtomicInteger granted = new AtomicInteger();
		for (int i = 0; i < calls; i++) {
			window.acquireUninterruptibly();
			BiConsumer<Object, Throwable> over = (nothing, failure) -> window.release();
			client.acquireAsync(requests.apply(i)).whenComplete((handle, failure) -> {
				if (handle != null) {
					granted.incrementAndGet();
					handle.releaseAsync().whenComplete(over);
				}
				else {
					over.accept(null, failure);
				}
			});
		}
		window.acquireUninterruptibly(AT_ONCE);
		return granted.get();
	}

	private static void judge(String what, String strategy, Arena arena, long nodes, long heap) {
		assertThat(arena.residue(Duration.ofSeconds(20))).isEmpty();
		judgeHeap(what, strategy, nodes, heap);
	}

	private static void judgeHeap(String what, String strategy, long nodes, long heap) {
		await().atMost(Duration.ofSeconds(60)).until(() -> nodes() <= nodes + 5);
		long after = heap();
		System.out.println("FIGURES volume, %s: %d %s, heap %d KiB before and %d KiB after, nodes %d and %d"
			.formatted(strategy, CALLS, what, heap / 1024, after / 1024, nodes, nodes()));
		assertThat(after).isLessThan(heap + 8 * MEGABYTE);
	}

	// With the places of earlier calls reaped.
	private static long nodes() {
		long[] last = { Long.MAX_VALUE };
		await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(500)).until(() -> {
			long before = last[0];
			last[0] = servers.leader().counter("zk_znode_count");
			return last[0] == before;
		});
		return last[0];
	}

	private static long heap() {
		for (int i = 0; i < 3; i++) {
			ManagementFactory.getMemoryMXBean().gc();
		}
		return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
	}

}
