package io.github.zklock.internal.session;

import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.data.Stat;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.zklock.fixture.Interleavings;
import io.github.zklock.fixture.Interleavings.Scenario;
import io.github.zklock.internal.contender.LockNode;
import io.github.zklock.internal.contender.UnenteredLockNodes;
import io.github.zklock.zookeeper.Engines;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A session that ends, is asked, and is used by several threads at once.
 */
@Tag("interleavings")
class SessionInterleavingTests {

	@BeforeAll
	static void makeTheEngineFirst() {
		assertThat(Engines.source().current()).isNull();
		assertThat(HandPlayedZooKeeper.HANDLE.pendingTransactions()).isZero();
	}

	@Test
	@Tag("LockSession.I1")
	void whatIsTrackedIsNotifiedOfTheEnd() {
		Interleavings.explore(TrackedAtTheEnd.class);
	}

	@Test
	void canaryASessionThatForgetsAMemberIsFound() {
		Interleavings.findRace(Forgetful.class, "not told of the end");
	}

	@Test
	@Tag("NodeGrant.I2")
	void aGrantThatWasSeenInvalidStaysSo() {
		Interleavings.explore(AskedAtTheEnd.class);
	}

	@Test
	@Tag("Lease.I1")
	void aLeaseNeverGoesBack() {
		Interleavings.explore(Renewed.class);
	}

	@Test
	void everyStepBehindTheBarrierRunsOnce() {
		Interleavings.explore(Passed.class);
	}

	@Test
	@Tag("NodeWatches.I1")
	void whoLeavesWhileItFiresLeavesNoWatch() {
		Interleavings.explore(LeftWhileItFires.class);
	}

	/** A session without a server, and a lock node in it. */
	public abstract static class InSession extends Scenario {

		final HandPlayedZooKeeper zooKeeper = HandPlayedZooKeeper.HANDLE;

		AtomicLong now;

		LockSession session;

		LockNode member;

		@Override
		public void prepare() {
			this.zooKeeper.reset();
			this.now = new AtomicLong();
			this.session = this.zooKeeper.session(this.now::get, Engines.TIMER);
			this.member = UnenteredLockNodes.in(this.session);
		}

	}

	/** Somebody comes while the session ends, which two threads notice. */
	public static class TrackedAtTheEnd extends InSession {

		@Operation
		public void track() {
			this.session.track(this.member);
		}

		@Operation
		public void end() {
			this.session.end();
		}

		@Operation
		public void endToo() {
			this.session.end();
		}

		@Override
		public void verify() {
			Interleavings.check(this.member.isGone(), "not told of the end");
			Interleavings.check(this.session.trackedCount() == 0, "something is still tracked");
			Interleavings.check(!this.member.grant().isValid(), "valid after the end");
		}

	}

	/** Looks whether it has ended, and then adds. */
	public static class Forgetful extends Scenario {

		private AtomicBoolean ended;

		private Set<String> tracked;

		private volatile boolean notified;

		@Override
		public void prepare() {
			this.ended = new AtomicBoolean();
			this.tracked = ConcurrentHashMap.newKeySet();
			this.notified = false;
		}

		@Operation
		public void track() {
			if (this.ended.get()) {
				this.notified = true;
			}
			else {
				this.tracked.add("seat");
			}
		}

		@Operation
		public void end() {
			this.ended.set(true);
			if (this.tracked.contains("seat")) {
				this.notified = true;
			}
		}

		@Override
		public void verify() {
			Interleavings.check(this.notified, "not told of the end");
		}

	}

	/** A grant is asked while its lease ends and a late answer renews it. */
	public static class AskedAtTheEnd extends InSession {

		private volatile boolean wentBack;

		private volatile boolean leaseIsValid;

		@Override
		public void prepare() {
			super.prepare();
			this.wentBack = false;
			this.leaseIsValid = true;
			this.session = new LockSession(this.zooKeeper, this.now::get, Engines.TIMER, new SessionCounters(),
					(clock, session, touchedSince) -> new Lease(clock, session, touchedSince) {

						@Override
						public boolean isValid() {
							return AskedAtTheEnd.this.leaseIsValid;
						}

					}, null, (idle) -> {
					});
			this.member = UnenteredLockNodes.in(this.session);
			this.session.track(this.member);
			this.session.held().add(this.member.grant());
		}

		@Operation
		public void ask() {
			boolean earlier = this.member.grant().isValid();
			this.wentBack = !earlier && this.member.grant().isValid();
		}

		@Operation
		public void freezeAndRenew() {
			this.leaseIsValid = false;
			this.leaseIsValid = true;
		}

		@Operation
		public void release() {
			this.member.grant().release();
		}

		@Override
		public void verify() {
			Interleavings.check(!this.wentBack, "valid after it was seen invalid");
			Interleavings.check(!this.member.grant().isValid(), "valid after its release");
			Interleavings.check(this.member.isGone(), "the seat is still there");
			Interleavings.check(this.session.trackedCount() == 0, "something is still tracked");
		}

	}

	/** Two answers come at once while somebody looks. */
	public static class Renewed extends Scenario {

		private static final long SESSION = 2400;

		private Lease lease;

		private volatile boolean wentBack;

		@Override
		public void prepare() {
			this.lease = lease();
			this.wentBack = false;
		}

		// Its newest evidence can be had by what was sent at 300 or later
		private static Lease lease() {
			AtomicLong now = new AtomicLong();
			Lease lease = new Lease(now::get, SESSION, -SESSION / 2);
			lease.received(0);
			now.set(SESSION / 8);
			lease.received(SESSION / 8);
			return lease;
		}

		@Operation
		public void confirmOlder() {
			this.lease.confirm(SESSION / 8 - 1);
		}

		@Operation
		public void confirmNewer() {
			this.lease.confirm(SESSION / 8);
		}

		@Operation
		public void look() {
			long earlier = this.lease.remaining();
			this.wentBack = this.lease.remaining() < earlier;
		}

		@Override
		public void verify() {
			Lease alone = lease();
			alone.confirm(SESSION / 8 - 1);
			long older = alone.remaining();
			alone.confirm(SESSION / 8);
			Interleavings.check(alone.remaining() > older, "the newer answer is worth no more");
			Interleavings.check(!this.wentBack, "the lease went back");
			Interleavings.check(this.lease.remaining() == alone.remaining(), "the newer answer was lost");
		}

	}

	/** Two steps wait while transactions are answered. */
	public static class Passed extends InSession {

		private Queue<String> ran;

		@Override
		public void prepare() {
			super.prepare();
			this.ran = new ConcurrentLinkedQueue<>();
		}

		@Operation
		public void pass() {
			this.session.afterCommit(() -> this.ran.add("one"));
		}

		@Operation
		public void passToo() {
			this.session.afterCommit(() -> this.ran.add("two"));
		}

		@Operation
		public void answer() {
			this.zooKeeper.answerTransaction(Code.OK);
		}

		@Override
		public void verify() {
			boolean more = true;
			while (more) {
				more = this.zooKeeper.answerTransaction(Code.OK);
			}
			List<String> steps = this.ran.stream().sorted().toList();
			Interleavings.check(steps.equals(List.of("one", "two")), "ran " + steps);
		}

	}

	/** A watch fires while one joins and leaves and another one leaves. */
	public static class LeftWhileItFires extends InSession {

		private NodeWatches.Registration first;

		@Override
		public void prepare() {
			super.prepare();
			this.first = this.session.watches().watchNode("/locks/key/node", new NobodyWatches());
			this.zooKeeper.answerRead(Code.OK);
		}

		@Operation
		public void fire() {
			this.zooKeeper.watcher()
				.process(new WatchedEvent(EventType.NodeDataChanged, KeeperState.SyncConnected, "/locks/key/node"));
		}

		@Operation
		public void joinAndLeave() {
			this.session.watches().watchNode("/locks/key/node", new NobodyWatches()).leave();
		}

		@Operation
		public void leave() {
			this.first.leave();
		}

		@Override
		public void verify() {
			Interleavings.check(this.session.watches().count() == 0, "a watch is left");
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
