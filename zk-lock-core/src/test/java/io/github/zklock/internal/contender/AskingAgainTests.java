package io.github.zklock.internal.contender;

import java.util.List;
import java.util.concurrent.CompletionStage;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.zklock.LockMode;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.session.HandPlayedZooKeeper;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.zookeeper.Engines;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How often a contender asks without a pause, when each answer sends it round again. Its
 * timer never fires.
 */
class AskingAgainTests {

	private final HandPlayedZooKeeper zooKeeper = HandPlayedZooKeeper.HANDLE;

	private LockSession session;

	private ZooKeeperContender contender;

	@BeforeEach
	void enter() {
		enter(false);
	}

	private void enter(boolean naive) {
		this.zooKeeper.reset();
		this.session = this.zooKeeper.session(() -> 0, Engines.TIMER);
		LockAttempt attempt = new LockAttempt(List.of("key"), LockMode.EXCLUSIVE, false, "caller");
		this.contender = new ZooKeeperContender(
				ContenderTerms.of(Engines.source(), new KeyShards(() -> 0, new StepFailures()), attempt, naive),
				new NotingListener());
		this.contender.start();
		Engines.source().forget(this.contender);
		this.contender.sessionBegan(this.session);
	}

	@AfterEach
	void end() {
		this.session.end();
		this.contender.leave();
	}

	@Test
	void aKeyNodeThatIsThereAndIsNotIsAskedForAFewTimes() {
		int asked = 0;
		while (asked < 100
				&& (this.zooKeeper.answerTransaction(Code.NODEEXISTS) || this.zooKeeper.answerCreate(Code.NONODE))) {
			asked++;
		}
		assertThat(asked).isEqualTo(9);
		assertThat(this.contender.leave()).as("nothing is under way").isCompleted();
	}

	@Test
	void whoLosesEachRaceForANodeWithoutNumberAsksAtOnceBehindEachRelease() {
		end();
		enter(true);
		for (int i = 0; i < 10; i++) {
			assertThat(this.zooKeeper.answerCreate(Code.NODEEXISTS)).as("create %d", i).isTrue();
			assertThat(this.zooKeeper.answerRead(Code.OK)).as("a watch").isTrue();
			this.zooKeeper.watcher()
				.process(new WatchedEvent(EventType.NodeDeleted, KeeperState.SyncConnected, "/locks/key"));
		}
		assertThat(this.zooKeeper.answerCreate(Code.OK)).as("without a pause").isTrue();
	}

	@Test
	void aCreateThatIsLostEachTimeIsSentTwiceAtOnce() {
		int created = 0;
		while (created < 100 && this.zooKeeper.answerTransaction(Code.CONNECTIONLOSS)) {
			created++;
			assertThat(this.zooKeeper.answerTransaction(Code.OK)).as("the commit barrier").isTrue();
			assertThat(this.zooKeeper.answerChildren(Code.OK)).as("a look for the node").isTrue();
		}
		assertThat(created).isEqualTo(2);
		assertThat(this.contender.leave()).as("nothing is under way").isCompleted();
	}

	@Test
	void aLookThatIsLostEachTimeIsRepeatedOnceAtOnce() {
		assertThat(this.zooKeeper.answerTransaction(Code.CONNECTIONLOSS)).as("a create").isTrue();
		int looks = 0;
		while (looks < 100 && this.zooKeeper.answerTransaction(Code.OK)) {
			assertThat(this.zooKeeper.answerChildren(Code.CONNECTIONLOSS)).isTrue();
			looks++;
		}
		assertThat(looks).isEqualTo(2);
	}

	@Test
	void aRootWhoseCreateIsLostEachTimeIsAskedForTwiceAtOnce() {
		assertThat(this.zooKeeper.answerTransaction(Code.NONODE)).as("a create").isTrue();
		int asked = 0;
		while (asked < 100 && this.zooKeeper.answerCreate(Code.CONNECTIONLOSS)) {
			asked++;
			this.zooKeeper.answerTransaction(Code.OK);
		}
		assertThat(asked).isEqualTo(2);
		assertThat(this.contender.leave()).as("nothing is under way").isCompleted();
	}

	@Test
	void whoHasLeftWaitsForNoRootWhoseCreateWasLost() {
		assertThat(this.zooKeeper.answerTransaction(Code.NONODE)).as("a create").isTrue();
		CompletionStage<Void> gone = this.contender.leave();
		assertThat(gone).as("the root is being made").isNotCompleted();
		assertThat(this.zooKeeper.answerCreate(Code.CONNECTIONLOSS)).isTrue();
		assertThat(gone).as("although no server answers").isCompleted();
		assertThat(this.zooKeeper.pendingTransactions()).isZero();
	}

	@Test
	void aNodeInTheWayWhoseDataAreLostEachTimeIsReadTwiceAtOnce() {
		assertThat(this.zooKeeper.answerTransaction(Code.NODEEXISTS)).as("a create").isTrue();
		int read = 0;
		while (read < 100 && this.zooKeeper.answerCreate(Code.NOCHILDRENFOREPHEMERALS)) {
			assertThat(this.zooKeeper.answerRead(Code.CONNECTIONLOSS)).isTrue();
			read++;
			assertThat(this.zooKeeper.answerTransaction(Code.OK)).as("the commit barrier").isTrue();
		}
		assertThat(read).isEqualTo(2);
		assertThat(this.contender.leave()).as("nothing is under way").isCompleted();
	}

}
