package io.github.zklock.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.proto.SetDataRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.LockMode;
import io.github.zklock.internal.client.JobMarks;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.concurrent.Timer;
import io.github.zklock.internal.contender.HandPlayedGrant;
import io.github.zklock.internal.session.HandPlayedZooKeeper;
import io.github.zklock.internal.session.LockSession;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The start and the end of a run, in a session whose answers come by hand.
 */
class OwnRunTests {

	private static final List<OpResult> WRITTEN = List.of(new OpResult.CheckResult(),
			new OpResult.SetDataResult(new Stat()));

	private final Timer timer = new Timer("runs", new StepFailures());

	private final HandPlayedZooKeeper zooKeeper = HandPlayedZooKeeper.HANDLE;

	private final Lock lock = new Lock();

	private LockSession session;

	private OwnRun run;

	@BeforeEach
	void begin() {
		this.zooKeeper.reset();
		this.session = this.zooKeeper.session(() -> 0, this.timer);
		begin(true);
	}

	private void begin(boolean takesOver) {
		this.run = new OwnRun(new ZooKeeperJobMarks(Engines.source(), null), this.lock,
				new JobMarks.Rule(Duration.ofMinutes(1), takesOver), this.session, "/root/%~jobs/key");
		this.run.began(this.run.ask(new byte[0], null, 0, Duration.ofMinutes(1)), 7);
	}

	@AfterEach
	void stop() {
		this.timer.stop();
	}

	@Test
	void i1WithoutTheLockTheMarkIsReadFirst() {
		this.run.ended("ok", true);
		assertThat(this.zooKeeper.pendingTransactions()).isOne();
		this.run.ended("lost", false);
		assertThat(this.zooKeeper.pendingTransactions()).isOne();
		assertThat(this.zooKeeper.answerRead(Code.OK)).isTrue();
		assertThat(this.zooKeeper.pendingTransactions()).as("the mark is of no run").isOne();
	}

	@Test
	void i1BehindALostAnswerAndAChangedVersionTheMarkIsReadFirst() {
		this.run.ended("ok", true);
		this.zooKeeper.answerTransaction(Code.CONNECTIONLOSS);
		assertThat(this.zooKeeper.answerRead(Code.OK)).isFalse();
		assertThat(this.zooKeeper.answerTransaction(Code.OK)).as("the commit barrier").isTrue();
		assertThat(this.zooKeeper.answerRead(Code.OK)).isTrue();
		assertThat(this.zooKeeper.pendingTransactions()).isZero();
		this.run.ended("ok", true);
		this.zooKeeper.answerTransaction(Code.BADVERSION);
		assertThat(this.zooKeeper.answerRead(Code.OK)).isTrue();
		assertThat(this.zooKeeper.pendingTransactions()).isZero();
	}

	@Test
	void i2ItIsOverBehindTheAnswer() {
		this.run.takeBack();
		assertThat(this.run.isRunning()).isFalse();
		assertThat(this.run.over()).isNotDone();
		this.zooKeeper.answerTransaction(Code.OK);
		assertThat(this.run.over()).isCompleted();
	}

	@Test
	void i2AnEndThatIsRefusedIsNotOverAndIsNotedLater() {
		this.run.ended("ok", true);
		this.zooKeeper.answerTransaction(Code.NOAUTH);
		assertThat(this.run.over()).isNotDone();
		byte[] started = this.run.describe(this.run.ask(new byte[0], null, 0, Duration.ofMinutes(1)));
		await().until(() -> this.zooKeeper.answerRead(started));
		assertThat(this.run.over()).isNotDone();
		assertThat(this.zooKeeper.answerTransaction(Code.OK)).isTrue();
		assertThat(this.run.over()).isCompleted();
	}

	@Test
	void whereNobodyTakesOverTheLockIsNotHeldForAnEndThatIsRefused() {
		begin(false);
		this.run.ended("ok", true);
		this.zooKeeper.answerTransaction(Code.NOAUTH);
		assertThat(this.run.over()).isCompleted();
		byte[] started = this.run.describe(this.run.ask(new byte[0], null, 0, Duration.ofMinutes(1)));
		await().until(() -> this.zooKeeper.answerRead(started));
		assertThat(this.zooKeeper.pendingTransactions()).isOne();
	}

	@Test
	void i2AnEndThatIsRefusedIsOverWithTheSession() {
		this.run.ended("ok", true);
		this.zooKeeper.answerTransaction(Code.NOAUTH);
		assertThat(this.run.over()).isNotDone();
		this.session.end();
		assertThat(this.run.over()).isCompleted();
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 3 })
	@Tag("JobStart.I2")
	void aRunThatMayHaveBeenStartedIsTakenBackHoweverOftenTheLookIsRefused(int refusals) {
		CompletableFuture<JobMarks.Attempt> outcome = new CompletableFuture<>();
		CompletionStage<Void> over = start(outcome);
		byte[] nothing = "{}".getBytes(StandardCharsets.UTF_8);
		assertThat(this.zooKeeper.answerRead(nothing)).as("the watch").isTrue();
		assertThat(this.zooKeeper.answerRead(nothing)).isTrue();
		assertThat(this.zooKeeper.answerTransaction(WRITTEN)).as("the stamp").isTrue();
		byte[] started = written();
		assertThat(this.zooKeeper.answerTransaction(Code.CONNECTIONLOSS)).as("the start").isTrue();
		assertThat(this.zooKeeper.answerTransaction(Code.OK)).as("the commit barrier").isTrue();
		for (int i = 0; i < refusals; i++) {
			await().until(() -> this.zooKeeper.answerRead(Code.NOAUTH));
			assertThat(outcome).isCompletedExceptionally();
			assertThat(over).isNotDone();
		}
		await().until(() -> this.zooKeeper.answerRead(started));
		assertThat(over).isNotDone();
		assertThat(written()).as("what was there before").isEqualTo(nothing);
		assertThat(this.zooKeeper.answerTransaction(Code.OK)).isTrue();
		assertThat(over).isCompleted();
	}

	@Test
	@Tag("JobStart.I3")
	void aStartWhoseLockIsLostIsOverAlthoughNoAnswerComes() {
		CompletableFuture<JobMarks.Attempt> outcome = new CompletableFuture<>();
		CompletionStage<Void> over = start(outcome);
		assertThat(over).isNotDone();
		this.lock.lost.run();
		assertThat(outcome).isCompletedExceptionally();
		assertThat(over).isCompleted();
	}

	@Test
	void aStartThatFindsItsLockLostSaysThatNoRunHasBegun() {
		CompletableFuture<JobMarks.Attempt> outcome = new CompletableFuture<>();
		start(outcome);
		byte[] nothing = "{}".getBytes(StandardCharsets.UTF_8);
		assertThat(this.zooKeeper.answerRead(nothing)).as("the watch").isTrue();
		assertThat(this.zooKeeper.answerRead(nothing)).isTrue();
		this.lock.held = false;
		assertThat(this.zooKeeper.answerTransaction(WRITTEN)).as("the stamp").isTrue();
		assertThatExceptionOfType(CompletionException.class).isThrownBy(outcome::join)
			.havingCause()
			.withMessage("Lock 'key' was lost before its job was started")
			.matches((lost) -> lost instanceof LockLostException known && !known.mayHaveTakenEffect());
	}

	@Test
	void aMarkIsReadAgainWhenTheAnswerWasLost() {
		CompletableFuture<JobMarks.Attempt> outcome = new CompletableFuture<>();
		start(outcome);
		byte[] nothing = "{}".getBytes(StandardCharsets.UTF_8);
		assertThat(this.zooKeeper.answerRead(nothing)).as("the watch").isTrue();
		assertThat(this.zooKeeper.answerRead(Code.CONNECTIONLOSS)).isTrue();
		assertThat(this.zooKeeper.answerTransaction(Code.OK)).as("the commit barrier").isTrue();
		assertThat(outcome).isNotDone();
		assertThat(this.zooKeeper.answerRead(nothing)).isTrue();
		assertThat(this.zooKeeper.answerTransaction(WRITTEN)).as("the stamp").isTrue();
		assertThat(this.zooKeeper.answerTransaction(WRITTEN)).as("the start").isTrue();
		assertThat(outcome).isCompleted();
	}

	private CompletionStage<Void> start(CompletableFuture<JobMarks.Attempt> outcome) {
		return JobStart.begin(new ZooKeeperJobMarks(Engines.source(), null), this.lock,
				new JobMarks.Rule(Duration.ofMinutes(1), false), () -> Duration.ofMinutes(1), outcome,
				List.of(HandPlayedGrant.in(this.session)));
	}

	private byte[] written() {
		byte[] data = null;
		for (Op op : this.zooKeeper.lastTransaction()) {
			if (op.toRequestRecord() instanceof SetDataRequest write) {
				data = write.getData();
			}
		}
		return data;
	}

	@Test
	void i2ItIsOverWhenTheLockIsLostAndNoAnswerComes() {
		this.run.takeBack();
		this.run.lost();
		assertThat(this.run.over()).isCompleted();
	}

	@Test
	void i2ItIsOverWhenTheSessionEndsAndNoAnswerComes() {
		this.run.ended("ok", true);
		assertThat(this.run.over()).isNotDone();
		assertThat(this.session.trackedCount()).isOne();
		this.session.end();
		assertThat(this.run.over()).isCompleted();
		assertThat(this.session.trackedCount()).isZero();
	}

	@Test
	void i2ARunWhoseEndIsNotedIsForgotten() {
		this.run.ended("ok", true);
		this.zooKeeper.answerTransaction(Code.OK);
		assertThat(this.session.trackedCount()).isZero();
	}

	@Test
	void i2ARunThatGoesOnWithoutItsLockIsNotOver() {
		this.run.lost();
		assertThat(this.run.over()).isNotDone();
		assertThat(this.run.isRunning()).isTrue();
		this.run.ended("lost", false);
		assertThat(this.run.over()).isCompleted();
	}

	/** Only says whether it is held. */
	private static final class Lock implements LockHandle {

		private boolean held = true;

		private Runnable lost = () -> {
		};

		@Override
		public String key() {
			return "key";
		}

		@Override
		public List<String> keys() {
			return List.of("key");
		}

		@Override
		public LockMode mode() {
			return LockMode.EXCLUSIVE;
		}

		@Override
		public long fencingToken() {
			return 1;
		}

		@Override
		public boolean isHeld() {
			return this.held;
		}

		@Override
		public void onLost(Runnable action) {
			this.lost = action;
		}

		@Override
		public void release() {
			this.held = false;
		}

		@Override
		public CompletableFuture<Void> releaseAsync() {
			release();
			return CompletableFuture.completedFuture(null);
		}

	}

}
