package io.github.zklock.internal.client;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.zklock.Handoff;
import io.github.zklock.LockHandle;
import io.github.zklock.LockListener;
import io.github.zklock.LockRequest;
import io.github.zklock.LostReason;
import io.github.zklock.fixture.Interleavings;
import io.github.zklock.fixture.Interleavings.Scenario;
import io.github.zklock.fixture.MemoryStrategy;
import io.github.zklock.internal.cohort.Cohorts;
import io.github.zklock.internal.concurrent.Deadline;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.zookeeper.Engines;
import io.github.zklock.zookeeper.ZooKeeperLockClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Acquisitions that are granted, given up, closed and entered again at once.
 */
@Tag("interleavings")
class AcquisitionInterleavingTests {

	private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

	@BeforeAll
	static void makeTheEngineFirst() {
		assertThat(Engines.source().current()).isNull();
	}

	@Test
	void i1i2HasOneOutcomeAndLeavesNothingIfThatIsFailure() {
		Interleavings.explore(Decided.class);
	}

	@Test
	void canaryAnAcquisitionWithTwoOutcomesIsFound() {
		Interleavings.findRace(TwoMinded.class, "two outcomes");
	}

	@Test
	@Tag("AcquiringCaller.I1")
	void noThreadSleepsBehindAnOutcome() {
		Interleavings.explore(Sleeping.class);
	}

	@Test
	void i3ACancelledFutureLeavesNothing() {
		Interleavings.explore(Cancelled.class);
	}

	@Test
	void i3WhatIsGrantedToACancelledFutureIsNotLost() {
		Interleavings.explore(CancelledAndClosed.class);
	}

	@Test
	@Tag("OpenAcquisitions.I3")
	void theEndWaitsForTheContenderOfWhoGivesUpMeanwhile() {
		Interleavings.explore(GivenUpWhileClosing.class);
	}

	@Test
	@Tag("OpenAcquisitions.I2")
	void nothingIsHeldAfterClosing() {
		Interleavings.explore(Closed.class);
	}

	@Test
	@Tag("OpenAcquisitions.I1")
	void whatBeginsWhileTheClientIsClosedEnds() {
		Interleavings.explore(BegunWhileClosing.class);
	}

	@Test
	void anOwnerEntersItsHoldAgainOrAcquiresAnew() {
		Interleavings.explore(EnteredAgain.class);
	}

	private static LockRequest request() {
		return LockRequest.exclusive("key").owner("owner").timeout(FOREVER);
	}

	/** Enters and is granted while its time ends and its user gives up. */
	public static class Decided extends Scenario {

		private MemoryStrategy strategy;

		private Cohorts cohorts;

		private ZooKeeperLockClient client;

		private Acquisition acquisition;

		private AtomicInteger failures;

		@Override
		public void prepare() {
			this.strategy = new MemoryStrategy(true);
			this.cohorts = new Cohorts((nanos, step) -> () -> {
			}, () -> 0, (key) -> Handoff.DEFAULT, () -> true, new StepFailures(), 1);
			this.client = Engines.client(this.strategy, new LockListener() {
			});
			this.acquisition = new Acquisition(Engines.host(this.client), new ResolvedRequest(request(), "memory",
					this.strategy, "owner", Deadline.in(FOREVER, null, () -> 0)), List.of(), (made) -> false);
			this.failures = new AtomicInteger();
		}

		@Operation
		public void enter() {
			this.acquisition.entered(this.cohorts.enter(this.acquisition.attempt(), this.strategy, this.acquisition));
		}

		@Operation
		public void expire() {
			this.acquisition.expire();
		}

		@Operation
		public void giveUp() {
			if (this.acquisition.fail(new CancellationException())) {
				this.failures.incrementAndGet();
			}
		}

		@Override
		public void verify() {
			CompletableFuture<HeldLock> outcome = this.acquisition.outcome();
			Interleavings.check(outcome.isDone(), "no outcome");
			if (!outcome.isCompletedExceptionally()) {
				Interleavings.check(this.failures.get() == 0, "failed and granted");
				Interleavings.check(outcome.join().isHeld(), "granted, and not held");
				outcome.join().release();
			}
			Interleavings.check(this.strategy.length() == 0, "a contender is left");
			Interleavings.check(this.cohorts.count() == 0, "a cohort is left");
			Interleavings.check(Engines.openCount(this.client) == Engines.source().openCount(), "a hold is left");
		}

	}

	/** One falls asleep while it is decided. */
	public static class Sleeping extends Scenario {

		private AcquiringCaller caller;

		private volatile boolean asleep;

		@Override
		public void prepare() {
			this.caller = new AcquiringCaller();
			this.asleep = false;
		}

		@Operation
		public void sleep() {
			this.caller.sleep();
			this.asleep = !this.caller.isToBeAwake();
		}

		@Operation
		public void fail() {
			this.caller.fail(new CancellationException());
		}

		@Override
		public void verify() {
			Interleavings.check(!this.asleep || this.caller.isWoken(), "asleep behind the outcome");
		}

	}

	/** Looks whether it was decided, and then decides. */
	public static class TwoMinded extends Scenario {

		private volatile boolean decided;

		private AtomicInteger outcomes;

		@Override
		public void prepare() {
			this.decided = false;
			this.outcomes = new AtomicInteger();
		}

		private void decide() {
			if (!this.decided) {
				this.decided = true;
				this.outcomes.incrementAndGet();
			}
		}

		@Operation
		public void grant() {
			decide();
		}

		@Operation
		public void expire() {
			decide();
		}

		@Override
		public void verify() {
			Interleavings.check(this.outcomes.get() == 1, "two outcomes");
		}

	}

	/** A client with one asynchronous acquisition. */
	public abstract static class Asynchronous extends Scenario {

		MemoryStrategy strategy;

		ZooKeeperLockClient client;

		CompletableFuture<LockHandle> future;

		AtomicInteger held;

		AtomicInteger lost;

		void prepare(boolean granting) {
			this.strategy = new MemoryStrategy(granting);
			this.held = new AtomicInteger();
			this.lost = new AtomicInteger();
			this.client = Engines.client(this.strategy, new LockListener() {

				@Override
				public void acquired(Event event) {
					Asynchronous.this.held.incrementAndGet();
				}

				@Override
				public void lost(Event event, LostReason reason) {
					Asynchronous.this.lost.incrementAndGet();
				}

				@Override
				public void released(Event event) {
					Asynchronous.this.held.decrementAndGet();
				}

			});
			this.future = this.client.acquireAsync(request());
		}

		void checkNothingIsLeft() {
			Interleavings.check(this.strategy.length() == 0, "a contender is left");
			Interleavings.check(Engines.openCount(this.client) == 0, "something is left in the client");
		}

	}

	/** Is granted while its user cancels. */
	public static class Cancelled extends Asynchronous {

		@Override
		public void prepare() {
			prepare(false);
		}

		@Operation
		public void grant() {
			this.strategy.grantFirst();
		}

		@Operation
		public void cancel() {
			this.future.cancel(false);
		}

		@Override
		public void verify() {
			if (!this.future.isCompletedExceptionally()) {
				this.future.join().release();
			}
			checkNothingIsLeft();
			Interleavings.check(this.held.get() == 0, "listeners think that it is held");
		}

	}

	/** Is granted while its user cancels, and closes the client behind that. */
	public static class CancelledAndClosed extends Asynchronous {

		@Override
		public void prepare() {
			prepare(false);
		}

		@Operation
		public void grant() {
			this.strategy.grantFirst();
		}

		@Operation
		@SuppressWarnings("FutureReturnValueIgnored") // what is left is looked at
		public void cancelAndClose() {
			if (this.future.cancel(false)) {
				Engines.leaveAll(this.client);
			}
		}

		@Override
		public void verify() {
			if (!this.future.isCompletedExceptionally()) {
				this.future.join().release();
			}
			checkNothingIsLeft();
			Interleavings.check(this.held.get() == 0, "listeners think that it is held");
			Interleavings.check(this.lost.get() == 0, "lost by nobody");
		}

	}

	/** Is granted while the client is closed. */
	public static class Closed extends Asynchronous {

		private volatile CompletableFuture<Void> closing;

		@Override
		public void prepare() {
			prepare(false);
		}

		@Operation
		public void grant() {
			this.strategy.grantFirst();
		}

		@Operation
		public void close() {
			this.closing = Engines.leaveAll(this.client);
		}

		@Override
		public void verify() {
			Interleavings.check(this.future.isDone(), "no outcome");
			Interleavings.check(this.closing.isDone(), "closing has no end");
			checkNothingIsLeft();
			Interleavings.check(this.future.isCompletedExceptionally() || !this.future.join().isHeld(),
					"held after closing");
		}

	}

	/** Another one begins while the client is closed. */
	public static class BegunWhileClosing extends Asynchronous {

		private volatile CompletableFuture<Void> closing;

		private volatile CompletableFuture<LockHandle> second;

		@Override
		public void prepare() {
			prepare(false);
		}

		@Operation
		public void begin() {
			this.second = this.client.acquireAsync(LockRequest.exclusive("key").timeout(FOREVER));
		}

		@Operation
		public void close() {
			this.closing = Engines.leaveAll(this.client);
		}

		@Override
		public void verify() {
			Interleavings.check(this.closing.isDone(), "closing has no end");
			Interleavings.check(this.second.isCompletedExceptionally(), "who began late still waits");
			checkNothingIsLeft();
		}

	}

	/**
	 * One that waits is given up while its client is closed, and does not leave at once.
	 */
	public static class GivenUpWhileClosing extends Scenario {

		private OpenAcquisitions open;

		private Acquisition acquisition;

		private LeavingContender contender;

		private volatile CompletableFuture<Void> closing;

		@Override
		public void prepare() {
			this.contender = new LeavingContender();
			this.open = DirectReports.open(new StepFailures());
			this.acquisition = new Acquisition(this.open, new ResolvedRequest(request(), "memory",
					new MemoryStrategy(false), "owner", Deadline.in(FOREVER, null, () -> 0)), List.of(),
					(made) -> false);
			this.open.admit(this.acquisition, () -> this.acquisition.entered(this.contender));
		}

		@Operation
		public void giveUp() {
			this.acquisition.fail(new CancellationException());
		}

		@Operation
		public void close() {
			this.closing = this.open.close();
		}

		@Override
		public void verify() {
			Interleavings.check(!this.closing.isDone(), "closed before its contender has left");
			this.contender.gone().complete(null);
			Interleavings.check(this.closing.isDone(), "closing has no end");
		}

	}

	/** Its owner comes again while the only handle is released. */
	public static class EnteredAgain extends Asynchronous {

		private volatile CompletableFuture<LockHandle> second;

		@Override
		public void prepare() {
			prepare(true);
		}

		@Operation
		public void release() {
			this.future.join().release();
		}

		@Operation
		public void enterAgain() {
			this.second = this.client.acquireAsync(request());
		}

		@Override
		public void verify() {
			Interleavings.check(this.second.isDone(), "no second handle");
			Interleavings.check(this.second.join().isHeld(), "the second handle is not held");
			this.second.join().release();
			checkNothingIsLeft();
		}

	}

}
