package io.github.zklock.faults;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.Handoff;
import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.inspect.JobRun;
import io.github.zklock.testing.Actor;
import io.github.zklock.zookeeper.LockSessions;
import io.github.zklock.zookeeper.ZooKeeperLockClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Case 1: the answer to a create or a delete is lost. Three servers; the client that
 * suffers reaches one of them through a proxy, the other client all of them.
 */
@Tag("slow")
@ExtendWith(FaultFixture.NoThreadsLeft.class)
class LostAnswersIT {

	/**
	 * Longer than all waits, which bear a machine that stands still for seconds: nothing
	 * here comes about by the end of a session.
	 */
	private static final Duration SESSION = Duration.ofSeconds(30);

	@RegisterExtension
	final FaultFixture faults = FaultFixture.withSessions(SESSION);

	private LockClient unlucky;

	private LockClient other;

	@BeforeEach
	void open() {
		this.unlucky = this.faults.clientBehindProxy();
		this.other = this.faults.client();
	}

	private static LockRequest request(String strategy, LockMode mode) {
		return LockRequest.exclusive("k").mode(mode).strategy(strategy).timeout(Duration.ofSeconds(20));
	}

	// After one use the root is there, and the next contender makes the key's place too;
	// after two the place is there. A plain node needs none.
	private void warmUp(LockRequest request, int uses) throws InterruptedException {
		for (int i = 0; i < uses; i++) {
			this.unlucky.acquire(request).releaseAsync().join();
		}
	}

	// Gives busy servers little time to answer, and a link to come back
	private static Optional<LockHandle> tryShortly(LockClient client, LockRequest request) throws InterruptedException {
		long start = System.nanoTime();
		while (true) {
			try {
				return client.tryAcquire(request.timeout(Duration.ofMillis(300)));
			}
			catch (LockUnavailableException ex) {
				if (System.nanoTime() - start > Actor.PATIENCE.toNanos()) {
					throw ex;
				}
			}
		}
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@CsvSource({ "naive,EXCLUSIVE,1", "naive,READ,1", "naive,WRITE,2", "sequential,EXCLUSIVE,1",
			"sequential,EXCLUSIVE,2", "sequential,READ,2", "sequential,WRITE,1" })
	void aLockWhoseCreateWasNotAnsweredIsFoundAndGranted(String strategy, LockMode mode, int uses) throws Exception {
		LockRequest request = request(strategy, mode);
		warmUp(request, uses);
		CompletableFuture<String> lost = this.faults.proxy().loseAnswer(1, LockRequestTypes.CREATIONS);
		LockHandle handle = this.unlucky.acquire(request);
		assertThat(lost).isCompleted();
		assertThat(handle.isHeld()).isTrue();
		CompletableFuture<LockHandle> next = this.other
			.acquireAsync(request(strategy, LockMode.WRITE).timeout(Duration.ofSeconds(20)));
		this.faults.awaitWaits(this.other);
		assertThat(next).isNotDone();
		handle.release();
		try (LockHandle granted = next.get(20, TimeUnit.SECONDS)) {
			assertThat(granted.fencingToken()).isGreaterThan(handle.fencingToken());
		}
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@CsvSource({ "naive,EXCLUSIVE,1", "naive,WRITE,1", "sequential,EXCLUSIVE,1", "sequential,EXCLUSIVE,2",
			"sequential,WRITE,2" })
	void aLockWhoseCreateNeverArrivedIsAskedForAgain(String strategy, LockMode mode, int uses) throws Exception {
		LockRequest request = request(strategy, mode);
		warmUp(request, uses);
		CompletableFuture<String> lost = this.faults.proxy().loseRequest(1, LockRequestTypes.CREATIONS);
		try (LockHandle handle = this.unlucky.acquire(request)) {
			assertThat(lost).isCompleted();
			assertThat(handle.isHeld()).isTrue();
		}
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@CsvSource({ "naive,EXCLUSIVE,1", "naive,READ,1", "naive,WRITE,2", "sequential,EXCLUSIVE,1",
			"sequential,EXCLUSIVE,2", "sequential,READ,2", "sequential,WRITE,1" })
	void aWaiterWhoseCreateWasNotAnsweredAndWhoGaveUpLeavesNothing(String strategy, LockMode mode, int uses)
			throws Exception {
		LockRequest request = request(strategy, mode);
		warmUp(request, uses);
		CompletableFuture<String> lost = this.faults.proxy().loseAnswerAndRefuse(1, LockRequestTypes.CREATIONS);
		CompletableFuture<LockHandle> waiting = this.unlucky.acquireAsync(request);
		lost.get(20, TimeUnit.SECONDS);
		waiting.cancel(false);
		this.faults.proxy().heal();
		try (LockHandle next = this.other.acquire(request(strategy, LockMode.WRITE))) {
			assertThat(next.isHeld()).isTrue();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatIsLeftOfALostAnswerIsCountedWhenItIsRemoved() throws Exception {
		Arena arena = this.faults.arena();
		LockRequest request = request("sequential", LockMode.EXCLUSIVE);
		try (LockSessions sessions = LockSessions.builder(arena.curator(this.faults.proxy().connectString(), SESSION))
			.root(arena.root())
			.build(); LockClient client = ZooKeeperLockClient.builder(sessions).build()) {
			client.acquire(request).releaseAsync().join();
			assertThat(sessions.leftoversRemoved()).isZero();
			CompletableFuture<String> lost = this.faults.proxy().loseAnswerAndRefuse(1, LockRequestTypes.CREATIONS);
			CompletableFuture<LockHandle> waiting = client.acquireAsync(request);
			lost.get(20, TimeUnit.SECONDS);
			waiting.cancel(false);
			this.faults.proxy().heal();
			this.other.acquire(request).release();
			await().untilAsserted(() -> assertThat(sessions.leftoversRemoved()).isOne());
		}
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@CsvSource({ "naive,EXCLUSIVE,1", "naive,WRITE,2", "sequential,EXCLUSIVE,1", "sequential,READ,2" })
	void aClientThatIsClosedWhileItsCreateIsNotAnsweredLeavesNothing(String strategy, LockMode mode, int uses)
			throws Exception {
		LockRequest request = request(strategy, mode);
		warmUp(request, uses);
		CompletableFuture<String> lost = this.faults.proxy().loseAnswerAndRefuse(1, LockRequestTypes.CREATIONS);
		CompletableFuture<LockHandle> waiting = this.unlucky.acquireAsync(request);
		lost.get(20, TimeUnit.SECONDS);
		CompletableFuture<Void> closing = CompletableFuture.runAsync(this.unlucky::close);
		assertThat(waiting).failsWithin(Duration.ofSeconds(20))
			.withThrowableThat()
			.withCauseInstanceOf(LockUnavailableException.class)
			.withMessageContaining("the lock client is closed");
		this.faults.proxy().heal();
		closing.get(20, TimeUnit.SECONDS);
		try (LockHandle next = this.other.acquire(request(strategy, LockMode.WRITE))) {
			assertThat(next.isHeld()).isTrue();
		}
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@CsvSource({ "naive,EXCLUSIVE,1", "naive,READ,1", "sequential,EXCLUSIVE,1", "sequential,WRITE,2" })
	void aCreateThatWasNotAnsweredAndWhoseKeyNodeIsGoneIsAskedForAgain(String strategy, LockMode mode, int uses)
			throws Exception {
		LockRequest request = request(strategy, mode);
		warmUp(request, uses);
		CompletableFuture<String> lost = this.faults.proxy().loseAnswerAndRefuse(1, LockRequestTypes.CREATIONS);
		CompletableFuture<LockHandle> waiting = this.unlucky.acquireAsync(request);
		lost.get(20, TimeUnit.SECONDS);
		await().until(() -> nodes().contains("k"));
		String keyNode = this.faults.arena().root() + "/k";
		this.faults.servers().ask((operator) -> {
			operator.sync(keyNode);
			return operator.exists(keyNode, false) == null || ZKUtil.deleteRecursive(operator, keyNode, 10);
		});
		this.faults.proxy().heal();
		try (LockHandle handle = waiting.get(20, TimeUnit.SECONDS)) {
			assertThat(handle.isHeld()).isTrue();
			assertThat(tryShortly(this.other, request(strategy, LockMode.WRITE))).isEmpty();
		}
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@CsvSource({ "naive", "sequential" })
	void severalKeysWhoseTransactionWasNotAnsweredAreAllFound(String strategy) throws Exception {
		LockRequest request = LockRequest.keys(List.of("a", "b", "c"))
			.strategy(strategy)
			.timeout(Duration.ofSeconds(20));
		warmUp(request, 1);
		CompletableFuture<String> lost = this.faults.proxy().loseAnswer(1, LockRequestTypes.CREATIONS);
		try (LockHandle handle = this.unlucky.acquire(request)) {
			assertThat(lost).isCompleted();
			assertThat(tryShortly(this.other, LockRequest.exclusive("b").strategy(strategy))).isEmpty();
			assertThat(handle.isHeld()).isTrue();
		}
	}

	@ParameterizedTest
	@Tag("JobStart.I1")
	@Execution(ExecutionMode.CONCURRENT)
	@CsvSource({ "sequential,1,true", "sequential,1,false", "sequential,2,true", "sequential,2,false", "naive,2,true",
			"naive,2,false" })
	void aJobWhoseMarkWasNotAnsweredIsStartedOnce(String strategy, int which, boolean arrives) throws Exception {
		LockRequest request = request(strategy, LockMode.EXCLUSIVE);
		Duration within = Duration.ofMinutes(10);
		this.unlucky.notAgainWithin(Duration.ofMillis(1), false).acquire(request).releaseAsync().join();
		CompletableFuture<String> lost = arrives ? this.faults.proxy().loseAnswer(which, LockRequestTypes.MARKS)
				: this.faults.proxy().loseRequest(which, LockRequestTypes.MARKS);
		try (LockHandle run = this.unlucky.notAgainWithin(Duration.ofMillis(1), false).acquire(request)) {
			assertThat(lost).isCompleted();
			assertThat(run.isHeld()).isTrue();
		}
		assertThat(this.other.notAgainWithin(within, false).tryAcquire(request)).isEmpty();
		assertThat(this.unlucky.notAgainWithin(within, false).tryAcquire(request)).isEmpty();
		assertThat(lastRun().number()).as("runs").isEqualTo(2);
	}

	private JobRun lastRun() throws Exception {
		CuratorFramework observer = this.faults.arena().curator(this.faults.servers().connectString(), SESSION);
		Arena.catchUp(observer);
		return JobRun.parse(new String(observer.getData().forPath(this.faults.arena().root() + "/%~jobs/k"),
				StandardCharsets.UTF_8));
	}

	@ParameterizedTest
	@Tag("NodeDowngrade.I1")
	@Execution(ExecutionMode.CONCURRENT)
	@CsvSource({ "sequential,true", "sequential,false", "naive,true" })
	void aDowngradeThatWasNotAnsweredIsAskedForAgain(String strategy, boolean arrives) throws Exception {
		LockRequest write = request(strategy, LockMode.WRITE);
		LockHandle handle = this.unlucky.acquire(write);
		CompletableFuture<String> lost = arrives ? this.faults.proxy().loseAnswer(1, LockRequestTypes.DOWNGRADES)
				: this.faults.proxy().loseRequest(1, LockRequestTypes.DOWNGRADES);
		CompletableFuture<LockHandle> writing = this.other.acquireAsync(write);
		this.faults.awaitWaits(this.other);
		handle.downgrade();
		lost.get(20, TimeUnit.SECONDS);
		try (LockClient third = this.faults.client()) {
			assertThat(writing).isNotDone();
			writing.cancel(false);
			try (LockHandle reader = third.acquire(request(strategy, LockMode.READ))) {
				assertThat(reader.isHeld()).isTrue();
				assertThat(handle.isHeld()).isTrue();
			}
			assertThat(tryShortly(third, write)).isEmpty();
			handle.release();
			third.acquire(write).release();
		}
	}

	@ParameterizedTest
	@Tag("NodeDowngrade.I1")
	@Execution(ExecutionMode.CONCURRENT)
	@CsvSource({ "sequential,true", "sequential,false" })
	void aLockThatIsReleasedWhileItsDowngradeIsNotAnsweredLeavesNothing(String strategy, boolean arrives)
			throws Exception {
		LockRequest write = request(strategy, LockMode.WRITE);
		warmUp(write, 2);
		LockHandle handle = this.unlucky.acquire(write);
		CompletableFuture<String> lost = arrives
				? this.faults.proxy().loseAnswerAndRefuse(1, LockRequestTypes.DOWNGRADES)
				: this.faults.proxy().loseRequest(1, LockRequestTypes.DOWNGRADES);
		handle.downgrade();
		lost.get(20, TimeUnit.SECONDS);
		CompletableFuture<Void> released = handle.releaseAsync();
		this.faults.proxy().heal();
		released.get(20, TimeUnit.SECONDS);
		try (LockHandle next = this.other.acquire(write)) {
			assertThat(next.isHeld()).isTrue();
		}
	}

	@ParameterizedTest
	@Tag("LockNode.I1")
	@Execution(ExecutionMode.CONCURRENT)
	@CsvSource({ "naive,EXCLUSIVE", "naive,READ", "naive,WRITE", "sequential,EXCLUSIVE", "sequential,READ",
			"sequential,WRITE" })
	void aDeleteThatWasNotAnsweredIsRepeatedWithoutTouchingTheNextHolder(String strategy, LockMode mode)
			throws Exception {
		LockRequest request = request(strategy, mode);
		LockHandle handle = this.unlucky.acquire(request);
		CompletableFuture<String> lost = this.faults.proxy().loseAnswerAndRefuse(1, LockRequestTypes.DELETIONS);
		CompletableFuture<Void> released = handle.releaseAsync();
		lost.get(20, TimeUnit.SECONDS);
		try (LockHandle next = this.other.acquire(request(strategy, writer(mode)))) {
			this.faults.proxy().heal();
			released.get(20, TimeUnit.SECONDS);
			assertThat(next.isHeld()).isTrue();
			assertThat(tryShortly(this.unlucky, request)).isEmpty();
			assertThat(next.isHeld()).isTrue();
			assertThat(next.fencingToken()).isGreaterThan(handle.fencingToken());
		}
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@CsvSource({ "naive,true", "sequential,true", "sequential,false" })
	void severalKeysWhoseDeletesWereNotAnsweredAreDeletedAlone(String strategy, boolean arrives) throws Exception {
		LockRequest request = LockRequest.keys(List.of("a", "b", "c"))
			.mode(LockMode.WRITE)
			.strategy(strategy)
			.timeout(Duration.ofSeconds(20));
		warmUp(request, 1);
		LockHandle handle = this.unlucky.acquire(request);
		CompletableFuture<String> lost = arrives ? this.faults.proxy().loseAnswer(1, LockRequestTypes.DELETIONS)
				: this.faults.proxy().loseRequest(1, LockRequestTypes.DELETIONS);
		CompletableFuture<Void> released = handle.releaseAsync();
		lost.get(20, TimeUnit.SECONDS);
		try (LockHandle next = this.other.acquire(request)) {
			released.get(20, TimeUnit.SECONDS);
			assertThat(next.isHeld()).isTrue();
		}
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@CsvSource({ "naive,EXCLUSIVE", "naive,WRITE", "sequential,EXCLUSIVE", "sequential,READ" })
	void aDeleteThatNeverArrivedIsRepeated(String strategy, LockMode mode) throws Exception {
		LockHandle handle = this.unlucky.acquire(request(strategy, mode));
		CompletableFuture<String> lost = this.faults.proxy().loseRequest(1, LockRequestTypes.DELETIONS);
		handle.release();
		lost.get(20, TimeUnit.SECONDS);
		try (LockHandle next = this.other.acquire(request(strategy, writer(mode)))) {
			assertThat(next.isHeld()).isTrue();
		}
	}

	@ParameterizedTest
	@Tag("ReleaseNotes.I2")
	@Execution(ExecutionMode.CONCURRENT)
	@ValueSource(booleans = { true, false })
	void inALongQueueTheNextOneIsGrantedTheLockWhetherTheDeleteWithItsNoteArrivesOrNot(boolean arrives)
			throws Exception {
		LockRequest request = request("sequential", LockMode.EXCLUSIVE);
		LockHandle first = this.other.acquire(request);
		List<CompletableFuture<Void>> before = new ArrayList<>();
		for (int queued = 2; queued <= 17; queued++) {
			before.add(this.faults.client().acquireAsync(request).thenAccept(LockHandle::release));
			awaitQueue(queued);
		}
		CompletableFuture<LockHandle> unluckys = this.unlucky.acquireAsync(request);
		String node = Collections.max(awaitQueue(18),
				Comparator.comparing((name) -> name.substring(name.length() - 10)));
		CompletableFuture<LockHandle> last = this.faults.client().acquireAsync(request);
		awaitQueue(19);
		first.release();
		LockHandle handle = unluckys.get(20, TimeUnit.SECONDS);
		CompletableFuture.allOf(before.toArray(CompletableFuture[]::new)).get(20, TimeUnit.SECONDS);
		CompletableFuture<String> lost = arrives
				? this.faults.proxy().loseAnswer(1, LockRequestTypes.DELETIONS_WITH_KEY_NODE)
				: this.faults.proxy().loseRequest(1, LockRequestTypes.DELETIONS_WITH_KEY_NODE);
		CompletableFuture<Void> released = handle.releaseAsync();
		lost.get(20, TimeUnit.SECONDS);
		try (LockHandle next = last.get(20, TimeUnit.SECONDS)) {
			released.get(20, TimeUnit.SECONDS);
			assertThat(next.isHeld()).isTrue();
			assertThat(next.fencingToken()).isGreaterThan(handle.fencingToken());
			if (arrives) {
				await().until(() -> note().contains(node));
			}
			assertThat(note().contains(node)).isEqualTo(arrives);
		}
	}

	private List<String> awaitQueue(int count) {
		return await().atMost(Duration.ofSeconds(20)).until(() -> children("k"), (names) -> names.size() == count);
	}

	private String note() throws Exception {
		String keyNode = this.faults.arena().root() + "/k";
		return this.faults.servers()
			.ask((zooKeeper) -> new String(zooKeeper.getData(keyNode, false, null), StandardCharsets.UTF_8));
	}

	@ParameterizedTest
	@Tag("LockNode.I3")
	@Execution(ExecutionMode.CONCURRENT)
	@CsvSource({ "sequential,EXCLUSIVE", "sequential,READ", "naive,WRITE" })
	void aRemovalWithTheKeyNodeThatWasNotAnsweredIsRepeatedWithoutTouchingANodeWithoutNumberInItsStead(String strategy,
			LockMode mode) throws Exception {
		LockRequest request = request(strategy, mode);
		LockHandle handle = this.unlucky.acquire(request);
		CompletableFuture<String> lost = this.faults.proxy()
			.loseAnswerAndRefuse(1, LockRequestTypes.DELETIONS_WITH_KEY_NODE);
		CompletableFuture<Void> released = handle.releaseAsync();
		lost.get(20, TimeUnit.SECONDS);
		try (LockHandle next = this.other.acquire(request("naive", LockMode.EXCLUSIVE))) {
			this.faults.proxy().heal();
			released.get(20, TimeUnit.SECONDS);
			assertThat(tryShortly(this.unlucky, request)).isEmpty();
			assertThat(next.isHeld()).isTrue();
			assertThat(nodes()).containsExactly("k");
		}
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@CsvSource({ "sequential,EXCLUSIVE", "naive,READ" })
	void aRemovalWithTheKeyNodeThatNeverArrivedIsRepeated(String strategy, LockMode mode) throws Exception {
		LockHandle handle = this.unlucky.acquire(request(strategy, mode));
		CompletableFuture<String> lost = this.faults.proxy().loseRequest(1, LockRequestTypes.DELETIONS_WITH_KEY_NODE);
		handle.releaseAsync().get(20, TimeUnit.SECONDS);
		assertThat(lost).isCompleted();
		assertThat(nodes()).isEmpty();
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@CsvSource({ "sequential,EXCLUSIVE", "sequential,READ", "naive,WRITE" })
	void aContenderWhoseCreateWithTheKeyNodeWasNotAnsweredRemovesBoth(String strategy, LockMode mode) throws Exception {
		LockRequest request = request(strategy, mode);
		warmUp(LockRequest.exclusive("other").strategy(strategy), 1);
		CompletableFuture<String> lost = this.faults.proxy().loseAnswer(1, LockRequestTypes.CREATIONS_WITH_KEY_NODE);
		LockHandle handle = this.unlucky.acquire(request);
		assertThat(lost).isCompleted();
		assertThat(handle.isHeld()).isTrue();
		handle.releaseAsync().get(20, TimeUnit.SECONDS);
		assertThat(nodes()).doesNotContain("k");
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@ValueSource(booleans = { true, false })
	void theMarkOfAPermitsHolderThatIsNotAnsweredIsRepeated(boolean handled) throws Exception {
		LockClient third = this.faults.client();
		LockRequest permit = LockRequest.permits("k", 2).timeout(Duration.ofSeconds(20));
		LockHandle one = this.other.acquire(permit.owner("one"));
		LockHandle two = this.other.acquire(permit.owner("two"));
		CompletableFuture<LockHandle> first = this.unlucky.acquireAsync(permit);
		await().until(() -> children("k").size() == 3);
		CompletableFuture<LockHandle> second = third.acquireAsync(permit);
		await().until(() -> children("k").size() == 4);
		CompletableFuture<String> lost = handled ? this.faults.proxy().loseAnswer(1, LockRequestTypes.HOLDER_MARKS)
				: this.faults.proxy().loseRequest(1, LockRequestTypes.HOLDER_MARKS);
		one.release();
		LockHandle next = first.get(20, TimeUnit.SECONDS);
		lost.get(20, TimeUnit.SECONDS);
		two.release();
		try (LockHandle last = second.get(20, TimeUnit.SECONDS)) {
			assertThat(last.isHeld()).isTrue();
			assertThat(next.isHeld()).isTrue();
		}
		next.release();
	}

	private List<String> nodes() throws Exception {
		return list("");
	}

	private List<String> children(String keyNode) throws Exception {
		return list("/" + keyNode);
	}

	private List<String> list(String below) throws Exception {
		String path = this.faults.arena().root() + below;
		return this.faults.servers().ask((zooKeeper) -> {
			zooKeeper.sync(path);
			return zooKeeper.getChildren(path, false);
		});
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@CsvSource({ "EXCLUSIVE,true", "EXCLUSIVE,false", "WRITE,true", "WRITE,false" })
	void whoQueuesAgainAndIsNotAnsweredIsBehindWhoWaitedAndIsServed(LockMode mode, boolean handled) throws Exception {
		LockRequest request = request("sequential", mode);
		LockClient queueing = queueing();
		LockHandle first = queueing.acquire(request);
		CompletableFuture<LockHandle> local = queueing.acquireAsync(request);
		CompletableFuture<LockHandle> waiting = this.other.acquireAsync(request);
		await().until(() -> children("k").size() == 2);
		CompletableFuture<String> lost = handled ? this.faults.proxy().loseAnswer(1, LockRequestTypes.CREATIONS)
				: this.faults.proxy().loseRequest(1, LockRequestTypes.CREATIONS);
		CompletableFuture<Void> released = first.releaseAsync();
		lost.get(20, TimeUnit.SECONDS);
		LockHandle second = waiting.get(20, TimeUnit.SECONDS);
		released.get(20, TimeUnit.SECONDS);
		await().until(() -> children("k").size() == 2);
		assertThat(local).isNotDone();
		assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
		second.release();
		try (LockHandle third = local.get(20, TimeUnit.SECONDS)) {
			assertThat(third.isHeld()).isTrue();
			assertThat(third.fencingToken()).isGreaterThan(second.fencingToken());
		}
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@ValueSource(booleans = { true, false })
	void whoQueuesAgainAndIsNotAnsweredAndGivesUpLeavesNothing(boolean handled) throws Exception {
		LockRequest request = request("sequential", LockMode.EXCLUSIVE);
		LockClient queueing = queueing();
		LockHandle first = queueing.acquire(request);
		CompletableFuture<LockHandle> local = queueing.acquireAsync(request);
		CompletableFuture<String> lost = handled
				? this.faults.proxy().loseAnswerAndRefuse(1, LockRequestTypes.CREATIONS)
				: this.faults.proxy().loseRequest(1, LockRequestTypes.CREATIONS);
		CompletableFuture<Void> released = first.releaseAsync();
		lost.get(20, TimeUnit.SECONDS);
		local.cancel(false);
		this.faults.proxy().heal();
		released.get(20, TimeUnit.SECONDS);
		try (LockHandle next = this.other.acquire(request)) {
			assertThat(next.isHeld()).isTrue();
			assertThat(children("k")).hasSize(1);
		}
	}

	private LockClient queueing() {
		CuratorFramework curator = this.faults.arena().curator(this.faults.proxy().connectString(), SESSION);
		return this.faults.arena().client(curator, new Handoff(0, Duration.ZERO, Duration.ZERO));
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@CsvSource({ "naive,READ", "naive,WRITE", "sequential,EXCLUSIVE", "sequential,READ" })
	void whoSawAnotherContenderInTheQueueTimesOutAlthoughItNeverLearnedWhoItIs(String strategy, LockMode mode)
			throws Exception {
		try (LockHandle handle = this.other.acquire(request(strategy, LockMode.WRITE))) {
			CompletableFuture<String> lost = this.faults.proxy().loseAnswerAndRefuse(1, Set.of(OpCode.getData));
			assertThatExceptionOfType(LockTimeoutException.class)
				.isThrownBy(() -> this.unlucky.acquire(request(strategy, mode).timeout(Duration.ofSeconds(2))))
				.withMessageContaining("held by another contender");
			assertThat(lost).isCompleted();
			assertThat(handle.isHeld()).isTrue();
		}
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@CsvSource({ "naive", "sequential" })
	void answersThatAreLostAgainAndAgainOnlyTakeTime(String strategy) throws Exception {
		LockRequest request = request(strategy, LockMode.EXCLUSIVE);
		warmUp(request, 1);
		for (int i = 1; i <= 3; i++) {
			CompletableFuture<String> created = this.faults.proxy().loseAnswer(1, LockRequestTypes.CREATIONS);
			LockHandle handle = this.unlucky.acquire(request);
			CompletableFuture<String> deleted = this.faults.proxy().loseAnswer(1, LockRequestTypes.DELETIONS);
			handle.releaseAsync().get(20, TimeUnit.SECONDS);
			assertThat(created).isCompleted();
			assertThat(deleted).isCompleted();
		}
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@CsvSource({ "naive", "sequential" })
	void aServerThatLagsBehindDoesNotHideWhatItsClientDid(String strategy) throws Exception {
		LockRequest request = request(strategy, LockMode.EXCLUSIVE);
		warmUp(request, 1);
		CompletableFuture<String> lost = this.faults.proxy().loseAnswerAndRefuse(1, LockRequestTypes.CREATIONS);
		CompletableFuture<LockHandle> waiting = this.unlucky.acquireAsync(request);
		lost.get(20, TimeUnit.SECONDS);
		this.faults.proxy().leadTo(this.faults.servers().followers().get(1).clientAddress());
		this.faults.proxy().heal();
		LockHandle handle = waiting.get(20, TimeUnit.SECONDS);
		CompletableFuture<String> deleted = this.faults.proxy().loseAnswerAndRefuse(1, LockRequestTypes.DELETIONS);
		CompletableFuture<Void> released = handle.releaseAsync();
		deleted.get(20, TimeUnit.SECONDS);
		try (LockHandle next = this.other.acquire(request)) {
			this.faults.proxy().leadTo(this.faults.servers().leader().clientAddress());
			this.faults.proxy().heal();
			released.get(20, TimeUnit.SECONDS);
			await().during(Duration.ofMillis(300)).atMost(Duration.ofSeconds(2)).until(next::isHeld);
		}
	}

	private static LockMode writer(LockMode mode) {
		return (mode == LockMode.READ) ? LockMode.WRITE : mode;
	}

}
