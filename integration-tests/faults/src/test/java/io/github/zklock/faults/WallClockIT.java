package io.github.zklock.faults;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.harness.ChildProcess;
import io.github.zklock.harness.EnsembleProcesses;
import io.github.zklock.harness.EnsembleProcesses.Host;
import io.github.zklock.harness.Launch;
import io.github.zklock.harness.WallClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Case 14: the wall clocks of servers and clients jump, each by another difference.
 */
@Tag("slow")
class WallClockIT {

	private static final Duration SESSION = Duration.ofSeconds(5);

	private static final Duration FAR = Duration.ofDays(30);

	private static final List<Duration> DIFFERENCES = List.of(Duration.ZERO, Duration.ofSeconds(10),
			Duration.ofSeconds(-10), Duration.ofHours(1), Duration.ofHours(-1), FAR, FAR.negated());

	private static final int JUMPS = 20;

	@TempDir
	private static Path directory;

	private static final List<WallClock> CLOCKS = new ArrayList<>();

	private static EnsembleProcesses servers;

	@BeforeAll
	static void startServers() {
		Assumptions.assumeTrue(WallClock.isAvailable() || "true".equals(System.getenv("CI")),
				"Wall clocks jump by the command faketime, which is not installed");
		Stream.of("server-1", "server-2", "server-3", "one", "other", "keepers")
			.map((name) -> new WallClock(directory.resolve(name)))
			.forEach(CLOCKS::add);
		servers = EnsembleProcesses
			.start(CLOCKS.subList(0, 3).stream().map((clock) -> new Host("127.0.0.1", clock.launcher())).toList(), 8);
	}

	@AfterAll
	static void stopServers() {
		if (servers != null) {
			servers.close();
		}
	}

	@Test
	void clocksThatJumpChangeNothing() throws Exception {
		long seed = Long.getLong("wallclock.seed", System.nanoTime());
		Random random = new Random(seed);
		try (Arena arena = new Arena(servers)) {
			RoundPlan plan = RoundPlan.of("naive", LockMode.values())
				.strategies("naive", "sequential")
				.keys("a", "b")
				.workers(2)
				.timeout(Duration.ofMinutes(10));
			start(arena, "one", 3, plan);
			start(arena, "other", 4, plan);
			RoundPlan keeping = plan.keys("kept-1", "kept-2", "kept-3").hold(RoundPlan.UNTIL_LOST).workers(1);
			start(arena, "keepers", 5, keeping);
			for (int i = 0; i < JUMPS; i++) {
				CLOCKS.forEach((clock) -> clock.jump(DIFFERENCES.get(random.nextInt(DIFFERENCES.size()))));
				awaitProgress(arena);
			}
			CLOCKS.forEach((clock) -> clock.jump(FAR));
			awaitProgress(arena);
			assertThat(createdAt(arena)).isAfter(Instant.now().plus(FAR).minus(Duration.ofHours(1)));
			arena.stop();
			assertThat(arena.history().notes("WALL")).hasSize(3)
				.allMatch((note) -> Instant.parse(note.substring(note.lastIndexOf(' ') + 1))
					.isAfter(Instant.now().plus(FAR).minus(Duration.ofHours(1))));
			HistoryChecker checker = arena.judge("wall clock, seed " + seed);
			assertThat(checker.violations()).isEmpty();
			assertThat(arena.history().failures()).isEmpty();
			assertThat(arena.history().sections()).noneMatch(HoldRecord::isLost);
			assertThat(arena.residue(Duration.ofSeconds(20))).isEmpty();
		}
	}

	@Test
	@Tag("JobStart.I1")
	void aJobRunsOnceForEachFiringAlthoughTheClocksOfTheServersJump() throws Exception {
		CLOCKS.subList(0, 3).forEach((clock) -> clock.jump(Duration.ZERO));
		try (Arena arena = new Arena(servers)) {
			LockClient one = arena.client(servers.connectString(), SESSION);
			LockClient other = arena.client(servers.connectString(), SESSION);
			Duration longer = SESSION.multipliedBy(10);
			assertThat(runs(one, Duration.ofMillis(1))).as("the first").isTrue();
			assertThat(runs(other, longer)).as("the mark is watched").isFalse();
			await().until(() -> runs(one, Duration.ofMillis(1)));
			CLOCKS.subList(0, 3).forEach((clock) -> clock.jump(Duration.ofHours(1)));
			assertThat(runs(other, longer)).as("an hour later, by the servers").isFalse();
			assertThat(runs(one, longer)).as("an hour later, by the servers").isFalse();
			CLOCKS.subList(0, 3).forEach((clock) -> clock.jump(Duration.ofHours(-1)));
			Duration shorter = SESSION.plusSeconds(1);
			await().atMost(Duration.ofSeconds(30)).until(() -> runs(other, shorter));
			assertThat(runs(one, shorter)).as("it has just run").isFalse();
		}
	}

	@Test
	void aWaitForServersThatAreAwayEndsInTimeAlthoughTheClockIsSetBack() throws Exception {
		WallClock clock = new WallClock(directory.resolve("awaiting"));
		try (ServerSocket nobody = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
				ChildProcess awaiting = Launch.java(AwaitingMain.class)
					.through(clock.launcher())
					.arguments(List.of("127.0.0.1:" + nobody.getLocalPort()))
					.startAnswering(directory.resolve("awaiting.out"))) {
			for (int way = 1; way <= AwaitingMain.WAYS; way++) {
				awaiting.receive(AwaitingMain.WAITS, Duration.ofSeconds(60));
				TimeUnit.SECONDS.sleep(1);
				clock.jump(Duration.ofHours(-way));
				assertThat(awaiting.poll(Duration.ofSeconds(30))).as("way %d", way).contains(AwaitingMain.ENDED);
			}
		}
	}

	private static boolean runs(LockClient client, Duration within) throws InterruptedException {
		Optional<LockHandle> run = client.notAgainWithin(within, false)
			.tryAcquire(LockRequest.exclusive("nightly").timeout(Duration.ofSeconds(10)));
		run.ifPresent((handle) -> handle.releaseAsync().join());
		return run.isPresent();
	}

	// One after the other: three JVMs that start at once may keep the first holder from
	// answering
	private static void start(Arena arena, String name, int clock, RoundPlan plan) {
		arena.process(name, servers.connectString(), SESSION, 2, plan, clock, CLOCKS.get(clock).launcher());
		arena.await(name + " is at work", (history) -> history.entered(name) > 0);
	}

	private static void awaitProgress(Arena arena) {
		Function<History, List<Long>> entered = (history) -> List.of(history.entered("one"), history.entered("other"));
		List<Long> before = entered.apply(arena.history());
		arena.await("both go on", (history) -> entered.apply(history).get(0) > before.get(0) + 5
				&& entered.apply(history).get(1) > before.get(1) + 5);
	}

	private static Instant createdAt(Arena arena) throws Exception {
		try (ZooKeeper zooKeeper = EnsembleProcesses.connect(servers.connectString())) {
			Stat stat = new Stat();
			zooKeeper.create(arena.root() + "/now", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT, stat);
			zooKeeper.delete(arena.root() + "/now", -1);
			return Instant.ofEpochMilli(stat.getCtime());
		}
	}

}
