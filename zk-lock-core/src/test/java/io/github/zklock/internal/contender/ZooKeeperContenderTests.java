package io.github.zklock.internal.contender;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import org.apache.zookeeper.KeeperException.Code;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockMode;
import io.github.zklock.internal.concurrent.StepFaults;
import io.github.zklock.internal.session.HandPlayedZooKeeper;
import io.github.zklock.internal.session.Lease;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.SessionCounters;
import io.github.zklock.internal.session.SessionMember;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.zookeeper.Engines;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When a contender reports what, in a session whose answers come by hand.
 */
class ZooKeeperContenderTests {

	private static final LockAttempt ATTEMPT = new LockAttempt(List.of("key"), LockMode.EXCLUSIVE, false, "caller");

	private final HandPlayedZooKeeper zooKeeper = HandPlayedZooKeeper.HANDLE;

	private final AtomicLong now = new AtomicLong();

	private NotingListener listener = new NotingListener();

	private boolean over;

	private boolean isShort;

	private LockSession session;

	private ZooKeeperContender contender;

	@BeforeEach
	void enter() {
		this.zooKeeper.reset();
		this.session = new LockSession(this.zooKeeper, this.now::get, Engines.TIMER, new SessionCounters(),
				ToggledLease::new, null, (idle) -> {
				});
		this.contender = new ZooKeeperContender(ContenderTerms.of(Engines.source(), Engines.shards(), ATTEMPT, true),
				this.listener);
		this.contender.start();
		Engines.source().forget(this.contender);
		this.contender.sessionBegan(this.session);
	}

	@AfterEach
	void end() {
		StepFaults.end(Engines.source().failures());
		this.session.end();
		this.contender.leave();
	}

	@Test
	void i6AStepThatThrowsEndsItAndLeavesNothing() {
		this.listener.failWhenGranted();
		this.zooKeeper.answerCreate(Code.OK);
		assertThat(this.listener.notes()).containsExactly("granted", "lost");
		assertThat(this.listener.grant().isValid()).isFalse();
		CompletionStage<Void> gone = this.contender.leave();
		assertThat(gone).as("nobody knows yet what is left").isNotCompleted();
		answerAllReads();
		assertThat(gone).isCompleted();
	}

	@Test
	void i6AStepThatThrowsBeforeItHasEnteredIsReportedAndLeavesNothing() {
		failNextStep();
		this.zooKeeper.answerCreate(Code.OK);
		assertThat(this.listener.notes()).containsExactly("failed");
		CompletionStage<Void> gone = this.contender.leave();
		assertThat(gone).as("nobody knows yet what was made").isNotCompleted();
		this.zooKeeper.answerTransaction(Code.OK);
		this.zooKeeper.answerRead(Code.OK);
		this.zooKeeper.answerDelete(Code.OK);
		assertThat(gone).isCompleted();
	}

	@Test
	@Tag("NodeRemoval.I1")
	void aRemovalThatBeganAgainIgnoresWhatTheFormerOneHasAsked() {
		this.zooKeeper.answerCreate(Code.OK);
		CompletionStage<Void> gone = this.contender.leave();
		failNextStep();
		this.contender.sessionDelayed(Code.CONNECTIONLOSS, "/locks");
		assertThat(this.zooKeeper.answerDelete(Code.CONNECTIONLOSS)).isTrue();
		assertThat(this.zooKeeper.answerTransaction(Code.OK)).as("settles the former delete").isFalse();
		answerAllReads();
		assertThat(gone).isCompleted();
	}

	private void answerAllReads() {
		while (this.zooKeeper.answerRead(Code.NONODE)) {
			assertThat(this.zooKeeper.answerDelete(Code.OK)).as("another delete").isFalse();
		}
	}

	private static void failNextStep() {
		StepFaults.in(Engines.source().failures(), 1, false);
	}

	@Test
	void i2IsGrantedOnceAlthoughItIsClearAgain() {
		this.zooKeeper.answerCreate(Code.OK);
		this.contender.nodeClear();
		assertThat(this.listener.notes()).containsExactly("granted");
	}

	@Test
	void i2IsNotGrantedWhenTheLeaseIsOver() {
		this.now.set(Duration.ofSeconds(6).toNanos());
		this.zooKeeper.answerCreate(Code.OK);
		assertThat(this.listener.notes()).as("why there is no grant").containsExactly("disturbed");
		assertThat(this.zooKeeper.pendingTransactions()).as("asks for the lease again").isOne();
	}

	@Test
	void i2IsNotGrantedWhenTheLeaseIsAboutToEnd() {
		receipt();
		this.now.set(Duration.ofMillis(1900).toNanos());
		this.zooKeeper.answerCreate(Code.OK);
		assertThat(this.session.isConfirmed()).isTrue();
		assertThat(this.listener.notes()).as("why there is no grant").containsExactly("disturbed");
		receipt();
		assertThat(this.zooKeeper.answerTransaction(Code.OK)).as("asks for a longer lease").isTrue();
		assertThat(this.zooKeeper.answerRead(this.zooKeeper.lastContent())).as("looks for the node").isTrue();
		assertThat(this.listener.notes()).containsExactly("disturbed", "granted");
	}

	private void receipt() {
		this.session.requests().receipt(() -> {
		});
		assertThat(this.zooKeeper.answerSync(Code.OK)).isTrue();
	}

	@Test
	void i2IsGrantedWithALeaseThatGetsNoLonger() {
		ContenderTerms terms = ContenderTerms.of(Engines.source(), Engines.shards(), ATTEMPT, true);
		LockNodes nodes = new LockNodes(this.contender, terms,
				new ContenderReports(terms, this.listener, this.contender), this.session);
		this.zooKeeper.answerCreate(Code.OK);
		this.isShort = true;
		int asked = 0;
		while (!nodes.areConfirmed() && asked < 100) {
			nodes.confirm();
			this.now.addAndGet(this.session.timeoutNanos() / 10);
			asked++;
		}
		assertThat(asked).as("half a session, however long an answer takes").isEqualTo(5);
	}

	@Test
	void i1IsNotGrantedAfterItHasLeft() {
		this.contender.leave();
		this.zooKeeper.answerCreate(Code.OK);
		assertThat(this.listener.notes()).isEmpty();
	}

	@Test
	void i1LosesNothingAfterItHasLeft() {
		this.zooKeeper.answerCreate(Code.OK);
		this.contender.leave();
		this.session.end();
		assertThat(this.listener.notes()).containsExactly("granted");
	}

	@Test
	@Tag("LockNode.I2")
	void i4IsGoneWhenTheServerHasSaidSo() {
		this.zooKeeper.answerCreate(Code.OK);
		CompletionStage<Void> gone = this.contender.leave();
		assertThat(gone).isNotCompleted();
		this.zooKeeper.answerDelete(Code.CONNECTIONLOSS);
		assertThat(gone).isNotCompleted();
		this.session.end();
		assertThat(gone).isCompleted();
	}

	@Test
	void i4WhoLeavesWhileTheSessionEndsIsGoneWhicheverNodeEndsLast() {
		for (int i = 0; i < 30; i++) {
			this.listener = new NotingListener();
			enter();
			this.over = true;
			this.zooKeeper.answerCreate(Code.OK);
			this.contender.vanished();
			List<CompletionStage<Void>> gone = new ArrayList<>();
			this.listener.onDisturbed(() -> gone.add(this.contender.leave()));
			this.session.end();
			this.over = false;
			assertThat(gone).as("round %d", i).singleElement().satisfies((left) -> assertThat(left).isCompleted());
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 100, 101 })
	@Tag("LockNode.I1")
	void aNodeWithoutANumberIsDeletedUnseenOnlyIfItIsYoungAlthoughItIsWatched(int age) {
		boolean young = age <= 100;
		this.zooKeeper.answerCreate(Code.OK);
		this.now.set(Duration.ofMillis(age).toNanos());
		((NodeGrant) this.listener.grant()).watchItself(this.now.get());
		assertThat(this.zooKeeper.answerRead(Code.OK)).as("a watch").isTrue();
		CompletionStage<Void> gone = this.contender.leave();
		assertThat(this.zooKeeper.answerDelete(Code.OK)).isEqualTo(young);
		assertThat(this.zooKeeper.answerRead(Code.NONODE)).isNotEqualTo(young);
		assertThat(gone).isCompleted();
	}

	@Test
	@Tag("LockNode.I1")
	void aNodeThatALookHasMissedIsNotDeletedUnseenAlthoughItIsYoung() {
		this.over = true;
		assertThat(this.zooKeeper.answerCreate(Code.OK)).isTrue();
		assertThat(this.zooKeeper.answerTransaction(Code.OK)).as("the commit barrier").isTrue();
		assertThat(this.zooKeeper.answerRead(Code.NONODE)).as("a look for the node").isTrue();
		assertThat(this.zooKeeper.answerDelete(Code.OK)).as("of what may be another's by now").isFalse();
		assertThat(this.zooKeeper.answerRead(Code.NONODE)).as("looks again before a delete").isTrue();
	}

	@Test
	void whoLeavesBeforeThereIsASessionDoesNotWaitForOneAnyMore() {
		int waiting = Engines.source().openCount();
		ZooKeeperContender outside = new ZooKeeperContender(
				ContenderTerms.of(Engines.source(), Engines.shards(), ATTEMPT, true), this.listener)
			.start();
		assertThat(Engines.source().openCount()).isEqualTo(waiting + 1);
		assertThat(outside.leave()).isCompleted();
		assertThat(Engines.source().openCount()).isEqualTo(waiting);
	}

	@Test
	@Tag("NodeCreation.I1")
	void whoLeavesWhileItsNodeIsMadeDeletesIt() {
		CompletionStage<Void> gone = this.contender.leave();
		assertThat(gone).isNotCompleted();
		this.zooKeeper.answerCreate(Code.OK);
		assertThat(this.zooKeeper.answerDelete(Code.OK)).isTrue();
		assertThat(gone).isCompleted();
	}

	@Test
	@Tag("NodeCreation.I1")
	void anAnswerThatWasLostIsSettledBehindACommitBeforeAnythingElseIsAsked() {
		this.zooKeeper.answerCreate(Code.CONNECTIONLOSS);
		assertThat(this.zooKeeper.answerCreate(Code.OK)).as("asked again").isFalse();
		assertThat(this.zooKeeper.answerRead(Code.OK)).as("looked too early").isFalse();
		this.zooKeeper.answerTransaction(Code.OK);
		this.zooKeeper.answerRead(Code.NONODE);
		assertThat(this.zooKeeper.answerCreate(Code.OK)).as("asked again").isTrue();
	}

	@Test
	void aSessionThatAnotherThreadIsEndingIsNoRefusal() {
		this.zooKeeper.answerCreate(Code.NONODE);
		assertThat(this.zooKeeper.lastContent()).as("the root is being made").isEmpty();
		for (int i = 0; i < 1000; i++) {
			this.session.track(new Ending(this.zooKeeper, "member " + i));
		}
		this.session.end();
		assertThat(this.listener.notes()).containsExactly("disturbed");
	}

	@Test
	@Tag("NodeGrant.I1")
	void aGrantIsLostOnceHoweverManyNoticeIt() {
		this.zooKeeper.answerCreate(Code.OK);
		this.now.set(Duration.ofSeconds(6).toNanos());
		assertThat(this.listener.grant().isValid()).isFalse();
		this.session.end();
		assertThat(this.listener.notes()).containsExactly("granted", "lost");
	}

	@Test
	@Tag("NodeGrant.I1")
	void aLossThatAnotherThreadFindsWhileTheSessionEndsIsReported() throws Exception {
		int rounds = 20_000;
		AtomicInteger round = new AtomicInteger();
		AtomicInteger looked = new AtomicInteger();
		Thread other = new Thread(() -> {
			for (int i = 1; i <= rounds; i++) {
				while (round.get() < i) {
					Thread.onSpinWait();
				}
				this.listener.grant().isValid();
				looked.set(i);
			}
		}, "looks");
		other.setDaemon(true);
		other.start();
		for (int i = 1; i <= rounds; i++) {
			this.listener = new NotingListener();
			enter();
			this.zooKeeper.answerCreate(Code.OK);
			this.now.set(Duration.ofSeconds(6).toNanos());
			round.set(i);
			this.session.end();
			while (looked.get() < i) {
				Thread.onSpinWait();
			}
			this.now.set(0);
			assertThat(this.listener.notes()).as("round %d", i).containsExactly("granted", "lost");
		}
		other.join();
	}

	@Test
	@Tag("NodeGrant.I2")
	void aGrantThatWasSeenInvalidStaysSoAlthoughTheLeaseIsValidAgain() {
		this.zooKeeper.answerCreate(Code.OK);
		this.over = true;
		assertThat(this.listener.grant().isValid()).isFalse();
		this.over = false;
		assertThat(this.session.isConfirmed()).isTrue();
		assertThat(this.listener.grant().isValid()).isFalse();
		assertThat(this.listener.notes()).containsExactly("granted", "lost");
	}

	@Test
	@Tag("NodeGrant.I1")
	void aGrantThatWasReleasedIsNotLost() {
		this.zooKeeper.answerCreate(Code.OK);
		this.listener.grant().release();
		this.session.end();
		assertThat(this.listener.notes()).containsExactly("granted");
	}

	@Test
	void i1LosesWhatItHolds() {
		this.zooKeeper.answerCreate(Code.OK);
		this.session.end();
		assertThat(this.listener.notes()).containsExactly("granted", "lost");
	}

	/**
	 * Lets an answer overtake what others learn of the end.
	 *
	 * @param zooKeeper answers
	 * @param id its id
	 */
	private record Ending(HandPlayedZooKeeper zooKeeper, String id) implements SessionMember {

		@Override
		public void sessionEnded() {
			while (this.zooKeeper.answerCreate(Code.SESSIONEXPIRED)) {
				this.zooKeeper.answerTransaction(Code.SESSIONEXPIRED);
			}
		}

	}

	/** Is over for as long as the test says so. */
	private final class ToggledLease extends Lease {

		private ToggledLease(LongSupplier clock, long session, long touchedSince) {
			super(clock, session, touchedSince);
		}

		@Override
		public boolean isValid() {
			return !ZooKeeperContenderTests.this.over && (ZooKeeperContenderTests.this.isShort || super.isValid());
		}

		@Override
		public boolean isLong() {
			return !ZooKeeperContenderTests.this.isShort && super.isLong();
		}

	}

}
