package io.github.zklock.internal.contender;

import java.util.concurrent.CompletionStage;

import org.apache.zookeeper.KeeperException.Code;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is asked about several keys is asked at once, in a session whose answers come by
 * hand.
 */
class SeveralLooksTests extends HandPlayedContender {

	@Test
	void aTryLooksAtAllKeysBeforeTheFirstAnswer() {
		enter(true, false, "one", "two", "three");
		assertThat(this.zooKeeper.pendingLists()).isEqualTo(3);
		this.zooKeeper.answerChildren(Code.OK);
		this.zooKeeper.answerChildren(Code.NONODE);
		assertThat(this.zooKeeper.pendingTransactions()).isZero();
		this.zooKeeper.answerChildren(Code.OK);
		assertThat(this.zooKeeper.pendingTransactions()).as("the creates, and the lists").isEqualTo(2);
	}

	@Test
	void ofSeveralThatAreBusyTheFirstOneIsReported() {
		enter(true, false, "one", "two", "three");
		this.zooKeeper.answerChildren(Code.OK);
		this.zooKeeper.answerChildren(Code.OK, BUSY);
		this.zooKeeper.answerChildren(Code.OK, BUSY);
		assertThat(this.listener.notes()).containsExactly("busy");
		assertThat(this.listener.blocker().key()).isEqualTo("two");
		assertThat(this.zooKeeper.pendingTransactions()).as("nothing is written").isZero();
	}

	@Test
	void aBusyKeyIsReportedInItsTurn() {
		enter(true, false, "one", "two", "three");
		this.zooKeeper.answerChildren(Code.OK, BUSY[0]);
		this.zooKeeper.answerChildren(Code.OK, BUSY);
		assertThat(this.listener.notes()).as("the node of the first one is being read").isEmpty();
		this.zooKeeper.answerRead(new byte[0]);
		assertThat(this.listener.notes()).containsExactly("busy");
		assertThat(this.listener.blocker().key()).isEqualTo("one");
	}

	@Test
	void whereLooksAreLostAllAreRepeatedOnce() {
		enter(true, false, "one", "two", "three");
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
	void whoHasLeftMakesNoKeyNodes() {
		enter(false, false, "one", "two");
		CompletionStage<Void> gone = this.contender.leave();
		assertThat(this.zooKeeper.answerTransaction(Code.NONODE)).as("the creates").isTrue();
		assertThat(this.zooKeeper.answerTransaction(Code.NONODE)).as("the lists").isTrue();
		assertThat(this.zooKeeper.pendingTransactions()).isZero();
		assertThat(gone).isCompleted();
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
		enter(false, false, "one", "two", "three");
		assertThat(this.zooKeeper.answerTransaction(Code.CONNECTIONLOSS)).as("the creates").isTrue();
		assertThat(this.zooKeeper.answerTransaction(Code.CONNECTIONLOSS)).as("the lists").isTrue();
		assertThat(this.zooKeeper.answerTransaction(Code.OK)).as("the commit barrier").isTrue();
	}

}
