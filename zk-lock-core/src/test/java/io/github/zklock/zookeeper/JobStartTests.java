package io.github.zklock.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.inspect.JobRun;
import io.github.zklock.internal.client.JobMarks;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;

/**
 * Marks of jobs on a server: clocks of leaders that differ, runs that are taken back,
 * what operators see, and what it costs.
 */
@Timeout(60)
class JobStartTests {

	private static final String KEY = "nightly";

	private static final Duration LONG = Duration.ofMinutes(10);

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private ZooKeeperLockClient client;

	private ZooKeeperLockInspector inspector;

	@BeforeEach
	void open() {
		this.client = (ZooKeeperLockClient) this.zk.client().open();
		this.inspector = this.zk.inspector(this.client);
	}

	@AfterEach
	void close() {
		this.inspector.close();
	}

	private static Optional<LockHandle> start(LockClient client, Duration within) throws InterruptedException {
		return client.notAgainWithin(within, false)
			.tryAcquire(LockRequest.exclusive(KEY).timeout(Duration.ofSeconds(10)));
	}

	private static void run(LockClient client, Duration within) throws InterruptedException {
		start(client, within).orElseThrow().releaseAsync().join();
	}

	private JobRun last() {
		return this.inspector.jobs().get(0);
	}

	@Test
	void theWholeKeyIsShown() throws Exception {
		String key = "a".repeat(LockRequest.MAX_KEY_LENGTH);
		this.client.notAgainWithin(LONG, false).tryAcquire(LockRequest.exclusive(key)).orElseThrow().release();
		assertThat(last().key()).isEqualTo(key);
	}

	// As an instance would that talked to a leader with another clock
	private void write(UnaryOperator<String> change) throws Exception {
		CuratorFramework curator = this.zk.curatorOf(this.client);
		String path = this.zk.root() + "/%~jobs/" + KEY;
		String content = new String(curator.getData().forPath(path), StandardCharsets.UTF_8);
		curator.setData().forPath(path, change.apply(content).getBytes(StandardCharsets.UTF_8));
	}

	private void anotherInstanceStartsItByAClockThatIsWrongBy(Duration error) throws Exception {
		JobRun before = last();
		long wrong = System.currentTimeMillis() + error.toMillis();
		write((content) -> content.replace(before.id(), "another")
			.replace("\"run\":\"" + before.number(), "\"run\":\"" + (before.number() + 1))
			.replace("" + before.started().toEpochMilli(), "" + wrong));
	}

	@Test
	void i1ALeaderWhoseClockWasAnHourBehindDoesNotMakeItRunTwice() throws Exception {
		run(this.client, Duration.ofMillis(1));
		anotherInstanceStartsItByAClockThatIsWrongBy(Duration.ofHours(-1));
		await().untilAsserted(() -> assertThat(start(this.client, LONG)).isEmpty());
		assertThat(start(this.client, LONG)).isEmpty();
		LockClient stranger = this.zk.client().open();
		assertThat(start(stranger, LONG)).as("who has not watched it")
			.isPresent()
			.hasValueSatisfying(LockHandle::release);
	}

	@Test
	void i1ALeaderWhoseClockWasAnHourAheadDoesNotStopItForAnHour() throws Exception {
		run(this.client, Duration.ofMillis(1));
		this.zk.announce("for the servers' leader it is");
		anotherInstanceStartsItByAClockThatIsWrongBy(Duration.ofHours(1));
		assertThat(start(this.client, Duration.ofSeconds(30))).isEmpty();
		await().until(() -> start(this.client, Duration.ofMillis(500)).map((handle) -> {
			handle.release();
			return true;
		}).orElse(false));
	}

	@Test
	void aLeaderWhoseClockWasAnHourAheadDoesNotStopItForAnHourWhereNobodyLivesLongEnough() throws Exception {
		Duration within = Duration.ofMillis(500);
		run(this.client, Duration.ofMillis(1));
		anotherInstanceStartsItByAClockThatIsWrongBy(Duration.ofHours(1));
		this.zk.announce("for the servers' leader it is");
		Instant before = Instant.now();
		assertThat(runsInAFreshInstance(within)).isFalse();
		JobRun ahead = last();
		await().until(() -> runsInAFreshInstance(within));
		assertThat(last().started()).isAfterOrEqualTo(before.plus(within).truncatedTo(ChronoUnit.MILLIS));
		assertThat(last().number()).isEqualTo(ahead.number() + 1);
		assertThat(runsInAFreshInstance(LONG)).as("it has the time of today").isFalse();
	}

	@Test
	void aLeaderWhoseClockIsBehindMakesNothingOldForTheOneBeforeIt() throws Exception {
		this.zk.announce("for the servers' leader it is");
		run(this.client, LONG);
		byte[] content = mark();
		JobRun last = last();
		long started = last.started().toEpochMilli();
		long behind = started - Duration.ofHours(1).toMillis();
		assertThat(OwnRun.since(last, content, behind)).isEqualTo(started);
		byte[] noted = OwnRun.noted(last, OwnRun.noted(last, content, behind + 5), behind);
		assertThat(OwnRun.since(last, noted, behind)).isEqualTo(behind);
		assertThat(OwnRun.since(last, noted, behind - 1)).as("the next one's is more behind").isEqualTo(behind);
		assertThat(OwnRun.since(last, noted, started)).isEqualTo(started);
		assertThat(new String(noted, StandardCharsets.UTF_8)).containsOnlyOnce("behind");
		assertThat(OwnRun.parse(noted)).isEqualTo(last);
	}

	private byte[] mark() throws Exception {
		return this.zk.curatorOf(this.client).getData().forPath(this.zk.root() + "/%~jobs/" + KEY);
	}

	private boolean runsInAFreshInstance(Duration within) throws InterruptedException {
		try (LockClient fresh = this.zk.client().open()) {
			Optional<LockHandle> run = start(fresh, within);
			run.ifPresent((handle) -> handle.releaseAsync().join());
			return run.isPresent();
		}
	}

	// While a machine is suspended its monotonic clock may stand still, and its session
	// ends
	@Test
	void whoWasSuspendedForAnHourRunsItAgain() throws Exception {
		run(this.client, LONG);
		assertThat(start(this.client, LONG)).isEmpty();
		long started = last().started().toEpochMilli();
		write((content) -> content.replace("" + started, "" + (started - Duration.ofHours(1).toMillis())));
		this.zk.expireSession(this.client);
		run(this.client, LONG);
		assertThat(last().number()).isEqualTo(2);
	}

	@Test
	void whatTheCallerWaitsBeforeTheStampCountsToo() throws Exception {
		run(this.client, Duration.ofMillis(1));
		JobMarks marks = this.client.parts().jobs().marks();
		Thread asking = Thread.currentThread();
		try (LockHandle lock = this.client.acquire(LockRequest.exclusive(KEY))) {
			JobMarks.Attempt attempt = marks
				.start(lock, new JobMarks.Rule(Duration.ofMillis(1), false),
						() -> (Thread.currentThread() == asking) ? 0 : LONG.toNanos(), Long.MAX_VALUE)
				.outcome()
				.join();
			assertThat(attempt.run()).isNull();
			assertThat(attempt.last()).isEqualTo(last());
		}
	}

	@Test
	void i2ARunThatIsTakenBackWasNone() throws Exception {
		run(this.client, Duration.ofMillis(1));
		JobRun before = last();
		JobMarks marks = this.client.parts().jobs().marks();
		try (LockHandle lock = this.client.acquire(LockRequest.exclusive(KEY))) {
			JobMarks.Run taken = marks
				.start(lock, new JobMarks.Rule(Duration.ofMillis(1), false), () -> 0, Long.MAX_VALUE)
				.outcome()
				.join()
				.run();
			assertThat(last().number()).isEqualTo(2);
			assertThat(taken).isNotNull();
			taken.takeBack();
		}
		await().untilAsserted(() -> assertThat(last()).isEqualTo(before));
		run(this.client, Duration.ofMillis(1));
		assertThat(last().number()).isEqualTo(2);
	}

	@Test
	void aMarkThatOthersChangeAllTheTimeIsGivenUp() throws Exception {
		run(this.client, Duration.ofMillis(1));
		CuratorFramework others = this.zk.curator(ZooKeeperFixture.SESSION);
		String path = this.zk.root() + "/%~jobs/" + KEY;
		byte[] content = others.getData().forPath(path);
		AtomicInteger rounds = new AtomicInteger();
		JobMarks marks = this.client.parts().jobs().marks();
		try (LockHandle lock = this.client.acquire(LockRequest.exclusive(KEY))) {
			assertThat(marks.start(lock, new JobMarks.Rule(Duration.ofMillis(1), false), () -> {
				rounds.incrementAndGet();
				assertThatNoException().isThrownBy(() -> others.setData().forPath(path, content));
				return 0;
			}, Long.MAX_VALUE).outcome()).failsWithin(Duration.ofSeconds(30))
				.withThrowableThat()
				.withCauseInstanceOf(LockUnavailableException.class)
				.withMessageContaining("is changed by others all the time");
		}
		assertThat(rounds).hasValue(50);
		run(this.client, Duration.ofMillis(1));
		assertThat(last().number()).isEqualTo(2);
	}

	@Test
	void soManyMarksAsWouldCostTheConnectionAreNotListed() throws Exception {
		this.zk.announce("too many to be listed on the locks' connection");
		CuratorFramework curator = this.zk.curatorOf(this.client);
		String marks = this.zk.root() + "/%~jobs";
		curator.create().creatingParentContainersIfNeeded().withMode(CreateMode.CONTAINER).forPath(marks);
		inBatches(curator, marks, (path) -> curator.transactionOp().create().forPath(path, new byte[0]));
		Queue<ConnectionState> changes = ZooKeeperFixture.changesOf(curator);
		run(this.client, LONG);
		await().during(Duration.ofMillis(500)).untilAsserted(() -> assertThat(changes).isEmpty());
		inBatches(curator, marks, (path) -> curator.transactionOp().delete().forPath(path));
	}

	private static void inBatches(CuratorFramework curator, String parent, OpOf op) throws Exception {
		String name = "x".repeat(250);
		for (int i = 0; i < 14; i++) {
			List<CuratorOp> ops = new ArrayList<>();
			for (int j = 0; j < 300; j++) {
				ops.add(op.at(parent + "/" + name + (300 * i + j)));
			}
			curator.transaction().forOperations(ops);
		}
	}

	@Test
	void theMarkSaysWhoRanItAndHowItEnded() throws Exception {
		LockClient jobs = this.client.notAgainWithin(LONG, false);
		LockHandle handle = jobs.acquire(LockRequest.exclusive(KEY));
		assertThat(last().outcome()).isEqualTo("running");
		assertThat(last().isOver()).isFalse();
		handle.releaseAsync().join();
		JobRun run = last();
		assertThat(run.key()).isEqualTo(KEY);
		assertThat(run.number()).isOne();
		assertThat(run.outcome()).isEqualTo("ok");
		assertThat(run.within()).isEqualTo(LONG);
		assertThat(run.took()).isBetween(Duration.ZERO, Duration.ofMinutes(1));
		assertThat(run.pid()).isEqualTo("" + ProcessHandle.current().pid());
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> jobs.run(LockRequest.exclusive("failing"), () -> {
				throw new IllegalStateException("planned");
			}));
		assertThat(this.inspector.jobs()).extracting(JobRun::key).containsExactly("failing", KEY);
		// Who releases waits for no server
		await().atMost(Actor.PATIENCE)
			.untilAsserted(() -> assertThat(last().outcome()).isEqualTo("failed: java.lang.IllegalStateException"));
	}

	@Test
	void aMarkIsNoKey() throws Exception {
		run(this.client, LONG);
		assertThat(this.inspector.keys(0, 10).lines()).isEmpty();
		assertThat(this.inspector.waits().waits()).isEmpty();
	}

	@Test
	void aMarkWhoseDataIsNotOursIsNoRun() throws Exception {
		run(this.client, LONG);
		write((content) -> "{\"key\":\"nightly\",\"id\":\"x\",\"started\":\"soon\"}");
		assertThat(this.inspector.jobs()).isEmpty();
		run(this.client, LONG);
	}

	@Test
	void aRunCostsThreeTransactionsMoreThanALockAndOneThatIsKnownNone() throws Exception {
		// So long that the transactions that renew a lease do not fall into the count
		LockClient quiet = this.zk.client().session(Duration.ofMinutes(5)).open();
		run(quiet, Duration.ofMillis(1));
		run(quiet, Duration.ofMillis(1));
		long zxid = this.zk.zxidAtRest();
		run(quiet, Duration.ofMillis(1));
		assertThat(this.zk.zxid() - zxid).as("create and delete, stamp, start and end").isEqualTo(5);
		await().untilAsserted(() -> {
			long before = this.zk.zxid();
			assertThat(start(quiet, LONG)).isEmpty();
			assertThat(this.zk.zxid() - before).isEqualTo(2);
		});
	}

	@Test
	void marksOfJobsThatHaveNotRunForLongAreRemoved() throws Exception {
		run(this.client, Duration.ofMillis(1));
		LockClient other = this.zk.client().open();
		ZooKeeperJobMarks marks = (ZooKeeperJobMarks) ((ZooKeeperLockClient) other).parts().jobs().marks();
		other.acquire(LockRequest.exclusive("other")).releaseAsync().join();
		long inAMonth = System.currentTimeMillis() + Duration.ofDays(30).toMillis();
		marks.tidy(((ZooKeeperLockClient) other).parts().source().current(), inAMonth - 60_000);
		assertThat(this.inspector.jobs()).hasSize(1);
		ZooKeeperLockClient third = (ZooKeeperLockClient) this.zk.client().open();
		third.acquire(LockRequest.exclusive("other")).releaseAsync().join();
		((ZooKeeperJobMarks) third.parts().jobs().marks()).tidy(third.parts().source().current(), inAMonth + 60_000);
		await().untilAsserted(() -> assertThat(this.inspector.jobs()).isEmpty());
		run(this.client, LONG);
	}

	@Test
	void aMarkIsKeptForTheTimeOfItsJobAndAMonthMore() throws Exception {
		run(this.client, Duration.ofDays(60));
		this.client.notAgainWithin(Duration.ofMillis(1), false).acquire(LockRequest.exclusive("old")).release();
		await()
			.until(() -> this.inspector.jobs().size() == 2 && this.inspector.jobs().stream().allMatch(JobRun::isOver));
		ZooKeeperLockClient other = (ZooKeeperLockClient) this.zk.client().open();
		other.acquire(LockRequest.exclusive("other")).releaseAsync().join();
		long inAMonth = System.currentTimeMillis() + Duration.ofDays(31).toMillis();
		((ZooKeeperJobMarks) other.parts().jobs().marks()).tidy(other.parts().source().current(), inAMonth);
		await().until(() -> this.inspector.jobs().size() < 2);
		this.zk.curatorOf(other).checkExists().forPath(this.zk.root());
		assertThat(this.inspector.jobs()).extracting(JobRun::key).containsExactly(KEY);
	}

	@Test
	void aMarkIsWatchedFromItsFirstRunOn() throws Exception {
		run(this.client, LONG);
		assertThat(((ZooKeeperJobMarks) this.client.parts().jobs().marks()).watchCount()).isOne();
	}

	@Test
	void aMarkThatWasSeenLatelyIsKeptWhateverTheLeadersClockSays() throws Exception {
		run(this.client, Duration.ofMillis(1));
		ZooKeeperLockClient other = (ZooKeeperLockClient) this.zk.client().open();
		assertThat(start(other, LONG)).isEmpty();
		JobRun before = last();
		write((content) -> content.replace(before.id(), "another")
			.replace("\"run\":\"" + before.number(), "\"run\":\"" + (before.number() + 1))
			.replace("\"within\":\"1\"", "\"within\":\"" + LONG.toMillis() + "\""));
		assertThat(start(other, LONG)).isEmpty();
		assertThat(last().within()).isEqualTo(LONG);
		this.client.notAgainWithin(Duration.ofMillis(1), false).acquire(LockRequest.exclusive("old")).release();
		await().until(() -> this.inspector.jobs().size() == 2);
		long inAYear = System.currentTimeMillis() + Duration.ofDays(366).toMillis();
		((ZooKeeperJobMarks) other.parts().jobs().marks()).tidy(other.parts().source().current(), inAYear);
		// Both were read before one was removed, and what comes now comes behind the
		// other
		await().until(() -> this.inspector.jobs().size() < 2);
		this.zk.curatorOf(other).checkExists().forPath(this.zk.root());
		assertThat(this.inspector.jobs()).extracting(JobRun::key).containsExactly(KEY);
	}

	@Test
	@Tag("slow")
	void i3ACallerThatWaitsForeverLearnsOfTheLossWhenNoServerAnswers() throws Exception {
		this.zk.announce("lost: no server confirmed");
		LockHandle lock = this.client.acquire(LockRequest.exclusive(KEY));
		this.zk.servers().stop();
		assertThat(startFor(lock)).failsWithin(Duration.ofSeconds(40))
			.withThrowableThat()
			.withCauseInstanceOf(LockLostException.class);
		this.zk.servers().start();
		assertThat(lock.releaseAsync()).succeedsWithin(Duration.ofSeconds(40));
	}

	@Test
	@Tag("slow")
	void i3ACallerThatWaitsForeverLearnsThatTheClientIsClosed() throws Exception {
		this.zk.announce("lost: its lock client was closed");
		this.zk.announce("has not yet confirmed the removal");
		LockHandle lock = this.client.acquire(LockRequest.exclusive(KEY));
		this.zk.servers().stop();
		CompletableFuture<JobMarks.Attempt> attempt = startFor(lock);
		this.client.close();
		for (CompletableFuture<JobMarks.Attempt> one : List.of(attempt, startFor(lock))) {
			assertThat(one).failsWithin(Duration.ofSeconds(10))
				.withThrowableThat()
				.withCauseInstanceOf(LockUnavailableException.class)
				.withMessageContaining("closed");
		}
		this.zk.servers().start();
		assertThat(lock.releaseAsync()).succeedsWithin(Duration.ofSeconds(40));
	}

	private CompletableFuture<JobMarks.Attempt> startFor(LockHandle lock) {
		return this.client.parts()
			.jobs()
			.marks()
			.start(lock, new JobMarks.Rule(LONG, false), () -> 0, Long.MAX_VALUE)
			.outcome();
	}

	/** Makes an operation for a path. */
	private interface OpOf {

		CuratorOp at(String path) throws Exception;

	}

}
