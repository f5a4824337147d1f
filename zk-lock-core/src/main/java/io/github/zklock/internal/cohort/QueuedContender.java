package io.github.zklock.internal.cohort;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockException;
import io.github.zklock.LostReason;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.Grant;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.spi.LockStrategy;

/**
 * The contender of one local caller that queues in the cohort of its key.
 */
final class QueuedContender implements LocalContender, GrantHolder {

	/*-
	 * WAITING -> HOLDING -> LEFT; WAITING -> LEFT. Steps run in the cohort's serial executor.
	 *
	 * I1: the listener is not called after LEFT. What could not be notified of its end waits again, for the end of
	 *     the cohort, which that leads to.
	 * I2: `gone` completes when nothing in ZooKeeper is left on behalf of this local contender
	 *     alone: at once if the grant is handed off, otherwise when its node is gone.
	 */

	private enum State {

		WAITING, HOLDING, LEFT

	}

	/** It lets others pass for such a part of the time for which it would wait. */
	private static final int PATIENCE = 4;

	private final CohortSite site;

	private final Host cohort;

	private final LockAttempt attempt;

	private final LockStrategy strategy;

	private final LocalContenderListener listener;

	private final CallerSightings sightings;

	private final long cameAt;

	private final long patienceAtFirst;

	private final CompletableFuture<Void> gone = new CompletableFuture<>();

	private State state = State.WAITING;

	private @Nullable Grant held;

	private @Nullable Consumer<Boolean> givingBack;

	private @Nullable Runnable forfeiting;

	private @Nullable Runnable downgrading;

	private long heldSince;

	/**
	 * Creates a local contender that does not wait yet.
	 * @param site where
	 * @param cohort those with whom it will wait
	 * @param attempt what is asked for
	 * @param strategy enters contenders
	 * @param listener is notified of what becomes of the local contender
	 */
	QueuedContender(CohortSite site, Host cohort, LockAttempt attempt, LockStrategy strategy,
			LocalContenderListener listener) {
		this.site = site;
		this.cohort = cohort;
		this.attempt = attempt;
		this.strategy = strategy;
		this.listener = listener;
		this.cameAt = site.now();
		this.patienceAtFirst = listener.remainingNanos() / PATIENCE;
		this.sightings = new CallerSightings(site, cohort);
	}

	LockAttempt attempt() {
		return this.attempt;
	}

	LockStrategy strategy() {
		return this.strategy;
	}

	boolean isShared() {
		return this.attempt.mode().isShared();
	}

	boolean isTryOnce() {
		return this.attempt.tryOnce();
	}

	boolean waitsToWrite() {
		return !isShared() && !isTryOnce();
	}

	boolean isWaiting() {
		return this.state == State.WAITING;
	}

	boolean hasLeft() {
		return this.state == State.LEFT;
	}

	/**
	 * Returns how long it would still let others pass.
	 * @param now nanoseconds of the monotonic clock
	 * @return nanoseconds
	 */
	long patience(long now) {
		return this.patienceAtFirst - (now - this.cameAt);
	}

	boolean cameBefore(long then) {
		return this.cameAt - then < 0;
	}

	/**
	 * Returns what is in the way of this local contender.
	 * @return what was seen so far
	 */
	CallerSightings sightings() {
		return this.sightings;
	}

	@Override
	public Blocker asHolder() {
		return asBlocker(true, this.site.now() - this.heldSince);
	}

	/**
	 * Describes it as the one who is next, before others.
	 * @return a blocker that holds nothing yet
	 */
	Blocker asNext() {
		return asBlocker(false, this.site.now() - this.cameAt);
	}

	private Blocker asBlocker(boolean holds, long nanos) {
		return LocalContender.inTheWay(this.attempt.keys().get(0), this.attempt.caller(), holds, nanos);
	}

	/**
	 * It holds from now on.
	 * @param grant what it holds from now on
	 * @param token its own token
	 * @param handedOff whether another local contender had the grant before
	 * @param back a step that gives the grant back, and says whether it may linger
	 * @param forfeit a step that keeps the grant from everybody else
	 * @param downgrade a step that makes the grant a READ one
	 */
	void hold(Grant grant, long token, boolean handedOff, Consumer<Boolean> back, Runnable forfeit,
			Runnable downgrade) {
		this.heldSince = this.site.now();
		this.held = grant;
		this.state = State.HOLDING;
		this.givingBack = back;
		this.forfeiting = forfeit;
		this.downgrading = downgrade;
		try {
			this.listener.granted(
					List.of(new CallerGrant(grant, token, handedOff, this::leave, this::forfeit, this::downgrade)));
		}
		catch (Throwable ex) {
			// The cohort ends then, and all who wait are notified of that
			if (this.state == State.HOLDING) {
				this.state = State.WAITING;
			}
			throw ex;
		}
	}

	@Override
	public void lost(LostReason reason) {
		this.listener.lost(this.attempt.keys().get(0), reason);
	}

	/**
	 * Ends a local contender that was not to wait.
	 * @param blocker who is in the way
	 */
	void refuse(Blocker blocker) {
		end(() -> this.listener.busy(blocker));
	}

	/**
	 * Ends a local contender that can never be granted.
	 * @param cause why
	 */
	void fail(LockException cause) {
		end(() -> this.listener.failed(cause));
	}

	private void end(Runnable notice) {
		this.state = State.LEFT;
		goneWith(CompletableFuture.completedFuture(null));
		try {
			notice.run();
		}
		catch (Throwable ex) {
			// As above
			this.state = State.WAITING;
			throw ex;
		}
	}

	@Override
	public void goneWith(CompletionStage<Void> node) {
		node.whenComplete((nothing, failure) -> {
			if (this.gone.complete(null)) {
				this.cohort.over();
			}
		});
	}

	private CompletionStage<Void> forfeit() {
		whileHolding(this.forfeiting);
		return leave();
	}

	private void downgrade() {
		whileHolding(this.downgrading);
	}

	private void whileHolding(@Nullable Runnable step) {
		this.site.serialExecutor().execute(() -> {
			if (this.state == State.HOLDING && step != null) {
				step.run();
			}
		});
	}

	// The cohort has failed, so nobody else has a use for the grant.
	private void leaveAnyway(Throwable failure) {
		this.state = State.LEFT;
		this.cohort.failed(failure);
		Grant left = this.held;
		goneWith((left != null) ? CallerGrant.whole(left, this.site.failures(), null).release()
				: CompletableFuture.completedFuture(null));
	}

	@Override
	public CompletionStage<Void> leave() {
		return leave(false);
	}

	private CompletionStage<Void> leave(boolean mayLinger) {
		this.site.orElse(this::leaveAnyway).execute(() -> {
			if (this.state != State.LEFT) {
				this.state = State.LEFT;
				if (this.givingBack != null) {
					this.givingBack.accept(mayLinger);
				}
				else {
					this.cohort.leave(this);
				}
			}
		});
		return this.gone;
	}

	/**
	 * Returns whether others may pass it while it wakes.
	 * @param now nanoseconds of the monotonic clock
	 * @return whether it sleeps, and has time to wait
	 */
	boolean mayBePassed(long now) {
		return !isTryOnce() && patience(now) > 0 && this.listener.isAsleep();
	}

	void wake() {
		this.listener.wake();
	}

	@Override
	public void awake() {
		this.site.serialExecutor().execute(() -> {
			if (this.state == State.WAITING) {
				this.cohort.awake(this);
			}
		});
	}

	@Override
	public @Nullable Blocker blocker() {
		return this.sightings.blocker();
	}

	@Override
	public @Nullable Exception disturbance() {
		return this.sightings.disturbance();
	}

	/** Those with whom a local contender waits: the cohort of its key. */
	interface Host extends CallerSightings.Source {

		/**
		 * A local contender that waits gives up. A step of the cohort.
		 * @param local which
		 */
		void leave(QueuedContender local);

		/**
		 * A local contender that waits was woken, and is awake. A step of the cohort.
		 * @param local which
		 */
		void awake(QueuedContender local);

		/** A local contender has nothing left in ZooKeeper. */
		void over();

		/**
		 * A step has failed, and with it all who wait or hold here.
		 * @param cause what it threw
		 */
		void failed(Throwable cause);

	}

}
