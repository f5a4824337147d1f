package io.github.zklock.internal.contender;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.zklock.LockMode;
import io.github.zklock.internal.session.HandPlayedZooKeeper;
import io.github.zklock.internal.session.Lease;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.SessionCounters;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.zookeeper.Engines;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a holder's watch of its own node says while the node is being renamed, in a
 * session whose answers come by hand.
 */
class OwnNodeWatchTests {

	private final HandPlayedZooKeeper zooKeeper = HandPlayedZooKeeper.HANDLE;

	private final AtomicInteger deleted = new AtomicInteger();

	private LockSession session;

	private NodeFacts node;

	private OwnNodeWatch own;

	@BeforeEach
	void hold() {
		this.zooKeeper.reset();
		this.session = new LockSession(this.zooKeeper, () -> 0, Engines.TIMER, new SessionCounters(), Lease::new, null,
				(idle) -> {
				});
		LockAttempt attempt = new LockAttempt(List.of("key"), LockMode.WRITE, false, "caller");
		ContenderTerms terms = ContenderTerms.of(Engines.source(), Engines.shards(), attempt, false);
		this.node = terms.newNodes(0).get(0);
		this.node.created(this.node.createPath() + "0000000001");
		this.own = new OwnNodeWatch(this.node, this.session, Runnable::run, this.deleted::incrementAndGet);
	}

	@Test
	void theEndOfTheNodeIsReported() {
		this.own.begin(1);
		deleteNode();
		assertThat(this.deleted).hasValue(1);
	}

	@Test
	void whatIsBeingRenamedIsNotWatched() {
		this.node.renaming();
		this.own.begin(1);
		assertThat(this.session.watches().count()).isZero();
	}

	@Test
	void theEndOfTheNodeSaysNothingWhileItIsBeingRenamed() {
		this.own.begin(1);
		this.node.renaming();
		deleteNode();
		assertThat(this.deleted).hasValue(0);
	}

	private void deleteNode() {
		assertThat(this.zooKeeper.answerRead(Code.OK)).as("a watch").isTrue();
		this.zooKeeper.watcher()
			.process(new WatchedEvent(EventType.NodeDeleted, KeeperState.SyncConnected, this.node.path()));
	}

}
