package io.github.zklock.internal.contender;

import java.util.concurrent.CompletionStage;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.zklock.LockMode;
import io.github.zklock.LostReason;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.concurrent.Timer;
import io.github.zklock.internal.session.HandPlayedZooKeeper;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.zookeeper.Engines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * How a node is deleted that has to be looked for, and what ends with it, in a session
 * whose answers come by hand. Its timer never fires, unless a test brings another one.
 */
class NodeRemovalTests {

	private final HandPlayedZooKeeper zooKeeper = HandPlayedZooKeeper.HANDLE;

	private LockSession newSession() {
		return newSession(Engines.TIMER);
	}

	private LockSession newSession(Timer timer) {
		this.zooKeeper.reset();
		return this.zooKeeper.session(() -> 0, timer);
	}

	private LockNode naive() {
		LockNode lockNode = UnenteredLockNodes.in(newSession(), LockMode.EXCLUSIVE, true);
		lockNode.created(lockNode.node().createPath(), false);
		lockNode.stamped(new Stat(1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1));
		return lockNode;
	}

	@Test
	void aYoungNodeWithoutNumberIsReadFirstIfItWasSeenThatItIsGone() {
		LockNode lockNode = naive();
		lockNode.grant().lose(LostReason.NODE_DELETED);
		lockNode.remove();
		assertThat(this.zooKeeper.answerDelete(Code.OK)).as("deleted without a look").isFalse();
		assertThat(this.zooKeeper.answerRead(Code.NONODE)).isTrue();
		assertThat(lockNode.isGone()).isTrue();
	}

	@Test
	void aYoungNodeWithoutNumberIsReadFirstIfThereIsNoConnection() {
		LockNode lockNode = naive();
		this.zooKeeper.disconnect();
		lockNode.remove();
		assertThat(this.zooKeeper.answerDelete(Code.OK)).as("deleted without a look").isFalse();
		assertThat(this.zooKeeper.answerRead(Code.NONODE)).isTrue();
		assertThat(lockNode.isGone()).isTrue();
	}

	@Test
	@Tag("NodeRemoval.I1")
	void aNodeThatAFormerBeginningHasReadIsNotDeletedForThat() {
		LockNode lockNode = naive();
		lockNode.node().doubt();
		lockNode.remove();
		lockNode.removeAgain();
		assertThat(this.zooKeeper.answerRead(Code.OK)).as("of the former beginning").isTrue();
		assertThat(this.zooKeeper.answerDelete(Code.OK)).isFalse();
		assertThat(this.zooKeeper.answerRead(Code.OK)).isTrue();
		assertThat(this.zooKeeper.answerDelete(Code.OK)).isTrue();
		assertThat(lockNode.isGone()).isTrue();
	}

	@Test
	void whoLeavesIsNotWatchedForOthersAnyMore() {
		LockSession session = newSession();
		LockNode lockNode = UnenteredLockNodes.in(session);
		lockNode.created(lockNode.node().createPath() + "0000000007", false);
		lockNode.remove();
		lockNode.grant().isContended();
		lockNode.grant().whenContended();
		assertThat(session.watches().count()).isZero();
	}

	@Test
	void aDowngradeWhoseAnswerWasLostEndsWithTheSession() {
		LockNode lockNode = UnenteredLockNodes.in(newSession(), LockMode.WRITE, false);
		lockNode.created(lockNode.node().createPath() + "0000000007", false);
		CompletionStage<Boolean> done = lockNode.grant().downgrade();
		this.zooKeeper.answerTransaction(Code.CONNECTIONLOSS);
		assertThat(done).isNotCompleted();
		lockNode.sessionEnded();
		assertThat(done).isCompletedWithValue(false);
	}

	private LockNode removeWhileRenaming() {
		return removeWhileRenaming(newSession());
	}

	private LockNode removeWhileRenaming(LockSession session) {
		LockNode lockNode = UnenteredLockNodes.in(session);
		NodeFacts node = lockNode.node();
		node.created(node.createPath() + "0000000007");
		node.renaming();
		lockNode.remove();
		return lockNode;
	}

	@Test
	void whatIsBeingRenamedIsNotDeletedTogetherWithOthers() {
		LockNode lockNode = UnenteredLockNodes.in(newSession());
		lockNode.created(lockNode.node().createPath() + "0000000007", false);
		assertThat(lockNode.isQueued()).isTrue();
		lockNode.node().renaming();
		assertThat(lockNode.isQueued()).isFalse();
	}

	@Test
	void aLookForWhatWasBeingRenamedIsRepeatedAfterARefusal() {
		Timer timer = new Timer("removal", new StepFailures());
		try {
			LockNode lockNode = removeWhileRenaming(newSession(timer));
			assertThat(this.zooKeeper.answerTransaction(Code.OK)).as("the commit barrier").isTrue();
			assertThat(this.zooKeeper.answerChildren(Code.NOAUTH)).isTrue();
			await().until(() -> this.zooKeeper.pendingLists() == 1 || this.zooKeeper.answerDelete(Code.NONODE));
			assertThat(lockNode.isGone()).as("nobody knows under which name it is").isFalse();
		}
		finally {
			timer.stop();
		}
	}

	@Test
	void aListThatIsLostEachTimeIsRepeatedOnceAtOnce() {
		removeWhileRenaming();
		int lists = 0;
		while (lists < 100 && this.zooKeeper.answerTransaction(Code.OK)) {
			assertThat(this.zooKeeper.answerChildren(Code.CONNECTIONLOSS)).isTrue();
			lists++;
		}
		assertThat(lists).isEqualTo(2);
	}

	@Test
	void whatIsFoundBehindALostListIsDeleted() {
		LockNode lockNode = removeWhileRenaming();
		String name = lockNode.node().name();
		assertThat(this.zooKeeper.answerTransaction(Code.OK)).as("the commit barrier").isTrue();
		assertThat(this.zooKeeper.answerChildren(Code.CONNECTIONLOSS)).isTrue();
		assertThat(this.zooKeeper.answerTransaction(Code.OK)).as("the commit barrier").isTrue();
		assertThat(this.zooKeeper.answerChildren(Code.OK, name)).isTrue();
		assertThat(this.zooKeeper.answerExists(Code.OK)).isTrue();
		assertThat(this.zooKeeper.answerDelete(Code.OK)).isTrue();
		assertThat(lockNode.isGone()).isTrue();
	}

}
