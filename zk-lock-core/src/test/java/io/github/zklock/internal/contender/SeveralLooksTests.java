package io.github.zklock.internal.contender;

import java.util.List;
import java.util.concurrent.CompletionStage;

import org.apache.zookeeper.KeeperException.Code;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.zklock.LockMode;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.session.HandPlayedZooKeeper;
import io.github.zklock.internal.session.Lease;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.SessionCounters;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.zookeeper.Engines;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is asked about several keys is asked at once, in a session whose answers come by
 * hand.
 */
class SeveralLooksTests {

	private static final String[] BUSY = { "_c_a-lock-0000000001", "_c_b-lock-0000000002" };

	private final HandPlayedZooKeeper zooKeeper = HandPlayedZooKeeper.HANDLE;

	private final NotingListener listener = new NotingListener();

	private final SessionCounters counters = new SessionCounters();

	private LockSession session;

	private ZooKeeperContender contender;

	@BeforeEach
	void reset() {
		this.zooKeeper.reset();
	}

	@AfterEach
	void end() {
		this.session.end();
		this.contender.leave();
	}

	private void enter(boolean tryOnce) {
		this.session = new LockSession(this.zooKeeper, () -> 0, Engines.TIMER, this.counters, Lease::new, null,
				(idle) -> {
				});
		LockAttempt attempt = new LockAttempt(List.of("one", "two", "three"), LockMode.EXCLUSIVE, tryOnce, "caller");
		this.contender = new ZooKeeperContender(
				ContenderTerms.of(Engines.source(), new KeyShards(() -> 0, new StepFailures()), attempt, false),
				this.listener);
		this.contender.start();
		Engines.source().forget(this.contender);
		this.contender.sessionBegan(this.session);
	}

	@Test
	void aTryLooksAtAllKeysBeforeTheFirstAnswer() {
		enter(true);
		assertThat(this.zooKeeper.pendingLists()).isEqualTo(3);
		this.zooKeeper.answerChildren(Code.OK);
		this.zooKeeper.answerChildren(Code.NONODE);
		assertThat(this.zooKeeper.pendingTransactions()).isZero();
		this.zooKeeper.answerChildren(Code.OK);
		assertThat(this.zooKeeper.pendingTransactions()).as("the creates, and the lists").isEqualTo(2);
	}

	@Test
	void ofSeveralThatAreBusyTheFirstOneIsReported() {
		enter(true);
		this.zooKeeper.answerChildren(Code.OK);
		this.zooKeeper.answerChildren(Code.OK, BUSY);
		this.zooKeeper.answerChildren(Code.OK, BUSY);
		assertThat(this.listener.notes()).containsExactly("busy");
		assertThat(this.listener.blocker().key()).isEqualTo("two");
		assertThat(this.zooKeeper.pendingTransactions()).as("nothing is written").isZero();
	}

	@Test
	void aBusyKeyIsReportedInItsTurn() {
		enter(true);
		this.zooKeeper.answerChildren(Code.OK, BUSY[0]);
		this.zooKeeper.answerChildren(Code.OK, BUSY);
		assertThat(this.listener.notes()).as("the node of the first one is being read").isEmpty();
		this.zooKeeper.answerRead(new byte[0]);
		assertThat(this.listener.notes()).containsExactly("busy");
		assertThat(this.listener.blocker().key()).isEqualTo("one");
	}

	@Test
	void whereLooksAreLostAllAreRepeatedOnce() {
		enter(true);
		this.zooKeeper.answerChildren(Code.CONNECTIONLOSS);
		this.zooKeeper.answerChildren(Code.CONNECTIONLOSS);
		assertThat(this.listener.notes()).containsExactly("disturbed");
		assertThat(this.zooKeeper.answerTransaction(Code.OK)).as("the commit barrier").isTrue();
		assertThat(this.zooKeeper.answerTransaction(Code.OK)).isFalse();
		assertThat(this.zooKeeper.pendingLists()).isEqualTo(1 + 3);
		this.zooKeeper.answerChildren(Code.OK, BUSY);
		assertThat(this.listener.notes()).as("of the first look").containsExactly("disturbed");
		this.zooKeeper.answerChildren(Code.OK, BUSY);
		assertThat(this.listener.notes()).containsExactly("disturbed", "busy");
	}

	@Test
	void whatALostAnswerMayHaveCreatedIsLookedForAtOnce() {
		loseCreates();
		CompletionStage<Void> gone = this.contender.leave();
		assertThat(this.zooKeeper.pendingLists()).isEqualTo(3);
		this.zooKeeper.answerChildren(Code.NONODE);
		this.zooKeeper.answerChildren(Code.OK);
		assertThat(gone).isNotCompleted();
		this.zooKeeper.answerChildren(Code.NONODE);
		assertThat(gone).as("there is nothing to delete").isCompleted();
	}

	@Test
	void aLostLookForOneIsRepeatedForAllBehindTheOthers() {
		loseCreates();
		CompletionStage<Void> gone = this.contender.leave();
		this.zooKeeper.answerChildren(Code.CONNECTIONLOSS);
		assertThat(this.zooKeeper.pendingTransactions()).isZero();
		this.zooKeeper.answerChildren(Code.NONODE);
		this.zooKeeper.answerChildren(Code.NONODE);
		assertThat(this.zooKeeper.answerTransaction(Code.OK)).as("the commit barrier").isTrue();
		assertThat(this.zooKeeper.pendingLists()).isEqualTo(3);
		for (int i = 0; i < 3; i++) {
			assertThat(gone).isNotCompleted();
			this.zooKeeper.answerChildren(Code.NONODE);
		}
		assertThat(gone).isCompleted();
	}

	private void loseCreates() {
		enter(false);
		assertThat(this.zooKeeper.answerTransaction(Code.CONNECTIONLOSS)).as("the creates").isTrue();
		assertThat(this.zooKeeper.answerTransaction(Code.CONNECTIONLOSS)).as("the lists").isTrue();
		assertThat(this.zooKeeper.answerTransaction(Code.OK)).as("the commit barrier").isTrue();
	}

}
