package io.github.zklock.faults;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.testing.Actor;
import io.github.zklock.testing.Stopwatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Cases 2 and 3: the session ends while its client holds, waits, or is about to be
 * granted; the process is frozen for longer than its session.
 */
@Tag("slow")
@ExtendWith(FaultFixture.NoThreadsLeft.class)
class SessionLossIT {

	private static final Duration SESSION = Duration.ofSeconds(3);

	@RegisterExtension
	final FaultFixture faults = FaultFixture.withSessions(SESSION);

	private static LockRequest request(String strategy, LockMode mode) {
		return LockRequest.exclusive("k").mode(mode).strategy(strategy).timeout(Duration.ofSeconds(20));
	}

	private static ZooKeeper handleOf(CuratorFramework curator) throws Exception {
		return curator.getZookeeperClient().getZooKeeper();
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@CsvSource({ "naive,EXCLUSIVE", "naive,READ", "naive,WRITE", "sequential,EXCLUSIVE", "sequential,READ",
			"sequential,WRITE" })
	void aHolderWhoseSessionEndedKnowsItAndCannotReenter(String strategy, LockMode mode) throws Exception {
		CuratorFramework curator = this.faults.arena().curator(this.faults.servers().connectString(), SESSION);
		LockClient client = this.faults.arena().client(curator);
		AtomicInteger notified = new AtomicInteger();
		try (LockHandle handle = client.acquire(request(strategy, mode))) {
			handle.onLost(notified::incrementAndGet);
			this.faults.servers().endSession(handleOf(curator));
			Stopwatch stopwatch = Stopwatch.start();
			await().atMost(Actor.PATIENCE).until(() -> notified.get() == 1 && !handle.isHeld());
			stopwatch.assertBetween(Duration.ZERO, SESSION);
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> client.acquire(request(strategy, mode)));
		}
		try (LockHandle again = client.acquire(request(strategy, mode))) {
			assertThat(again.isHeld()).isTrue();
		}
		assertThat(notified).hasValue(1);
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@CsvSource({ "naive,EXCLUSIVE", "naive,READ", "naive,WRITE", "sequential,EXCLUSIVE", "sequential,READ",
			"sequential,WRITE" })
	void aWaiterWhoseSessionEndedQueuesAgain(String strategy, LockMode mode) throws Exception {
		LockClient holder = this.faults.arena().client(this.faults.servers().connectString(), Duration.ofSeconds(20));
		CuratorFramework curator = this.faults.arena().curator(this.faults.servers().connectString(), SESSION);
		LockClient waiter = this.faults.arena().client(curator);
		waiter.acquire(request(strategy, mode)).release();
		ZooKeeper first = handleOf(curator);
		LockHandle handle = holder.acquire(request(strategy, LockMode.WRITE));
		CompletableFuture<LockHandle> waiting = waiter.acquireAsync(request(strategy, mode));
		this.faults.awaitWaits(waiter);
		this.faults.servers().endSession(first);
		await().atMost(Duration.ofSeconds(10)).until(() -> handleOf(curator) != first);
		this.faults.awaitWaits(waiter);
		assertThat(waiting).isNotDone();
		handle.release();
		try (LockHandle granted = waiting.get(10, TimeUnit.SECONDS)) {
			assertThat(granted.isHeld()).isTrue();
			assertThat(granted.fencingToken()).isGreaterThan(handle.fencingToken());
		}
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@CsvSource({ "naive,EXCLUSIVE", "sequential,EXCLUSIVE", "sequential,WRITE" })
	void aHolderWhoseEventThreadIsBusyKnowsThatItsLeaseIsOver(String strategy, LockMode mode) throws Exception {
		CuratorFramework curator = this.faults.arena().curator(this.faults.servers().connectString(), SESSION);
		LockClient client = this.faults.arena().client(curator);
		CountDownLatch busy = new CountDownLatch(1);
		AtomicInteger notified = new AtomicInteger();
		try (LockHandle handle = client.acquire(request(strategy, mode))) {
			handle.onLost(notified::incrementAndGet);
			Stopwatch stopwatch = Stopwatch.start();
			handleOf(curator).create(this.faults.arena().root() + "/busy", new byte[0],
					org.apache.zookeeper.ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL,
					(rc, path, context, name) -> Actor.awaitQuietly(busy), null);
			await().atMost(Actor.PATIENCE).until(() -> notified.get() == 1);
			stopwatch.assertBetween(Duration.ZERO, SESSION);
			assertThat(handle.isHeld()).isFalse();
			busy.countDown();
			assertThat(handle.isHeld()).isFalse();
		}
		finally {
			busy.countDown();
		}
		try (LockHandle again = client.acquire(request(strategy, mode))) {
			assertThat(again.isHeld()).isTrue();
		}
		curator.delete().forPath(this.faults.arena().root() + "/busy");
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@CsvSource({ "naive,EXCLUSIVE", "naive,WRITE", "sequential,EXCLUSIVE", "sequential,WRITE" })
	void aHolderThatWasFrozenKnowsThatItLostWhenItThaws(String strategy, LockMode mode) {
		ClientProcess frozen = this.faults.arena()
			.process("frozen", this.faults.servers().connectString(), SESSION, 1,
					RoundPlan.of(strategy, mode).hold(RoundPlan.UNTIL_LOST), 1);
		awaitStored("frozen");
		ClientProcess next = this.faults.arena()
			.process("next", this.faults.servers().connectString(), SESSION, 1,
					RoundPlan.of(strategy, mode).hold(RoundPlan.UNTIL_LOST), 2);
		next.await("READY");
		frozen.freeze();
		// On a machine that stood still it may have lost its lock before, too
		int lostBefore = Math.toIntExact(frozen.count("LOST"));
		awaitStored("next");
		frozen.thaw();
		frozen.await("LEAVE");
		this.faults.arena().stop();
		HistoryChecker checker = this.faults.arena().judge("frozen holder, %s %s".formatted(strategy, mode));
		assertThat(checker.violations()).isEmpty();
		List<String> lost = this.faults.arena()
			.history()
			.notes("LOST")
			.stream()
			.filter((note) -> note.contains("frozen"))
			.toList();
		assertThat(lost).allMatch((note) -> note.endsWith("LockLostException"));
		assertThat(lost.subList(lostBefore, lost.size())).isNotEmpty()
			.allMatch((note) -> note.endsWith("refused LockLostException"));
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@CsvSource({ "naive,EXCLUSIVE", "naive,WRITE", "sequential,EXCLUSIVE", "sequential,READ", "sequential,WRITE" })
	void aWaiterThatWasFrozenIsNotGrantedByAnOldEvent(String strategy, LockMode mode) throws Exception {
		CuratorFramework curator = this.faults.arena()
			.curator(this.faults.servers().connectString(), Duration.ofSeconds(20));
		LockHandle handle = this.faults.arena().client(curator).acquire(request(strategy, LockMode.EXCLUSIVE));
		ClientProcess frozen = this.faults.arena()
			.process("frozen", this.faults.servers().connectString(), SESSION, 1,
					RoundPlan.of(strategy, mode).hold(RoundPlan.UNTIL_LOST), 1);
		frozen.await("READY");
		awaitWaiters(1, curator);
		ClientProcess next = this.faults.arena()
			.process("next", this.faults.servers().connectString(), SESSION.multipliedBy(3), 1,
					RoundPlan.of(strategy, LockMode.WRITE).hold(RoundPlan.UNTIL_LOST), 2);
		next.await("READY");
		awaitWaiters(2, curator);
		frozen.freeze();
		handle.release();
		next.await("ENTER");
		frozen.thaw();
		await().during(Duration.ofSeconds(1)).atMost(Duration.ofSeconds(5)).until(() -> frozen.count("ENTER") == 0);
		next.kill();
		frozen.await("ENTER");
		this.faults.arena().stop();
		assertThat(this.faults.arena().judge("frozen waiter, %s %s".formatted(strategy, mode)).violations()).isEmpty();
	}

	// Who watches a list is not among them
	private void awaitWaiters(int number, CuratorFramework holder) throws Exception {
		long holding = handleOf(holder).getSessionId();
		await().atMost(Duration.ofSeconds(30))
			.until(() -> this.faults.servers()
				.watchers(this.faults.arena().root())
				.stream()
				.filter((session) -> session != holding)
				.count() == number);
	}

	// From then on the store refuses smaller tokens
	private void awaitStored(String process) {
		Path journal = this.faults.arena().store().journal();
		await().atMost(Duration.ofSeconds(60))
			.until(() -> Files.exists(journal) && Files.readString(journal).contains("ACCEPTED\t" + process + "."));
	}

}
