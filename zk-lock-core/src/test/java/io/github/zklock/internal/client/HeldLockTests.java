package io.github.zklock.internal.client;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.zklock.LockListener;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LostReason;
import io.github.zklock.fixture.BrokenLog;
import io.github.zklock.internal.client.HoldInterleavingTests.MemoryLocalGrant;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.concurrent.Timer;
import io.github.zklock.zookeeper.Engines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A handle that is lost, and released in the midst of that.
 */
class HeldLockTests implements LockListener {

	private final MemoryLocalGrant localGrant = new MemoryLocalGrant(LockMode.EXCLUSIVE);

	private final Hold hold = new Hold(new Holds(new StepFailures()), "owner", this.localGrant);

	private final List<String> notified = new ArrayList<>();

	private Runnable meanwhile = () -> {
	};

	private final AtomicInteger contentionEnds = new AtomicInteger();

	private HeldLock handle;

	@BeforeEach
	void hold() {
		ListenerDispatcher dispatcher = new ListenerDispatcher(List.of(this), Runnable::run, this::now,
				new StepFailures(), Integer.MAX_VALUE);
		this.handle = new HeldLock(PlayedCall.in(LockMode.EXCLUSIVE), LockRequest.exclusive("key"), List.of(this.hold),
				dispatcher, (contended, action) -> this.contentionEnds::incrementAndGet);
		this.handle.start(Engines.TIMER);
	}

	@Test
	void i3AReleaseInTheMidstOfTheLossIsReportedBehindIt() {
		this.meanwhile = () -> {
			this.meanwhile = () -> {
			};
			this.handle.release();
		};
		this.hold.lose(LostReason.LEASE_EXPIRED);
		assertThat(this.notified).containsExactly("lost", "released");
	}

	@Test
	@Tag("HeldLock.I2")
	void theActionsOfALossRunAlthoughItCannotBeLogged() {
		AtomicInteger lost = new AtomicInteger();
		this.handle.onLost(lost::incrementAndGet);
		try (BrokenLog log = new BrokenLog(HeldLock.class)) {
			this.hold.lose(LostReason.LEASE_EXPIRED);
			assertThat(log.refused()).isOne();
		}
		assertThat(lost).hasValue(1);
		assertThat(this.notified).containsExactly("lost");
	}

	@Test
	void whatEndsReportsOfWaitersAndFailsDoesNotKeepTheHold() {
		exclusive(this.hold, () -> {
			throw new IllegalStateException("planted");
		}).release();
		assertThat(this.localGrant.releases()).isOne();
	}

	@Test
	void i5AnExclusiveHandleThatIsBeingReleasedIsNotMadeRead() {
		MemoryLocalGrant writer = new MemoryLocalGrant(LockMode.WRITE);
		Hold held = new Hold(new Holds(new StepFailures()), "owner", writer);
		held.enter(LockMode.READ);
		held.enter(LockMode.EXCLUSIVE);
		HeldLock[] inner = new HeldLock[1];
		inner[0] = exclusive(held, () -> inner[0].downgrade());
		inner[0].release();
		held.exit(LockMode.WRITE, false);
		assertThat(writer.downgrades()).isOne();
	}

	private HeldLock exclusive(Hold held, Runnable contentionEnd) {
		HeldLock made = new HeldLock(null, LockRequest.exclusive("key"), List.of(held),
				new ListenerDispatcher(List.of(), Runnable::run, this::now, new StepFailures(), Integer.MAX_VALUE),
				(contended, action) -> contentionEnd);
		made.start(Engines.TIMER);
		made.onContended((waiter) -> {
		});
		return made;
	}

	@Test
	void i6WhatReportsWaitersEndsOnceWithTheReleaseOrAtOnceBehindIt() {
		this.handle.onContended((waiter) -> {
		});
		assertThat(this.contentionEnds).hasValue(0);
		this.handle.release();
		this.handle.release();
		assertThat(this.contentionEnds).hasValue(1);
		this.handle.onContended((waiter) -> {
		});
		assertThat(this.contentionEnds).hasValue(2);
	}

	@Test
	void i6WhatReportsWaitersEndsOnceWithTheLoss() {
		this.handle.onContended((waiter) -> {
		});
		this.hold.lose(LostReason.LEASE_EXPIRED);
		assertThat(this.contentionEnds).hasValue(1);
		this.handle.release();
		assertThat(this.contentionEnds).hasValue(1);
	}

	@Test
	@Tag("Hold.I3")
	void whatWasLostIsReleasedByItsLastHandle() {
		this.hold.lose(LostReason.LEASE_EXPIRED);
		assertThat(this.localGrant.releases()).isZero();
		this.handle.release();
		assertThat(this.localGrant.releases()).isOne();
	}

	private JobHandle job(CompletableFuture<Void> noted, List<String> ends) {
		return new JobHandle(this.handle, new JobMarks.Run() {
			@Override
			public CompletionStage<Void> ended(String outcome, boolean held) {
				ends.add(outcome + ", held " + held);
				return noted;
			}

			@Override
			public void takeBack() {
				ends.add("taken back");
			}
		});
	}

	@Test
	void theLockOfARunIsLeftBehindWhatIsNotedOfItsEnd() {
		CompletableFuture<Void> noted = new CompletableFuture<>();
		List<String> ends = new ArrayList<>();
		JobHandle job = job(noted, ends);
		CompletableFuture<Void> gone = job.releaseAsync();
		assertThat(job.isHeld()).isFalse();
		job.release();
		assertThat(this.hold.enter(LockMode.EXCLUSIVE)).as("its owner has it no more").isFalse();
		this.hold.lose(LostReason.LEASE_EXPIRED);
		assertThat(this.localGrant.releases()).isZero();
		assertThat(gone).isNotDone();
		noted.complete(null);
		assertThat(this.localGrant.releases()).isOne();
		assertThat(gone).isDone();
		assertThat(ends).containsExactly("ok, held true");
		assertThat(this.notified).containsExactly("released");
	}

	@Test
	void aRunHasEndedBeforeItsLockIsLeftAndALossChangesNothing() {
		CompletableFuture<Void> noted = new CompletableFuture<>();
		List<String> ends = new ArrayList<>();
		JobHandle job = job(noted, ends);
		job.onLost(() -> this.notified.add("onLost"));
		job.ended();
		job.ended();
		assertThat(job.isHeld()).isTrue();
		this.hold.lose(LostReason.MAX_HOLD);
		assertThat(job.isHeld()).isFalse();
		assertThat(this.notified).containsExactly("onLost");
		job.release();
		assertThat(this.localGrant.releases()).isZero();
		noted.complete(null);
		assertThat(this.localGrant.releases()).isOne();
		assertThat(ends).containsExactly("ended, held true");
		assertThat(this.notified).containsExactly("onLost", "released");
	}

	@Test
	void workThatEndsWithoutItsLockHasLostIt() {
		this.hold.lose(LostReason.MAX_HOLD);
		this.handle.ended();
		this.handle.release();
		assertThat(this.notified).containsExactly("lost", "released");
	}

	@Test
	void theLockOfARunThatIsTakenBackIsLeftAtOnce() {
		List<String> ends = new ArrayList<>();
		new JobHandle(this.handle, new JobMarks.Run() {
			@Override
			public CompletionStage<Void> ended(String outcome, boolean held) {
				throw new AssertionError("It has not begun");
			}

			@Override
			public void takeBack() {
				ends.add("taken back");
			}
		}).takeBack();
		this.handle.release();
		assertThat(ends).containsExactly("taken back");
		assertThat(this.localGrant.releases()).isOne();
	}

	@Test
	void whatBecameAReadIsReportedInTheModeInWhichItWasAcquired() {
		List<LockMode> modes = new ArrayList<>();
		LockListener noting = new LockListener() {
			@Override
			public void released(Event event) {
				modes.add(event.mode());
			}
		};
		MemoryLocalGrant written = new MemoryLocalGrant(LockMode.WRITE);
		HeldLock writer = new HeldLock(PlayedCall.in(LockMode.WRITE), LockRequest.write("key"),
				List.of(new Hold(new Holds(new StepFailures()), "owner", written)), DirectReports.to(noting),
				(contended, action) -> this.contentionEnds::incrementAndGet);
		writer.start(Engines.TIMER);
		writer.downgrade();
		assertThat(writer.mode()).isEqualTo(LockMode.READ);
		writer.release();
		assertThat(writer.mode()).isEqualTo(LockMode.READ);
		assertThat(modes).containsExactly(LockMode.WRITE);
	}

	@Test
	void anInnerWriteThatReadsAndIsReleasedLeavesTheOuterOneAWriter() {
		for (int keys = 1; keys <= 2; keys++) {
			List<MemoryLocalGrant> grants = new ArrayList<>();
			List<Hold> holds = new ArrayList<>();
			LockRequest writes = LockRequest.write("key-1");
			for (int i = 1; i <= keys; i++) {
				writes = (i > 1) ? writes.and(LockRequest.write("key-" + i)) : writes;
				grants.add(new MemoryLocalGrant("key-" + i, LockMode.WRITE));
				holds.add(new Hold(new Holds(new StepFailures()), "owner", grants.get(i - 1)));
				assertThat(holds.get(i - 1).enter(LockMode.WRITE)).isTrue();
			}
			HeldLock outer = handle(writes, holds, (made) -> false, Runnable::run);
			HeldLock inner = handle(writes, holds, (made) -> false, Runnable::run);
			inner.downgrade();
			inner.release();
			assertThat(grants).allMatch((grant) -> grant.downgrades() == 0 && grant.releases() == 0);
			outer.release();
			assertThat(grants).allMatch((grant) -> grant.downgrades() == 0 && grant.releases() == 1);
		}
	}

	@Test
	void whoAwaitsTheEndOfANodeIsNotifiedOnTheCallbackExecutor() {
		CompletableFuture<Void> gone = new CompletableFuture<>();
		MemoryLocalGrant slow = new MemoryLocalGrant(LockMode.EXCLUSIVE) {
			@Override
			public CompletionStage<Void> release(boolean mayLinger) {
				return gone;
			}
		};
		List<Runnable> callbacks = new ArrayList<>();
		HeldLock released = handle(LockRequest.exclusive("key"),
				List.of(new Hold(new Holds(new StepFailures()), "owner", slow)), (made) -> false, callbacks::add);
		CompletableFuture<Void> awaited = released.releaseAsync();
		gone.complete(null);
		assertThat(awaited).isNotDone();
		assertThat(callbacks).hasSize(1);
		callbacks.get(0).run();
		assertThat(awaited).isCompleted();
	}

	@Test
	@Tag("Hold.I2")
	void eachHandleThatIsLeftIsNotifiedOfTheLossAndNoOther() {
		List<HeldLock> notified = new ArrayList<>();
		Hold several = new Hold(new Holds(new StepFailures()), "owner", this.localGrant);
		List<HeldLock> handles = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			handles.add(handle(LockRequest.exclusive("key"), several, (made) -> !notified.add(made)));
			assertThat(several.enter(LockMode.EXCLUSIVE)).isTrue();
		}
		handles.remove(0).release();
		handles.add(handle(LockRequest.exclusive("key"), several, (made) -> !notified.add(made)));
		handles.remove(1).release();
		several.lose(LostReason.LEASE_EXPIRED);
		assertThat(notified).containsExactlyInAnyOrderElementsOf(handles);
	}

	@Test
	void aReadInsideAWriteThatIsDowngradedLeavesTheWriteAsItIs() {
		MemoryLocalGrant written = new MemoryLocalGrant(LockMode.WRITE);
		Hold write = new Hold(new Holds(new StepFailures()), "owner", written);
		assertThat(write.enter(LockMode.READ)).isTrue();
		HeldLock reader = handle(LockRequest.read("key"), write, (made) -> false);
		reader.downgrade();
		assertThat(written.downgrades()).isZero();
		reader.release();
		assertThat(write.enter(LockMode.WRITE)).isTrue();
	}

	@Test
	void whatWasReleasedInTimeIsKeptByNoTimer() {
		Timer timer = new Timer("max-hold", new StepFailures());
		try {
			WeakReference<HeldLock> released = released(timer);
			await().until(() -> {
				System.gc();
				return released.get() == null;
			});
		}
		finally {
			timer.stop();
		}
	}

	private WeakReference<HeldLock> released(Timer timer) {
		HeldLock limited = handle(LockRequest.exclusive("key").maxHold(Duration.ofHours(1)),
				new Hold(new Holds(new StepFailures()), "owner", this.localGrant), (made) -> false);
		limited.limit(timer);
		limited.release();
		return new WeakReference<>(limited);
	}

	private HeldLock handle(LockRequest request, Hold held, Predicate<HeldLock> abandoned) {
		return handle(request, List.of(held), abandoned, Runnable::run);
	}

	private HeldLock handle(LockRequest request, List<Hold> held, Predicate<HeldLock> abandoned, Executor callbacks) {
		HeldLock made = new HeldLock(new HeldLock.Call() {
			@Override
			public LockListener.Event event() {
				throw new AssertionError("Nobody listens");
			}

			@Override
			public boolean isAbandoned(HeldLock handle) {
				return abandoned.test(handle);
			}
		}, request, held, new ListenerDispatcher(List.of(), callbacks, () -> 0, new StepFailures(), Integer.MAX_VALUE),
				(contended, action) -> this.contentionEnds::incrementAndGet);
		made.start(Engines.TIMER);
		return made;
	}

	// The age of a hold is read while its end is being reported
	private long now() {
		this.meanwhile.run();
		return 0;
	}

	@Override
	public void lost(Event event, LostReason reason) {
		this.notified.add("lost");
	}

	@Override
	public void released(Event event) {
		this.notified.add("released");
	}

}
