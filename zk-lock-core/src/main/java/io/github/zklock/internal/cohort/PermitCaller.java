package io.github.zklock.internal.cohort;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockException;
import io.github.zklock.LostReason;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.spi.LockStrategy;

/**
 * One caller who wants a permit: it waits for a lane, then in its lane, and then holds.
 */
final class PermitCaller implements LocalContender {

	/*-
	 * WAITING -> IN_LANE -> HOLDING -> OVER; WAITING -> OVER; IN_LANE -> OVER; HOLDING -> LOST -> OVER, where the lane is
	 * another one's from LOST on, and keeps what this one held until it leaves. Changed by steps of the permit cohort
	 * only; what is volatile is read by the caller's thread and the timer, and may be a moment old.
	 *
	 * A grant that comes after it has begun to leave, and before its lane has, reaches a listener that gives it back.
	 */

	private enum State {

		WAITING, IN_LANE, HOLDING, LOST, OVER

	}

	private final PermitCohort cohort;

	private final LockAttempt attempt;

	private final LockStrategy strategy;

	private final LocalContenderListener listener;

	private final CompletableFuture<Void> gone = new CompletableFuture<>();

	private final AtomicBoolean over = new AtomicBoolean();

	private State state = State.WAITING;

	private volatile boolean hasEnough;

	private volatile @Nullable LaneContender inLane;

	private volatile @Nullable Holding holding;

	PermitCaller(PermitCohort cohort, LockAttempt attempt, LockStrategy strategy, LocalContenderListener listener) {
		this.cohort = cohort;
		this.attempt = attempt;
		this.strategy = strategy;
		this.listener = listener;
	}

	LockAttempt attempt() {
		return this.attempt;
	}

	LockStrategy strategy() {
		return this.strategy;
	}

	boolean isWaiting() {
		return this.state == State.WAITING;
	}

	boolean isInLane() {
		return this.state == State.IN_LANE;
	}

	/**
	 * Returns its part of a lane.
	 * @return null if it never had a lane
	 */
	@Nullable LaneContender inLane() {
		return this.inLane;
	}

	/**
	 * Takes a lane.
	 * @param entering has not entered yet
	 */
	void enter(LaneContender entering) {
		this.state = State.IN_LANE;
		entering.enter();
		this.inLane = entering;
	}

	/**
	 * Returns whether it waits for the same as another one in a lane, however long.
	 * @param other the other one
	 * @return whether it may have what the other one's lane is granted
	 */
	boolean mayExchangeWith(PermitCaller other) {
		return !this.hasEnough && !this.listener.isDecided() && this.strategy == other.strategy
				&& !this.attempt.tryOnce() && !other.attempt.tryOnce();
	}

	/**
	 * Gives its lane to another one, and gets that one's. Both wait.
	 * @param other the other one
	 */
	void exchangeWith(PermitCaller other) {
		LaneContender ours = this.inLane;
		LaneContender theirs = other.inLane;
		if (ours != null && theirs != null) {
			ours.becomes(other);
			theirs.becomes(this);
			this.inLane = theirs;
			other.inLane = ours;
		}
	}

	/**
	 * It holds from now on.
	 * @param held what its lane has granted
	 */
	void hold(LocalGrant held) {
		this.holding = new Holding(this.cohort.now());
		this.listener.granted(List.of(new PermitGrant(held, this::leave)));
		this.state = State.HOLDING;
	}

	/** It has lost what it held, and may go on working. */
	void holdsNoMore() {
		this.state = State.LOST;
		this.holding = null;
	}

	/** It has left, and never had a lane. */
	void left() {
		this.state = State.OVER;
		nothingLeft();
	}

	// Who learns of it does not find it counted
	private void nothingLeft() {
		if (this.over.compareAndSet(false, true)) {
			this.cohort.over();
			this.gone.complete(null);
		}
	}

	/**
	 * It left before it came, or has lost what it held.
	 * @param leaving gives back what it held
	 */
	void leaveWithoutLane(Supplier<CompletionStage<Void>> leaving) {
		if (this.state == State.WAITING) {
			left();
		}
		else if (this.state == State.LOST) {
			leaveLane(leaving);
		}
	}

	/**
	 * Leaves its lane.
	 * @param leaving does so
	 */
	void leaveLane(Supplier<CompletionStage<Void>> leaving) {
		this.state = State.OVER;
		this.holding = null;
		leaving.get().whenComplete((nothing, failure) -> nothingLeft());
	}

	/**
	 * Ends it in its lane, before it holds.
	 * @param cause why
	 */
	void failInLane(LockException cause) {
		try {
			leaveAnyway(this::leaveInLane);
		}
		finally {
			this.listener.failed(cause);
		}
	}

	/**
	 * Leaves, although a step has failed.
	 * @param leaving leaves the lane, if it has one
	 */
	void leaveAnyway(Supplier<CompletionStage<Void>> leaving) {
		boolean left = false;
		try {
			if (this.inLane != null) {
				leaveLane(leaving);
				left = true;
			}
		}
		finally {
			if (!left) {
				left();
			}
		}
	}

	/** Others have all permits, and it was not to wait. */
	void refuse() {
		Blocker known = blocker();
		left();
		refused((known != null) ? known : LocalContender.queuedBefore(this.attempt.keys().get(0)));
	}

	// It is in no queue any more, so the end of those who wait would not reach it
	private void refused(Blocker blocker) {
		try {
			this.listener.busy(blocker);
		}
		catch (Throwable ex) {
			this.listener.failed(LockException.engineFailed(this.attempt.keys(), ex));
			throw ex;
		}
	}

	/**
	 * Ends a caller who can never have a permit.
	 * @param cause why
	 */
	void failUnlessEntered(LockException cause) {
		if (this.state != State.OVER && this.inLane == null) {
			left();
			this.listener.failed(cause);
		}
	}

	private CompletionStage<Void> leave(Supplier<CompletionStage<Void>> leaving) {
		this.hasEnough = true;
		this.cohort.leave(this, leaving);
		return this.gone;
	}

	@Override
	public CompletionStage<Void> leave() {
		return leave(this::leaveInLane);
	}

	private CompletionStage<Void> leaveInLane() {
		LaneContender entered = this.inLane;
		return (entered != null) ? entered.leave() : CompletableFuture.completedStage(null);
	}

	@Override
	public @Nullable Blocker blocker() {
		return (this.inLane != null) ? blockerInLane() : this.cohort.blocker();
	}

	/**
	 * Describes it to those who wait for a lane.
	 * @return the holder of a permit; null if it holds none
	 */
	@Nullable Blocker asHolder() {
		Holding held = this.holding;
		return (held != null) ? LocalContender.inTheWay(this.attempt.keys().get(0), this.attempt.caller(), true,
				this.cohort.now() - held.since()) : null;
	}

	/**
	 * Returns who is in its way in its lane.
	 * @return who, or null
	 */
	@Nullable Blocker blockerInLane() {
		LaneContender entered = this.inLane;
		return (entered != null) ? entered.blocker() : null;
	}

	@Override
	public @Nullable Exception disturbance() {
		return (this.inLane != null) ? disturbanceInLane() : this.cohort.disturbance();
	}

	/**
	 * Returns what disturbs it in its lane.
	 * @return the last unusable answer, or null
	 */
	@Nullable Exception disturbanceInLane() {
		LaneContender entered = this.inLane;
		return (entered != null) ? entered.disturbance() : null;
	}

	// What the lane reports

	long remainingNanos() {
		return this.listener.remainingNanos();
	}

	void busy(Blocker blocker) {
		leave();
		refused(blocker);
	}

	void lost(String key, LostReason reason) {
		if (this.state != State.OVER) {
			this.listener.lost(key, reason);
		}
	}

	/**
	 * It holds.
	 *
	 * @param since since when, in nanoseconds of the clock
	 */
	private record Holding(long since) {
	}

}
