package io.github.zklock.internal.contender;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import io.github.zklock.LockMode;
import io.github.zklock.internal.node.NodeQueue;
import io.github.zklock.internal.node.ReleaseNote;
import io.github.zklock.internal.session.HandPlayedZooKeeper;
import io.github.zklock.internal.session.Lease;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.NodeWatch;
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

	private static final String THIRD = "c-lock-0000000003";

	private final HandPlayedZooKeeper zooKeeper = HandPlayedZooKeeper.HANDLE;

	private final List<String> reported = new ArrayList<>();

	private final NotingListener listener = new NotingListener();

	private NodeFacts node;

	private ContenderTerms terms;

	private QueueWait wait;

	private String own;

	private LockSession session;

	private long now;

	private long tick;

	@BeforeEach
	void joinTheQueue() {
		joinTheQueue(false);
	}

	private void joinTheQueue(boolean tryOnce) {
		joinTheQueue(tryOnce, 3);
	}

	private void joinTheQueue(boolean tryOnce, int number) {
		join(new LockAttempt(List.of("key"), LockMode.EXCLUSIVE, tryOnce, "caller"), false, number);
	}

	private void join(LockAttempt attempt, boolean naive, int number) {
		this.zooKeeper.reset();
		this.session = new LockSession(this.zooKeeper, () -> this.now += this.tick, Engines.TIMER,
				new SessionCounters(), Lease::new, null, (idle) -> {
				});
		this.terms = ContenderTerms.of(Engines.source(), Engines.shards(), attempt, naive);
		ContenderReports reports = new ContenderReports(this.terms, this.listener, this);
		this.terms.keyNodeCache().waited("key", 0);
		this.node = this.terms.newNodes(0).get(0);
		this.node.created(this.node.createPath() + "%010d".formatted(number));
		this.own = this.node.name();
		this.wait = new QueueWait(this, this.terms, reports, this.session, this.node,
				new NodeSearch(this.session, this.node, this.terms.steps()));
		this.wait.begin(false);
	}

	private void farAway() {
		this.tick = TimeUnit.MILLISECONDS.toNanos(1);
		for (int i = 0; i < 200; i++) {
			this.session.requests().children("/", null, (code, names, stat) -> {
			});
			this.zooKeeper.answerChildren(Code.OK);
		}
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
	@Tag("QueueWatch.I1")
	void i1AWatchThatIsSetAfterTheEndIsDropped() {
		long failures = Engines.source().failures().count();
		// Of two who share a watch the first is notified, and by that the second needs
		// none
		this.session.watches().watchNode(this.node.pathOf(FIRST), new NodeWatch.Listener() {

			@Override
			public void watching(byte[] content, Stat stat, List<String> names) {
				QueueWaitTests.this.wait.look();
				QueueWaitTests.this.zooKeeper.answerChildren(Code.OK, QueueWaitTests.this.own);
			}

			@Override
			public void notWatching(Code code) {
			}

			@Override
			public void changed(EventType type) {
			}

		});
		this.wait.look();
		this.zooKeeper.answerChildren(Code.OK, FIRST, this.own);
		this.zooKeeper.answerRead(Code.OK);
		assertThat(this.reported).containsExactly("clear");
		assertThat(this.listener.notes()).containsExactly("blocked");
		assertThat(Engines.source().failures().count()).isEqualTo(failures);
	}

	@Test
	void i3OneInTheWayWhoseDataAreLostEachTimeIsReadTwiceAtOnce() {
		this.wait.look();
		int reads = 0;
		while (reads < 100 && this.zooKeeper.answerChildren(Code.OK, FIRST, this.own)) {
			assertThat(this.zooKeeper.answerRead(Code.CONNECTIONLOSS)).isTrue();
			reads++;
			this.zooKeeper.answerTransaction(Code.OK);
		}
		assertThat(reads).isEqualTo(2);
	}

	@Test
	void i3OneInTheWayWhoseDataWereReadIsReadAtOnceAgain() {
		this.wait.look();
		for (int i = 0; i < 10; i++) {
			assertThat(this.zooKeeper.answerChildren(Code.OK, FIRST, this.own)).isTrue();
			assertThat(this.zooKeeper.answerRead(Code.CONNECTIONLOSS)).isTrue();
			assertThat(this.zooKeeper.answerTransaction(Code.OK)).as("the commit barrier").isTrue();
			assertThat(this.zooKeeper.answerChildren(Code.OK, FIRST, this.own)).isTrue();
			assertThat(this.zooKeeper.answerRead(Code.OK)).isTrue();
			fire(FIRST, EventType.NodeDataChanged);
		}
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

	@ParameterizedTest
	@CsvSource({ "a-lock-0000000001, b-lock-0000000002", "b-lock-0000000002, a-lock-0000000001" })
	@Tag("QueueWatch.I1")
	void i2FarAwayTheEndOfBothInTheWayMakesItClearWithoutAnotherList(String one, String other) {
		farAway();
		this.wait.look();
		this.zooKeeper.answerChildren(Code.OK, FIRST, SECOND, this.own);
		this.zooKeeper.answerRead(Code.OK);
		this.zooKeeper.answerRead(Code.OK);
		fire(one);
		assertThat(this.reported).isEmpty();
		fire(other);
		assertThat(this.reported).containsExactly("clear");
		assertThat(this.wait.isClearByEvent()).isTrue();
		assertThat(this.zooKeeper.answerChildren(Code.OK)).as("listed again").isFalse();
	}

	@Test
	@Tag("QueueWatch.I1")
	void whoIsNotThereAnyMoreWhenItIsToBeWatchedHasGone() {
		farAway();
		this.wait.look();
		this.zooKeeper.answerChildren(Code.OK, FIRST, SECOND, this.own);
		this.zooKeeper.answerRead(Code.NONODE);
		assertThat(this.reported).isEmpty();
		this.zooKeeper.answerRead(Code.NONODE);
		assertThat(this.reported).containsExactly("clear");
	}

	@ParameterizedTest
	@EnumSource(value = EventType.class, names = { "NodeDataChanged", "DataWatchRemoved" })
	@Tag("QueueWatch.I1")
	void anythingElseThatHappensSaysNothing(EventType type) {
		farAway();
		this.wait.look();
		this.zooKeeper.answerChildren(Code.OK, FIRST, SECOND, this.own);
		this.zooKeeper.answerRead(Code.OK);
		this.zooKeeper.answerRead(Code.OK);
		fire(FIRST);
		Watcher left = this.zooKeeper.watcherOf(this.node.pathOf(SECOND));
		left.process(new WatchedEvent(type, KeeperState.SyncConnected, this.node.pathOf(SECOND)));
		assertThat(this.reported).isEmpty();
		this.zooKeeper.answerChildren(Code.OK, SECOND, this.own);
		left.process(new WatchedEvent(EventType.NodeDeleted, KeeperState.SyncConnected, this.node.pathOf(SECOND)));
		assertThat(this.reported).isEmpty();
		fire(SECOND);
		assertThat(this.reported).containsExactly("clear");
	}

	@Test
	@Tag("QueueWatch.I1")
	void behindAWriteTheQueueIsListedAgain() {
		farAway();
		this.wait.look();
		this.zooKeeper.answerChildren(Code.OK, "a-__WRIT__0000000001", SECOND, this.own);
		assertThat(this.zooKeeper.watcherOf(this.node.pathOf("a-__WRIT__0000000001"))).isNull();
		this.zooKeeper.answerRead(Code.OK);
		fire(SECOND);
		assertThat(this.reported).isEmpty();
		this.zooKeeper.answerChildren(Code.OK, "a-__READ__0000000001", this.own);
		assertThat(this.reported).isEmpty();
		this.zooKeeper.answerRead(Code.OK);
		fire("a-__READ__0000000001");
		assertThat(this.reported).containsExactly("clear");
	}

	@Test
	void theLastOneInAReadersWayIsNotSaidToHoldIfReadersAreBeforeIt() {
		join(new LockAttempt(List.of("key"), LockMode.READ, false, "caller"), false, 4);
		farAway();
		this.wait.look();
		this.zooKeeper.answerChildren(Code.OK, FIRST, "b-__READ__0000000002", THIRD, this.own);
		this.zooKeeper.answerRead(Code.OK);
		this.zooKeeper.answerRead(Code.OK);
		fire(FIRST);
		assertThat(this.listener.blocker().holds()).isFalse();
	}

	@Test
	void theLastOneInAReadersWayIsSaidToHoldIfNobodyIsBeforeIt() {
		join(new LockAttempt(List.of("key"), LockMode.READ, false, "caller"), false, 4);
		farAway();
		this.wait.look();
		this.zooKeeper.answerChildren(Code.OK, FIRST, SECOND, this.own);
		this.zooKeeper.answerRead(Code.OK);
		this.zooKeeper.answerRead(Code.OK);
		fire(FIRST);
		assertThat(this.listener.blocker().holds()).isTrue();
	}

	@Test
	void ofManyInTheWayOnlyTheOneDirectlyBeforeIsWatched() {
		joinTheQueue(false, 6);
		farAway();
		this.wait.look();
		this.zooKeeper.answerChildren(Code.OK, "x-lock-0000000001", "x-lock-0000000002", "x-lock-0000000003",
				"x-lock-0000000004", "x-lock-0000000005", this.own);
		assertThat(this.zooKeeper.answerRead(Code.OK)).isTrue();
		assertThat(this.zooKeeper.answerRead(Code.OK)).isFalse();
		fire("x-lock-0000000005");
		assertThat(this.reported).isEmpty();
		this.zooKeeper.answerChildren(Code.OK, this.own);
		assertThat(this.reported).containsExactly("clear");
		assertThat(this.wait.isClearByEvent()).isFalse();
	}

	@Test
	void inALongQueueTheNoteOfTheOneDirectlyBeforeMakesItClearWithoutAnotherList() {
		String before = joinALongQueue("lock-");
		fire(before);
		assertThat(this.zooKeeper.answerRead(ReleaseNote.of(before))).isTrue();
		assertThat(this.reported).containsExactly("clear");
		assertThat(this.wait.isClearByEvent()).isTrue();
		assertThat(this.zooKeeper.answerChildren(Code.OK)).as("listed").isFalse();
	}

	@Test
	void anotherNoteSaysNothing() {
		String before = joinALongQueue("lock-");
		fire(before);
		assertThat(this.zooKeeper.answerRead(ReleaseNote.of("x-lock-0000000014"))).isTrue();
		assertThat(this.reported).isEmpty();
		this.zooKeeper.answerChildren(Code.OK, FIRST, this.own);
		assertThat(this.reported).isEmpty();
		assertThat(this.zooKeeper.answerRead(Code.OK)).as("watches the next one").isTrue();
	}

	@ParameterizedTest
	@EnumSource(value = Code.class, names = { "NONODE", "CONNECTIONLOSS", "NOAUTH" })
	void aNoteThatCannotBeReadSaysNothing(Code code) {
		String before = joinALongQueue("lock-");
		fire(before);
		assertThat(this.zooKeeper.answerRead(code)).isTrue();
		assertThat(this.reported).isEmpty();
		this.zooKeeper.answerChildren(Code.OK, this.own);
		assertThat(this.reported).containsExactly("clear");
	}

	@Test
	void aNoteThatComesAfterTheEndIsDropped() {
		String before = joinALongQueue("lock-");
		fire(before);
		this.wait.stop();
		assertThat(this.zooKeeper.answerRead(ReleaseNote.of(before))).isTrue();
		assertThat(this.reported).isEmpty();
	}

	@Test
	void behindAReaderTheQueueIsListed() {
		String before = joinALongQueue("__READ__");
		fire(before);
		assertThat(this.zooKeeper.answerRead(Code.OK)).as("a note").isFalse();
		this.zooKeeper.answerChildren(Code.OK, this.own);
		assertThat(this.reported).containsExactly("clear");
	}

	private String joinALongQueue(String kind) {
		joinTheQueue(false, 17);
		List<String> names = new ArrayList<>();
		for (int i = 1; i <= 16; i++) {
			names.add("x-%s%010d".formatted(kind, i));
		}
		names.add(this.own);
		this.wait.look();
		this.zooKeeper.answerChildren(Code.OK, names.toArray(String[]::new));
		assertThat(this.zooKeeper.answerRead(Code.OK)).isTrue();
		return names.get(15);
	}

	@Test
	void nearbyOfTwoInTheWayOnlyTheOneDirectlyBeforeIsWatched() {
		this.wait.look();
		this.zooKeeper.answerChildren(Code.OK, FIRST, SECOND, this.own);
		assertThat(this.zooKeeper.answerRead(Code.OK)).isTrue();
		assertThat(this.zooKeeper.answerRead(Code.OK)).isFalse();
		fire(SECOND);
		assertThat(this.reported).isEmpty();
		this.zooKeeper.answerChildren(Code.OK, this.own);
		assertThat(this.reported).containsExactly("clear");
	}

	@Test
	@Tag("QueueWatch.I1")
	void behindThoseWhoTakeLongTheQueueIsListedWhileTheLastOneHolds() {
		behindThreeWhoTakeLong();
		fire(SECOND);
		assertThat(this.reported).isEmpty();
		this.zooKeeper.answerChildren(Code.OK, THIRD, this.own);
		assertThat(this.zooKeeper.answerRead(Code.OK)).as("watched again").isFalse();
		assertThat(this.zooKeeper.removedWatches()).isZero();
		fire(THIRD);
		assertThat(this.reported).containsExactly("clear");
		assertThat(this.wait.isClearByEvent()).isTrue();
	}

	@Test
	@Tag("QueueWatch.I1")
	void behindThoseWhoTakeLongTheQueueIsListedIfTheLastOneGoesBeforeTheOthers() {
		behindThreeWhoTakeLong();
		fire(THIRD);
		assertThat(this.reported).isEmpty();
		this.zooKeeper.answerChildren(Code.OK, FIRST, this.own);
		this.zooKeeper.answerRead(Code.OK);
		fire(FIRST);
		assertThat(this.reported).containsExactly("clear");
	}

	@Test
	@Tag("QueueWatch.I1")
	void behindThoseWhoTakeLongTheQueueIsListedAgainIfBothGoBeforeTheAnswer() {
		behindThreeWhoTakeLong();
		fire(SECOND);
		fire(THIRD);
		this.zooKeeper.answerChildren(Code.OK, FIRST, THIRD, this.own);
		assertThat(this.reported).isEmpty();
		assertThat(this.zooKeeper.answerRead(Code.OK)).as("an answer that is too old").isFalse();
		this.zooKeeper.answerChildren(Code.OK, this.own);
		assertThat(this.reported).containsExactly("clear");
	}

	private void behindThreeWhoTakeLong() {
		joinTheQueue(false, 4);
		this.terms.keyNodeCache().use("key");
		this.terms.keyNodeCache().waited("key", 4 * this.session.requests().writeCost().nanos());
		this.wait.look();
		this.zooKeeper.answerChildren(Code.OK, FIRST, SECOND, THIRD, this.own);
		assertThat(this.zooKeeper.watcherOf(this.node.pathOf(FIRST))).isNull();
		assertThat(this.zooKeeper.answerRead(Code.OK)).isTrue();
		assertThat(this.zooKeeper.answerRead(Code.OK)).isTrue();
	}

	@Test
	void itNotesHowLongEachBeforeItHadTheKey() {
		this.terms.keyNodeCache().use("key");
		this.wait.look();
		this.zooKeeper.answerChildren(Code.OK, FIRST, SECOND, this.own);
		this.now += 20;
		this.zooKeeper.answerRead(Code.OK);
		fire(SECOND);
		this.zooKeeper.answerChildren(Code.OK, this.own);
		assertThat(this.terms.keyNodeCache().waitNanos("key")).isEqualTo(10);
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
	void i2i3WhoWaitsForAnyChangeLearnsThatItsNodeIsGoneHoweverOftenTheQueueChanges() {
		join(new LockAttempt(List.of("key"), LockMode.WRITE, false, "caller"), true, 3);
		this.wait.look();
		this.zooKeeper.answerChildren(Code.OK, "a-__WRIT__0000000001", this.own);
		this.zooKeeper.answerChildren(Code.OK, "a-__WRIT__0000000001", this.own);
		for (int i = 0; i < 3; i++) {
			fireChange();
			this.zooKeeper.answerChildren(Code.OK, "a-__WRIT__0000000001");
		}
		this.zooKeeper.answerTransaction(Code.OK);
		fireChange();
		this.zooKeeper.answerChildren(Code.OK, "a-__WRIT__0000000001");
		assertThat(this.reported).containsExactly("vanished");
	}

	@Test
	void i3WhoWaitsForAnyChangeSetsTheWatchAgainWhoseAnswerWasLost() {
		join(new LockAttempt(List.of("key"), LockMode.WRITE, false, "caller"), true, 3);
		this.wait.look();
		this.zooKeeper.answerChildren(Code.OK, "a-__WRIT__0000000001", this.own);
		assertThat(this.zooKeeper.answerChildren(Code.CONNECTIONLOSS)).as("the watch").isTrue();
		this.zooKeeper.answerTransaction(Code.OK);
		this.zooKeeper.answerChildren(Code.OK, "a-__WRIT__0000000001", this.own);
		assertThat(this.zooKeeper.answerChildren(Code.OK, "a-__WRIT__0000000001", this.own)).as("the watch").isTrue();
		fireChange();
		this.zooKeeper.answerChildren(Code.OK, this.own);
		assertThat(this.reported).containsExactly("clear");
	}

	@Test
	void whoWaitsForAnyChangeLeavesNoWatch() {
		join(new LockAttempt(List.of("key"), LockMode.WRITE, false, "caller"), true, 3);
		this.wait.look();
		this.zooKeeper.answerChildren(Code.OK, "a-__WRIT__0000000001", this.own);
		this.zooKeeper.answerChildren(Code.OK, "a-__WRIT__0000000001", this.own);
		this.wait.stop();
		assertThat(this.zooKeeper.removedWatches()).isOne();
		assertThat(this.session.watches().count()).isZero();
	}

	private void fireChange() {
		this.zooKeeper.watcherOf(this.node.keyNode())
			.process(new WatchedEvent(EventType.NodeChildrenChanged, KeeperState.SyncConnected, this.node.keyNode()));
	}

	@Test
	void i3AListThatWasLostIsAskedForAgainBehindACommit() {
		this.wait.look();
		this.zooKeeper.answerChildren(Code.CONNECTIONLOSS);
		assertThat(this.zooKeeper.answerChildren(Code.OK)).as("looked too early").isFalse();
		this.zooKeeper.answerTransaction(Code.OK);
		this.zooKeeper.answerChildren(Code.OK, this.own);
		assertThat(this.reported).containsExactly("clear");
		assertThat(this.wait.hasWaited()).as("has waited since its node was made").isTrue();
	}

	@Test
	void whoIsClearInTheFirstListHasNotWaited() {
		this.wait.look();
		this.zooKeeper.answerChildren(Code.OK, this.own);
		assertThat(this.reported).containsExactly("clear");
		assertThat(this.wait.hasWaited()).isFalse();
	}

	@Test
	void i2WhatWasClearWhenTheLeaseWasOverIsNotUntilItWasSeenAgain() {
		this.wait.look();
		this.zooKeeper.answerChildren(Code.OK, this.own);
		this.wait.confirm(0);
		assertThat(this.wait.isClear()).isFalse();
		this.zooKeeper.answerTransaction(Code.OK);
		this.zooKeeper.answerChildren(Code.OK, this.own);
		assertThat(this.wait.isClear()).isTrue();
	}

	@Test
	void i4WhoTriesOnceIsBusyBehindANodeThatIsNotRetained() {
		joinTheQueue(true);
		this.wait.look();
		this.zooKeeper.answerChildren(Code.OK, FIRST, this.own);
		assertThat(this.listener.notes()).containsExactly("busy");
		assertThat(this.reported).containsExactly("leave");
	}

	@Test
	void i4WhoTriesOnceWaitsForTheOneThatMayBeRetained() {
		joinTheQueue(true);
		this.node.awaits(FIRST);
		this.wait.look();
		this.zooKeeper.answerChildren(Code.OK, FIRST, this.own, "z-lock-0000000004");
		this.zooKeeper.answerRead(Code.OK);
		assertThat(this.listener.notes()).containsOnly("awaits");
		fire(FIRST);
		assertThat(this.reported).containsExactly("clear");
		losePatience();
		assertThat(this.listener.notes()).containsOnly("awaits");
	}

	@Test
	void i4WhoTriesOnceIsBusyBehindAnotherWhoCameMeanwhile() {
		joinTheQueue(true);
		this.node.awaits(FIRST);
		this.wait.look();
		this.zooKeeper.answerChildren(Code.OK, FIRST, SECOND, this.own);
		assertThat(this.listener.notes()).containsExactly("busy");
	}

	@Test
	void i4WhoTriesOnceIsBusyBehindAnotherWhoCameInstead() {
		joinTheQueue(true);
		this.node.awaits(FIRST);
		this.wait.look();
		this.zooKeeper.answerChildren(Code.OK, SECOND, this.own);
		assertThat(this.listener.notes()).containsExactly("busy");
	}

	@Test
	void i4WhoTriesOnceIsBusyAfterAMoment() {
		joinTheQueue(true);
		this.node.awaits(FIRST);
		this.wait.look();
		this.zooKeeper.answerChildren(Code.OK, FIRST, this.own);
		int known = this.terms.heldNodes().count();
		losePatience();
		assertThat(this.listener.notes()).containsExactly("awaits", "busy");
		assertThat(this.terms.heldNodes().count()).isEqualTo(known + 1);
		assertThat(this.reported).containsExactly("leave");
	}

	@Test
	void i4WhoTriesOnceIsNotBusyBehindOneThatHasGoneWhileTheLeaseIsWaitedFor() {
		joinTheQueue(true);
		this.node.awaits(FIRST);
		this.wait.look();
		this.zooKeeper.answerChildren(Code.OK, FIRST, this.own);
		this.zooKeeper.answerRead(Code.OK);
		fire(FIRST);
		this.wait.confirm(0);
		losePatience();
		assertThat(this.listener.notes()).containsOnly("awaits");
	}

	private void losePatience() {
		this.wait.losePatience(NodeQueue.of(List.of(FIRST, this.own)).positionOf(this.own, LockMode.EXCLUSIVE));
	}

	private void fire(String name) {
		fire(name, EventType.NodeDeleted);
	}

	private void fire(String name, EventType type) {
		this.zooKeeper.watcherOf(this.node.pathOf(name))
			.process(new WatchedEvent(type, KeeperState.SyncConnected, this.node.pathOf(name)));
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
