package io.github.zklock.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.inspect.LockInspector;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.testing.TestServers;
import io.github.zklock.zookeeper.ZooKeeperLockClient;
import io.github.zklock.zookeeper.ZooKeeperLockInspector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What operators do with the locks of applications, on a real server.
 */
@Timeout(120)
class ZkLockCliTests {

	@RegisterExtension
	final CliFixture zk = new CliFixture();

	@Test
	void holdsNothingInASessionThatTheServersMadeLonger() {
		this.zk.announce("raised the session time-out");
		String half = TestServers.TICK_MILLIS + "ms";
		CliRun held = this.zk.run("hold", "order/42", "--for", "100ms", "--session-timeout", half);
		assertThat(held.err()).contains("raised the session time-out from 500 ms to 1000 ms", "ask for that");
		assertThat(held.code()).isEqualTo(1);
		assertThat(this.zk.run("list", "--session-timeout", half).code()).as("to look needs no lease")
			.isEqualTo(ZkLockCli.NOTHING);
	}

	@Test
	void listsWhatIsHeldAndWanted() throws InterruptedException {
		ZooKeeperLockClient waiter = this.zk.client("shop-2");
		try (LockHandle held = this.zk.client("shop-1").acquire(LockRequest.exclusive("order/42"))) {
			CompletableFuture<LockHandle> waiting = waiter.acquireAsync(LockRequest.exclusive("order/42"));
			this.zk.awaitWaiting(waiter, "order%2F42");
			CliRun text = this.zk.run("list");
			assertThat(text.code()).isZero();
			assertThat(text.out()).startsWith("order/42").contains("holds  shop-1 (", "waits  shop-2 (", "EXCLUSIVE");
			JsonNode key = this.zk.run("list", "--json").json().get(0);
			assertThat(key.get("holders").get(0).get("token").asLong()).isEqualTo(held.fencingToken());
			assertThat(key.get("queue").get(0).get("instance").asString()).isEqualTo("shop-2");
			held.release();
			waiting.join().release();
		}
	}

	@Test
	void showsALongKeyByTheNameThatIsListed() throws InterruptedException {
		try (LockHandle held = this.zk.client("shop-1").acquire(LockRequest.exclusive("k".repeat(300)))) {
			String name = this.zk.run("list", "--json").json().get(0).get("key").asString();
			CliRun shown = this.zk.run("show", name, "--json");
			assertThat(shown.code()).isZero();
			assertThat(shown.json().get("holders").get(0).get("token").asLong()).isEqualTo(held.fencingToken());
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 3, 4 })
	void readsAllPages(int atOnce) throws InterruptedException {
		ZooKeeperLockClient client = this.zk.client("shop-1");
		CuratorFramework connection = CuratorFrameworkFactory.newClient(this.zk.servers().connectString(),
				new RetryOneTime(50));
		try (LockHandle held = client.acquire(LockRequest.keys(List.of("a", "b", "c")));
				LockInspector inspector = new ZooKeeperLockInspector(client, () -> connection, CliFixture.PATIENCE)) {
			assertThat(TakenKeys.read(inspector, atOnce)).extracting(LockQueue::key).isEqualTo(held.keys());
		}
	}

	@Test
	void readsAKeyThatIsHeldAllTheTimeAlsoIfAnotherIsReleasedBetweenTwoPages() throws InterruptedException {
		ZooKeeperLockClient client = this.zk.client("shop-1");
		CuratorFramework connection = CuratorFrameworkFactory.newClient(this.zk.servers().connectString(),
				new RetryOneTime(50));
		LockHandle first = client.acquire(LockRequest.exclusive("a"));
		try (LockHandle held = client.acquire(LockRequest.keys(List.of("b", "c", "d")));
				LockInspector real = new ZooKeeperLockInspector(client, () -> connection, CliFixture.PATIENCE)) {
			LockInspector inspector = new Paged(real, () -> first.releaseAsync().toCompletableFuture().join());
			assertThat(TakenKeys.read(inspector, 2)).extracting(LockQueue::key).containsAll(held.keys());
		}
	}

	@Test
	void showsWhenJobsRanLast() throws InterruptedException {
		assertThat(this.zk.run("jobs").code()).isEqualTo(3);
		this.zk.client("shop-1")
			.notAgainWithin(Duration.ofHours(1), false)
			.acquire(LockRequest.exclusive("nightly"))
			.releaseAsync()
			.join();
		CliRun text = this.zk.run("jobs");
		assertThat(text.code()).isZero();
		assertThat(text.out()).startsWith("nightly: run 1 at 2").contains(" by shop-1 (host ", "): ok after ");
		JsonNode job = this.zk.run("jobs", "--json").json().get(0);
		assertThat(job.get("key").asString()).isEqualTo("nightly");
		assertThat(job.get("withinMillis").asLong()).isEqualTo(3_600_000);
		assertThat(job.get("outcome").asString()).isEqualTo("ok");
		assertThat(this.zk.run("jobs", "--key-prefix", "other:").code()).isEqualTo(3);
	}

	@Test
	void showsHowManyPermitsAreHeld() throws InterruptedException {
		LockRequest permit = LockRequest.permits("report", 3);
		try (LockHandle one = this.zk.client("shop-1").acquire(permit);
				LockHandle two = this.zk.client("shop-2").acquire(permit)) {
			CliRun text = this.zk.run("show", "report");
			assertThat(text.out()).contains("2 of 3 permits are held", "holds  shop-1 (", "one of 3 permits, token");
			JsonNode holders = this.zk.run("show", "report", "--json").json().get("holders");
			assertThat(holders.get(1).get("permits").asInt()).isEqualTo(3);
			assertThat(one.fencingToken()).isNotEqualTo(two.fencingToken());
		}
	}

	@Test
	void showsTheFewestPermitsThatAHolderSaysThereAre() throws InterruptedException {
		try (LockHandle one = this.zk.client("shop-1").acquire(LockRequest.permits("report", 3));
				LockHandle two = this.zk.client("shop-2").acquire(LockRequest.permits("report", 4))) {
			assertThat(this.zk.run("show", "report").out()).contains("2 of 3 permits are held");
			assertThat(one.isHeld()).isEqualTo(two.isHeld());
		}
	}

	@Test
	void endsWithThreeWhereNothingIsFound() {
		this.zk.plant(this.zk.root(), CreateMode.PERSISTENT);
		assertThat(this.zk.run("list", "--json")).isEqualTo(new CliRun(3, "[]" + System.lineSeparator(), ""));
		assertThat(this.zk.run("waits").code()).isEqualTo(3);
		CliRun free = this.zk.run("show", "free");
		assertThat(free.code()).isEqualTo(3);
		assertThat(free.out()).contains("is free");
	}

	@Test
	void showsOneKeyBelowItsPrefix() throws InterruptedException {
		try (LockHandle held = this.zk.client("shop-1").acquire(LockRequest.exclusive("shop:a"))) {
			CliRun shown = this.zk.run("show", "a", "--key-prefix", "shop:", "--json");
			assertThat(shown.code()).isZero();
			assertThat(shown.json().get("key").asString()).isEqualTo("a");
			assertThat(shown.json().get("holders").get(0).get("token").asLong()).isEqualTo(held.fencingToken());
		}
	}

	@Test
	void takesAKeyThatBeginsWithAnAtForNoFile(@TempDir Path directory) throws IOException, InterruptedException {
		Path file = Files.writeString(directory.resolve("key"), "other");
		ZooKeeperLockClient client = this.zk.client("shop-1");
		for (String key : List.of("@@order", "@" + file)) {
			try (LockHandle held = client.acquire(LockRequest.exclusive(key))) {
				assertThat(held.isHeld()).isTrue();
				assertThat(this.zk.run("show", key).out()).startsWith(key).contains("holds  shop-1");
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "list", "show a", "waits", "jobs", "watch --for 1ms" })
	void saysThatThereIsNoSuchRoot(String command) {
		String[] args = command.split(" ");
		assertThat(this.zk.run(args).err()).contains("There was no node '" + this.zk.root() + "'").hasLineCount(1);
		this.zk.plant(this.zk.root(), CreateMode.PERSISTENT);
		assertThat(this.zk.run(args).err()).isEmpty();
	}

	@Test
	void showsWhoWaitsInACircle() throws InterruptedException {
		ZooKeeperLockClient one = this.zk.client("shop-1");
		ZooKeeperLockClient two = this.zk.client("shop-2");
		try (LockHandle first = one.acquire(LockRequest.exclusive("a"));
				LockHandle second = two.acquire(LockRequest.exclusive("b"))) {
			CompletableFuture<LockHandle> wantsB = one.acquireAsync(LockRequest.exclusive("b"));
			CompletableFuture<LockHandle> wantsA = two.acquireAsync(LockRequest.exclusive("a"));
			this.zk.awaitWaiting(one, "b");
			this.zk.awaitWaiting(two, "a");
			JsonNode waits = this.zk.run("waits", "--json").json();
			assertThat(waits.get("waits").size()).isEqualTo(2);
			assertThat(waits.get("deadlocks").size()).isEqualTo(1);
			CliRun text = this.zk.run("waits");
			assertThat(text.code()).isZero();
			assertThat(text.out()).contains("waits for 'b' because of shop-2", "eadlock");
			first.release();
			second.release();
			wantsA.join().release();
			wantsB.join().release();
		}
	}

	@Test
	void writesNumbersAlikeInEachLocale() throws InterruptedException {
		Locale before = Locale.getDefault();
		Locale.setDefault(Locale.forLanguageTag("ar-EG"));
		try (LockHandle held = this.zk.client("shop-1").acquire(LockRequest.permits("report", 3))) {
			held.onContended((caller) -> {
			});
			this.zk.awaitAskable(1);
			assertThat(this.zk.run("show", "report").out()).contains("1 of 3 permits are held", "one of 3 permits",
					"token " + held.fencingToken() + ",");
			assertThat(this.zk.run("ask", "report", "--wait", "0s").out())
				.containsPattern("Still held after [0-9]+[.][0-9] s");
			assertThat(this.zk.run("hold", "b", "--for", "10ms").out()).containsPattern("token [0-9]+, ");
			this.zk.client("shop-2")
				.notAgainWithin(Duration.ofHours(1), false)
				.run(LockRequest.exclusive("nightly"), () -> {
				});
			assertThat(this.zk.run("jobs").out()).startsWith("nightly: run 1 at 2");
		}
		finally {
			Locale.setDefault(before);
		}
		this.zk.awaitAskable(0);
	}

	@Test
	void holdsForATimeAndReleases() {
		CliRun held = this.zk.run("hold", "a", "--for", "10ms", "--json");
		assertThat(held.code()).isZero();
		assertThat(held.json().get("key").asString()).isEqualTo("a");
		assertThat(held.json().get("node").asString()).startsWith(this.zk.root() + "/a/");
		assertThat(held.err()).contains("There was no node '" + this.zk.root() + "'");
		assertThat(this.zk.run("hold", "a", "--for", "10ms").err()).isEmpty();
		await().atMost(CliFixture.PATIENCE).until(() -> this.zk.contenders("a").isEmpty());
	}

	@Test
	void endsWithThreeWhenTheKeyIsBusy() throws InterruptedException {
		try (LockHandle held = this.zk.client("shop-1").acquire(LockRequest.exclusive("a"))) {
			CliRun busy = this.zk.run("hold", "a", "--timeout", "0s");
			assertThat(busy.code()).isEqualTo(3);
			assertThat(busy.out()).contains("holds  shop-1");
			assertThat(busy.err()).contains("busy");
			assertThat(held.isHeld()).isTrue();
		}
	}

	@Test
	void holdsUntilItIsInterrupted() throws InterruptedException {
		ZooKeeperLockClient other = this.zk.client("shop-1");
		Background hold = new Background(this.zk.here("hold", "a"));
		await().atMost(CliFixture.PATIENCE).until(() -> hold.out().contains("Holding 'a'"));
		assertThat(busy(other)).isTrue();
		assertThat(this.zk.run("list").out()).contains("zk-lock-cli");
		assertThat(hold.interrupt()).isZero();
		other.acquire(LockRequest.exclusive("a")).release();
	}

	private static boolean busy(ZooKeeperLockClient client) throws InterruptedException {
		try {
			client.acquire(LockRequest.exclusive("a").timeout(Duration.ZERO).answerTimeout(CliFixture.PATIENCE))
				.release();
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
		Background hold = new Background(this.zk.here("hold", "a"));
		await().atMost(CliFixture.PATIENCE).until(() -> hold.out().contains("Holding 'a'"));
		this.zk.contenders("a").forEach(this.zk::delete);
		assertThat(hold.join()).isEqualTo(1);
		assertThat(hold.err()).contains("was lost");
	}

	@ParameterizedTest
	@ValueSource(strings = { "list", "list --json", "show a", "waits", "jobs --json" })
	void endsWithOneIfWhatItShowsCannotBeWritten(String command) throws InterruptedException {
		ZooKeeperLockClient other = this.zk.client("shop-2");
		try (LockHandle held = this.zk.client("shop-1").acquire(LockRequest.exclusive("a"))) {
			CompletableFuture<LockHandle> waiting = other.acquireAsync(LockRequest.exclusive("a"));
			this.zk.awaitWaiting(other, "a");
			StringWriter err = new StringWriter();
			int code = ZkLockCli.execute(new PrintWriter(new BrokenPipe()), new PrintWriter(err, true),
					this.zk.here(command.split(" ")));
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
		try (LockHandle held = this.zk.client("shop-1").acquire(LockRequest.exclusive("a\u001b[2J\u009bb"))) {
			assertThat(held.isHeld()).isTrue();
			assertThat(this.zk.run("list").out()).startsWith("a?[2J?b");
			CliRun json = this.zk.run("list", "--json");
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

}
