package io.github.zklock.faults;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.state.ConnectionState;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.Handoff;
import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.harness.EnsembleProcesses;
import io.github.zklock.harness.FaultProxy;
import io.github.zklock.zookeeper.OpenWork;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Case 13: a great many locks and time-outs leave the heap, the servers' watches and the
 * nodes as they were, and a tenth as many that are held, or as many that are retained and
 * forgotten, pass a lost connection. {@code -Dvolume.calls} sets how many.
 */
@Tag("slow")
class VolumeIT {

	private static final int CALLS = Integer.getInteger("volume.calls", 4_000);

	private static final int HELD = CALLS / 10;

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
				// Who comes between two looks, with a millisecond, may have seen nobody
				AtomicInteger timeOuts = new AtomicInteger();
				AtomicInteger unseen = new AtomicInteger();
				run(CALLS, (i) -> client.acquireAsync(request.timeout(Duration.ofMillis(i % 20)))
					.whenComplete((unused, failure) -> {
						if (failure instanceof LockTimeoutException) {
							timeOuts.incrementAndGet();
						}
						else if (failure instanceof LockUnavailableException) {
							unseen.incrementAndGet();
						}
					}));
				assertThat(timeOuts.get() + unseen.get()).isEqualTo(CALLS);
				assertThat(timeOuts).hasValueGreaterThan(CALLS / 2);
				assertThat(handle.isHeld()).isTrue();
				// The holder watches itself
				await().atMost(Duration.ofSeconds(20))
					.until(() -> servers.watchers(arena.root()).size() <= 1 && OpenWork.of(client) == 0);
				judgeHeap("time-outs", strategy, nodes, heap);
			}
			assertThat(arena.residue(Duration.ofSeconds(20))).isEmpty();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "naive", "sequential" })
	void heldLocksOutliveALostConnection(String strategy) {
		try (Arena arena = new Arena(servers); FaultProxy proxy = new FaultProxy(servers.leader().clientAddress())) {
			CuratorFramework curator = arena.curator(proxy.connectString(), Duration.ofSeconds(20));
			AtomicInteger losses = countLosses(curator);
			LockClient client = arena.client(curator);
			IntFunction<LockRequest> requests = (
					i) -> LockRequest.exclusive("key " + i).strategy(strategy).timeout(Duration.ofSeconds(20));
			List<LockHandle> handles = Collections.synchronizedList(new ArrayList<>());
			run(HELD, (i) -> client.acquireAsync(requests.apply(i)).thenAccept(handles::add));
			assertThat(handles).hasSize(HELD);
			long start = System.nanoTime();
			lose(proxy, client, strategy, losses);
			assertThat(handles).allMatch(LockHandle::isHeld);
			System.out.println("FIGURES volume, %s: %d held, %d loss, fresh lock %d ms after the cut"
				.formatted(strategy, HELD, losses.get(), Duration.ofNanos(System.nanoTime() - start).toMillis()));
			run(HELD, (i) -> handles.get(i).releaseAsync().toCompletableFuture());
			assertThat(losses).hasValue(1);
			assertThat(arena.residue(Duration.ofSeconds(60))).isEmpty();
		}
	}

	@Test
	void retainedAndForgottenLocksLeaveNoTraceBehindALostConnection() {
		try (Arena arena = new Arena(servers); FaultProxy proxy = new FaultProxy(servers.leader().clientAddress())) {
			CuratorFramework curator = arena.curator(proxy.connectString(), Duration.ofSeconds(20));
			AtomicInteger losses = countLosses(curator);
			int most = Math.min(1000, CALLS / 10);
			LockClient client = arena.client(curator,
					(builder) -> builder.handoff(new Handoff(64, Duration.ofMillis(100), Duration.ofHours(1)))
						.maxRetained(most));
			IntFunction<LockRequest> requests = (i) -> LockRequest.exclusive("key " + i)
				.timeout(Duration.ofSeconds(20));
			run(client, CALLS / 10, requests);
			long heap = heap();
			int granted = run(client, CALLS, requests);
			assertThat(granted).isEqualTo(CALLS);
			await().atMost(Duration.ofSeconds(60)).until(() -> servers.leader().counter("zk_ephemerals_count") <= most);
			lose(proxy, client, "sequential", losses);
			assertThat(losses).hasValue(1);
			long after = heap();
			System.out.println("FIGURES volume: %d retained and forgotten, at most %d at a time, heap %d KiB and %d KiB"
				.formatted(CALLS, most, heap / 1024, after / 1024));
			assertThat(after).isLessThan(heap + 8 * MEGABYTE);
			client.close();
			assertThat(arena.residue(Duration.ofSeconds(20))).isEmpty();
		}
	}

	private static AtomicInteger countLosses(CuratorFramework curator) {
		AtomicInteger losses = new AtomicInteger();
		curator.getConnectionStateListenable().addListener((unused, state) -> {
			if (state == ConnectionState.SUSPENDED) {
				losses.incrementAndGet();
			}
		});
		return losses;
	}

	// Afterwards a fresh lock has come and gone.
	private static void lose(FaultProxy proxy, LockClient client, String strategy, AtomicInteger losses) {
		proxy.cut();
		await().atMost(Duration.ofSeconds(20)).until(() -> losses.get() > 0);
		client.acquireAsync(LockRequest.exclusive("fresh").strategy(strategy).timeout(Duration.ofSeconds(20)))
			.thenCompose(LockHandle::releaseAsync)
			.join();
	}

	private static int run(LockClient client, int calls, IntFunction<LockRequest> requests) {
		AtomicInteger granted = new AtomicInteger();
		run(calls, (i) -> client.acquireAsync(requests.apply(i)).thenCompose((handle) -> {
			granted.incrementAndGet();
			return handle.releaseAsync();
		}));
		return granted.get();
	}

	@SuppressWarnings("FutureReturnValueIgnored") // the window counts them
	private static void run(int calls, IntFunction<CompletableFuture<?>> call) {
		Semaphore window = new Semaphore(AT_ONCE);
		for (int i = 0; i < calls; i++) {
			window.acquireUninterruptibly();
			call.apply(i).whenComplete((nothing, failure) -> window.release());
		}
		window.acquireUninterruptibly(AT_ONCE);
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
