package io.github.zklock.internal.contender;

import java.util.ArrayList;
import java.util.List;

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
 * What a lock node makes of the lists and events that come, in moments that no server can
 * be brought to.
 */
class QueueWaitTests implements QueueWait.Host, ContenderReports.Host {

	private static final String FIRST = "a-lock-0000000001";

	private static final String SECOND = "b-lock-0000000002";

	private final HandPlayedZooKeeper zooKeeper = HandPlayedZooKeeper.HANDLE;

	private final List<String> reported = new ArrayList<>();

	private QueueWait wait;

	private String own;

	@BeforeEach
	void joinTheQueue() {
		this.zooKeeper.reset();
		LockSession session = new LockSession(this.zooKeeper, () -> 0, Engines.TIMER, new SessionCounters(), Lease::new,
				null, (idle) -> {
				});
		LockAttempt attempt = new LockAttempt(List.of("key"), LockMode.EXCLUSIVE, false, "caller");
		ContenderTerms terms = ContenderTerms.of(Engines.source(), Engines.shards(), attempt, false);
		ContenderReports reports = new ContenderReports(terms, new NotingListener(), this);
		NodeFacts node = terms.newNode("key");
		node.created(node.createPath() + "0000000003");
		this.own = node.name();
		this.wait = new QueueWait(this, terms, reports, session, node, new NodeSearch(session, node, terms.steps()));
		this.wait.begin(false);
	}

	@Test
	void i1TheAnswerToAFormerLookIsDropped() {
		this.wait.look();
		this.wait.look();
		this.zooKeeper.answerChildren(Code.OK, this.own);
		assertThat(this.reported).isEmpty();
		this.zooKeeper.answerChildren(Code.OK, this.own);
		assertThat(this.reported).containsExactly("clear");
	}

	@Test
	void i1TheAnswerThatComesAfterTheEndIsDropped() {
		this.wait.look();
		this.wait.stop();
		this.zooKeeper.answerChildren(Code.OK, this.own);
		assertThat(this.reported).isEmpty();
	}

	@Test
	void i1AnEventThatComesAfterTheEndIsDropped() {
		this.wait.look();
		this.zooKeeper.answerChildren(Code.OK, FIRST, this.own);
		this.zooKeeper.answerRead(Code.OK);
		this.wait.stop();
		fire(FIRST);
		assertThat(this.reported).isEmpty();
	}

	@Test
	void i2TheEndOfTheOnlyOneInTheWayMakesItClear() {
		this.wait.look();
		this.zooKeeper.answerChildren(Code.OK, FIRST, this.own);
		this.zooKeeper.answerRead(Code.OK);
		fire(FIRST);
		assertThat(this.reported).containsExactly("clear");
	}

	@Test
	void i2TheEndOfOneOfTwoInTheWayDoesNotMakeItClear() {
		this.wait.look();
		this.zooKeeper.answerChildren(Code.OK, FIRST, SECOND, this.own);
		this.zooKeeper.answerRead(Code.OK);
		fire(SECOND);
		assertThat(this.reported).isEmpty();
		this.zooKeeper.answerChildren(Code.OK, FIRST, this.own);
		assertThat(this.reported).isEmpty();
	}

	@Test
	void i2i3AListWithoutItsNodeIsLookedAtAgainBehindACommit() {
		this.wait.look();
		this.zooKeeper.answerChildren(Code.OK);
		assertThat(this.reported).isEmpty();
		assertThat(this.zooKeeper.answerChildren(Code.OK)).as("looked too early").isFalse();
		this.zooKeeper.answerTransaction(Code.OK);
		this.zooKeeper.answerChildren(Code.OK);
		assertThat(this.reported).containsExactly("vanished");
	}

	@Test
	void i3AListThatWasLostIsAskedForAgainBehindACommit() {
		this.wait.look();
		this.zooKeeper.answerChildren(Code.CONNECTIONLOSS);
		assertThat(this.zooKeeper.answerChildren(Code.OK)).as("looked too early").isFalse();
		this.zooKeeper.answerTransaction(Code.OK);
		this.zooKeeper.answerChildren(Code.OK, this.own);
		assertThat(this.reported).containsExactly("clear");
	}

	private void fire(String name) {
		this.zooKeeper.watcher()
			.process(new WatchedEvent(EventType.NodeDeleted, KeeperState.SyncConnected, "/locks/key/" + name));
	}

	@Override
	public void nodeClear() {
		this.reported.add("clear");
	}

	@Override
	public void vanished() {
		this.reported.add("vanished");
	}

	@Override
	public void leaveNow() {
		this.reported.add("leave");
	}

	@Override
	public void over() {
		this.reported.add("over");
	}

}
