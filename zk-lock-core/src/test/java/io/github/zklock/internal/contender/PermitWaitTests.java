package io.github.zklock.internal.contender;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.zklock.LockMode;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.concurrent.Timer;
import io.github.zklock.internal.node.NodeContent;
import io.github.zklock.internal.node.NodeQueue;
import io.github.zklock.internal.session.HandPlayedZooKeeper;
import io.github.zklock.internal.session.Lease;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.SessionCounters;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.zookeeper.Engines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What a node that waits for one of two permits makes of the lists and events that come.
 */
class PermitWaitTests implements QueueWait.Host, ContenderReports.Host {

	private static final String FIRST = "_c_a-2-permit-lock-0000000001";

	private static final String SECOND = "_c_b-2-permit-lock-0000000002";

	private static final String THIRD = "_c_c-2-permit-lock-0000000003";

	private static final String BEHIND = "_c_e-2-permit-lock-0000000005";

	private static final byte[] DATA = "{\"id\":\"c\"}".getBytes(StandardCharsets.UTF_8);

	private final HandPlayedZooKeeper zooKeeper = HandPlayedZooKeeper.HANDLE;

	private final List<String> reported = new ArrayList<>();

	private LockSession session;

	private ContenderReports reports;

	private NodeFacts node;

	private ContenderTerms terms;

	private QueueWait wait;

	private String own;

	@BeforeEach
	void joinTheQueue() {
		joinTheQueue(Engines.TIMER);
	}

	private void joinTheQueue(Timer timer) {
		this.zooKeeper.reset();
		this.session = new LockSession(this.zooKeeper, System::nanoTime, timer, new SessionCounters(), Lease::new, null,
				(idle) -> {
				});
		LockAttempt attempt = new LockAttempt(List.of("key"), List.of(LockMode.EXCLUSIVE), List.of(2), false, "caller",
				false);
		this.terms = ContenderTerms.of(Engines.source(), Engines.shards(), attempt, false)
			.of(this, (failure) -> this.reported.add(failure.toString()));
		this.reports = new ContenderReports(this.terms, new NotingListener(), this);
		this.node = this.terms.newNodes(0).get(0);
		this.node.created(this.node.createPath() + "0000000004");
		this.own = this.node.name();
		this.wait = new QueueWait(this, this.terms, this.reports, this.session, this.node,
				new NodeSearch(this.session, this.node, this.terms.steps()));
		this.wait.begin(false);
	}

	private void look(String... names) {
		this.wait.look();
		this.zooKeeper.answerChildren(Code.OK, names);
	}

	@Test
	void theFirstWaiterHasItWithTheEndOfAnyHolder() {
		look(FIRST, SECOND, this.own);
		this.zooKeeper.answerRead(DATA);
		this.zooKeeper.answerRead(DATA);
		fire(SECOND, EventType.NodeDeleted);
		assertThat(this.reported).containsExactly("clear");
		assertThat(this.wait.isClearByEvent()).isTrue();
		assertThat(this.zooKeeper.removedWatches()).as("no watch is left behind").isOne();
	}

	@Test
	@Tag("QueueWatch.I1")
	void whatIsLearntOfTheOtherHoldersAfterTheEndOfOneIsDropped() {
		look(FIRST, SECOND, this.own);
		this.terms.steps().execute(() -> {
			this.zooKeeper.answerRead(Code.NONODE);
			this.zooKeeper.answerRead(DATA);
		});
		assertThat(this.reported).containsExactly("clear");
	}

	@Test
	void whatAnEarlierLookHasFoundToBeRetainedIsNotWaitedFor() {
		assertThat(mayAwaitAfter(FIRST, SECOND)).isTrue();
		assertThat(mayAwaitAfter(FIRST)).isFalse();
	}

	@Test
	void whatWasRetainedAndHasGoneIsNotWaitedFor() {
		mayAwaitAfter(FIRST, SECOND);
		assertThat(this.node.mayAwait(this.node.lookAt(NodeQueue.of(List.of(SECOND, THIRD, this.own))))).isFalse();
	}

	private boolean mayAwaitAfter(String... lastLook) {
		check(FIRST, SECOND);
		check(lastLook);
		assertThat(this.reported).containsExactly("free", "free");
		this.reported.clear();
		return this.node.mayAwait(this.node.lookAt(NodeQueue.of(List.of(FIRST, SECOND, this.own))));
	}

	private void check(String... names) {
		new AvailabilityCheck(this.session, this.terms, this.reports, this.terms.steps(), List.of(this.node),
				() -> this.reported.add("free"))
			.begin();
		this.zooKeeper.answerChildren(Code.OK, names);
		this.zooKeeper.answerRead("{\"retain\":\"true\"}".getBytes(StandardCharsets.UTF_8));
	}

	@Test
	void theSecondWaiterWatchesTheFirstOneAlone() {
		look(FIRST, SECOND, THIRD, this.own);
		assertThat(this.zooKeeper.watcherOf(this.node.pathOf(THIRD))).isNotNull();
		assertThat(this.zooKeeper.watcherOf(this.node.pathOf(SECOND))).isNull();
		assertThat(this.zooKeeper.watcherOf(this.node.pathOf(FIRST))).isNull();
		this.zooKeeper.answerRead(DATA);
		fire(THIRD, EventType.NodeDataChanged);
		assertThat(this.reported).isEmpty();
		this.zooKeeper.answerChildren(Code.OK, SECOND, THIRD, this.own);
		assertThat(this.zooKeeper.watcherOf(this.node.pathOf(SECOND))).as("it is the first one now").isNotNull();
		assertThat(this.reported).isEmpty();
	}

	@Test
	void aMarkThatWasThereBeforeTheWatchIsSeen() {
		look(FIRST, SECOND, THIRD, this.own);
		this.zooKeeper.answerRead(NodeContent.held(DATA));
		assertThat(this.zooKeeper.answerChildren(Code.OK, THIRD, this.own)).as("looks again").isTrue();
		assertThat(this.reported).containsExactly("clear");
	}

	@Test
	void aMarkThatTheQueueDoesNotBearOutIsLookedAtOnce() {
		look(FIRST, SECOND, THIRD, this.own);
		this.zooKeeper.answerRead(NodeContent.held(DATA));
		this.zooKeeper.answerChildren(Code.OK, FIRST, SECOND, THIRD, this.own);
		this.zooKeeper.answerRead(NodeContent.held(DATA));
		assertThat(this.zooKeeper.answerChildren(Code.OK)).isFalse();
		fire(THIRD, EventType.NodeDeleted);
		assertThat(this.zooKeeper.answerChildren(Code.OK, SECOND, this.own)).isTrue();
		assertThat(this.reported).containsExactly("clear");
	}

	@Test
	@Tag("HolderMark.I1")
	void whoHasSomebodyBehindMarksItsNodeInTheStepOfTheEvent() {
		look(FIRST, SECOND, this.own, BEHIND);
		this.zooKeeper.answerRead(DATA);
		this.zooKeeper.answerRead(DATA);
		assertThat(this.zooKeeper.pendingTransactions()).isZero();
		fire(FIRST, EventType.NodeDeleted);
		assertThat(this.zooKeeper.pendingTransactions()).isOne();
		assertThat(isMark()).isTrue();
	}

	@Test
	@Tag("HolderMark.I1")
	void whoHasLearntItFromALookMarksItsNodeIfThatShowsSomebodyBehind() {
		look(SECOND, this.own);
		assertThat(this.reported).containsExactly("clear");
		assertThat(this.zooKeeper.pendingTransactions()).isZero();
		joinTheQueue();
		look(SECOND, this.own, "_c_e-lock-0000000005");
		assertThat(this.zooKeeper.pendingTransactions()).as("who wants the lock needs no mark").isZero();
		joinTheQueue();
		look(SECOND, this.own, BEHIND);
		assertThat(isMark()).isTrue();
	}

	@Test
	@Tag("HolderMark.I1")
	void behindAnEventItLooksWhetherSomebodyHasCome() {
		look(FIRST, SECOND, this.own);
		this.zooKeeper.answerRead(DATA);
		this.zooKeeper.answerRead(DATA);
		fire(FIRST, EventType.NodeDeleted);
		assertThat(this.zooKeeper.pendingTransactions()).isZero();
		assertThat(this.zooKeeper.answerChildren(Code.OK, SECOND, this.own, BEHIND)).isTrue();
		assertThat(isMark()).isTrue();
	}

	@Test
	@Tag("HolderMark.I2")
	void aMarkWhoseAnswerWasLostIsSentAgain() {
		look(SECOND, this.own, BEHIND);
		this.zooKeeper.answerTransaction(Code.CONNECTIONLOSS);
		assertThat(isMark()).as("the commit barrier comes first").isFalse();
		this.zooKeeper.answerTransaction(Code.OK);
		assertThat(isMark()).isTrue();
		this.zooKeeper.answerTransaction(Code.CONNECTIONLOSS);
		this.wait.stop();
		this.zooKeeper.answerTransaction(Code.OK);
		assertThat(this.zooKeeper.pendingTransactions()).as("its node is to go").isZero();
	}

	@Test
	@Tag("HolderMark.I2")
	void aLookForWhoHasComeThatWasLostIsRepeated() {
		look(FIRST, SECOND, this.own);
		this.zooKeeper.answerRead(DATA);
		this.zooKeeper.answerRead(DATA);
		fire(FIRST, EventType.NodeDeleted);
		this.zooKeeper.answerChildren(Code.CONNECTIONLOSS);
		this.zooKeeper.answerTransaction(Code.OK);
		assertThat(this.zooKeeper.answerChildren(Code.OK, SECOND, this.own, BEHIND)).isTrue();
		assertThat(isMark()).isTrue();
	}

	@Test
	void aLookForWhoHasComeThatIsLostEachTimeIsRepeatedOnceAtOnce() {
		look(FIRST, SECOND, this.own);
		this.zooKeeper.answerRead(DATA);
		this.zooKeeper.answerRead(DATA);
		fire(FIRST, EventType.NodeDeleted);
		int looks = 0;
		while (looks < 100 && this.zooKeeper.answerChildren(Code.CONNECTIONLOSS)) {
			looks++;
			this.zooKeeper.answerTransaction(Code.OK);
		}
		assertThat(looks).isEqualTo(2);
	}

	@Test
	@Tag("slow")
	@Tag("QueueWait.I5")
	void theSecondWaiterLooksByItself() {
		Timer timer = new Timer("test-timer", new StepFailures());
		try {
			joinTheQueue(timer);
			look(FIRST, SECOND, THIRD, this.own);
			this.zooKeeper.answerRead(DATA);
			await().until(() -> this.zooKeeper.answerChildren(Code.OK, THIRD, this.own));
			assertThat(this.reported).containsExactly("clear");
		}
		finally {
			timer.stop();
		}
	}

	@Test
	void whoStopsWaitingLeavesNoLookToTheTimer() {
		Timer timer = new Timer("test-timer", new StepFailures());
		try {
			joinTheQueue(timer);
			look(FIRST, SECOND, THIRD, this.own);
			assertThat(timer.count()).as("a look of its own").isOne();
			this.wait.stop();
			assertThat(timer.count()).isZero();
		}
		finally {
			timer.stop();
		}
	}

	@Test
	@Tag("slow")
	@Tag("QueueWait.I5")
	void theThirdWaiterLooksByItselfLaterThanTheSecondOne() {
		Timer timer = new Timer("test-timer", new StepFailures());
		try {
			joinTheQueue(timer);
			long begun = System.nanoTime();
			look(FIRST, SECOND, THIRD, "_c_d-2-permit-lock-0000000003", this.own);
			await().until(() -> this.zooKeeper.answerChildren(Code.OK, this.own));
			assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(Duration.ofSeconds(3));
		}
		finally {
			timer.stop();
		}
	}

	private boolean isMark() {
		for (Op op : this.zooKeeper.lastTransaction()) {
			return op.getType() == OpCode.setData && op.getPath().equals(this.node.path());
		}
		return false;
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
