package io.github.zklock.internal.client;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.zklock.LockListener;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LostReason;
import io.github.zklock.fixture.Interleavings;
import io.github.zklock.fixture.Interleavings.Scenario;
import io.github.zklock.fixture.MemoryStrategy;
import io.github.zklock.internal.cohort.EndlessGrant;
import io.github.zklock.internal.cohort.GrantSlots;
import io.github.zklock.internal.cohort.LocalGrant;
import io.github.zklock.internal.cohort.OfferedGrant;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.spi.Grant;
import io.github.zklock.zookeeper.Engines;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holds that are entered, left, released and lost by several threads at once.
 */
@Tag("interleavings")
class HoldInterleavingTests {

	private static final Contentions NOBODY_WAITS = (handle, action) -> () -> {
	};

	@Test
	void i1TheCountOfHandlesNeverRisesFromZero() {
		Interleavings.explore(Entered.class);
	}

	@Test
	void canaryACountThatRisesFromZeroIsFound() {
		Interleavings.findRace(RisingFromZero.class, "entered what was released");
	}

	@Test
	@Tag("Hold.I1")
	void aPermitWhoseLastHandleIsLeavingRefusesNobody() {
		Holds holds = new Holds(new StepFailures());
		Hold leaving = new Hold(holds, "owner", new MemoryLocalGrant(LockMode.EXCLUSIVE) {
			@Override
			public Grant grant() {
				return new EndlessGrant(5);
			}
		});
		leaving.exit(LockMode.EXCLUSIVE);
		holds.add(leaving); // As it is found until it is removed
		assertThat(holds.enter("owner", LockRequest.exclusive("key"))).isEmpty();
	}

	@Test
	@Tag("Holds.I1")
	void anOwnerFindsWhatItHolds() {
		Interleavings.explore(ReaderAfterReader.class);
	}

	@Test
	@Tag("Holds.I1")
	void anOwnerEntersItsSecondHoldWhileTheFirstOneGoes() {
		Interleavings.explore(AgainAfterReader.class);
	}

	@Test
	@Tag("HeldLock.I1")
	void aHandleReleasesOnceFromWhicheverThread() {
		Interleavings.explore(ReleasedTwice.class);
	}

	@Test
	void canaryAHandleThatReleasesTwiceIsFound() {
		Interleavings.findRace(Careless.class, "released twice");
	}

	@Test
	@Tag("HeldLock.I1")
	@Tag("HeldLock.I2")
	void aHandleIsLostBeforeItIsReleasedOrNotAtAll() {
		Interleavings.explore(LostAndReleased.class);
	}

	@Test
	@Tag("HeldLock.I5")
	void aWriterIsMadeAReaderOnceHoweverItsHandlesEnd() {
		Interleavings.explore(DowngradedAndReleased.class);
	}

	@Test
	@Tag("HeldLock.I6")
	void whatReportsWaitersEndsWithTheHandleHoweverItEnds() {
		Interleavings.explore(ContendedAndEnded.class);
	}

	@Test
	void canaryCountsThatAreChangedOneByOneAreFound() {
		Interleavings.findRace(CountedApart.class, "a writer came to what is shared");
	}

	@Test
	@Tag("HeldLock.I2")
	void i2TheLossIsReportedOnceHoweverEarlyItIs() {
		Interleavings.explore(LostFromTheStart.class);
	}

	@Test
	@Tag("OpenAcquisitions.I2")
	void whatIsTakenAtOnceWhileTheClientIsClosedIsGivenUp() {
		Interleavings.explore(TakenAtOnce.class);
	}

	@Test
	void canaryWhatLooksForTheEndTooEarlyIsFound() {
		Interleavings.findRace(TakenBehindTheEnd.class, "held behind the end");
	}

	/** One leaves for good while two others try to come in for a moment. */
	public abstract static class Doors extends Scenario {

		MemoryLocalGrant localGrant;

		@Override
		public void prepare() {
			this.localGrant = new MemoryLocalGrant(LockMode.EXCLUSIVE);
		}

		abstract boolean enter();

		abstract void exit();

		private void enterForAMoment() {
			if (enter()) {
				Interleavings.check(this.localGrant.releases.get() == 0, "entered what was released");
				exit();
			}
		}

		@Operation
		public void leave() {
			exit();
		}

		@Operation
		public void comeIn() {
			enterForAMoment();
		}

		@Operation
		public void comeInToo() {
			enterForAMoment();
		}

		@Override
		public void verify() {
			Interleavings.check(this.localGrant.releases.get() == 1,
					"released " + this.localGrant.releases.get() + " times");
		}

	}

	/** The real one. */
	public static class Entered extends Doors {

		private Holds holds;

		private Hold hold;

		@Override
		public void prepare() {
			super.prepare();
			this.holds = new Holds(new StepFailures());
			this.hold = new Hold(this.holds, "owner", this.localGrant);
			this.holds.add(this.hold);
		}

		@Override
		boolean enter() {
			return this.hold.enter(LockMode.EXCLUSIVE);
		}

		@Override
		void exit() {
			this.hold.exit(LockMode.EXCLUSIVE);
		}

		@Override
		public void verify() {
			super.verify();
			Interleavings.check(this.holds.count() == 0, "the hold is still known");
		}

	}

	/** Looks, and then counts. */
	public static class RisingFromZero extends Doors {

		private AtomicInteger handles;

		@Override
		public void prepare() {
			super.prepare();
			this.handles = new AtomicInteger(1);
		}

		@Override
		boolean enter() {
			if (this.handles.get() == 0) {
				return false;
			}
			this.handles.incrementAndGet();
			return true;
		}

		@Override
		void exit() {
			if (this.handles.decrementAndGet() == 0) {
				this.localGrant.release();
			}
		}

	}

	/** An owner's second READ comes while the first one goes. */
	public static class ReaderAfterReader extends Scenario {

		private Holds holds;

		private Hold first;

		private Hold second;

		@Override
		public void prepare() {
			this.holds = new Holds(new StepFailures());
			this.first = new Hold(this.holds, "owner", new MemoryLocalGrant(LockMode.READ));
			this.second = new Hold(this.holds, "owner", new MemoryLocalGrant(LockMode.READ));
			this.holds.add(this.first);
		}

		@Operation
		public void leave() {
			this.first.exit(LockMode.READ);
		}

		@Operation
		public void come() {
			this.holds.add(this.second);
		}

		@Override
		public void verify() {
			Interleavings.check(this.holds.find(new Holds.Owned("owner", "key")) == this.second,
					"what is held is not found");
			this.second.exit(LockMode.READ);
			Interleavings.check(this.holds.count() == 0, "a hold is still known");
		}

	}

	/** An owner of two READs asks again while it leaves the first one. */
	public static class AgainAfterReader extends Scenario {

		private Holds holds;

		private Hold first;

		private Hold second;

		@Override
		public void prepare() {
			this.holds = new Holds(new StepFailures());
			this.first = new Hold(this.holds, "owner", new MemoryLocalGrant(LockMode.READ));
			this.second = new Hold(this.holds, "owner", new MemoryLocalGrant(LockMode.READ));
			this.holds.add(this.first);
			this.holds.add(this.second);
		}

		@Operation
		public void leave() {
			this.first.exit(LockMode.READ);
		}

		@Operation
		public void enter() {
			LockRequest read = LockRequest.read("key");
			List<Hold> entered = this.holds.enter("owner", read);
			Interleavings.check(entered.size() == 1, "what is held is not entered");
			Hold.exit(entered, read);
		}

		@Override
		public void verify() {
			this.second.exit(LockMode.READ);
			Interleavings.check(this.holds.count() == 0, "a hold is still known");
		}

	}

	/** A handle, and what its listeners hear. */
	public abstract static class Handled extends Scenario implements LockListener {

		MemoryLocalGrant localGrant;

		Holds holds;

		Hold hold;

		Queue<String> notified;

		AtomicInteger actions;

		HeldLock handle;

		@Override
		public void prepare() {
			this.localGrant = new MemoryLocalGrant(LockMode.EXCLUSIVE);
			this.holds = new Holds(new StepFailures());
			this.hold = new Hold(this.holds, "owner", this.localGrant);
			this.notified = new ConcurrentLinkedQueue<>();
			this.actions = new AtomicInteger();
			this.handle = new HeldLock(PlayedCall.in(LockMode.EXCLUSIVE), LockRequest.exclusive("key"),
					List.of(this.hold), DirectReports.to(this), NOBODY_WAITS);
			this.holds.add(this.hold);
		}

		void start() {
			this.handle.start(Engines.TIMER);
		}

		@Override
		public void released(Event event) {
			this.notified.add("released");
		}

		@Override
		public void lost(Event event, LostReason reason) {
			this.notified.add("lost");
		}

	}

	/** Two threads release. */
	public static class ReleasedTwice extends Handled {

		private Queue<CompletableFuture<Void>> stages;

		@Override
		public void prepare() {
			super.prepare();
			this.stages = new ConcurrentLinkedQueue<>();
			start();
		}

		@Operation
		public void release() {
			this.stages.add(this.handle.releaseAsync());
		}

		@Operation
		public void releaseToo() {
			this.stages.add(this.handle.releaseAsync());
			Interleavings.check(!this.handle.isHeld(), "held after its release");
		}

		@Override
		public void verify() {
			Interleavings.check(this.localGrant.releases.get() == 1,
					"released " + this.localGrant.releases.get() + " times");
			Interleavings.check(List.copyOf(this.notified).equals(List.of("released")), "heard " + this.notified);
			Interleavings.check(this.stages.stream().allMatch(CompletableFuture::isDone), "a release has no end");
			Interleavings.check(this.holds.count() == 0, "the hold is still known");
		}

	}

	/** Looks whether it was released, and then releases. */
	public static class Careless extends Scenario {

		private MemoryLocalGrant localGrant;

		private AtomicBoolean released;

		@Override
		public void prepare() {
			this.localGrant = new MemoryLocalGrant(LockMode.EXCLUSIVE);
			this.released = new AtomicBoolean();
		}

		private void releaseUnlessReleased() {
			if (!this.released.get()) {
				this.released.set(true);
				this.localGrant.release();
			}
		}

		@Operation
		public void release() {
			releaseUnlessReleased();
		}

		@Operation
		public void releaseToo() {
			releaseUnlessReleased();
		}

		@Override
		public void verify() {
			Interleavings.check(this.localGrant.releases.get() == 1, "released twice");
		}

	}

	/** The end of the lease and the release. */
	public static class LostAndReleased extends Handled {

		@Override
		public void prepare() {
			super.prepare();
			start();
			this.handle.onLost(this.actions::incrementAndGet);
		}

		@Operation
		public void lose() {
			this.hold.lose(LostReason.LEASE_EXPIRED);
		}

		@Operation
		public void release() {
			this.handle.release();
		}

		@Override
		public void verify() {
			List<String> told = List.copyOf(this.notified);
			Interleavings.check(told.equals(List.of("released")) || told.equals(List.of("lost", "released")),
					"heard " + told);
			Interleavings.check(this.actions.get() <= told.size() - 1, "an action ran without a loss");
			Interleavings.check(this.localGrant.releases.get() == 1,
					"released " + this.localGrant.releases.get() + " times");
		}

	}

	/** A handle is asked to report waiters while it is lost and released. */
	public static class ContendedAndEnded extends Scenario {

		private Hold hold;

		private HeldLock handle;

		private AtomicInteger reports;

		@Override
		public void prepare() {
			this.reports = new AtomicInteger();
			this.hold = new Hold(new Holds(new StepFailures()), "owner", new MemoryLocalGrant(LockMode.EXCLUSIVE));
			this.handle = new HeldLock(PlayedCall.in(LockMode.EXCLUSIVE), LockRequest.exclusive("key"),
					List.of(this.hold), DirectReports.to(), (contended, action) -> {
						this.reports.incrementAndGet();
						return this.reports::decrementAndGet;
					});
			this.handle.start(Engines.TIMER);
		}

		@Operation
		public void listen() {
			this.handle.onContended((waiter) -> {
			});
		}

		@Operation
		public void lose() {
			this.hold.lose(LostReason.LEASE_EXPIRED);
		}

		@Operation
		public void release() {
			this.handle.release();
		}

		@Override
		public void verify() {
			Interleavings.check(this.reports.get() == 0, this.reports.get() + " reports behind the end");
		}

	}

	/** A writer goes on as a reader, or ends, while its owner enters again. */
	public static class DowngradedAndReleased extends Scenario {

		private MemoryLocalGrant localGrant;

		private Holds holds;

		private Hold hold;

		private HeldLock handle;

		@Override
		public void prepare() {
			this.localGrant = new MemoryLocalGrant(LockMode.WRITE);
			this.holds = new Holds(new StepFailures());
			this.hold = new Hold(this.holds, "owner", this.localGrant);
			this.holds.add(this.hold);
			this.handle = new HeldLock(PlayedCall.in(LockMode.WRITE), LockRequest.write("key"), List.of(this.hold),
					DirectReports.to(), NOBODY_WAITS);
			this.handle.start(Engines.TIMER);
		}

		@Operation
		public void downgrade() {
			this.handle.downgrade();
		}

		@Operation
		public void release() {
			this.handle.release();
		}

		@Operation
		public void write() {
			if (this.hold.enter(LockMode.WRITE)) {
				Interleavings.check(this.localGrant.downgrades.get() == 0, "a writer came to what is shared");
				this.hold.exit(LockMode.WRITE);
			}
		}

		@Override
		public void verify() {
			Interleavings.check(this.localGrant.releases.get() == 1,
					"released " + this.localGrant.releases.get() + " times");
			Interleavings.check(this.localGrant.downgrades.get() <= 1,
					"made READ " + this.localGrant.downgrades.get() + " times");
			Interleavings.check(this.holds.count() == 0, "the hold is still known");
		}

	}

	/** Looks whether anybody writes, and then counts. */
	public static class CountedApart extends Scenario {

		private AtomicInteger writers;

		private AtomicBoolean shared;

		@Override
		public void prepare() {
			this.writers = new AtomicInteger(1);
			this.shared = new AtomicBoolean();
		}

		@Operation
		public void downgrade() {
			if (this.writers.decrementAndGet() == 0) {
				this.shared.set(true);
			}
		}

		@Operation
		public void write() {
			if (this.writers.get() > 0) {
				this.writers.incrementAndGet();
			}
		}

		@Override
		public void verify() {
			Interleavings.check(this.writers.get() == 0 || !this.shared.get(), "a writer came to what is shared");
		}

	}

	/** The end of the lease while the handle is being made and given an action. */
	public static class LostFromTheStart extends Handled {

		@Operation
		public void make() {
			start();
		}

		@Operation
		public void lose() {
			this.hold.lose(LostReason.LEASE_EXPIRED);
		}

		@Operation
		public void listen() {
			this.handle.onLost(this.actions::incrementAndGet);
		}

		@Override
		public void verify() {
			Interleavings.check(List.copyOf(this.notified).equals(List.of("lost")), "heard " + this.notified);
			Interleavings.check(this.actions.get() == 1, "the action ran " + this.actions.get() + " times");
			Interleavings.check(!this.handle.isHeld(), "held after it was lost");
		}

	}

	/** A caller takes an idle grant that is lost, while its client is closed. */
	public static class TakenAtOnce extends Scenario implements OfferedGrant {

		private MemoryLocalGrant localGrant;

		private OpenAcquisitions open;

		private IdleGrants idle;

		private AtomicReference<Taker> taker;

		private AtomicReference<HeldLock> handle;

		private AtomicInteger actions;

		@Override
		public void prepare() {
			this.localGrant = new MemoryLocalGrant(LockMode.EXCLUSIVE);
			this.open = DirectReports.open(new StepFailures());
			this.idle = new IdleGrants(PlainRules.of(new MemoryStrategy(true), () -> 0), this.open, new GrantSlots());
			this.taker = new AtomicReference<>();
			this.handle = new AtomicReference<>();
			this.actions = new AtomicInteger();
		}

		@Override
		public LocalGrant localGrant() {
			return this.localGrant;
		}

		@Override
		public boolean take(Taker caller) {
			this.taker.set(caller);
			return true;
		}

		@Operation
		public void acquire() {
			HeldLock taken = this.idle.take(this, LockRequest.exclusive("key"), "owner");
			if (taken != null) {
				taken.onLost(this.actions::incrementAndGet);
				this.handle.set(taken);
			}
		}

		@Operation
		public void lose() {
			Taker known = this.taker.get();
			if (known != null) {
				known.lose(LostReason.LEASE_EXPIRED);
			}
		}

		@Operation
		public void close() {
			Interleavings.check(this.open.close().isDone(), "the end waits for something");
		}

		@Override
		public void verify() {
			HeldLock taken = this.handle.get();
			Interleavings.check(taken == null || !taken.isHeld(), "held behind the end");
			Interleavings.check(this.actions.get() == ((taken != null) ? 1 : 0),
					"lost " + this.actions.get() + " times");
			Interleavings.check(this.open.count() == 0, "a hold is left");
			// To give it up twice changes nothing more
			Interleavings.check((this.localGrant.releases.get() > 0) == (taken != null),
					"released " + this.localGrant.releases.get() + " times");
		}

	}

	/** Looks whether its client is closed, and then takes a grant and notes it. */
	public static class TakenBehindTheEnd extends Scenario {

		private MemoryLocalGrant localGrant;

		private AtomicBoolean closed;

		private AtomicBoolean held;

		@Override
		public void prepare() {
			this.localGrant = new MemoryLocalGrant(LockMode.EXCLUSIVE);
			this.closed = new AtomicBoolean();
			this.held = new AtomicBoolean();
		}

		@Operation
		public void acquire() {
			if (!this.closed.get()) {
				this.held.set(true);
			}
		}

		@Operation
		public void close() {
			this.closed.set(true);
			if (this.held.get()) {
				this.localGrant.release();
			}
		}

		@Override
		public void verify() {
			Interleavings.check(!this.held.get() || this.localGrant.releases.get() == 1, "held behind the end");
		}

	}

	/** Counts how often it is released. */
	public static class MemoryLocalGrant implements LocalGrant {

		final AtomicInteger releases = new AtomicInteger();

		private final AtomicInteger downgrades = new AtomicInteger();

		private final String key;

		private final LockMode mode;

		MemoryLocalGrant(LockMode mode) {
			this("key", mode);
		}

		MemoryLocalGrant(String key, LockMode mode) {
			this.key = key;
			this.mode = mode;
		}

		int releases() {
			return this.releases.get();
		}

		int downgrades() {
			return this.downgrades.get();
		}

		@Override
		public String key() {
			return this.key;
		}

		@Override
		public LockMode mode() {
			return this.mode;
		}

		@Override
		public long token() {
			return 256;
		}

		@Override
		public boolean isValid() {
			return this.releases.get() == 0;
		}

		@Override
		public Grant grant() {
			return new EndlessGrant(0);
		}

		@Override
		public CompletionStage<Void> release(boolean mayLinger) {
			this.releases.incrementAndGet();
			return CompletableFuture.completedFuture(null);
		}

		@Override
		public void downgrade() {
			this.downgrades.incrementAndGet();
		}

		@Override
		public CompletionStage<Void> forfeit() {
			return release();
		}

	}

}
