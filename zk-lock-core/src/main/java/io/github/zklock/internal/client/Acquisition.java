package io.github.zklock.internal.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockException;
import io.github.zklock.LockListener;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.LostReason;
import io.github.zklock.internal.cohort.Share;
import io.github.zklock.internal.cohort.Turn;
import io.github.zklock.internal.cohort.TurnListener;
import io.github.zklock.internal.concurrent.Deadline;
import io.github.zklock.internal.concurrent.Timer;
import io.github.zklock.spi.LockEntry;
import io.github.zklock.spi.Obstacle;

/*
 * One call of acquire. PENDING -> GRANTED | FAILED, both final, by one CAS: who wins it has
 * decided, and then completes `outcome`. Who may race: the grant (engine), the deadline
 * (timer, or the caller itself), an interrupt (the caller), a cancellation (the user),
 * close.
 *
 * I1: a grant that comes second is never seen by anybody: no hold is published, and so none
 *     can be re-entered, before GRANTED.
 * I2: if FAILED, the turn is left and re-entered holds are left again. `turn` is set after
 *     it may have been decided, so `entered` looks at the decision after it has set it, and
 *     `fail` looks at the turn after it has decided.
 * I3: if GRANTED, the handle reaches the caller, or is released.
 */
/**
 * One attempt to acquire a lock.
 */
public final class Acquisition implements TurnListener {

	private enum Decision {

		PENDING, GRANTED, FAILED

	}

	private static final AtomicLong IDS = new AtomicLong();

	private final long id = IDS.incrementAndGet();

	private final Host client;

	private final LockRequest request;

	private final String strategy;

	private final Object owner;

	private final Deadline deadline;

	private final List<Hold> reentered;

	private final AtomicReference<Decision> decision = new AtomicReference<>(Decision.PENDING);

	private final CompletableFuture<HeldLock> outcome = new CompletableFuture<>();

	private volatile @Nullable Turn turn;

	private volatile LockListener.@Nullable Way way;

	private volatile List<Hold> fresh = List.of();

	private volatile @Nullable Future<?> timer;

	private volatile @Nullable Future<?> slowTimer;

	public Acquisition(Host client, LockRequest request, String strategy, Object owner, Deadline deadline,
			List<Hold> reentered) {
		this.client = client;
		this.request = request;
		this.strategy = strategy;
		this.owner = owner;
		this.deadline = deadline;
		this.reentered = reentered;
	}

	public CompletableFuture<HeldLock> outcome() {
		return this.outcome;
	}

	public Deadline deadline() {
		return this.deadline;
	}

	public Object owner() {
		return this.owner;
	}

	public LockRequest request() {
		return this.request;
	}

	/**
	 * Returns what is to be entered.
	 * @return the entry for the keys that the owner does not hold yet, or null if it
	 * holds all
	 */
	public @Nullable LockEntry entry() {
		List<String> missing = new ArrayList<>(this.request.keys());
		this.reentered.forEach((hold) -> missing.remove(hold.key()));
		return missing.isEmpty() ? null
				: new LockEntry(missing, this.request.mode(), this.deadline.isZero(), Thread.currentThread().getName());
	}

	/**
	 * The turn was taken.
	 * @param taken the turn
	 */
	public void entered(Turn taken) {
		this.turn = taken;
		if (this.decision.get() == Decision.FAILED) {
			taken.leave();
		}
	}

	/**
	 * Lets the timer end this acquisition at its deadline, because no caller waits for
	 * it.
	 * @param clock the timer
	 */
	public void expireBy(Timer clock) {
		if (!this.deadline.isForever() && !isDecided()) {
			this.timer = clock.after(this.deadline.remaining(), this::expire);
			if (isDecided()) {
				stopTimer();
			}
		}
	}

	/**
	 * Lets the timer say so if this acquisition takes long.
	 * @param clock the timer
	 * @param nanos after how long
	 * @param warning what to do
	 */
	public void warnBy(Timer clock, long nanos, Runnable warning) {
		long left = nanos - this.deadline.elapsed();
		if (!isDecided() && left < this.deadline.remaining()) {
			this.slowTimer = clock.after(left, warning);
			if (isDecided()) {
				stopTimer();
			}
		}
	}

	/**
	 * Tells who was seen in the way.
	 * @return the last obstacle, or null
	 */
	public @Nullable Obstacle obstacle() {
		Turn taken = this.turn;
		return (taken != null) ? taken.obstacle() : null;
	}

	public boolean isDecided() {
		return this.decision.get() != Decision.PENDING;
	}

	private void stopTimer() {
		cancel(this.timer);
		cancel(this.slowTimer);
	}

	private static void cancel(@Nullable Future<?> running) {
		if (running != null) {
			running.cancel(false);
		}
	}

	@Override
	public void granted(List<Share> shares) {
		if (this.decision.compareAndSet(Decision.PENDING, Decision.GRANTED)) {
			List<Hold> holds = new ArrayList<>(shares.size());
			boolean handedOver = false;
			for (Share share : shares) {
				holds.add(this.client.newHold(this.owner, share));
				handedOver |= share.isHandedOver();
			}
			this.fresh = holds;
			this.way = handedOver ? LockListener.Way.HANDED_OVER : LockListener.Way.GRANTED;
			succeed(holds);
		}
		else {
			shares.forEach(Share::release);
		}
	}

	/** The owner held all keys already. */
	public void reenter() {
		this.decision.set(Decision.GRANTED);
		this.way = LockListener.Way.REENTERED;
		succeed(List.of());
	}

	private void succeed(List<Hold> freshHolds) {
		List<Hold> inOrder = new ArrayList<>(freshHolds);
		inOrder.addAll(this.reentered);
		inOrder.sort((one, other) -> Integer.compare(this.request.keys().indexOf(one.key()),
				this.request.keys().indexOf(other.key())));
		HeldLock handle = this.client.newHandle(event(), this.request, inOrder);
		stopTimer();
		this.client.ended(this, null);
		handle.start(this.client.timer());
		this.outcome.complete(handle);
	}

	@Override
	public void busy(Obstacle obstacle) {
		fail(new LockTimeoutException(message(obstacle.toString())));
	}

	@Override
	public void failed(LockException cause) {
		fail(cause);
	}

	@Override
	public void lost(String key, LostReason reason) {
		this.fresh.stream().filter((hold) -> hold.key().equals(key)).forEach((hold) -> hold.lose(reason));
	}

	/** The deadline has come. */
	public void expire() {
		Turn taken = this.turn;
		Obstacle obstacle = obstacle();
		Exception disturbance = (taken != null) ? taken.disturbance() : null;
		if (obstacle != null) {
			fail(new LockTimeoutException(message(obstacle.toString())));
		}
		else {
			fail(new LockUnavailableException(
					message("%s (servers %s)".formatted(unavailable(disturbance), this.client.servers())),
					(disturbance instanceof LockUnavailableException known) ? known.getCause() : disturbance));
		}
	}

	private static String unavailable(@Nullable Exception disturbance) {
		return (disturbance instanceof LockUnavailableException known) ? String.valueOf(known.getMessage())
				: "ZooKeeper gave no answer";
	}

	private String message(String why) {
		return "Could not acquire %s %s: %s".formatted(named(this.request), this.deadline, why);
	}

	/**
	 * Names what is asked for, in a sentence.
	 * @param request the request
	 * @return for example {@code lock 'orders'}, {@code locks [orders, stock]}
	 */
	public static String named(LockRequest request) {
		List<String> keys = request.keys();
		return (keys.size() == 1) ? "lock '" + keys.get(0) + "'" : "locks " + keys;
	}

	/**
	 * Decides that there will be no handle, unless there is one already.
	 * @param cause why not
	 * @return whether this decided
	 */
	public boolean fail(Throwable cause) {
		if (!this.decision.compareAndSet(Decision.PENDING, Decision.FAILED)) {
			return false;
		}
		stopTimer();
		this.client.ended(this, cause);
		this.reentered.forEach(Hold::exit);
		Turn taken = this.turn;
		if (taken != null) {
			taken.leave();
		}
		this.outcome.completeExceptionally(cause);
		return true;
	}

	/**
	 * Tells when a failed acquisition has nothing left in ZooKeeper.
	 * @return completes with null
	 */
	public CompletionStage<Void> whenLeft() {
		Turn taken = this.turn;
		return (taken != null) ? taken.leave() : CompletableFuture.completedFuture(null);
	}

	public LockListener.Event event() {
		return new LockListener.Event(this.id, this.request.keys(), this.request.template(), this.request.mode(),
				this.strategy, this.way, Duration.ofNanos(this.deadline.elapsed()));
	}

	/**
	 * Waits for the outcome, at most until the deadline.
	 * @return the handle
	 * @throws InterruptedException if interrupted; nothing is held
	 */
	public HeldLock await() throws InterruptedException {
		try {
			return this.deadline.isForever() ? this.outcome.get()
					: this.outcome.get(Math.max(this.deadline.remaining(), 0), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException timeUp) {
			expire();
			return decided();
		}
		catch (ExecutionException ex) {
			throw asCallers(ex.getCause());
		}
		catch (InterruptedException ex) {
			if (!fail(ex)) {
				undo(ex);
			}
			throw ex;
		}
	}

	// It was decided before the interrupt came; the outcome is there, or is being
	// completed.
	private void undo(InterruptedException interrupt) {
		try {
			this.outcome.join().release();
		}
		catch (CompletionException | CancellationException ex) {
			interrupt.addSuppressed(ex);
		}
	}

	/**
	 * Waits for the outcome without a deadline; an interrupt is kept for later.
	 * @return the handle
	 */
	public HeldLock awaitUninterruptibly() {
		return decided();
	}

	private HeldLock decided() {
		try {
			return this.outcome.join();
		}
		catch (CancellationException ex) {
			throw asCallers(ex);
		}
		catch (CompletionException ex) {
			throw asCallers(ex.getCause());
		}
	}

	// Shows the waiting caller where it waited, not where the engine decided.
	private static RuntimeException asCallers(@Nullable Throwable cause) {
		if (cause instanceof LockException failure) {
			failure.setStackTrace(new Throwable().getStackTrace());
			return failure;
		}
		return new LockException("The acquisition was ended from outside", cause);
	}

	/** The lock client that acquires. */
	public interface Host {

		/**
		 * Notes what the owner has of a key from now on.
		 * @param owner who may re-enter
		 * @param share what was granted
		 * @return the hold
		 */
		Hold newHold(Object owner, Share share);

		/**
		 * Makes a handle.
		 * @param acquired what is told of it
		 * @param request what was asked for
		 * @param parts what it releases
		 * @return the handle
		 */
		HeldLock newHandle(LockListener.Event acquired, LockRequest request, List<Hold> parts);

		/**
		 * An acquisition was decided.
		 * @param acquisition which
		 * @param cause why there is no handle, or null if there is one
		 */
		void ended(Acquisition acquisition, @Nullable Throwable cause);

		Timer timer();

		String servers();

	}

}
