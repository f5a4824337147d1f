package io.github.zklock.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

import io.github.zklock.LeaderElection;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.WaitingCaller;
import io.github.zklock.inspect.LockInspector;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.inspect.LockQueue.Contender;
import io.github.zklock.testing.ServerFixture;
import io.github.zklock.testing.TestServers;
import io.github.zklock.zookeeper.ZooKeeperLockClient;
import io.github.zklock.zookeeper.ZooKeeperLockInspector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What operators do with the locks of applications, on a real server.
 */
@Timeout(120)
class ZkLockCliTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	@RegisterExtension
	final ServerFixture zk = ServerFixture.onOneServer();

	private ZooKeeperLockClient client(String instance) {
		CuratorFramework curator = this.zk.curator(ServerFixture.SESSION);
		return this.zk.closing(ZooKeeperLockClient.builder(curator)
			.root(this.zk.root())
			.application("shop")
			.instance(instance)
			.timeout(PATIENCE)
			.build(), curator);
	}

	private String[] here(String... args) {
		List<String> all = new ArrayList<>(Arrays.asList(args));
		all.addAll(List.of("--connect-string", this.zk.servers().connectString(), "--root", this.zk.root()));
		return all.toArray(String[]::new);
	}

	private CliRun run(String... args) {
		return CliRun.of(here(args));
	}

	@Test
	void holdsNothingInASessionThatTheServersMadeLonger() {
		this.zk.announce("raised the session time-out");
		String half = TestServers.TICK_MILLIS + "ms";
		CliRun held = run("hold", "order/42", "--for", "100ms", "--session-timeout", half);
		assertThat(held.err()).contains("raised the session time-out from 500 ms to 1000 ms", "ask for that");
		assertThat(held.code()).isEqualTo(1);
		assertThat(run("list", "--session-timeout", half).code()).as("to look needs no lease")
			.isEqualTo(ZkLockCli.NOTHING);
	}

	@Test
	void listsWhatIsHeldAndWanted() throws InterruptedException {
		ZooKeeperLockClient waiter = client("shop-2");
		try (LockHandle held = client("shop-1").acquire(LockRequest.exclusive("order/42"))) {
			CompletableFuture<LockHandle> waiting = waiter.acquireAsync(LockRequest.exclusive("order/42"));
			this.zk.awaitWaiting(waiter, "order%2F42");
			CliRun text = run("list");
			assertThat(text.code()).isZero();
			assertThat(text.out()).startsWith("order/42").contains("holds  shop-1 (", "waits  shop-2 (", "EXCLUSIVE");
			JsonNode key = run("list", "--json").json().get(0);
			assertThat(key.get("holders").get(0).get("token").asLong()).isEqualTo(held.fencingToken());
			assertThat(key.get("queue").get(0).get("instance").asString()).isEqualTo("shop-2");
			held.release();
			waiting.join().release();
		}
	}

	@Test
	void showsALongKeyByTheNameThatIsListed() throws InterruptedException {
		try (LockHandle held = client("shop-1").acquire(LockRequest.exclusive("k".repeat(300)))) {
			String name = run("list", "--json").json().get(0).get("key").asString();
			CliRun shown = run("show", name, "--json");
			assertThat(shown.code()).isZero();
			assertThat(shown.json().get("holders").get(0).get("token").asLong()).isEqualTo(held.fencingToken());
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 3, 4 })
	void readsAllPages(int atOnce) throws InterruptedException {
		ZooKeeperLockClient client = client("shop-1");
		CuratorFramework connection = CuratorFrameworkFactory.newClient(this.zk.servers().connectString(),
				new RetryOneTime(50));
		try (LockHandle held = client.acquire(LockRequest.keys(List.of("a", "b", "c")));
				LockInspector inspector = new ZooKeeperLockInspector(client, () -> connection, PATIENCE)) {
			assertThat(TakenKeys.read(inspector, atOnce)).extracting(LockQueue::key).isEqualTo(held.keys());
		}
	}

	@Test
	void readsAKeyThatIsHeldAllTheTimeAlsoIfAnotherIsReleasedBetweenTwoPages() throws InterruptedException {
		ZooKeeperLockClient client = client("shop-1");
		CuratorFramework connection = CuratorFrameworkFactory.newClient(this.zk.servers().connectString(),
				new RetryOneTime(50));
		LockHandle first = client.acquire(LockRequest.exclusive("a"));
		try (LockHandle held = client.acquire(LockRequest.keys(List.of("b", "c", "d")));
				LockInspector real = new ZooKeeperLockInspector(client, () -> connection, PATIENCE)) {
			LockInspector inspector = new Paged(real, () -> first.releaseAsync().toCompletableFuture().join());
			assertThat(TakenKeys.read(inspector, 2)).extracting(LockQueue::key).containsAll(held.keys());
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "sequential", "naive" })
	void asksAHolderToLetGo(String strategy) throws Exception {
		LockHandle held = client("shop-1").acquire(LockRequest.exclusive("report").strategy(strategy));
		CompletableFuture<WaitingCaller> asked = new CompletableFuture<>();
		held.onContended((caller) -> {
			asked.complete(caller);
			held.release();
		});
		awaitAskable(1);
		CliRun text = run("ask", "report", "--reason", "a deployment");
		assertThat(text.out()).as(text.err())
			.startsWith("Asked shop-1 (host ")
			.contains("Released after ")
			.doesNotContain("noticed");
		assertThat(text.code()).isZero();
		assertThat(asked.join().reason()).isEqualTo("a deployment");
		assertThat(asked.join().key()).isEqualTo("report");
		assertThat(asked.join().instance()).contains("zk-lock-cli");
		awaitAskable(0);
	}

	@Test
	@Tag("slow")
	void asksALeaderToYield() throws Exception {
		ZooKeeperLockClient other = client("shop-2");
		try (LeaderElection first = election(client("shop-1")); LeaderElection second = election(other)) {
			first.stand();
			await().until(first::isLeader);
			second.stand();
			this.zk.awaitWaiting(other, "leader%2Fbilling");
			awaitAskable(1);
			CliRun text = run("ask", "leader/billing", "--reason", "a deployment");
			assertThat(text.out()).startsWith("Asked shop-1 (").contains("Released after ");
			assertThat(text.code()).isZero();
			await().until(second::isLeader);
			assertThat(first.isLeader()).isFalse();
		}
		awaitAskable(0);
	}

	private static LeaderElection election(ZooKeeperLockClient client) {
		return LeaderElection.of(client, "billing", new LeaderElection.Listener() {
		});
	}

	@Test
	@Tag("slow")
	void asksAllHoldersAndSaysWhatTheyMakeOfIt() throws Exception {
		LockHandle one = client("shop-1").acquire(LockRequest.read("report"));
		LockHandle two = client("shop-2").acquire(LockRequest.read("report"));
		one.onContended((caller) -> one.release());
		Queue<String> reasons = new ConcurrentLinkedQueue<>();
		two.onContended((caller) -> reasons.add(caller.reason()));
		awaitAskable(2);
		CliRun text = run("ask", "report", "--wait", "1s");
		assertThat(text.code()).isEqualTo(3);
		assertThat(text.out()).contains("Asked shop-1 (", "Asked shop-2 (", "Still held after ");
		List<JsonNode> lines = run("ask", "report", "--reason", "again", "--wait", "0s", "--json").jsonLines();
		assertThat(lines.get(0).get("instance").asString()).isEqualTo("shop-2");
		assertThat(lines.get(0).get("noticed").asBoolean()).isTrue();
		assertThat(lines.get(1).get("released").asBoolean()).isFalse();
		await().untilAsserted(() -> assertThat(reasons).containsExactly("", "again"));
		two.release();
	}

	@Test
	@Tag("slow")
	void asksNobodyWhoCannotBeAsked() throws Exception {
		this.zk.plant(this.zk.root(), CreateMode.PERSISTENT);
		assertThat(run("ask", "report").err()).startsWith("Nobody holds the lock 'report'");
		try (LockHandle held = client("shop-1").acquire(LockRequest.exclusive("report"))) {
			CliRun refused = run("ask", "report");
			assertThat(refused.code()).isEqualTo(3);
			assertThat(refused.err()).startsWith("No holder of 'report' can be asked");
			held.onContended((caller) -> {
			});
			awaitAskable(1);
			CliRun wrong = run("ask", "report", "--reason", "x".repeat(1001));
			assertThat(wrong.code()).isEqualTo(2);
			assertThat(wrong.err()).startsWith("The reason must have at most 1000 characters, but has 1001");
		}
	}

	private void awaitAskable(int count) {
		try (CuratorFramework curator = this.zk.curator(ServerFixture.SESSION)) {
			String parent = this.zk.root() + "/%~asks";
			// The servers remove the parent when it is empty
			await().until(() -> count == ((curator.checkExists().forPath(parent) != null)
					? curator.getChildren().forPath(parent).size() : 0));
		}
	}

	@Test
	void showsWhenJobsRanLast() throws InterruptedException {
		assertThat(run("jobs").code()).isEqualTo(3);
		client("shop-1").notAgainWithin(Duration.ofHours(1), false).run(LockRequest.exclusive("nightly"), () -> {
		});
		CliRun text = run("jobs");
		assertThat(text.code()).isZero();
		assertThat(text.out()).startsWith("nightly: run 1 at 2").contains(" by shop-1 (host ", "): ok after ");
		JsonNode job = run("jobs", "--json").json().get(0);
		assertThat(job.get("key").asString()).isEqualTo("nightly");
		assertThat(job.get("withinMillis").asLong()).isEqualTo(3_600_000);
		assertThat(job.get("outcome").asString()).isEqualTo("ok");
		assertThat(run("jobs", "--key-prefix", "other:").code()).isEqualTo(3);
	}

	@Test
	void showsHowManyPermitsAreHeld() throws InterruptedException {
		LockRequest permit = LockRequest.permits("report", 3);
		try (LockHandle one = client("shop-1").acquire(permit); LockHandle two = client("shop-2").acquire(permit)) {
			CliRun text = run("show", "report");
			assertThat(text.out()).contains("2 of 3 permits are held", "holds  shop-1 (", "one of 3 permits, token");
			JsonNode holders = run("show", "report", "--json").json().get("holders");
			assertThat(holders.get(1).get("permits").asInt()).isEqualTo(3);
			assertThat(one.fencingToken()).isNotEqualTo(two.fencingToken());
		}
	}

	@Test
	void showsTheFewestPermitsThatAHolderSaysThereAre() throws InterruptedException {
		try (LockHandle one = client("shop-1").acquire(LockRequest.permits("report", 3));
				LockHandle two = client("shop-2").acquire(LockRequest.permits("report", 4))) {
			assertThat(run("show", "report").out()).contains("2 of 3 permits are held");
			assertThat(one.isHeld()).isEqualTo(two.isHeld());
		}
	}

	@Test
	void endsWithThreeWhereNothingIsFound() {
		this.zk.plant(this.zk.root(), CreateMode.PERSISTENT);
		assertThat(run("list", "--json")).isEqualTo(new CliRun(3, "[]" + System.lineSeparator(), ""));
		assertThat(run("waits").code()).isEqualTo(3);
		CliRun free = run("show", "free");
		assertThat(free.code()).isEqualTo(3);
		assertThat(free.out()).contains("is free");
	}

	@Test
	void showsOneKeyBelowItsPrefix() throws InterruptedException {
		try (LockHandle held = client("shop-1").acquire(LockRequest.exclusive("shop:a"))) {
			CliRun shown = run("show", "a", "--key-prefix", "shop:", "--json");
			assertThat(shown.code()).isZero();
			assertThat(shown.json().get("key").asString()).isEqualTo("a");
			assertThat(shown.json().get("holders").get(0).get("token").asLong()).isEqualTo(held.fencingToken());
		}
	}

	@Test
	void takesAKeyThatBeginsWithAnAtForNoFile(@TempDir Path directory) throws IOException, InterruptedException {
		Path file = Files.writeString(directory.resolve("key"), "other");
		ZooKeeperLockClient client = client("shop-1");
		for (String key : List.of("@@order", "@" + file)) {
			try (LockHandle held = client.acquire(LockRequest.exclusive(key))) {
				assertThat(held.isHeld()).isTrue();
				assertThat(run("show", key).out()).startsWith(key).contains("holds  shop-1");
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "list", "show a", "waits", "jobs", "watch --for 1ms" })
	void saysThatThereIsNoSuchRoot(String command) {
		String[] args = command.split(" ");
		assertThat(run(args).err()).contains("There was no node '" + this.zk.root() + "'").hasLineCount(1);
		this.zk.plant(this.zk.root(), CreateMode.PERSISTENT);
		assertThat(run(args).err()).isEmpty();
	}

	@Test
	void showsWhoWaitsInACircle() throws InterruptedException {
		ZooKeeperLockClient one = client("shop-1");
		ZooKeeperLockClient two = client("shop-2");
		try (LockHandle first = one.acquire(LockRequest.exclusive("a"));
				LockHandle second = two.acquire(LockRequest.exclusive("b"))) {
			CompletableFuture<LockHandle> wantsB = one.acquireAsync(LockRequest.exclusive("b"));
			CompletableFuture<LockHandle> wantsA = two.acquireAsync(LockRequest.exclusive("a"));
			this.zk.awaitWaiting(one, "b");
			this.zk.awaitWaiting(two, "a");
			JsonNode waits = run("waits", "--json").json();
			assertThat(waits.get("waits").size()).isEqualTo(2);
			assertThat(waits.get("deadlocks").size()).isEqualTo(1);
			CliRun text = run("waits");
			assertThat(text.code()).isZero();
			assertThat(text.out()).contains("waits for 'b' because of shop-2", "eadlock");
			first.release();
			second.release();
			wantsA.join().release();
			wantsB.join().release();
		}
	}

	@Test
	void releasesTheNodeOfAHolder() throws InterruptedException {
		this.zk.announce("A hold of lock 'a' was lost");
		LockHandle held = client("shop-1").acquire(LockRequest.exclusive("a"));
		CompletableFuture<Void> lost = new CompletableFuture<>();
		held.onLost(() -> lost.complete(null));
		String node = run("show", "a", "--json").json().get("holders").get(0).get("node").asString();
		CliRun released = run("release", node);
		assertThat(released.code()).isZero();
		assertThat(released.out()).contains("Released shop-1", node);
		assertThat(this.zk.contenders("a")).isEmpty();
		assertThat(lost).succeedsWithin(PATIENCE);
		assertThat(run("release", node).code()).isEqualTo(3);
		held.release();
	}

	@Test
	void releasesANodeThatIsNotShownInALongQueue() throws Exception {
		String keyNode = this.zk.plant(this.zk.keyNode("a"), CreateMode.PERSISTENT);
		List<Op> creates = new ArrayList<>();
		for (int i = 0; i <= 1000; i++) {
			creates.add(Op.create("%s/_c_%d-2000-permit-lock-".formatted(keyNode, i), new byte[0],
					ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL_SEQUENTIAL));
		}
		List<OpResult> created = this.zk.curator(ServerFixture.SESSION)
			.getZookeeperClient()
			.getZooKeeper()
			.multi(creates);
		String last = ((OpResult.CreateResult) created.get(1000)).getPath();
		assertThat(run("show", "a").out()).doesNotContain(last);
		assertThat(run("release", last)).satisfies((run) -> {
			assertThat(run.code()).as(run.err()).isZero();
			assertThat(run.out()).contains("Released", last);
		});
		assertThat(this.zk.contenders("a")).hasSize(1000).doesNotContain(last);
	}

	@Test
	void deletesNoNodeThatWasMadeAfterTheOneThatWasRead() throws Exception {
		ZooKeeperLockClient client = client("shop-1");
		CuratorFramework curator = this.zk.curator(ServerFixture.SESSION);
		LockRequest naive = LockRequest.exclusive("a").strategy("naive");
		try (LockInspector inspector = new ZooKeeperLockInspector(client, () -> connection(), PATIENCE)) {
			LockHandle first = client.acquire(naive);
			LockQueue.Contender read = inspector.line("a").contenders().get(0);
			first.release();
			await().atMost(PATIENCE).until(() -> inspector.line("a").contenders().isEmpty());
			try (LockHandle next = client("shop-2").acquire(naive)) {
				assertThat(inspector.line("a").contenders().get(0).path()).isEqualTo(read.path());
				assertThat(ReleaseCommand.delete(curator, read)).isFalse();
				assertThat(inspector.line("a").contenders()).singleElement()
					.satisfies((holder) -> assertThat(holder.token()).isEqualTo(next.fencingToken()));
			}
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void deletesNoNodeThatWasMadeBehindADeleteWhoseAnswerWasLost(boolean answersAgain) throws Exception {
		this.zk.announce("A hold of lock 'a' was lost");
		LockRequest naive = LockRequest.exclusive("a").strategy("naive");
		ZooKeeperLockClient other = client("shop-2");
		AtomicReference<LockHandle> next = new AtomicReference<>();
		client("shop-1").acquire(naive);
		try (CuratorFramework losing = CuratorFrameworkFactory.builder()
			.connectString(this.zk.servers().connectString())
			.retryPolicy(new RetryOneTime(50))
			.zookeeperFactory((servers, timeout, watcher, readOnly) -> new LosingZooKeeper(servers, timeout, watcher,
					answersAgain, () -> next.getAndSet(other.acquire(naive))))
			.build(); LockInspector inspector = new ZooKeeperLockInspector(other, () -> connection(), PATIENCE)) {
			losing.start();
			Contender shown = inspector.line("a").contenders().get(0);
			if (answersAgain) {
				assertThat(ReleaseCommand.delete(losing, shown)).isTrue();
			}
			else {
				assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> ReleaseCommand.delete(losing, shown))
					.withMessageContaining("was deleted is not known");
			}
			assertThat(inspector.line("a").contenders()).singleElement()
				.satisfies((holder) -> assertThat(holder.token()).isEqualTo(next.get().fencingToken()));
			next.get().release();
		}
	}

	@Test
	void releasesOnlyTheHolderWithTheTokenThatIsGiven() throws InterruptedException {
		this.zk.announce("A hold of lock 'a' was lost");
		LockHandle held = client("shop-1").acquire(LockRequest.exclusive("a").strategy("naive"));
		JsonNode holder = run("show", "a", "--json").json().get("holders").get(0);
		String node = holder.get("node").asString();
		long token = holder.get("token").asLong();
		CliRun other = run("release", node, "--token", Long.toString(token - 256));
		assertThat(other.code()).isEqualTo(3);
		assertThat(other.err()).contains("token");
		assertThat(run("show", "a", "--json").json().get("holders")).hasSize(1);
		assertThat(run("release", node, "--token", Long.toString(token)).code()).isZero();
		assertThat(run("show", "a", "--json").json().get("holders")).isEmpty();
		held.release();
	}

	private CuratorFramework connection() {
		return CuratorFrameworkFactory.newClient(this.zk.servers().connectString(), new RetryOneTime(50));
	}

	@Test
	void refusesToReleaseWhatIsNoLockNodeBelowTheRoot() {
		String keyNode = this.zk.plant(this.zk.keyNode("a"), CreateMode.PERSISTENT);
		String outside = this.zk.plant("/outside/_c_x-lock-0000000000", CreateMode.PERSISTENT);
		assertThat(run("release", keyNode)).satisfies((run) -> {
			assertThat(run.code()).isEqualTo(1);
			assertThat(run.err()).startsWith("Refused");
		});
		assertThat(run("release", outside).err()).contains("not below the root");
		assertThat(run("release", this.zk.root()).code()).isEqualTo(1);
		assertThat(this.zk.servers().nodes("/outside")).containsKey(outside);
		assertThat(this.zk.servers().nodes(this.zk.root())).containsKey(keyNode);
	}

	@Test
	void writesNumbersAlikeInEachLocale() throws InterruptedException {
		Locale before = Locale.getDefault();
		Locale.setDefault(Locale.forLanguageTag("ar-EG"));
		try (LockHandle held = client("shop-1").acquire(LockRequest.permits("report", 3))) {
			held.onContended((caller) -> {
			});
			awaitAskable(1);
			assertThat(run("show", "report").out()).contains("1 of 3 permits are held", "one of 3 permits",
					"token " + held.fencingToken() + ",");
			assertThat(run("ask", "report", "--wait", "0s").out()).containsPattern("Still held after [0-9]+[.][0-9] s");
			assertThat(run("hold", "b", "--for", "10ms").out()).containsPattern("token [0-9]+, ");
			client("shop-2").notAgainWithin(Duration.ofHours(1), false).run(LockRequest.exclusive("nightly"), () -> {
			});
			assertThat(run("jobs").out()).startsWith("nightly: run 1 at 2");
		}
		finally {
			Locale.setDefault(before);
		}
		awaitAskable(0);
	}

	@Test
	void holdsForATimeAndReleases() {
		CliRun held = run("hold", "a", "--for", "10ms", "--json");
		assertThat(held.code()).isZero();
		assertThat(held.json().get("key").asString()).isEqualTo("a");
		assertThat(held.json().get("node").asString()).startsWith(this.zk.root() + "/a/");
		assertThat(held.err()).contains("There was no node '" + this.zk.root() + "'");
		assertThat(run("hold", "a", "--for", "10ms").err()).isEmpty();
		await().atMost(PATIENCE).until(() -> this.zk.contenders("a").isEmpty());
	}

	@Test
	void endsWithThreeWhenTheKeyIsBusy() throws InterruptedException {
		try (LockHandle held = client("shop-1").acquire(LockRequest.exclusive("a"))) {
			CliRun busy = run("hold", "a", "--timeout", "500ms");
			assertThat(busy.code()).isEqualTo(3);
			assertThat(busy.out()).contains("holds  shop-1");
			assertThat(busy.err()).contains("busy");
			assertThat(held.isHeld()).isTrue();
		}
	}

	@Test
	void holdsUntilItIsInterrupted() throws InterruptedException {
		ZooKeeperLockClient other = client("shop-1");
		Background hold = new Background(here("hold", "a"));
		await().atMost(PATIENCE).until(() -> hold.out().contains("Holding 'a'"));
		assertThat(busy(other)).isTrue();
		assertThat(run("list").out()).contains("zk-lock-cli");
		assertThat(hold.interrupt()).isZero();
		other.acquire(LockRequest.exclusive("a")).release();
	}

	private static boolean busy(ZooKeeperLockClient client) throws InterruptedException {
		try {
			client.acquire(LockRequest.exclusive("a").timeout(Duration.ZERO)).release();
			return false;
		}
		catch (LockTimeoutException ex) {
			return true;
		}
	}

	@Test
	@Tag("slow")
	void endsWithOneWhenWhatItHoldsIsLost() throws InterruptedException {
		this.zk.announce("A hold of lock 'a' was lost");
		Background hold = new Background(here("hold", "a"));
		await().atMost(PATIENCE).until(() -> hold.out().contains("Holding 'a'"));
		this.zk.contenders("a").forEach(this.zk::delete);
		assertThat(hold.join()).isEqualTo(1);
		assertThat(hold.err()).contains("was lost");
	}

	@Test
	void watchPrintsWhatHasChangedUntilItIsInterrupted() throws InterruptedException {
		Background watch = new Background(here("watch", "--interval", "10ms"));
		await().atMost(PATIENCE).until(() -> watch.out().contains("nobody holds or waits"));
		LockHandle held = client("shop-1").acquire(LockRequest.exclusive("a"));
		await().atMost(PATIENCE).until(() -> watch.out().contains("holds  shop-1"));
		held.release();
		await().atMost(PATIENCE).until(() -> watch.out().split("nobody holds or waits", -1).length == 3);
		assertThat(watch.interrupt()).isZero();
		assertThat(watch.out().split("holds  shop-1", -1)).hasSize(2);
	}

	@Test
	void watchGoesOnBehindAnOutageOfWhichItSaysOneLine() throws Exception {
		try (TestServers servers = TestServers.startOne()) {
			Background watch = new Background("watch", "--interval", "10ms", "--connect-string",
					servers.connectString());
			await().atMost(PATIENCE).until(() -> watch.out().contains("nobody holds or waits"));
			servers.stop();
			await().atMost(PATIENCE).until(() -> watch.err().contains("goes on"));
			servers.start();
			CuratorFramework curator = CuratorFrameworkFactory.newClient(servers.connectString(), new RetryOneTime(50));
			curator.start();
			try (curator;
					ZooKeeperLockClient client = ZooKeeperLockClient.builder(curator).timeout(PATIENCE).build();
					LockHandle held = client.acquire(LockRequest.exclusive("a"))) {
				assertThat(held.isHeld()).isTrue();
				await().atMost(PATIENCE).until(() -> watch.out().contains("holds  "));
			}
			await().atMost(PATIENCE).until(() -> watch.out().split("nobody holds or waits", -1).length == 3);
			assertThat(watch.err()).contains("There was no node '/zk-lock'").hasLineCount(2);
			assertThat(watch.interrupt()).isZero();
		}
	}

	@Test
	void watchEndsWhereItMayNotLookAnyMore() throws Exception {
		String keyNode = this.zk.root() + "/a";
		this.zk.plant(this.zk.root(), CreateMode.PERSISTENT);
		this.zk.plant(keyNode, CreateMode.PERSISTENT);
		Background watch = new Background(here("watch", "a", "--interval", "10ms"));
		await().atMost(PATIENCE).until(() -> watch.out().contains("is free"));
		this.zk.curator(ServerFixture.SESSION)
			.setACL()
			.withACL(List.of(new ACL(ZooDefs.Perms.ADMIN, ZooDefs.Ids.ANYONE_ID_UNSAFE)))
			.forPath(keyNode);
		assertThat(watch.join()).isOne();
		assertThat(watch.err()).contains("NoAuth").hasLineCount(1);
	}

	@Test
	void watchesOneKeyForATime() {
		CliRun watched = run("watch", "a", "--for", "50ms", "--interval", "10ms", "--json");
		assertThat(watched.code()).isZero();
		assertThat(watched.json().get(0).get("key").asString()).isEqualTo("a");
		assertThat(watched.out().lines()).hasSize(1);
	}

	@Test
	@Timeout(20)
	void watchesNoLongerThanSomebodyReads() {
		StringWriter err = new StringWriter();
		int code = ZkLockCli.execute(new PrintWriter(new Closed()), new PrintWriter(err),
				here("watch", "--interval", "10ms", "--for", "60s"));
		assertThat(code).as(err.toString()).isZero();
	}

	@ParameterizedTest
	@ValueSource(strings = { "list", "list --json", "show a", "waits", "jobs --json" })
	void endsWithOneIfWhatItShowsCannotBeWritten(String command) throws InterruptedException {
		ZooKeeperLockClient other = client("shop-2");
		try (LockHandle held = client("shop-1").acquire(LockRequest.exclusive("a"))) {
			CompletableFuture<LockHandle> waiting = other.acquireAsync(LockRequest.exclusive("a"));
			this.zk.awaitWaiting(other, "a");
			StringWriter err = new StringWriter();
			int code = ZkLockCli.execute(new PrintWriter(new Closed()), new PrintWriter(err, true),
					here(command.split(" ")));
			assertThat(code).as(err.toString()).isEqualTo(1);
			assertThat(err.toString()).contains("could not be written").hasLineCount(1);
			held.release();
			waiting.join().release();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "unknown", "show", "list --session-timeout 15", "hold a --for soon",
			"list --properties missing.properties", "list --keystore missing.p12", "list --root locks",
			"list --username joe", "hold a --root locks", "hold a//b --nested-keys" })
	void endsWithTwoAfterWrongUsage(String arguments) {
		String[] args = arguments.isEmpty() ? new String[0] : arguments.split(" ");
		List<String> all = new ArrayList<>(Arrays.asList(args));
		if (args.length > 0 && !arguments.contains("unknown")) {
			all.addAll(List.of("--connect-string", this.zk.servers().connectString()));
		}
		CliRun run = CliRun.of(all.toArray(String[]::new));
		assertThat(run.code()).as(run.toString()).isEqualTo(2);
		assertThat(run.err()).isNotEmpty();
	}

	@Test
	void wantsToKnowTheServers() {
		assertThat(CliRun.of("list")).satisfies((run) -> {
			assertThat(run.code()).isEqualTo(2);
			assertThat(run.err()).contains("--connect-string", "zk-lock.connect-string");
		});
	}

	@Test
	@Tag("slow")
	void endsWithOneWithoutAServer() {
		CliRun run = CliRun.of("list", "--connect-string", "127.0.0.1:1", "--connection-timeout", "100ms");
		assertThat(run.code()).isEqualTo(1);
		assertThat(run.err()).startsWith("No ZooKeeper server of '127.0.0.1:1' answered").hasLineCount(1);
	}

	@Test
	void helpDocumentsTheExitCodes() {
		assertThat(CliRun.of("--help").out()).contains("Exit codes", "list", "release", "watch");
		assertThat(CliRun.of("hold", "--help").out()).contains("--for", "zk-lock.session-timeout");
	}

	@Test
	void printsNothingThatCommandsATerminal() throws InterruptedException {
		try (LockHandle held = client("shop-1").acquire(LockRequest.exclusive("a\u001b[2J\u009bb"))) {
			assertThat(held.isHeld()).isTrue();
			assertThat(run("list").out()).startsWith("a?[2J?b");
			CliRun json = run("list", "--json");
			assertThat(json.out()).doesNotContainPattern("[\\p{Cc}&&[^\r\n]]");
			assertThat(json.json().get(0).get("key").asString()).isEqualTo("a\u001b[2J\u009bb");
		}
	}

	/**
	 * Does something after each page.
	 */
	private record Paged(LockInspector real, Runnable afterPage) implements LockInspector {

		@Override
		public Page keys(int page, int size) {
			Page found = this.real.keys(page, size);
			this.afterPage.run();
			return found;
		}

		@Override
		public LockQueue line(String key) {
			return this.real.line(key);
		}

		@Override
		public Waits waits() {
			return this.real.waits();
		}

		@Override
		public List<LockQueue.Contender> forceRelease(String key) {
			return this.real.forceRelease(key);
		}

		@Override
		public void close() {
			this.real.close();
		}

	}

	/**
	 * Nobody reads it.
	 */
	private static final class Closed extends Writer {

		@Override
		public void write(char[] some, int offset, int length) throws IOException {
			throw new IOException("Broken pipe");
		}

		@Override
		public void flush() {
			// There is nothing
		}

		@Override
		public void close() {
			// It is
		}

	}

	/**
	 * Loses the answer to its first delete, and is connected to a server then that has
	 * not seen it until a transaction was made.
	 */
	private static final class LosingZooKeeper extends ZooKeeper {

		private final boolean answersAgain;

		private final Callable<?> meanwhile;

		private Stat before;

		private boolean isLate;

		LosingZooKeeper(String servers, int timeout, Watcher watcher, boolean answersAgain, Callable<?> meanwhile)
				throws IOException {
			super(servers, timeout, watcher);
			this.answersAgain = answersAgain;
			this.meanwhile = meanwhile;
		}

		@Override
		public Stat exists(String path, Watcher watcher) throws KeeperException, InterruptedException {
			return this.isLate ? this.before : super.exists(path, watcher);
		}

		@Override
		public List<OpResult> multi(Iterable<Op> ops) throws InterruptedException, KeeperException {
			if (this.before != null && !this.answersAgain) {
				throw new KeeperException.ConnectionLossException();
			}
			this.isLate = false;
			return super.multi(ops);
		}

		@Override
		public void delete(String path, int version) throws InterruptedException, KeeperException {
			Stat deleted = super.exists(path, null);
			super.delete(path, version);
			if (this.before == null) {
				this.before = deleted;
				this.isLate = true;
				try {
					this.meanwhile.call();
				}
				catch (Exception ex) {
					throw new IllegalStateException(ex);
				}
				throw new KeeperException.ConnectionLossException();
			}
		}

	}

	private static final class Background {

		private final StringWriter out = new StringWriter();

		private final StringWriter err = new StringWriter();

		private final AtomicInteger code = new AtomicInteger(-1);

		private final Thread thread;

		Background(String... args) {
			this.thread = new Thread(() -> this.code
				.set(ZkLockCli.execute(new PrintWriter(this.out, true), new PrintWriter(this.err, true), args)));
			this.thread.start();
		}

		String out() {
			return this.out.toString();
		}

		String err() {
			return this.err.toString();
		}

		int interrupt() throws InterruptedException {
			this.thread.interrupt();
			return join();
		}

		int join() throws InterruptedException {
			this.thread.join(PATIENCE.toMillis());
			return this.code.get();
		}

	}

}
