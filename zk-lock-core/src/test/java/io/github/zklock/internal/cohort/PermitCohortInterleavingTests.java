package io.github.zklock.internal.cohort;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.zklock.Handoff;
import io.github.zklock.LockException;
import io.github.zklock.LockMode;
import io.github.zklock.LostReason;
import io.github.zklock.fixture.Interleavings;
import io.github.zklock.fixture.Interleavings.Scenario;
import io.github.zklock.fixture.MemoryStrategy;
import io.github.zklock.internal.concurrent.SerialExecutor;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.Grant;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.spi.LockStrategy;

/**
 * Callers of one key's two permits who come, hold, give up and lose at once. Who gets a
 * lane is explored with lanes that do nothing else, so that most orders differ in that;
 * the lanes as they are, with the map and what is lost or retained, in fewer scenarios.
 */
@Tag("interleavings")
class PermitCohortInterleavingTests {

	private static final Handoff RETAINING = new Handoff(64, Duration.ofMillis(100), Duration.ofSeconds(1));

	@Test
	void i1i2NobodyWaitsForOneWhoStaysWhileTheOtherPermitComesBack() {
		Interleavings.explore(BesideOneWhoStays.class);
	}

	@Test
	void i1APermitThatComesBackIsTakenByOne() {
		Interleavings.explore(ComingToStay.class);
	}

	@Test
	void i1WhoComesFirstIsServedFirst() {
		Interleavings.explore(InOrder.class);
	}

	@Test
	void i5WhoCameFirstIsServedFirstWhicheverLaneIsGranted() {
		Interleavings.explore(GrantedInAnyOrder.class);
	}

	@Test
	void i1WhoGivesUpTakesNoLaneWithIt() {
		Interleavings.explore(GivingUp.class);
	}

	@Test
	void i1WhoTriesOnceIsServedOrRefusedAndHoldsNobodyUp() {
		Interleavings.explore(TryingOnce.class);
	}

	@Test
	@Tag("PermitCohorts.I1")
	void i1ThreeShareTwoPermitsAndNothingIsLeft() {
		Interleavings.explore(ThreeForTwo.class);
	}

	@Test
	void whatIsLostIsReportedOnceAndTheOthersAreServed() {
		Interleavings.explore(Losers.class);
	}

	@Test
	void i1NobodyWaitsForOneWhoHasLostAPermitAndStays() {
		Interleavings.explore(LosingAndStaying.class);
	}

	@Test
	void whatIsRetainedIsUsedAgainOrGivenUp() {
		Interleavings.explore(Retainers.class);
	}

	@Test
	void canaryAPermitCohortWithoutItsSerialExecutorIsFound() {
		Interleavings.findRace(WithoutSerialExecutor.class, "a caller was not served");
	}

	@Test
	void canaryALaneThatIsNotPassedToWhoHasJustComeIsFound() {
		Interleavings.findRace(ForgetfulLanes.class, "a caller was not served");
	}

	@Test
	void canaryAPermitTooManyIsFound() {
		Interleavings.findRace(OneTooMany.class, "too many hold a permit");
	}

	/** Those who try to get one of the permits, and how many have one. */
	public abstract static class PermitCallers extends Scenario {

		static final int PERMITS = 2;

		private final AtomicInteger inside = new AtomicInteger();

		private final AtomicInteger patient = new AtomicInteger();

		private final AtomicInteger served = new AtomicInteger();

		private volatile String wrong;

		private Caller staying;

		final MemoryStrategy strategy = new MemoryStrategy(true);

		/** How many may hold one. */
		int permits() {
			return PERMITS;
		}

		/** How many the callers say there are. */
		int asked() {
			return permits();
		}

		abstract LocalContender enter(LockAttempt attempt, Caller caller);

		Caller enter(boolean tryOnce) {
			return enter(tryOnce, null);
		}

		Caller enter(boolean tryOnce, Caller before) {
			Caller caller = new Caller(this, before);
			caller.local = enter(new LockAttempt(List.of("key"), List.of(LockMode.EXCLUSIVE), List.of(asked()), tryOnce,
					"caller", true), caller);
			return caller;
		}

		/** Gets a permit, and has it to the end. */
		void stay() {
			this.staying = enter(false);
			Interleavings.check(this.staying.isInside(), "the first one has no permit");
		}

		/** Gets a permit, however long that takes, and gives it back. */
		void hold() {
			this.patient.incrementAndGet();
			enter(false).leaveOnceServed();
		}

		/** A caller who has a permit, or waits for it, leaves as soon as it may. */
		void leave(Caller caller) {
			this.patient.incrementAndGet();
			caller.leaveOnceServed();
		}

		int holders() {
			return this.inside.get();
		}

		/** Two get a permit, one behind the other. */
		void holdInTurn() {
			this.patient.addAndGet(2);
			Caller first = enter(false);
			Caller second = enter(false, first);
			first.leaveOnceServed();
			second.leaveOnceServed();
		}

		private void entered() {
			note(this.inside.incrementAndGet() <= permits(), "too many hold a permit");
		}

		private void left() {
			this.inside.decrementAndGet();
		}

		void note(boolean so, String otherwise) {
			if (!so) {
				this.wrong = otherwise;
			}
		}

		abstract void verifyNothingIsLeft();

		@Override
		public void verify() {
			Interleavings.check(this.wrong == null, this.wrong);
			Interleavings.check(this.served.get() == this.patient.get(), "a caller was not served");
			if (this.staying != null) {
				this.staying.release();
			}
			Interleavings.check(this.inside.get() == 0, "a permit is held");
			verifyNothingIsLeft();
			Interleavings.check(this.wrong == null, this.wrong);
		}

	}

	/** Has a permit from its grant until it leaves or loses it. */
	private static final class Caller implements LocalContenderListener {

		/*-
		 * WAITING -> INSIDE -> OUT; INSIDE -> LOST -> OUT; WAITING -> LEAVING -> OUT, if it is to leave as soon as it
		 * is served; WAITING -> OUT, if it gives up.
		 */

		private enum State {

			WAITING, LEAVING, INSIDE, LOST, OUT

		}

		private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);

		private final AtomicInteger losses = new AtomicInteger();

		private final PermitCallers all;

		private final Caller before;

		private volatile boolean busy;

		private volatile LocalContender local;

		private volatile LocalGrant granted;

		Caller(PermitCallers all, Caller before) {
			this.all = all;
			this.before = before;
		}

		boolean isBusy() {
			return this.busy;
		}

		boolean isInside() {
			return this.state.get() == State.INSIDE;
		}

		void leaveOnceServed() {
			if (!this.state.compareAndSet(State.WAITING, State.LEAVING)) {
				served();
			}
		}

		private void served() {
			this.all.served.incrementAndGet();
			release();
		}

		void release() {
			if (this.state.getAndSet(State.OUT) != State.LOST) {
				this.all.left();
			}
			this.granted.release(true);
		}

		void giveUp() {
			if (this.state.getAndSet(State.OUT) == State.INSIDE) {
				this.all.left();
			}
			this.local.leave();
		}

		@Override
		public long remainingNanos() {
			return Long.MAX_VALUE;
		}

		@Override
		public void granted(List<LocalGrant> localGrants) {
			this.granted = localGrants.get(0);
			this.all.note(this.before == null || this.before.granted != null || this.before.state.get() == State.OUT,
					"served out of order");
			this.all.entered();
			if (this.state.compareAndSet(State.WAITING, State.INSIDE)) {
				return;
			}
			if (this.state.get() == State.LEAVING) {
				served();
			}
			else {
				this.all.left();
			}
		}

		@Override
		public void busy(Blocker blocker) {
			this.busy = true;
		}

		@Override
		public void failed(LockException cause) {
			this.all.note(false, "failed");
		}

		@Override
		public void lost(String key, LostReason reason) {
			this.all.note(this.losses.incrementAndGet() == 1, "lost twice");
			if (this.state.compareAndSet(State.INSIDE, State.LOST)) {
				this.all.left();
			}
		}

	}

	/**
	 * Two or three share one permit; another caller stays. The lanes do as little as they
	 * can.
	 */
	public static class BesideOneWhoStays extends PermitCallers {

		private MemoryLanes lanes;

		private PermitCohort cohort;

		MemoryLanes lanes() {
			return this.lanes;
		}

		@Override
		public void prepare() {
			SerialExecutor serialExecutor = new SerialExecutor(new StepFailures());
			prepare((step) -> serialExecutor.execute(() -> this.lanes.during(step)));
		}

		void prepare(Executor serialExecutor) {
			this.lanes = new MemoryLanes(this);
			this.cohort = new PermitCohort(this.lanes, "key", serialExecutor);
			stay();
		}

		@Override
		LocalContender enter(LockAttempt attempt, Caller caller) {
			this.lanes.callers.incrementAndGet();
			return this.cohort.enter(attempt, this.strategy, caller);
		}

		@Operation
		public void one() {
			hold();
		}

		@Operation
		public void two() {
			hold();
		}

		@Operation
		public void three() {
			hold();
		}

		@Override
		void verifyNothingIsLeft() {
			Interleavings.check(this.lanes.callers.get() == 0, "a caller has not left");
			Interleavings.check(this.lanes.areEmpty(), "a lane is taken");
		}

	}

	/** Lanes in memory: the caller who is first in one has the permit. */
	private static final class MemoryLanes implements PermitCohort.Host {

		private final StepFailures failures = new StepFailures();

		private final AtomicInteger callers = new AtomicInteger();

		private final PermitCallers all;

		private final List<MemoryLane> lanes;

		MemoryLanes(PermitCallers all) {
			this.all = all;
			this.lanes = IntStream.range(0, all.asked()).mapToObj((lane) -> new MemoryLane(all)).toList();
		}

		/**
		 * Between two steps of the permit cohort a lane is free, or one caller has it.
		 */
		void during(Runnable step) {
			this.lanes.forEach(MemoryLane::beginStep);
			step.run();
			this.lanes.forEach((lane) -> this.all.note(lane.owners <= 1, "a lane was given to two"));
		}

		void close(int lane) {
			this.lanes.get(lane).shut = true;
		}

		void open(int lane) {
			this.lanes.get(lane).open();
		}

		boolean areEmpty() {
			return this.lanes.stream().allMatch((lane) -> lane.owners == 0 && lane.queue.isEmpty());
		}

		@Override
		public LocalContender enter(int lane, LockAttempt attempt, LockStrategy strategy,
				LocalContenderListener listener) {
			return this.lanes.get(lane).enter(listener);
		}

		@Override
		public boolean isInUse(int lane) {
			return false;
		}

		@Override
		public void over() {
			this.callers.decrementAndGet();
		}

		@Override
		public void failed() {
			this.all.note(false, "the permit cohort has failed");
		}

		@Override
		public long now() {
			return 0;
		}

		@Override
		public StepFailures failures() {
			return this.failures;
		}

	}

	/** Its callers, in the order in which they came. */
	private static final class MemoryLane {

		private final SerialExecutor serialExecutor = new SerialExecutor(new StepFailures());

		private final List<InMemoryLane> queue = new ArrayList<>();

		private final PermitCallers all;

		// Others have the permit
		private boolean shut;

		// All of these are of the permit cohort's steps
		private int owners;

		private boolean stepping;

		private boolean left;

		MemoryLane(PermitCallers all) {
			this.all = all;
		}

		void beginStep() {
			this.stepping = true;
			this.left = false;
		}

		LocalContender enter(LocalContenderListener listener) {
			this.all.note(!this.left, "a lane was left before the next caller came");
			this.owners++;
			InMemoryLane entered = new InMemoryLane(this, listener);
			this.serialExecutor.execute(() -> {
				this.queue.add(entered);
				grantFirst();
			});
			return entered;
		}

		void open() {
			this.serialExecutor.execute(() -> {
				this.shut = false;
				grantFirst();
			});
		}

		private void grantFirst() {
			if (!this.shut && !this.queue.isEmpty()) {
				this.queue.get(0).hold();
			}
		}

		CompletionStage<Void> leave(InMemoryLane one) {
			this.owners--;
			this.left = this.stepping;
			this.serialExecutor.execute(() -> {
				this.queue.remove(one);
				one.gone.complete(null);
				grantFirst();
			});
			return one.gone;
		}

	}

	/** One caller's part of a lane. */
	private static final class InMemoryLane implements LocalContender, LocalGrant {

		private final CompletableFuture<Void> gone = new CompletableFuture<>();

		private final MemoryLane lane;

		private final LocalContenderListener listener;

		private boolean granted;

		InMemoryLane(MemoryLane lane, LocalContenderListener listener) {
			this.lane = lane;
			this.listener = listener;
		}

		private void hold() {
			if (!this.granted) {
				this.granted = true;
				this.listener.granted(List.of(this));
			}
		}

		@Override
		public CompletionStage<Void> leave() {
			return this.lane.leave(this);
		}

		@Override
		public CompletionStage<Void> release(boolean mayLinger) {
			return leave();
		}

		@Override
		public CompletionStage<Void> forfeit() {
			return leave();
		}

		@Override
		public Blocker blocker() {
			return null;
		}

		@Override
		public Exception disturbance() {
			return null;
		}

		@Override
		public String key() {
			return "key";
		}

		@Override
		public LockMode mode() {
			return LockMode.EXCLUSIVE;
		}

		@Override
		public long token() {
			return 1;
		}

		@Override
		public boolean isValid() {
			return !this.gone.isDone();
		}

		@Override
		public Grant grant() {
			throw new UnsupportedOperationException("It is of no strategy");
		}

		@Override
		public void downgrade() {
			throw new UnsupportedOperationException("It is a permit");
		}

	}

	/** One leaves, and two come who stay. */
	public static class ComingToStay extends BesideOneWhoStays {

		private Caller leaving;

		private volatile Caller second;

		private volatile Caller third;

		@Override
		public void prepare() {
			super.prepare();
			this.leaving = enter(false);
		}

		@Override
		@Operation
		public void one() {
			leave(this.leaving);
		}

		@Override
		@Operation
		public void two() {
			this.second = enter(false);
		}

		@Override
		@Operation
		public void three() {
			this.third = enter(false);
		}

		@Override
		public void verify() {
			Interleavings.check(holders() == permits(), "not as many hold a permit as may");
			leave(this.second);
			leave(this.third);
			super.verify();
		}

	}

	/** One comes with another one behind it. */
	public static class InOrder extends BesideOneWhoStays {

		@Override
		@Operation
		public void three() {
			holdInTurn();
		}

	}

	/** Two wait in lanes that others get first, and the first one of them may give up. */
	public static class GrantedInAnyOrder extends BesideOneWhoStays {

		private Caller first;

		private Caller second;

		@Override
		int permits() {
			return PERMITS + 1;
		}

		@Override
		public void prepare() {
			super.prepare();
			lanes().close(1);
			lanes().close(2);
			this.first = enter(false);
			this.second = enter(false, this.first);
		}

		@Override
		@Operation
		public void one() {
			lanes().open(1);
		}

		@Override
		@Operation
		public void two() {
			lanes().open(2);
		}

		@Override
		@Operation
		public void three() {
			this.first.giveUp();
		}

		@Override
		public void verify() {
			leave(this.second);
			super.verify();
		}

	}

	/** Two give up while they wait, or hold. */
	public static class GivingUp extends BesideOneWhoStays {

		@Override
		@Operation
		public void two() {
			enter(false).giveUp();
		}

		@Override
		@Operation
		public void three() {
			enter(false).giveUp();
		}

	}

	/** Two do not wait. */
	public static class TryingOnce extends BesideOneWhoStays {

		private void tryOnce() {
			Caller caller = enter(true);
			boolean busy = caller.isBusy();
			caller.giveUp();
			note(!busy || caller.granted == null, "served and refused");
		}

		@Override
		@Operation
		public void two() {
			tryOnce();
		}

		@Override
		@Operation
		public void three() {
			tryOnce();
		}

	}

	/** Who gets a lane is not decided step by step. */
	public static class WithoutSerialExecutor extends BesideOneWhoStays {

		@Override
		public void prepare() {
			prepare(Runnable::run);
		}

	}

	/** They say that there is one permit more than there is. */
	public static class OneTooMany extends BesideOneWhoStays {

		@Override
		int asked() {
			return PERMITS + 1;
		}

	}

	/** One more than there are permits. The lanes are cohorts. */
	public static class ThreeForTwo extends PermitCallers {

		Cohorts cohorts;

		@Override
		public void prepare() {
			prepare(Handoff.DEFAULT);
		}

		void prepare(Handoff handoff) {
			this.cohorts = new Cohorts((nanos, step) -> () -> {
			}, () -> 0, (key) -> handoff, () -> true, new StepFailures(), PERMITS,
					() -> new SerialExecutor(new StepFailures()));
		}

		@Override
		LocalContender enter(LockAttempt attempt, Caller caller) {
			return this.cohorts.enter(attempt, this.strategy, caller);
		}

		@Operation
		public void one() {
			hold();
		}

		@Operation
		public void two() {
			hold();
		}

		@Operation
		public void three() {
			hold();
		}

		@Override
		void verifyNothingIsLeft() {
			Interleavings.check(this.cohorts.count() == 0, "a cohort is left");
			Interleavings.check(this.strategy.length() == 0, "a contender is left");
		}

	}

	/** The session ends while one holds and another one waits. */
	public static class Losers extends ThreeForTwo {

		@Override
		int permits() {
			return 1;
		}

		@Override
		@Operation
		public void three() {
			this.strategy.loseAll();
		}

	}

	/** The session ends while one holds, who stays, and others come. */
	public static class LosingAndStaying extends ThreeForTwo {

		@Override
		public void prepare() {
			super.prepare();
			stay();
		}

		// The other one may not know yet that it has lost
		@Override
		int permits() {
			return 2;
		}

		@Override
		int asked() {
			return 1;
		}

		@Override
		@Operation
		public void three() {
			this.strategy.endSession();
		}

	}

	/** What nobody wants is retained until retaining ends. */
	public static class Retainers extends ThreeForTwo {

		private volatile CompletableFuture<Void> stopped;

		@Override
		public void prepare() {
			prepare(RETAINING);
		}

		@Override
		int permits() {
			return 1;
		}

		@Override
		@Operation
		public void three() {
			this.stopped = this.cohorts.stopRetaining();
		}

		@Override
		public void verifyNothingIsLeft() {
			Interleavings.check(this.stopped.isDone(), "retaining has no end");
			super.verifyNothingIsLeft();
		}

	}

	/** One permit: who has found it taken has yet to wait when it comes back. */
	public static class ForgetfulLanes extends Scenario {

		private final AtomicBoolean free = new AtomicBoolean(true);

		private final AtomicReference<Object> waiting = new AtomicReference<>();

		private final AtomicInteger served = new AtomicInteger();

		@Override
		public void prepare() {
			this.served.set(0);
		}

		private void hold() {
			if (this.free.getAndSet(false)) {
				this.served.incrementAndGet();
				if (this.waiting.getAndSet(null) != null) {
					this.served.incrementAndGet();
				}
				this.free.set(true);
			}
			else {
				this.waiting.set(this);
			}
		}

		@Operation
		public void one() {
			hold();
		}

		@Operation
		public void two() {
			hold();
		}

		@Override
		public void verify() {
			Interleavings.check(this.served.get() == 2, "a caller was not served");
		}

	}

}
