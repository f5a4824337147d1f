package io.github.zklock.internal.session;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Delayed;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.Watcher.WatcherType;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.concurrent.Timer;
import io.github.zklock.internal.contender.UnenteredLockNodes;
import io.github.zklock.internal.session.NodeWatches.Registration;
import io.github.zklock.internal.session.NodeWatches.Target;
import io.github.zklock.testing.Actor;
import io.github.zklock.zookeeper.Engines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What a session asks, in moments that no server can be brought to.
 */
class LockSessionTests {

	private final HandPlayedZooKeeper zooKeeper = HandPlayedZooKeeper.HANDLE;

	@BeforeEach
	void forgetWhatWasAsked() {
		this.zooKeeper.reset();
	}

	@ParameterizedTest
	@Tag("CommitBarrier.I5")
	@EnumSource(value = Code.class, names = { "THROTTLEDOP", "SYSTEMERROR", "REQUESTTIMEOUT" })
	void aServerThatEvadesIsNotAskedAgainAtOnce(Code evasion) {
		LockSession session = session(Engines.TIMER);
		ask(session, evasion);
		session.afterCommit(() -> {
		});
		assertThat(this.zooKeeper.pendingTransactions()).isZero();
	}

	@Test
	void aServerThatEvadesIsAskedAgainAfterAPause() {
		Timer timer = new Timer("zk-lock-timer", new StepFailures());
		try {
			LockSession session = session(timer);
			ask(session, Code.THROTTLEDOP);
			session.afterCommit(() -> {
			});
			await().until(() -> this.zooKeeper.pendingTransactions() == 1);
		}
		finally {
			timer.stop();
		}
	}

	@Test
	@Tag("CommitBarrier.I5")
	void behindATransactionThatPassedTheNextOneIsSentAtOnce() {
		Timer timer = new Timer("zk-lock-timer", new StepFailures());
		try {
			LockSession session = session(timer);
			ask(session, Code.THROTTLEDOP);
			session.afterCommit(() -> {
			});
			await().until(() -> this.zooKeeper.answerTransaction(Code.OK));
			session.afterCommit(() -> {
			});
			assertThat(this.zooKeeper.pendingTransactions()).isOne();
		}
		finally {
			timer.stop();
		}
	}

	@Test
	void aLostConnectionIsNoReasonToPause() {
		LockSession session = session(Engines.TIMER);
		ask(session, Code.CONNECTIONLOSS);
		session.afterCommit(() -> {
		});
		assertThat(this.zooKeeper.pendingTransactions()).isOne();
	}

	@Test
	@Tag("NodeWatches.I1")
	void whoHasLeftBeforeItJoinsLeavesNoWatch() {
		NodeWatches watches = session(Engines.TIMER).watches();
		NodeWatches.Registration registration = watches.watchNode("/locks/key/node", new NobodyWatches());
		registration.leave();
		watches.join(registration);
		assertThat(watches.count()).isZero();
		assertThat(this.zooKeeper.removedWatches()).isOne();
	}

	@Test
	void anIdleSessionSendsASyncAndNothingElse() {
		session(Engines.TIMER).begin();
		assertThat(this.zooKeeper.answerSync(Code.OK)).isTrue();
		assertThat(this.zooKeeper.answerSync(Code.OK)).isFalse();
		assertThat(this.zooKeeper.pendingTransactions()).isZero();
	}

	@ParameterizedTest
	@CsvSource({ "-1, -1", "-2999, -2999", "-3001, -3000", ", -3000" })
	void theLeaseCountsFromBeforeTheHandleWasMadeButNotFromLongAgo(Long madeAfter, long from) {
		List<Long> touched = new ArrayList<>();
		new LockSession(this.zooKeeper, () -> 0, Engines.TIMER, new SessionCounters(), (clock, nanos, touchedSince) -> {
			touched.add(TimeUnit.NANOSECONDS.toMillis(touchedSince));
			return new Lease(clock, nanos, touchedSince);
		}, (madeAfter != null) ? TimeUnit.MILLISECONDS.toNanos(madeAfter) : null, (idle) -> {
		});
		assertThat(touched).containsExactly(from);
	}

	@Test
	void aSessionThatIsCutIsNotConfirmedForLongerBeforeTheNextBeat() {
		LockSession session = session(Engines.TIMER);
		session.requests().passQuorum((code) -> {
		});
		this.zooKeeper.answerTransaction(Code.OK);
		assertThat(session.isConfirmed()).isTrue();
		this.zooKeeper.cutSessionTimeout();
		assertThat(session.isConfirmed()).isFalse();
	}

	@Test
	void aSessionThatIsCutCannotBeConfirmedByWhatIsOldThen() {
		LockSession session = session(Engines.TIMER);
		assertThat(session.canBeConfirmed()).isTrue();
		this.zooKeeper.cutSessionTimeout();
		assertThat(session.canBeConfirmed()).isFalse();
	}

	@Test
	@Tag("NodeWatches.I1")
	void whoComesToAWatchThatIsOverJoinsTheNextOne() {
		NodeWatches watches = session(Engines.TIMER).watches();
		Registration left = watches.watchNode("/a", new NobodyWatches());
		left.leave();
		NodeWatch former = new NodeWatch(watches, new Target("/a", WatcherType.Data));
		former.join(left);
		whoJoinsItJoinsTheNextOne(former, watches);
	}

	@Test
	@Tag("NodeWatches.I1")
	void aWatchThatIsOverBeforeItsAnswerComesStaysOver() {
		NodeWatches watches = session(Engines.TIMER).watches();
		Registration first = watches.watchNode("/a", new NobodyWatches());
		NodeWatch former = (NodeWatch) this.zooKeeper.watcherOf("/a");
		first.leave();
		assertThat(this.zooKeeper.answerRead(Code.OK)).isTrue();
		whoJoinsItJoinsTheNextOne(former, watches);
	}

	private void whoJoinsItJoinsTheNextOne(NodeWatch former, NodeWatches watches) {
		Registration late = watches.watchNode("/b", new NobodyWatches());
		this.zooKeeper.watcherOf("/b")
			.process(new WatchedEvent(EventType.NodeDeleted, KeeperState.SyncConnected, "/b"));
		assertThat(watches.count()).isZero();
		former.join(late);
		assertThat(watches.count()).isOne();
	}

	@ParameterizedTest
	@EnumSource(value = Code.class, names = { "OK", "CONNECTIONLOSS" })
	void behindItsSyncASessionInUseSendsOneTransaction(Code answer) {
		LockSession session = session(Engines.TIMER);
		session.track(UnenteredLockNodes.in(session));
		session.begin();
		assertThat(this.zooKeeper.pendingTransactions()).isZero();
		assertThat(this.zooKeeper.answerSync(answer)).isTrue();
		assertThat(this.zooKeeper.pendingTransactions()).isOne();
		assertThat(this.zooKeeper.answerSync(Code.OK)).isFalse();
	}

	@Test
	void i5AMemberThatFailsKeepsNobodyElseFromBeingNotified() {
		StepFailures failures = new StepFailures();
		LockSession session = this.zooKeeper.session(() -> 0, new Timer("zk-lock-timer", failures));
		AtomicInteger notified = new AtomicInteger();
		session.track(new Member("a", () -> {
			throw new NoClassDefFoundError("planted");
		}));
		session.track(new Member("b", notified::incrementAndGet));
		session.track(new Member("c", () -> {
			throw new NoClassDefFoundError("planted");
		}));
		session.end();
		assertThat(notified).hasValue(1);
		assertThat(failures.count()).isEqualTo(2);
	}

	@Test
	void nothingIsHeldInASessionThatHasEnded() {
		LockSession session = session(Engines.TIMER);
		session.held().add(UnenteredLockNodes.in(session).grant());
		session.end();
		assertThat(session.held().ofLook(0, 1)).allMatch(Map::isEmpty);
	}

	@Test
	@Tag("SessionBeat.I2")
	void aBeatThatCouldNotBeTimedIsTimedWhenSomethingIsTracked() {
		assertGoesOn((session) -> session.track(UnenteredLockNodes.in(session)));
	}

	@Test
	@Tag("SessionBeat.I2")
	void aBeatThatCouldNotBeTimedIsTimedWhenSomethingIsToBeTracked() {
		assertGoesOn(LockSession::canBeConfirmed);
	}

	private void assertGoesOn(Consumer<LockSession> then) {
		StepFailures failures = new StepFailures();
		AtomicInteger threads = new AtomicInteger();
		Timer timer = new Timer((task) -> {
			if (threads.incrementAndGet() == 1) {
				throw new OutOfMemoryError("planted");
			}
			return new Thread(task);
		}, failures);
		try {
			LockSession session = session(timer);
			assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(session::begin);
			then.accept(session);
			await().until(() -> this.zooKeeper.answerSync(Code.OK));
		}
		finally {
			timer.stop();
		}
	}

	@Test
	@Tag("SessionBeat.I1")
	void aFirstBeatThatFailsIsFollowedByOthers() {
		StepFailures failures = new StepFailures();
		Timer timer = new Timer("zk-lock-timer", failures);
		try {
			AtomicInteger beats = new AtomicInteger();
			LockSession session = new LockSession(this.zooKeeper, () -> {
				if (beats.get() == 1) {
					beats.incrementAndGet();
					throw new NoClassDefFoundError("planted");
				}
				return 0;
			}, timer, new SessionCounters(), Lease::new, null, (idle) -> {
			});
			beats.set(1);
			session.begin();
			await().until(() -> this.zooKeeper.answerSync(Code.OK));
			assertThat(failures.count()).isOne();
		}
		finally {
			timer.stop();
		}
	}

	@Test
	@Tag("SessionBeat.I3")
	void ofTwoBeatsThatBeginAtOnceOneGoesOn() throws Exception {
		Timer timer = new Timer((task) -> new NeverStarted(), new StepFailures());
		BlockingQueue<Runnable> timed = NeverStarted.stepsOf(timer);
		try (Actor actor = new Actor("other")) {
			for (int i = 0; i < 3000; i++) {
				LockSession session = session(timer);
				AtomicInteger ready = new AtomicInteger();
				CompletableFuture<Void> other = actor.call(() -> {
					beginTogether(session, ready);
					return null;
				});
				beginTogether(session, ready);
				Actor.get(other);
				while (this.zooKeeper.answerSync(Code.CONNECTIONLOSS)) {
					// The first beats
				}
				// Long before they are due
				List<Runnable> next = List.copyOf(timed);
				timed.clear();
				next.forEach(Runnable::run);
				assertThat(this.zooKeeper.answerSync(Code.CONNECTIONLOSS)).as("a beat goes on").isTrue();
				assertThat(this.zooKeeper.answerSync(Code.CONNECTIONLOSS)).as("another one too, in round %d", i)
					.isFalse();
				timed.clear();
			}
		}
	}

	@Test
	@Tag("SessionBeat.I3")
	void anIdleSessionThatIsConnectedAgainSendsASyncAtOnceAndTheNextAsSoonAsThatSaysMore() throws Exception {
		Timer timer = new Timer((task) -> new NeverStarted(), new StepFailures());
		BlockingQueue<Runnable> timed = NeverStarted.stepsOf(timer);
		LockSession session = session(timer);
		session.begin();
		assertThat(this.zooKeeper.answerSync(Code.OK)).isTrue();
		session.connectionLost(() -> false);
		session.connectionChanged(true, (given) -> null);
		assertThat(this.zooKeeper.answerSync(Code.OK)).isTrue();
		List<Runnable> steps = timed.stream().sorted().toList();
		assertThat(steps).extracting(LockSessionTests::millis)
			.satisfiesExactly((next) -> assertThat(next).isLessThanOrEqualTo(750),
					(former) -> assertThat(former).isBetween(751L, 1000L));
		steps.get(1).run();
		assertThat(this.zooKeeper.answerSync(Code.OK)).as("the beat of the connection before").isFalse();
	}

	@Test
	void anIdleSessionCanBeConfirmedUntilTheNextBeatFromItsBeginningOn() throws Exception {
		AtomicLong now = new AtomicLong();
		Timer timer = new Timer((task) -> new NeverStarted(), new StepFailures());
		BlockingQueue<Runnable> timed = NeverStarted.stepsOf(timer);
		LockSession session = this.zooKeeper.session(now::get, timer);
		session.begin();
		assertCanBeConfirmedUntilEachBeat(session, now, timed);
		assertThat(this.zooKeeper.answerSync(Code.OK)).isTrue();
		assertThat(this.zooKeeper.pendingTransactions()).as("transactions in the end").isZero();
	}

	@ParameterizedTest
	@ValueSource(ints = { 1000, 2000, 3000, 4000 })
	void anIdleSessionThatIsConnectedAgainCanBeConfirmedUntilEachBeatAfterTheFirst(int outage) throws Exception {
		AtomicLong now = new AtomicLong();
		Timer timer = new Timer((task) -> new NeverStarted(), new StepFailures());
		BlockingQueue<Runnable> timed = NeverStarted.stepsOf(timer);
		LockSession session = this.zooKeeper.session(now::get, timer);
		session.begin();
		assertCanBeConfirmedUntilEachBeat(session, now, timed);
		answerBeat();
		session.connectionLost(() -> false);
		now.addAndGet(TimeUnit.MILLISECONDS.toNanos(outage));
		timed.clear();
		session.connectionChanged(true, (given) -> null);
		answerBeat();
		now.addAndGet(TimeUnit.MILLISECONDS.toNanos(750));
		beat(timed);
		assertCanBeConfirmedUntilEachBeat(session, now, timed);
	}

	private void assertCanBeConfirmedUntilEachBeat(LockSession session, AtomicLong now, BlockingQueue<Runnable> timed) {
		for (int i = 0; i < 12; i++) {
			answerBeat();
			now.addAndGet(TimeUnit.MILLISECONDS.toNanos(1000) - 1);
			assertThat(session.canBeConfirmed()).as("before beat %d", i).isTrue();
			now.addAndGet(1);
			beat(timed);
		}
	}

	private void answerBeat() {
		assertThat(this.zooKeeper.answerSync(Code.OK)).isTrue();
		while (this.zooKeeper.answerTransaction(Code.OK)) {
			// What is sent after the sync
		}
	}

	private static void beat(BlockingQueue<Runnable> timed) {
		List<Runnable> due = List.copyOf(timed);
		timed.clear();
		due.forEach(Runnable::run);
	}

	private static long millis(Runnable step) {
		return ((Delayed) step).getDelay(TimeUnit.MILLISECONDS);
	}

	// A thread that is woken would come too late
	private static void beginTogether(LockSession session, AtomicInteger ready) {
		ready.incrementAndGet();
		while (ready.get() < 2) {
			Thread.onSpinWait();
		}
		session.begin();
	}

	private LockSession session(Timer timer) {
		return this.zooKeeper.session(() -> 0, timer);
	}

	private void ask(LockSession session, Code answer) {
		session.requests().read("/locks/key", null, (code, content, stat) -> {
		});
		assertThat(this.zooKeeper.answerRead(answer)).isTrue();
	}

	/** The thread of a timer whose steps are taken from it. */
	private static final class NeverStarted extends Thread {

		static BlockingQueue<Runnable> stepsOf(Timer timer) throws ReflectiveOperationException {
			Field executor = Timer.class.getDeclaredField("executor");
			executor.setAccessible(true);
			return ((ThreadPoolExecutor) executor.get(timer)).getQueue();
		}

		@Override
		public void start() {
			// Never
		}

	}

	private record Member(String id, Runnable end) implements SessionMember {

		@Override
		public void sessionEnded() {
			this.end.run();
		}

	}

	private static final class NobodyWatches implements NodeWatch.Listener {

		@Override
		public void watching(byte[] content, Stat stat, List<String> names) {
		}

		@Override
		public void notWatching(Code code) {
		}

		@Override
		public void changed(EventType type) {
		}

	}

}
