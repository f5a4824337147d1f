package io.github.zklock.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockListener;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.fixture.ZooKeeperFixture;
import io.github.zklock.inspect.JobRun;
import io.github.zklock.testing.Actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * What happens to a job's mark at bad moments: answers that come late, callers who have
 * gone, marks that are gone. The thread on which a client gets its answers is held where
 * the mark changes, so each moment is the same in each run. The session time-out is 6 s.
 */
@Timeout(60)
class JobRaceTests {

	private static final String KEY = "nightly";

	private static final Duration LONG = Duration.ofMinutes(10);

	private static final Duration SHORT = Duration.ofMillis(1);

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	private final CountDownLatch goOn = new CountDownLatch(1);

	private ZooKeeperLockClient client;

	private ZooKeeperLockInspector inspector;

	@BeforeEach
	void open() {
		this.client = (ZooKeeperLockClient) this.zk.client().open();
		this.inspector = this.zk.inspector(this.client);
	}

	@AfterEach
	void close() {
		this.goOn.countDown();
		this.inspector.close();
	}

	private static Optional<LockHandle> start(LockClient client, Duration within, Duration timeout)
			throws InterruptedException {
		return client.notAgainWithin(within, false).tryAcquire(LockRequest.exclusive(KEY).timeout(timeout));
	}

	private static Optional<LockHandle> start(LockClient client, Duration within) throws InterruptedException {
		return start(client, within, Duration.ofSeconds(15));
	}

	private static void run(LockClient client, Duration within) throws InterruptedException {
		start(client, within).orElseThrow().releaseAsync().join();
	}

	private JobRun last() {
		return this.inspector.jobs().get(0);
	}

	private String mark() {
		return this.zk.root() + "/%~jobs/" + KEY;
	}

	private void write(UnaryOperator<String> change) throws Exception {
		String content = new String(this.zk.curatorOf(this.client).getData().forPath(mark()), StandardCharsets.UTF_8);
		this.zk.curatorOf(this.client)
			.setData()
			.forPath(mark(), change.apply(content).getBytes(StandardCharsets.UTF_8));
	}

	private void thereIsAMarkOfNoRun() throws Exception {
		run(this.client, SHORT);
		write((content) -> "{}");
	}

	/** The answer to that change has to wait until the step has ended. */
	private void atChange(int which, Runnable step) throws Exception {
		ZooKeeper handle = this.zk.curatorOf(this.client).getZookeeperClient().getZooKeeper();
		atChange(handle, which, step);
	}

	private void atChange(ZooKeeper handle, int which, Runnable step) {
		handle.getData(mark(), (event) -> {
			if (which > 1) {
				atChange(handle, which - 1, step);
			}
			else {
				step.run();
			}
		}, (code, path, context, content, stat) -> {
			// Only the event matters
		}, null);
	}

	private CountDownLatch noAnswersFromTheStartOn() throws Exception {
		CountDownLatch reached = new CountDownLatch(1);
		holdAnswers(2, reached);
		return reached;
	}

	private void holdAnswers(int change, CountDownLatch reached) throws Exception {
		atChange(change, () -> {
			reached.countDown();
			boolean goesOn = false;
			while (!goesOn) {
				try {
					goesOn = this.goOn.await(20, TimeUnit.SECONDS);
				}
				catch (InterruptedException ex) {
					goesOn = true;
				}
			}
		});
	}

	@Test
	@Tag("JobStart.I2")
	void whoGetsTheLockBehindARunThatIsTakenBackSeesNoRun() throws Exception {
		thereIsAMarkOfNoRun();
		CountDownLatch started = noAnswersFromTheStartOn();
		CompletableFuture<LockHandle> call = this.client.notAgainWithin(LONG, false)
			.acquireAsync(LockRequest.exclusive(KEY).timeout(LONG));
		assertThat(started.await(20, TimeUnit.SECONDS)).isTrue();
		assertThat(call.cancel(false)).isTrue();
		LockClient other = this.zk.client().open();
		CompletableFuture<Optional<LockHandle>> next = this.zk.actor().call(() -> start(other, LONG));
		await().until(() -> next.isDone() || this.zk.contenders(KEY).size() > 1);
		this.goOn.countDown();
		assertThat(Actor.get(next)).isPresent().hasValueSatisfying(LockHandle::release);
	}

	@Test
	@Tag("JobStart.I2")
	void anInterruptedCallerLeavesNoRunEither() throws Exception {
		List<Throwable> failures = new CopyOnWriteArrayList<>();
		this.client = (ZooKeeperLockClient) this.zk.client().listener(new LockListener() {

			@Override
			public void notAcquired(Event call, Throwable cause) {
				failures.add(cause);
			}

		}).open();
		thereIsAMarkOfNoRun();
		CountDownLatch started = noAnswersFromTheStartOn();
		Actor caller = this.zk.actor();
		CompletableFuture<?> call = caller.call(() -> start(this.client, LONG));
		assertThat(started.await(10, TimeUnit.SECONDS)).isTrue();
		caller.interrupt();
		assertThatThrownBy(() -> Actor.get(call)).isInstanceOf(InterruptedException.class);
		await().untilAsserted(() -> assertThat(failures).singleElement().isInstanceOf(InterruptedException.class));
		LockClient other = this.zk.client().open();
		CompletableFuture<Optional<LockHandle>> next = this.zk.actor().call(() -> start(other, LONG));
		await().until(() -> next.isDone() || this.zk.contenders(KEY).size() > 1);
		this.goOn.countDown();
		assertThat(Actor.get(next)).isPresent().hasValueSatisfying(LockHandle::release);
	}

	@Test
	@Tag("JobStart.I2")
	void aCallerWhoTriesAgainDoesNotTakeItsFormerTryForARun() throws Exception {
		thereIsAMarkOfNoRun();
		noAnswersFromTheStartOn();
		Actor caller = this.zk.actor();
		caller.run(() -> assertThatThrownBy(() -> start(this.client, LONG, Duration.ofMillis(500)))
			.isInstanceOf(LockUnavailableException.class));
		CompletableFuture<Optional<LockHandle>> again = caller.call(() -> start(this.client, LONG));
		caller.awaitBlocked();
		this.goOn.countDown();
		assertThat(Actor.get(again)).isPresent().hasValueSatisfying(LockHandle::release);
	}

	@Test
	@Tag("JobStart.I1")
	void aStampWhoseAnswerIsLateIsOfTheTimeWhenItWasMade() throws Exception {
		this.client = (ZooKeeperLockClient) this.zk.client().session(Duration.ofSeconds(15)).open();
		run(this.client, SHORT);
		Duration within = Duration.ofSeconds(1);
		long startedBefore = System.nanoTime();
		atChange(1, () -> {
			while (System.nanoTime() - startedBefore < within.toNanos()) {
				Thread.onSpinWait();
			}
		});
		assertThat(start(this.client, within)).isEmpty();
	}

	@Test
	@Tag("JobStart.I1")
	void aLeaderWhoseClockWasBehindIsNotBelievedWhereTheTimeIsShorterThanASession() throws Exception {
		run(this.client, SHORT);
		JobRun before = last();
		long wrong = System.currentTimeMillis() - Duration.ofHours(1).toMillis();
		write((content) -> content.replace(before.id(), "another")
			.replace("\"run\":\"" + before.number(), "\"run\":\"" + (before.number() + 1))
			.replace("" + before.started().toEpochMilli(), "" + wrong));
		assertThat(start(this.client, Duration.ofSeconds(5))).isEmpty();
	}

	@Test
	@Tag("OwnRun.I1")
	void anEndDoesNotReplaceARunThatBeganWhenAnOperatorHadRemovedMarkAndLock() throws Exception {
		LockClient other = this.zk.client().open();
		LockHandle handle = start(this.client, LONG).orElseThrow();
		CountDownLatch reached = new CountDownLatch(1);
		holdAnswers(1, reached);
		CuratorFramework operator = this.zk.curatorOf(other);
		int version = operator.checkExists().forPath(mark()).getVersion();
		operator.delete().forPath(mark());
		assertThat(reached.await(10, TimeUnit.SECONDS)).isTrue();
		this.zk.delete(this.zk.contenders(KEY).get(0));
		LockHandle next = start(other, LONG).orElseThrow();
		assertThat(operator.checkExists().forPath(mark()).getVersion()).isEqualTo(version);
		assertThat(handle.isHeld()).as("the client knows of nothing").isTrue();
		JobRun begun = last();
		CompletableFuture<Void> gone = handle.releaseAsync();
		this.goOn.countDown();
		gone.get(20, TimeUnit.SECONDS);
		assertThat(last().id()).isEqualTo(begun.id());
		assertThat(last().outcome()).isEqualTo(JobRun.RUNNING);
		next.release();
	}

	@Test
	void anEndThatWasNotAnsweredIsNotedWhenServersAnswerAgain() throws Exception {
		LockHandle handle = start(this.client, LONG).orElseThrow();
		this.zk.servers().stop();
		CompletableFuture<Void> gone = handle.releaseAsync();
		this.zk.servers().start();
		assertThat(gone).succeedsWithin(Duration.ofSeconds(40));
		assertThat(last().outcome()).isEqualTo("ok");
	}

	@Test
	@Tag("OwnRun.I1")
	void theEndOfARunWhoseMarkWasRemovedIsNotNotedInThatOfAnother() throws Exception {
		this.zk.announce("was lost: its node was deleted");
		LockHandle lost = start(this.client, LONG).orElseThrow();
		this.zk.delete(mark());
		this.zk.delete(this.zk.contenders(KEY).get(0));
		await().until(() -> !lost.isHeld());
		LockHandle handle = start(this.zk.client().open(), LONG).orElseThrow();
		JobRun second = last();
		lost.releaseAsync().join();
		for (int i = 0; i < 3; i++) {
			// Behind what was asked before
			this.zk.curatorOf(this.client).checkExists().forPath(mark());
		}
		assertThat(last()).isEqualTo(second);
		handle.releaseAsync().join();
		assertThat(last().id()).isEqualTo(second.id());
		assertThat(last().outcome()).isEqualTo("ok");
	}

	@Test
	@Tag("JobStart.I4")
	void aCallInsideARunStartsNoneAndDoesNotHideItsEnd() throws Exception {
		LockHandle run = start(this.client, Duration.ofSeconds(5)).orElseThrow();
		assertThat(start(this.client, Duration.ofSeconds(5))).isEmpty();
		LockClient jobs = this.client.notAgainWithin(Duration.ofSeconds(5), true);
		assertThat(jobs.tryAcquire(LockRequest.exclusive(KEY))).isEmpty();
		run.releaseAsync().join();
		assertThat(last().outcome()).isEqualTo("ok");
	}

	@Test
	void aMarkThatCannotBeMadeIsReportedAsSuch() throws Exception {
		CuratorFramework curator = this.zk.curatorOf(this.client);
		try (LockHandle lock = this.client.acquire(LockRequest.exclusive(KEY))) {
			curator.setACL()
				.withACL(List.of(new ACL(ZooDefs.Perms.READ | ZooDefs.Perms.ADMIN, ZooDefs.Ids.ANYONE_ID_UNSAFE)))
				.forPath(this.zk.root());
			assertThatThrownBy(() -> start(this.client, LONG)).isInstanceOf(LockUnavailableException.class)
				.hasMessageContaining("The mark of job 'nightly' cannot be made")
				.hasMessageNotContaining("all the time");
			assertThat(lock.isHeld()).isTrue();
		}
		finally {
			curator.setACL().withACL(ZooDefs.Ids.OPEN_ACL_UNSAFE).forPath(this.zk.root());
		}
	}

}
