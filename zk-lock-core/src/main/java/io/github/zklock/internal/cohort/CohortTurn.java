package io.github.zklock.internal.cohort;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockException;
import io.github.zklock.LostReason;
import io.github.zklock.spi.Grant;
import io.github.zklock.spi.LockEntry;
import io.github.zklock.spi.LockStrategy;
import io.github.zklock.spi.Obstacle;

/**
 * The turn of one local caller of one key.
 */
final class CohortTurn implements Turn {

	/*-
	 * WAITING -> HOLDING -> LEFT; WAITING -> LEFT. Steps run in the cohort's mailbox. What was
	 * seen is read by the caller's thread or the timer; it is volatile, and may be a moment old.
	 *
	 * I1: the listener is not called after LEFT.
	 * I2: `gone` completes when nothing in ZooKeeper is left on behalf of this turn alone: at
	 *     once if the grant passes on, otherwise when its node is gone.
	 */

	private enum State {

		WAITING, HOLDING, LEFT

	}

	private final CohortSite site;

	private final Host cohort;

	private final LockEntry entry;

	private final LockStrategy strategy;

	private final TurnListener listener;

	private final long firstSighting;

	private final CompletableFuture<Void> gone = new CompletableFuture<>();

	private volatile @Nullable Seen seen;

	private volatile @Nullable Seen earlier;

	private State state = State.WAITING;

	private @Nullable Runnable givingBack;

	private @Nullable Runnable spoiling;

	private long heldSince;

	/**
	 * Creates a turn that does not wait yet.
	 * @param site where
	 * @param cohort those with whom it will wait
	 * @param entry what is asked for
	 * @param strategy runs the contest
	 * @param listener hears what becomes of the turn
	 */
	CohortTurn(CohortSite site, Host cohort, LockEntry entry, LockStrategy strategy, TurnListener listener) {
		this.site = site;
		this.cohort = cohort;
		this.entry = entry;
		this.strategy = strategy;
		this.listener = listener;
		this.firstSighting = cohort.sightings().number();
	}

	LockEntry entry() {
		return this.entry;
	}

	LockStrategy strategy() {
		return this.strategy;
	}

	boolean isShared() {
		return this.entry.mode().isShared();
	}

	boolean isIfFree() {
		return this.entry.ifFree();
	}

	boolean hasLeft() {
		return this.state == State.LEFT;
	}

	/**
	 * Notes who holds while this turn begins to wait.
	 * @param obstacle the holder
	 */
	void saw(Obstacle obstacle) {
		this.seen = new Seen(obstacle, this.site.now());
	}

	/**
	 * Notes who was in the way of those before this turn, before it came. It counts only
	 * while servers answer: otherwise nobody knows whether it is still so.
	 * @param before who, or null
	 */
	void sawEarlier(@Nullable Seen before) {
		this.earlier = before;
	}

	/**
	 * Describes this turn as the holder that stands before others.
	 * @return who holds
	 */
	Obstacle asHolder() {
		Duration age = Duration.ofNanos(this.site.now() - this.heldSince);
		return new Obstacle(this.entry.keys().get(0), "this process (thread " + this.entry.caller() + ")", true, age);
	}

	/** It is about to be this turn's time. */
	void heldFromNow() {
		this.heldSince = this.site.now();
	}

	/**
	 * It is this turn's time.
	 * @param grant what it holds from now on
	 * @param token its own token
	 * @param handedOver whether somebody had the grant before
	 * @param back a step that gives the grant back
	 * @param spoil a step that keeps the grant from everybody else
	 */
	void hold(Grant grant, long token, boolean handedOver, Runnable back, Runnable spoil) {
		this.state = State.HOLDING;
		this.givingBack = back;
		this.spoiling = spoil;
		this.listener.granted(List.of(new GrantShare(grant, token, handedOver, this::leave, this::forfeit)));
	}

	void lost(LostReason reason) {
		this.listener.lost(this.entry.keys().get(0), reason);
	}

	/**
	 * Ends a turn that was not to wait.
	 * @param obstacle who is in the way
	 */
	void refuse(Obstacle obstacle) {
		this.state = State.LEFT;
		this.listener.busy(obstacle);
		goneWith(CompletableFuture.completedFuture(null));
	}

	/**
	 * Ends a turn that can never be granted.
	 * @param cause why
	 */
	void fail(LockException cause) {
		this.state = State.LEFT;
		this.listener.failed(cause);
		goneWith(CompletableFuture.completedFuture(null));
	}

	/**
	 * The turn is over when its node is gone.
	 * @param node completes when the node is gone
	 */
	void goneWith(CompletionStage<Void> node) {
		node.whenComplete((nothing, failure) -> {
			if (this.gone.complete(null)) {
				this.site.over();
			}
		});
	}

	private CompletionStage<Void> forfeit() {
		this.site.mailbox().execute(() -> {
			if (this.state == State.HOLDING && this.spoiling != null) {
				this.spoiling.run();
			}
		});
		return leave();
	}

	@Override
	public CompletionStage<Void> leave() {
		this.site.mailbox().execute(() -> {
			if (this.state != State.LEFT) {
				this.state = State.LEFT;
				if (this.givingBack != null) {
					this.givingBack.run();
				}
				else {
					this.cohort.leave(this);
				}
			}
		});
		return this.gone;
	}

	@Override
	public @Nullable Obstacle obstacle() {
		Seen last = this.seen;
		Seen others = this.cohort.sightings().seenAfter(this.firstSighting);
		if (last == null || (others != null && others.at() - last.at() > 0)) {
			last = others;
		}
		if (last == null && this.site.isReachable()) {
			last = this.earlier;
		}
		return (last != null) ? last.by(this.site.now()) : null;
	}

	@Override
	public @Nullable Exception disturbance() {
		return this.cohort.sightings().disturbanceAfter(this.firstSighting);
	}

	/** Those with whom a turn waits: the cohort of its key. */
	interface Host {

		/**
		 * Tells what the callers of this key have seen last. Asked from any thread.
		 * @return the sightings so far
		 */
		BlockerSightings sightings();

		/**
		 * A turn that waits gives up. A step of the cohort.
		 * @param turn which
		 */
		void leave(CohortTurn turn);

	}

}
