package io.github.zklock.internal.cohort;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

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
import io.github.zklock.spi.LockAttempt;

/**
 * Callers of one key who come, hold, give up and lose at once.
 */
@Tag("interleavings")
class CohortInterleavingTests {

	private static final Handoff RETAINING = new Handoff(64, Duration.ofMillis(100), Duration.ofSeconds(1));

	@Test
	@Tag("CohortContender.I1")
	void i5WritersAndAReaderExcludeEachOtherAndNothingIsLeft() {
		Interleavings.explore(WritersAndAReader.class);
	}

	@Test
	@Tag("CohortContender.I3")
	void whatIsLostIsReportedOnceAndHandedToNobody() {
		Interleavings.explore(Losers.class);
	}

	@Test
	void i5WhoIsRefusedLeavesNoContender() {
		Interleavings.explore(Refused.class);
	}

	@Test
	void nothingIsRetainedOnceThatHasEnded() {
		Interleavings.explore(Retainers.class);
	}

	@Test
	@Tag("GrantSlot.I1")
	@Tag("GrantSlot.I2")
	@Tag("GrantSlot.I5")
	void whoTakesFromTheSlotExcludesWhoIsQueued() {
		Interleavings.explore(SlotCallers.class);
	}

	@Test
	@Tag("OrderedTaker.I1")
	void whatIsTakenFromTheSlotAndLostIsReportedAndHandedToNobody() {
		Interleavings.explore(SlotLosers.class);
	}

	@Test
	@Tag("GrantSlot.I1")
	void whoTakesWhileTheSlotIsClosedIsSeenOrHasNothing() {
		Interleavings.explore(TakenWhileClosed.class);
	}

	@Test
	@Tag("GrantSlot.I5")
	void whoLeavesWhileTheSlotIsClosedBringsTheGrantBack() {
		Interleavings.explore(LeftWhileClosed.class);
	}

	@Test
	@Tag("Succession.I1")
	void whoPassesExcludesTheOneWhoWakes() {
		Interleavings.explore(Waking.class);
	}

	@Test
	void canaryATokenThatIsCountedBesideTheHolderIsFound() {
		Interleavings.findRace(TornSlot.class, "a token was handed out twice");
	}

	@Test
	void canaryACohortWithoutItsSerialExecutorIsFound() {
		Interleavings.findRace(WithoutSerialExecutor.class, "");
	}

	/** The section that the key guards, and who tries to enter it. */
	public abstract static class Callers extends Scenario {

		MemoryStrategy strategy;

		Cohorts cohorts;

		private final AtomicInteger writers = new AtomicInteger();

		private final AtomicInteger readers = new AtomicInteger();

		private final AtomicLong lastToken = new AtomicLong();

		private volatile String wrong;

		void prepare(boolean granting, Handoff handoff, Supplier<Executor> serialExecutors) {
			prepare(new MemoryStrategy(granting), handoff, serialExecutors);
		}

		void prepare(MemoryStrategy granting, Handoff handoff, Supplier<Executor> serialExecutors) {
			this.strategy = granting;
			this.cohorts = new Cohorts((nanos, step) -> () -> {
			}, () -> 0, (key) -> handoff, () -> true, new StepFailures(), 1, serialExecutors);
		}

		void holdOrGiveUp(LockMode mode, boolean tryOnce) {
			Caller caller = new Caller(this, mode);
			LockAttempt attempt = new LockAttempt(List.of("key"), mode, tryOnce, "caller");
			LocalContender local = this.cohorts.enter(attempt, this.strategy, caller);
			caller.end();
			local.leave();
		}

		private void entered(LockMode mode, long token) {
			if (mode.isShared()) {
				this.readers.incrementAndGet();
			}
			else {
				note(this.writers.incrementAndGet() == 1, "two writers");
				note(this.lastToken.getAndSet(token) < token, "tokens out of order");
			}
			note(this.writers.get() == 0 || this.readers.get() == 0, "a reader beside a writer");
		}

		private void left(LockMode mode) {
			(mode.isShared() ? this.readers : this.writers).decrementAndGet();
		}

		private void note(boolean so, String otherwise) {
			if (!so) {
				this.wrong = otherwise;
			}
		}

		@Override
		public void verify() {
			Interleavings.check(this.wrong == null, this.wrong);
			Interleavings.check(this.cohorts.count() == 0, "a cohort is left");
			Interleavings.check(this.strategy.length() == 0, "a contender is left");
		}

	}

	/** Is inside from the grant until it ends, and not at all if it has ended before. */
	private static final class Caller implements LocalContenderListener {

		private static final int WAITING = 0;

		private static final int INSIDE = 1;

		private static final int ENDED = 2;

		private final AtomicInteger state = new AtomicInteger(WAITING);

		private final AtomicInteger losses = new AtomicInteger();

		private volatile boolean busy;

		private volatile LocalGrant granted;

		private volatile boolean asleep;

		private final Callers all;

		private final LockMode mode;

		Caller(Callers all, LockMode mode) {
			this.all = all;
			this.mode = mode;
		}

		void end() {
			if (this.state.getAndSet(ENDED) == INSIDE) {
				this.all.left(this.mode);
			}
		}

		@Override
		public long remainingNanos() {
			return Long.MAX_VALUE;
		}

		@Override
		public boolean isAsleep() {
			return this.asleep;
		}

		@Override
		public void granted(List<LocalGrant> localGrants) {
			this.granted = localGrants.get(0);
			this.all.entered(this.mode, this.granted.token());
			if (!this.state.compareAndSet(WAITING, INSIDE)) {
				this.all.left(this.mode);
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
			end();
		}

	}

	/** Three who wait for each other. */
	public static class WritersAndAReader extends Callers {

		@Override
		public void prepare() {
			prepare(true, Handoff.DEFAULT, () -> new SerialExecutor(new StepFailures()));
		}

		@Operation
		public void write() {
			holdOrGiveUp(LockMode.EXCLUSIVE, false);
		}

		@Operation
		public void writeToo() {
			holdOrGiveUp(LockMode.EXCLUSIVE, false);
		}

		@Operation
		public void read() {
			holdOrGiveUp(LockMode.READ, false);
		}

	}

	/** The same, but steps run when they come. */
	public static class WithoutSerialExecutor extends WritersAndAReader {

		@Override
		public void prepare() {
			prepare(true, Handoff.DEFAULT, () -> Runnable::run);
		}

	}

	/** The session ends while one holds and another waits. */
	public static class Losers extends Callers {

		@Override
		public void prepare() {
			prepare(true, Handoff.DEFAULT, () -> new SerialExecutor(new StepFailures()));
		}

		@Operation
		public void hold() {
			holdOrGiveUp(LockMode.EXCLUSIVE, false);
		}

		@Operation
		public void holdToo() {
			holdOrGiveUp(LockMode.EXCLUSIVE, false);
		}

		@Operation
		public void loseAll() {
			this.strategy.loseAll();
		}

	}

	/** One looks whether the key is free while another is seen to be blocked. */
	public static class Refused extends Callers {

		private Caller trier;

		private LocalContender waiting;

		private LocalContender trying;

		@Override
		public void prepare() {
			prepare(false, Handoff.DEFAULT, () -> new SerialExecutor(new StepFailures()));
			this.trier = new Caller(this, LockMode.EXCLUSIVE);
			this.waiting = this.cohorts.enter(new LockAttempt(List.of("key"), LockMode.EXCLUSIVE, false, "caller"),
					this.strategy, new Caller(this, LockMode.EXCLUSIVE));
		}

		@Operation
		public void tryOnce() {
			LockAttempt attempt = new LockAttempt(List.of("key"), LockMode.EXCLUSIVE, true, "caller");
			this.trying = this.cohorts.enter(attempt, this.strategy, this.trier);
		}

		@Operation
		public void blockAndGiveUp() {
			this.strategy.blockAll();
			this.waiting.leave();
		}

		@Override
		public void verify() {
			if (!this.trier.busy) {
				this.trying.leave();
			}
			super.verify();
		}

	}

	/** They find a retained grant, while others come to its queue. */
	public static class SlotCallers extends Callers {

		@Override
		public void prepare() {
			prepare(true, RETAINING, () -> new SerialExecutor(new StepFailures()));
			holdAndRetain();
		}

		void holdAndRetain() {
			Caller first = new Caller(this, LockMode.EXCLUSIVE);
			LockAttempt attempt = new LockAttempt(List.of("key"), LockMode.EXCLUSIVE, false, "caller");
			this.cohorts.enter(attempt, this.strategy, first);
			first.end();
			first.granted.release(true);
		}

		void useSlot() {
			OfferedGrant offered = this.cohorts.slots().offered("key", LockMode.EXCLUSIVE, this.strategy);
			Caller caller = new Caller(this, LockMode.EXCLUSIVE);
			if (offered != null && offered.take(caller)) {
				caller.end();
				caller.granted.release(true);
			}
		}

		@Operation
		public void use() {
			useSlot();
		}

		@Operation
		public void useToo() {
			useSlot();
		}

		@Operation
		public void queue() {
			holdOrGiveUp(LockMode.EXCLUSIVE, false);
		}

		@Override
		public void verify() {
			Interleavings.check(this.cohorts.stopRetaining().isDone(), "retaining has no end");
			super.verify();
		}

	}

	/** A slot without its cohort, which closes it. */
	public abstract static class OneSlot extends Scenario {

		GrantSlot slot;

		SlotGrant offered;

		volatile GrantSlot.State closed;

		@Override
		public void prepare() {
			CommonSite common = new CommonSite((nanos, step) -> () -> {
			}, () -> 0, () -> true, new StepFailures(), 1);
			MemoryStrategy strategy = new MemoryStrategy(true);
			EndlessGrant grant = new EndlessGrant(0);
			this.slot = GrantSlot.open(grant, new GrantSlot.Bounds(1, 8, false, 0, false),
					new CohortSite(common, null, "key", "key", Handoff.DEFAULT, Runnable::run),
					CompletableFuture.completedStage(null), strategy, new GrantSlot.Host((holder, mayLinger) -> {
					}, () -> {
					}, () -> {
					}, (failure) -> CompletableFuture.completedStage(null)));
			this.offered = this.slot.offer(grant.mode(), strategy);
		}

		@Operation
		public void close() {
			this.closed = this.slot.close();
		}

	}

	/** One takes the grant meanwhile. */
	public static class TakenWhileClosed extends OneSlot {

		private volatile boolean taken;

		@Operation
		public void take() {
			this.taken = this.offered.take((LostReason reason) -> {
			});
		}

		@Override
		public void verify() {
			Interleavings.check(this.taken == (this.closed.holder() == this.offered), "the cohort sees another holder");
		}

	}

	/** One who has the grant leaves meanwhile. */
	public static class LeftWhileClosed extends OneSlot {

		private volatile boolean left;

		@Override
		public void prepare() {
			super.prepare();
			this.offered.take((LostReason reason) -> {
			});
		}

		@Operation
		public void leave() {
			this.left = this.slot.leave(this.offered);
		}

		@Override
		public void verify() {
			Interleavings.check(this.left && !this.slot.isHeldBy(this.offered), "the grant is held for ever");
		}

	}

	/** The session ends while the grant is in its slot, or taken from it. */
	public static class SlotLosers extends SlotCallers {

		@Override
		@Operation
		public void queue() {
			this.strategy.loseAll();
		}

	}

	/** One is woken; another one finds the grant in its slot meanwhile. */
	public static class Waking extends SlotCallers {

		private Caller next;

		private LocalContender woken;

		@Override
		public void prepare() {
			prepare(new MemoryStrategy(true, 1_000_000), Handoff.DEFAULT, () -> new SerialExecutor(new StepFailures()));
			Caller holder = entered();
			for (int i = 0; i < 2; i++) {
				Caller other = entered();
				release(holder);
				holder = entered();
				release(other);
			}
			this.next = new Caller(this, LockMode.EXCLUSIVE);
			this.next.asleep = true;
			this.woken = enter(this.next);
			release(holder);
			Interleavings.check(this.next.granted == null, "nobody is woken");
		}

		private Caller entered() {
			Caller caller = new Caller(this, LockMode.EXCLUSIVE);
			enter(caller);
			return caller;
		}

		private LocalContender enter(Caller caller) {
			return this.cohorts.enter(new LockAttempt(List.of("key"), LockMode.EXCLUSIVE, false, "caller"),
					this.strategy, caller);
		}

		private void release(Caller caller) {
			caller.end();
			caller.granted.release(true);
		}

		@Override
		@Operation
		public void queue() {
			this.woken.awake();
		}

		@Override
		public void verify() {
			Interleavings.check(this.next.granted != null, "who is awake is not granted what nobody has");
			this.next.end();
			this.woken.leave();
			super.verify();
		}

	}

	/** Takes a token from a counter beside the holder, as the slot must not do. */
	public static class TornSlot extends Scenario {

		private final AtomicReference<Object> holder = new AtomicReference<>();

		private final AtomicInteger next = new AtomicInteger();

		private final AtomicInteger last = new AtomicInteger(-1);

		private volatile boolean twice;

		@Override
		public void prepare() {
			this.next.set(0);
		}

		private void use() {
			Object caller = new Object();
			int token = this.next.get();
			if (this.holder.compareAndSet(null, caller)) {
				this.next.set(token + 1);
				if (this.last.getAndSet(token) >= token) {
					this.twice = true;
				}
				this.holder.set(null);
			}
		}

		@Operation
		public void one() {
			use();
		}

		@Operation
		public void two() {
			use();
		}

		@Override
		public void verify() {
			Interleavings.check(!this.twice, "a token was handed out twice");
		}

	}

	/** One leaves a grant that nobody wants while retaining ends. */
	public static class Retainers extends Callers {

		private volatile CompletableFuture<Void> stopped;

		@Override
		public void prepare() {
			prepare(true, RETAINING, () -> new SerialExecutor(new StepFailures()));
		}

		@Operation
		public void hold() {
			holdOrGiveUp(LockMode.EXCLUSIVE, false);
		}

		@Operation
		public void stopRetaining() {
			this.stopped = this.cohorts.stopRetaining();
		}

		@Override
		public void verify() {
			Interleavings.check(this.stopped.isDone(), "retaining has no end");
			super.verify();
		}

	}

}
