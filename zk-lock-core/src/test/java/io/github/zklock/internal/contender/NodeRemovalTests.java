package io.github.zklock.internal.contender;

import org.apache.zookeeper.KeeperException.Code;
import org.junit.jupiter.api.Test;

import io.github.zklock.internal.session.HandPlayedZooKeeper;
import io.github.zklock.internal.session.Lease;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.SessionCounters;
import io.github.zklock.zookeeper.Engines;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How a node is deleted whose name has to be looked for, in a session whose answers come
 * by hand. Its timer never fires.
 */
class NodeRemovalTests {

	private final HandPlayedZooKeeper zooKeeper = HandPlayedZooKeeper.HANDLE;

	private LockNode removeWhileRenaming() {
		this.zooKeeper.reset();
		LockNode lockNode = UnenteredLockNodes.in(new LockSession(this.zooKeeper, () -> 0, Engines.TIMER,
				new SessionCounters(), Lease::new, null, (idle) -> {
				}));
		NodeFacts node = lockNode.node();
		node.created(node.createPath() + "0000000007");
		node.renaming();
		lockNode.remove();
		return lockNode;
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
