package io.github.zklock.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.harness.EnsembleProcesses;
import io.github.zklock.harness.EnsembleProcesses.Host;
import io.github.zklock.harness.FaultProxy;
import io.github.zklock.harness.NetworkHosts;
import io.github.zklock.harness.ServerLinks;
import io.github.zklock.harness.ServerMain;
import io.github.zklock.harness.ServerProcess;
import io.github.zklock.harness.ServerSettings;
import io.github.zklock.harness.SilentSessions;
import io.github.zklock.testing.Actor;
import io.github.zklock.testing.Stopwatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The tools do what the cases trust them to do.
 */
@Tag("slow")
@ExtendWith(FaultFixture.NoThreadsLeft.class)
class ToolsIT {

	@RegisterExtension
	final FaultFixture faults = FaultFixture.withSessions(Duration.ofSeconds(4));

	private EnsembleProcesses servers;

	@BeforeEach
	void findServers() {
		this.servers = this.faults.servers();
	}

	@Test
	void aKilledLeaderIsReplacedAndComesBackWithItsData() throws Exception {
		ServerProcess leader = this.servers.leader();
		try (ZooKeeper zooKeeper = EnsembleProcesses.connect(this.servers.connectString())) {
			zooKeeper.create("/kept", new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
		}
		leader.kill();
		await().atMost(Duration.ofSeconds(30)).until(() -> this.servers.leader() != leader);
		this.servers.mend();
		assertThat(this.servers.followers()).hasSize(2).contains(leader);
		try (ZooKeeper zooKeeper = EnsembleProcesses.connect(leader.connectString())) {
			assertThat(zooKeeper.exists("/kept", false)).isNotNull();
		}
	}

	@Test
	void aFrozenServerDoesNotAnswerUntilItIsThawed() {
		ServerProcess follower = this.servers.followers().get(0);
		follower.freeze();
		assertThat(follower.ask("srvr")).isEmpty();
		follower.thaw();
		this.servers.awaitServing();
	}

	// Fault tests run in several JVMs, and somebody may run two builds at once
	@Test
	void aNetworkIsNotTakenFromWhoHasIt() {
		FaultFixture.assumeNetworkHosts();
		try (NetworkHosts network = new NetworkHosts(1);
				EnsembleProcesses one = EnsembleProcesses.start(network.hosts(), 1);
				NetworkHosts another = new NetworkHosts(1)) {
			assertThat(another.hosts()).doesNotContainAnyElementsOf(network.hosts());
			assertThat(one.leader().role()).isEqualTo("standalone");
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 3 })
	void aSlowDiskTakesItsTimeForEachForcedWrite(int servers, @TempDir Path directory) throws Exception {
		ServerSettings slow = ServerSettings.forTests().with(ServerMain.slowDisk(Duration.ofMillis(50)));
		try (EnsembleProcesses ensemble = EnsembleProcesses.start(directory, Host.local(servers), slow);
				ZooKeeper zooKeeper = EnsembleProcesses.connect(ensemble.connectString())) {
			long start = System.nanoTime();
			create(zooKeeper, "/first");
			create(zooKeeper, "/second");
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(100));
			ensemble.leader().kill();
			ensemble.mend();
			await().ignoreExceptions().until(() -> zooKeeper.exists("/second", false) != null);
		}
	}

	@Test
	void theAnswerToTheSecondCreateIsLostButTheNodeIsThere() throws Exception {
		try (FaultProxy proxy = new FaultProxy(this.servers.servers().get(0).clientAddress());
				ZooKeeper zooKeeper = EnsembleProcesses.connect(proxy.connectString())) {
			CompletableFuture<String> lost = proxy.loseAnswer(2, LockRequestTypes.CREATIONS);
			create(zooKeeper, "/first");
			assertThatExceptionOfType(KeeperException.ConnectionLossException.class)
				.isThrownBy(() -> create(zooKeeper, "/second"));
			assertThat(lost.get(5, TimeUnit.SECONDS)).isEqualTo("/second");
			await().ignoreExceptions().until(() -> zooKeeper.exists("/second", false) != null);
		}
	}

	@Test
	void aLostRequestNeverReachesTheServer() throws Exception {
		try (FaultProxy proxy = new FaultProxy(this.servers.servers().get(0).clientAddress());
				ZooKeeper zooKeeper = EnsembleProcesses.connect(proxy.connectString())) {
			CompletableFuture<String> lost = proxy.loseRequest(1, LockRequestTypes.CREATIONS);
			assertThatExceptionOfType(KeeperException.ConnectionLossException.class)
				.isThrownBy(() -> create(zooKeeper, "/never"));
			assertThat(lost.get(5, TimeUnit.SECONDS)).isEqualTo("/never");
			await().ignoreExceptions().until(() -> zooKeeper.exists("/", false) != null);
			assertThat(zooKeeper.exists("/never", false)).isNull();
		}
	}

	@Test
	void aBlackHoleIsLateAndLosesNothing() throws Exception {
		try (FaultProxy proxy = new FaultProxy(this.servers.servers().get(0).clientAddress());
				ZooKeeper zooKeeper = EnsembleProcesses.connect(proxy.connectString());
				ZooKeeper direct = EnsembleProcesses.connect(this.servers.servers().get(0).connectString())) {
			proxy.hold(FaultProxy.Direction.TO_CLIENT);
			CompletableFuture<Integer> answer = new CompletableFuture<>();
			zooKeeper.create("/late", new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL,
					(rc, path, context, name) -> answer.complete(rc), null);
			await().until(() -> direct.exists("/late", false) != null);
			assertThat(answer).isNotDone();
			proxy.heal();
			assertThat(answer.get(5, TimeUnit.SECONDS)).isZero();
		}
	}

	@Test
	void aHeldAnswerIsLateWithWhatComesBehindIt() throws Exception {
		try (FaultProxy proxy = new FaultProxy(this.servers.servers().get(0).clientAddress());
				ZooKeeper zooKeeper = EnsembleProcesses.connect(proxy.connectString());
				ZooKeeper direct = EnsembleProcesses.connect(this.servers.servers().get(0).connectString())) {
			proxy.holdAnswers(Set.of(OpCode.create));
			assertThat(zooKeeper.exists("/", false)).isNotNull();
			CompletableFuture<Integer> answer = new CompletableFuture<>();
			zooKeeper.create("/late", new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL,
					(rc, path, context, name) -> answer.complete(rc), null);
			CompletableFuture<Integer> next = new CompletableFuture<>();
			zooKeeper.exists("/", false, (rc, path, context, stat) -> next.complete(rc), null);
			await().until(() -> direct.exists("/late", false) != null);
			await().during(Duration.ofMillis(200)).until(() -> !answer.isDone() && !next.isDone());
			proxy.heal();
			assertThat(answer.get(5, TimeUnit.SECONDS)).isZero();
			assertThat(next.get(5, TimeUnit.SECONDS)).isZero();
		}
	}

	@Test
	void aLinkBetweenServersThatIsHeldOneWayIsLateAndLosesNothing() throws Exception {
		try (ServerLinks links = new ServerLinks();
				EnsembleProcesses linked = EnsembleProcesses.start(3, links, "syncLimit=24")) {
			int leader = linked.servers().indexOf(linked.leader());
			int follower = linked.servers().indexOf(linked.followers().get(0));
			try (ZooKeeper behind = EnsembleProcesses.connect(linked.followers().get(0).connectString());
					ZooKeeper direct = EnsembleProcesses.connect(linked.leader().connectString())) {
				links.hold(leader, follower);
				CompletableFuture<Integer> answer = new CompletableFuture<>();
				behind.create("/late", new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL,
						(rc, path, context, name) -> answer.complete(rc), null);
				await().until(() -> direct.exists("/late", false) != null);
				assertThat(answer).isNotDone();
				links.release(leader, follower);
				assertThat(answer.get(5, TimeUnit.SECONDS)).isZero();
			}
		}
	}

	@Test
	void silentSessionsExpireAtOneMoment() {
		ServerProcess leader = this.servers.leader();
		long before = leader.counter("zk_global_sessions");
		Stopwatch stopwatch = Stopwatch.start();
		long expiry = System.nanoTime() + TimeUnit.SECONDS.toNanos(4);
		assertThat(SilentSessions.open(leader.clientAddress(), 50, expiry, expiry)).isEqualTo(50);
		assertThat(leader.counter("zk_global_sessions")).isEqualTo(before + 50);
		await().until(() -> leader.counter("zk_global_sessions") <= before);
		stopwatch.assertBetween(Duration.ofSeconds(4), Duration.ofSeconds(6));
	}

	@Test
	void anEndedSessionIsGoneForItsOwner() throws Exception {
		try (ZooKeeper zooKeeper = EnsembleProcesses.connect(this.servers.connectString())) {
			this.servers.endSession(zooKeeper);
			await().until(() -> !zooKeeper.getState().isAlive());
		}
	}

	@Test
	void leftoversAreFound() throws Exception {
		try (ZooKeeper zooKeeper = EnsembleProcesses.connect(this.servers.connectString())) {
			for (String path : List.of("/left", "/left/k", "/left/k/x-lock-0000000000", "/left/plain")) {
				zooKeeper.create(path, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE,
						path.endsWith("plain") ? CreateMode.EPHEMERAL : CreateMode.PERSISTENT);
			}
			zooKeeper.getData("/left/k", (event) -> {
			}, new Stat());
			assertThat(new Remains(this.servers, "/left").after(Duration.ofMillis(200), List::of)).hasSize(3)
				.anyMatch((line) -> line.equals("node /left/plain"))
				.anyMatch((line) -> line.equals("node /left/k/x-lock-0000000000"))
				.anyMatch((line) -> line.startsWith("watch on /left/k"));
		}
	}

	@Test
	void leftoversAreFoundAlthoughAnotherKeyVanishesMeanwhile() throws Exception {
		try (ZooKeeper zooKeeper = new VanishingKey(this.servers.connectString(), "/vanishing")) {
			for (String path : List.of("/vanishing", "/vanishing/a", "/vanishing/a/x", "/vanishing/b",
					"/vanishing/b/x")) {
				zooKeeper.create(path, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
			}
			assertThat(new Remains(this.servers, "/vanishing").nodes(zooKeeper)).singleElement()
				.isIn("node /vanishing/a/x", "node /vanishing/b/x");
			assertThat(zooKeeper.getAllChildrenNumber("/vanishing")).isEqualTo(2);
			assertThat(new Remains(this.servers, "/nowhere").nodes(zooKeeper)).isEmpty();
		}
	}

	@Test
	void whatAClientKeepsInItsMapsIsFound() throws Exception {
		LockHandle handle = this.faults.client().acquire(LockRequest.exclusive("k"));
		assertThat(this.faults.arena().residue(Duration.ofMillis(200)))
			.anyMatch((line) -> line.matches("[1-9]\\d* open in .*"));
		handle.releaseAsync().join();
		assertThat(this.faults.arena().residue(Duration.ofSeconds(10))).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "OPEN\tclient\t1", "THREADS\tclient\t2", "BROKEN\tclient\tan exception" })
	void whatAnotherProcessHasLeftIsFound(String line) throws Exception {
		try (Arena arena = new Arena(this.servers)) {
			Files.writeString(arena.newLog("planted"), "OPEN\tother\t0\nTHREADS\tother\t0\n" + line + "\n");
			assertThat(arena.residue(Duration.ofMillis(200))).containsExactly(line.replace('\t', ' '));
		}
	}

	@Test
	void aThreadOfTheEngineThatGoesOnIsFound() throws Exception {
		FaultFixture.NoThreadsLeft check = new FaultFixture.NoThreadsLeft();
		check.beforeAll(null);
		check.check(Duration.ofSeconds(1));
		CountDownLatch end = new CountDownLatch(1);
		Thread thread = new Thread(() -> Actor.awaitQuietly(end), "zk-lock-planted");
		thread.start();
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> check.check(Duration.ofMillis(50)))
			.withMessageContaining("zk-lock-planted");
		end.countDown();
		check.check(Duration.ofSeconds(10));
	}

	@Test
	void clientsInProcessesOfTheirOwnTellWhatTheySaw() {
		try (Arena arena = new Arena(this.servers)) {
			RoundPlan plan = RoundPlan.of("sequential", LockMode.EXCLUSIVE, LockMode.READ, LockMode.WRITE);
			ClientProcess one = arena.process("one", this.servers.connectString(), Duration.ofSeconds(4), 2, plan, 1);
			ClientProcess other = arena.process("other", this.servers.connectString(), Duration.ofSeconds(4), 1, plan,
					2);
			await().atMost(Duration.ofSeconds(30)).until(() -> one.count("LEAVE") > 20 && other.count("LEAVE") > 10);
			other.freeze();
			other.thaw();
			arena.stop();
			HistoryChecker checker = new HistoryChecker(arena.history());
			assertThat(checker.violations()).isEmpty();
			assertThat(arena.residue(Duration.ofSeconds(5))).isEmpty();
			assertThat(arena.history().notes("END")).hasSize(2);
		}
	}

	@Test
	void aClientThatIsNotServedIsFoundAmongThoseThatAre() {
		Duration session = Duration.ofSeconds(4);
		try (Arena arena = new Arena(this.servers)) {
			RoundPlan plan = RoundPlan.of("sequential", LockMode.EXCLUSIVE).timeout(Duration.ofMillis(200));
			arena.contend(arena.client(this.servers.connectString(), session), "served", plan, 1);
			arena.awaitProgress(20);
			// Nobody listens there
			arena.contend(arena.client("localhost:1", session), "in-vain", plan, 2);
			assertThatExceptionOfType(ConditionTimeoutException.class)
				.isThrownBy(() -> arena.awaitProgress(20, Duration.ofSeconds(3)))
				.withMessageContaining("in-vain")
				.withMessageNotContaining("\"served\"");
			arena.stop();
			assertThat(arena.history().enteredByClient()).containsOnlyKeys("served");
		}
	}

	private static void create(ZooKeeper zooKeeper, String path) throws KeeperException, InterruptedException {
		zooKeeper.create(path, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL, new Stat());
	}

	/** Deletes the first key below a root that is looked at, just before that look. */
	private static final class VanishingKey extends ZooKeeper {

		private final String root;

		private boolean gone;

		private VanishingKey(String servers, String root) throws IOException {
			super(servers, 20_000, (event) -> {
			});
			this.root = root;
		}

		@Override
		public List<String> getChildren(String path, boolean watch) throws KeeperException, InterruptedException {
			if (!this.gone && path.startsWith(this.root + "/")) {
				this.gone = true;
				ZKUtil.deleteRecursive(this, path);
			}
			return super.getChildren(path, watch);
		}

	}

}
