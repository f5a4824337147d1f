package io.github.zklock.internal.client;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockException;
import io.github.zklock.LockListener;
import io.github.zklock.LostReason;
import io.github.zklock.internal.cohort.LocalContender;
import io.github.zklock.internal.cohort.LocalContenderListener;
import io.github.zklock.internal.cohort.LocalGrant;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.LockAttempt;

/**
 * One attempt to acquire a lock.
 */
public final class Acquisition implements LocalContenderListener, HeldLock.Call {

	/*-
	 * One call of acquire. PENDING -> GRANTED | FAILED, both final, by one CAS: who wins it has decided, and then completes
	 * the outcome. Who may race: the grant (engine), the deadline (timer, or the caller itself), an interrupt (the caller),
	 * a cancellation (the user), close.
	 *
	 * I1: a grant that comes second is never seen by anybody: no hold is published, and so none can be re-entered, before
	 *     GRANTED.
	 * I2: if FAILED, the local contender leaves and re-entered holds are left again. `contender` is set after it may have
	 *     been decided, so `entered` looks at the decision then, and `fail` looks at the contender after its decision.
	 * I3: if GRANTED, the handle reaches the caller, or is released: by the thread that makes it or by the one that gives up
	 *     (CallersFuture), whichever comes second. A loss in between is nobody's, and so a release.
	 */

	private enum Decision {

		PENDING, GRANTED, FAILED

	}

	private static final Future<?> NO_TIMER = CompletableFuture.completedFuture(null);

	private static final AtomicReferenceFieldUpdater<Acquisition, Decision> DECISION = AtomicReferenceFieldUpdater
		.newUpdater(Acquisition.class, Decision.class, "decision");

	private final long id = ResolvedRequest.newId();

	private final Host client;

	private final ResolvedRequest asked;

	private final List<Hold> reentered;

	private final Predicate<? super HeldLock> abandoned;

	private final AcquiringCaller caller = new AcquiringCaller();

	private volatile Decision decision = Decision.PENDING;

	private volatile @Nullable LocalContender contender;

	private volatile LockListener.@Nullable Way way;

	private volatile List<Hold> fresh = List.of();

	private volatile Future<?> timer = NO_TIMER;

	private volatile Future<?> slowTimer = NO_TIMER;

	/**
	 * Creates an attempt that has not entered yet.
	 * @param client the lock client that acquires
	 * @param asked what is asked for
	 * @param reentered what the owner holds of it already, entered once more
	 * @param abandoned whether the caller has given up, and so never gets a handle
	 */
	Acquisition(Host client, ResolvedRequest asked, List<Hold> reentered, Predicate<? super HeldLock> abandoned) {
		this.client = client;
		this.asked = asked;
		this.reentered = reentered;
		this.abandoned = abandoned;
	}

	CompletableFuture<HeldLock> outcome() {
		return this.caller.outcome();
	}

	AcquiringCaller caller() {
		return this.caller;
	}

	ResolvedRequest asked() {
		return this.asked;
	}

	@Override
	public LockListener.Event event() {
		return this.asked.event(this.id, this.way);
	}

	@Override
	public boolean isAbandoned(HeldLock made) {
		return this.abandoned.test(made);
	}

	boolean isReentry() {
		return !this.reentered.isEmpty();
	}

	/**
	 * Returns what is to be entered.
	 * @return the attempt on the keys that the owner does not hold yet, or null if it
	 * holds all
	 */
	public @Nullable LockAttempt attempt() {
		return this.asked.attempt(this.reentered, this.caller.name());
	}

	/**
	 * The local contender has entered.
	 * @param taken the local contender
	 * @return completes when it has left, if this has failed; otherwise at once
	 */
	public CompletionStage<Void> entered(LocalContender taken) {
		this.contender = taken;
		return (this.decision == Decision.FAILED) ? taken.leave() : CompletableFuture.completedStage(null);
	}

	/** Lets the timer end this at its deadline, because no caller waits for it. */
	public void expireOnTime() {
		if (!this.asked.deadline().isForever() && !isDecided()) {
			this.timer = this.client.after(this.asked.deadline().remaining(), this::expire);
			if (isDecided()) {
				stopTimers();
			}
		}
	}

	/**
	 * Lets the timer say so if this takes long.
	 * @param nanos after how long, from the beginning of the call
	 * @param warning what to do
	 */
	public void warnIfSlow(long nanos, Runnable warning) {
		long left = nanos - this.asked.deadline().elapsed();
		if (!isDecided() && left < this.asked.deadline().remaining()) {
			this.slowTimer = this.client.after(left, warning);
			if (isDecided()) {
				stopTimers();
			}
		}
	}

	/**
	 * Returns who was seen in the way.
	 * @return the last blocker, or null
	 */
	public @Nullable Blocker blocker() {
		LocalContender taken = this.contender;
		return (taken != null) ? taken.blocker() : null;
	}

	@Override
	public boolean isDecided() {
		return this.decision != Decision.PENDING;
	}

	private void stopTimers() {
		this.timer.cancel(false);
		this.slowTimer.cancel(false);
	}

	@Override
	public boolean isAsleep() {
		return this.caller.isAsleep();
	}

	@Override
	public void wake() {
		this.caller.wake();
	}

	/** The thread has woken. */
	void awake() {
		LocalContender taken = this.contender;
		if (taken != null && !isDecided()) {
			try {
				taken.awake();
			}
			catch (Throwable ex) {
				fail(this.asked.engineFailed(ex));
			}
		}
	}

	@Override
	public long remainingNanos() {
		return this.asked.deadline().remaining();
	}

	@Override
	public void granted(List<LocalGrant> localGrants) {
		LockException refusal = this.client.isClosed() ? this.asked.closed() : Hold.lossOf(this.reentered);
		if (refusal != null) {
			fail(refusal);
		}
		if (DECISION.compareAndSet(this, Decision.PENDING, Decision.GRANTED)) {
			succeedOrRelease(localGrants);
		}
		else {
			localGrants.forEach(LocalGrant::release);
		}
	}

	// Nobody has what was granted if the handle cannot be made.
	private void succeedOrRelease(List<LocalGrant> localGrants) {
		List<Hold> holds = List.of();
		try {
			boolean handedOff = false;
			for (LocalGrant localGrant : localGrants) {
				holds = this.client.newHold(this.asked.owner(), localGrant).addedTo(holds);
				handedOff |= localGrant.isHandedOff();
			}
			this.fresh = holds;
			this.way = handedOff ? LockListener.Way.HANDED_OVER : LockListener.Way.GRANTED;
			succeed(holds);
		}
		catch (Throwable ex) {
			try {
				undo(ex);
			}
			finally {
				try {
					Hold.exit(holds, this.asked.request());
				}
				finally {
					localGrants.forEach(LocalGrant::release);
				}
			}
		}
	}

	private void undo(Throwable failure) {
		try {
			this.way = null;
			this.client.failed(this, failure);
		}
		finally {
			leave(this.asked.engineFailed(failure));
		}
	}

	/** The owner held all keys already. */
	public void reenter() {
		this.decision = Decision.GRANTED;
		this.way = LockListener.Way.REENTERED;
		try {
			succeed(List.of());
		}
		catch (Throwable ex) {
			undo(ex);
		}
	}

	private void succeed(List<Hold> freshHolds) {
		stopTimers();
		this.caller.complete(this.client.acquired(this, this.asked.inOrder(freshHolds, this.reentered)));
	}

	@Override
	public void busy(Blocker blocker) {
		failUnlessLost(this.asked.busy(blocker));
	}

	// Who has the rest does not matter where what was re-entered is lost
	private void failUnlessLost(LockException cause) {
		LockException loss = Hold.lossOf(this.reentered);
		fail((loss != null) ? loss : cause);
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
		LocalContender taken = this.contender;
		Blocker blocker = blocker();
		failUnlessLost((blocker != null) ? this.asked.busy(blocker)
				: this.asked.unanswered((taken != null) ? taken.disturbance() : null, this.client.servers()));
	}

	/**
	 * Decides that there will be no handle, unless there is one already.
	 * @param cause why not
	 * @return whether this decided
	 */
	public boolean fail(Throwable cause) {
		if (!DECISION.compareAndSet(this, Decision.PENDING, Decision.FAILED)) {
			return false;
		}
		try {
			this.client.notAcquired(this, cause);
		}
		finally {
			try {
				stopTimers();
			}
			finally {
				leave(cause);
			}
		}
		return true;
	}

	private void leave(Throwable cause) {
		try {
			Hold.exit(this.reentered, this.asked.request());
		}
		finally {
			this.caller.fail(cause);
		}
	}

	/**
	 * Lets the contender of a failed acquisition leave, if there is one by now.
	 * @return completes with null when it has nothing left in ZooKeeper
	 */
	public CompletionStage<Void> withdraw() {
		LocalContender taken = this.contender;
		return (taken != null) ? taken.leave() : CompletableFuture.completedFuture(null);
	}

	/** The lock client that acquires. */
	public interface Host {

		/**
		 * Notes what the owner has of a key from now on.
		 * @param owner who may re-enter
		 * @param localGrant what was granted
		 * @return the hold
		 */
		Hold newHold(Object owner, LocalGrant localGrant);

		/**
		 * An acquisition was decided: there is a handle.
		 * @param acquisition which
		 * @param parts what the handle releases
		 * @return the handle, of which listeners have been notified
		 */
		HeldLock acquired(Acquisition acquisition, List<Hold> parts);

		/**
		 * An acquisition was decided: there is no handle. Lets it leave.
		 * @param acquisition which
		 * @param cause why not
		 */
		void notAcquired(Acquisition acquisition, Throwable cause);

		/**
		 * An acquisition was granted, and there is no handle: a step of the engine has
		 * failed.
		 * @param acquisition which
		 * @param cause what the step threw
		 */
		void failed(Acquisition acquisition, Throwable cause);

		/**
		 * Starts a step some time later.
		 * @param nanos in how many nanoseconds
		 * @param step a short step that does not block
		 * @return cancels the step
		 */
		Future<?> after(long nanos, Runnable step);

		/**
		 * Returns whether nothing is acquired any more.
		 * @return whether it is closed
		 */
		boolean isClosed();

		/**
		 * Returns who is asked.
		 * @return the servers, for people
		 */
		String servers();

	}

}
