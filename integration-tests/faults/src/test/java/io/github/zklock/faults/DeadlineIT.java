package io.github.zklock.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.zklock.LockClient;
import io.github.zklock.LockException;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.harness.EnsembleProcesses;
import io.github.zklock.harness.FaultProxy;
import io.github.zklock.testing.Stopwatch;
import io.github.zklock.zookeeper.OpenWork;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Case 6: however the servers fail, a call comes back within its time-out and 250 ms, and
 * "busy" and "no answer" are two exceptions.
 */
@Tag("slow")
class DeadlineIT {

	private static final Duration SESSION = Duration.ofSeconds(5);

	private static final Duration GRACE = Duration.ofMillis(250);

	private static final List<Duration> TIMEOUTS = List.of(Duration.ZERO, Duration.ofMillis(50), Duration.ofMillis(300),
			Duration.ofSeconds(1), Duration.ofSeconds(2));

	private static EnsembleProcesses servers;

	private final ExecutorService callers = Executors.newCachedThreadPool();

	private Arena arena;

	private FaultProxy proxy;

	@BeforeAll
	static void startServer() {
		servers = EnsembleProcesses.start(1);
	}

	@AfterAll
	static void stopServer() {
		servers.close();
	}

	@BeforeEach
	void start() {
		servers.mend();
		this.arena = new Arena(servers);
		this.proxy = new FaultProxy(servers.servers().get(0).clientAddress());
	}

	@AfterEach
	void stop() {
		this.callers.shutdownNow();
		try (FaultProxy last = this.proxy; Arena first = this.arena) {
			last.heal();
			assertThat(first.residue(Duration.ofSeconds(15))).isEmpty();
		}
	}

	private LockClient client() throws Exception {
		LockClient client = this.arena.client(this.proxy.connectString(), SESSION);
		for (String strategy : List.of("naive", "sequential")) {
			client.acquire(LockRequest.exclusive("warm-" + strategy).strategy(strategy)).releaseAsync().join();
		}
		return client;
	}

	/**
	 * Asks with every time-out and both strategies at once. If the servers are there, but
	 * do not answer a call within its time-out, because the machine is busy, it asks
	 * again.
	 * @param expected what each call must end with
	 */
	private void assertInTime(String what, LockClient client, String key, Class<? extends LockException> expected)
			throws Exception {
		List<CompletableFuture<Long>> late = new ArrayList<>();
		for (String strategy : List.of("naive", "sequential")) {
			for (Duration timeout : TIMEOUTS) {
				LockRequest request = LockRequest.exclusive(key + strategy).strategy(strategy).timeout(timeout);
				for (boolean async : new boolean[] { false, true }) {
					late.add(CompletableFuture.supplyAsync(() -> late(client, request, async, expected), this.callers));
				}
			}
		}
		long latest = 0;
		for (CompletableFuture<Long> one : late) {
			latest = Math.max(latest, one.get(30, TimeUnit.SECONDS));
		}
		System.out.println("FIGURES deadlines, %s: calls=%d latest=%dms".formatted(what, late.size(),
				TimeUnit.NANOSECONDS.toMillis(latest)));
		assertThat(Duration.ofNanos(latest)).isLessThanOrEqualTo(GRACE);
	}

	private static long late(LockClient client, LockRequest request, boolean async,
			Class<? extends LockException> expected) {
		long latest = 0;
		Throwable outcome = null;
		int most = (expected == LockTimeoutException.class) ? 5 : 1;
		for (int asked = 0; asked < most && !expected.isInstance(outcome); asked++) {
			Stopwatch stopwatch = Stopwatch.start();
			outcome = failure(client, request, async);
			latest = Math.max(latest, stopwatch.running().minus(request.timeout()).toNanos());
			assertThat(outcome).isInstanceOfAny(expected, LockUnavailableException.class);
		}
		assertThat(outcome).isInstanceOf(expected);
		return latest;
	}

	private static Throwable failure(LockClient client, LockRequest request, boolean async) {
		try {
			LockHandle handle = async ? client.acquireAsync(request).get() : client.acquire(request);
			throw new AssertionError("Nobody should have been granted " + handle);
		}
		catch (LockException ex) {
			return ex;
		}
		catch (ExecutionException ex) {
			return ex.getCause();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void whenOthersHoldTheKeyTheCallTimesOut() throws Exception {
		LockClient client = client();
		LockClient other = client();
		try (LockHandle one = other.acquire(LockRequest.exclusive("knaive").strategy("naive"));
				LockHandle two = other.acquire(LockRequest.exclusive("ksequential").strategy("sequential"))) {
			assertInTime("held by another", client, "k", LockTimeoutException.class);
			assertThat(one.isHeld() && two.isHeld()).isTrue();
		}
	}

	@Test
	void whenTheServerIsFrozenTheLockIsUnavailable() throws Exception {
		LockClient client = client();
		servers.servers().get(0).freeze();
		try {
			assertInTime("server frozen", client, "k", LockUnavailableException.class);
		}
		finally {
			servers.servers().get(0).thaw();
		}
	}

	@Test
	void whenThePacketsVanishTheLockIsUnavailable() throws Exception {
		LockClient client = client();
		this.proxy.hold(FaultProxy.Direction.TO_CLIENT);
		assertInTime("black hole", client, "k", LockUnavailableException.class);
	}

	@Test
	void whenTheServerIsDeadTheLockIsUnavailable() throws Exception {
		LockClient client = client();
		servers.servers().get(0).kill();
		try {
			assertInTime("server dead", client, "k", LockUnavailableException.class);
		}
		finally {
			servers.mend();
		}
	}

	@Test
	void whenTheHoldersNameWasSeenBeforeTheOutageTheCallTimesOut() throws Exception {
		LockClient client = client();
		LockClient other = this.arena.client(servers.connectString(), SESSION);
		try (LockHandle one = other.acquire(LockRequest.exclusive("k"))) {
			CompletableFuture<LockHandle> waiting = client
				.acquireAsync(LockRequest.exclusive("k").timeout(Duration.ofSeconds(3)));
			await().atMost(Duration.ofSeconds(2))
				.until(() -> servers.watchers(this.arena.root()).contains(OpenWork.sessionId(client)));
			this.proxy.hold(FaultProxy.Direction.TO_CLIENT);
			assertThat(waiting).failsWithin(Duration.ofSeconds(4))
				.withThrowableOfType(ExecutionException.class)
				.withCauseInstanceOf(LockTimeoutException.class);
			assertThat(one.isHeld()).isTrue();
		}
	}

	@Test
	void whenNobodyListensOrTheNameDoesNotResolveTheLockIsUnavailable() throws Exception {
		assertThat(client()).as("classes are loaded").isNotNull();
		for (String connectString : List.of("127.0.0.1:1", "127.0.0.1:1,127.0.0.1:2,127.0.0.1:3",
				"no-such-host.invalid:2181", "10.255.255.1:2181")) {
			try (Arena elsewhere = new Arena(servers)) {
				assertInTime(connectString, elsewhere.client(connectString, SESSION), "k",
						LockUnavailableException.class);
			}
		}
	}

	@Test
	void aDeadHostAmongLivingOnesIsPassedOver() throws Exception {
		LockClient client = this.arena.client("127.0.0.1:1,no-such-host.invalid:2181," + servers.connectString(),
				SESSION);
		try (LockHandle handle = client.acquire(LockRequest.exclusive("k").timeout(Duration.ofSeconds(10)))) {
			assertThat(handle.isHeld()).isTrue();
		}
	}

}
