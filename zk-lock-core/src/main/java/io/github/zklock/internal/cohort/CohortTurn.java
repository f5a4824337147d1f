package io.github.zklock.internal.cohort;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockException;
import io.github.zklock.LockMode;
import io.github.zklock.LostReason;
import io.github.zklock.spi.Grant;
import io.github.zklock.spi.LockEntry;
import io.github.zklock.spi.LockStrategy;
import io.github.zklock.spi.Obstacle;

/*
 * WAITING -> HOLDING -> LEFT; WAITING -> LEFT. Steps run in the cohort's mailbox.
 * I1: the listener is not called after LEFT.
 * I2: `gone` completes when nothing in ZooKeeper is left on behalf of this turn alone: at
 *     once if the grant passes on, otherwise when its node is gone.
 */
/**
 * The turn of one local caller of one key.
 */
public final class CohortTurn implements Turn {

	private final Cohort cohort;

	private final LockEntry entry;

	private final LockStrategy strategy;

	private final TurnListener listener;

	private final long firstSighting;

	private final CompletableFuture<Void> gone = new CompletableFuture<>();

	private volatile @Nullable Seen seen;

	private volatile @Nullable Seen earlier;

	private @Nullable Stake stake;

	private boolean left;

	private long heldSince;

	public CohortTurn(Cohort cohort, LockEntry entry, LockStrategy strategy, TurnListener listener,
			long firstSighting) {
		this.cohort = cohort;
		this.entry = entry;
		this.strategy = strategy;
		this.listener = listener;
		this.firstSighting = firstSighting;
	}

	public LockEntry entry() {
		return this.entry;
	}

	public LockStrategy strategy() {
		return this.strategy;
	}

	public LockMode mode() {
		return this.entry.mode();
	}

	public boolean isShared() {
		return mode().isShared();
	}

	public boolean isIfFree() {
		return this.entry.ifFree();
	}

	public boolean hasLeft() {
		return this.left;
	}

	public @Nullable Stake stake() {
		return this.stake;
	}

	public void saw(Obstacle obstacle) {
		this.seen = new Seen(obstacle, this.cohort.now());
	}

	/**
	 * Notes who was in the way of those before this turn, before it came. It counts only
	 * while servers answer: otherwise nobody knows whether it is still so.
	 * @param before who, or null
	 */
	public void sawEarlier(@Nullable Seen before) {
		this.earlier = before;
	}

	/**
	 * Describes this turn as the holder that stands before others.
	 * @return who holds
	 */
	public Obstacle asHolder() {
		Duration age = Duration.ofNanos(this.cohort.now() - this.heldSince);
		return new Obstacle(this.entry.keys().get(0), "this process (thread " + this.entry.caller() + ")", true, age);
	}

	/** It is about to be this turn's time. */
	public void heldFromNow() {
		this.heldSince = this.cohort.now();
	}

	/**
	 * It is this turn's time.
	 * @param held the stake that it holds from now on
	 * @param grant the stake's grant
	 * @param token this turn's token
	 * @param handedOver whether somebody had the grant before
	 */
	public void hold(Stake held, Grant grant, long token, boolean handedOver) {
		this.stake = held;
		this.listener.granted(List.of(new GrantShare(grant, token, handedOver, this::leave, this::forfeit)));
	}

	public void lost(LostReason reason) {
		this.listener.lost(this.entry.keys().get(0), reason);
	}

	/**
	 * Ends a turn that was not to wait.
	 * @param obstacle who is in the way
	 */
	public void refuse(Obstacle obstacle) {
		this.left = true;
		this.listener.busy(obstacle);
		goneWith(CompletableFuture.completedFuture(null));
	}

	/**
	 * Ends a turn that can never be granted.
	 * @param cause why
	 */
	public void fail(LockException cause) {
		this.left = true;
		this.listener.failed(cause);
		goneWith(CompletableFuture.completedFuture(null));
	}

	/**
	 * The turn is over when its node is gone.
	 * @param node completes when the node is gone
	 */
	public void goneWith(CompletionStage<Void> node) {
		node.whenComplete((nothing, failure) -> {
			if (this.gone.complete(null)) {
				this.cohort.turnOver();
			}
		});
	}

	private CompletionStage<Void> forfeit() {
		this.cohort.step(() -> {
			Stake held = this.stake;
			if (held != null && !this.left) {
				held.spoil();
			}
		});
		return leave();
	}

	@Override
	public CompletionStage<Void> leave() {
		this.cohort.step(() -> {
			if (!this.left) {
				this.left = true;
				this.cohort.leave(this);
			}
		});
		return this.gone;
	}

	@Override
	public @Nullable Obstacle obstacle() {
		Seen last = this.seen;
		Seen others = this.cohort.sighting().seenAfter(this.firstSighting);
		if (last == null || (others != null && others.at() - last.at() > 0)) {
			last = others;
		}
		if (last == null && this.cohort.isReachable()) {
			last = this.earlier;
		}
		return (last != null) ? last.by(this.cohort.now()) : null;
	}

	@Override
	public @Nullable Exception disturbance() {
		return this.cohort.sighting().disturbanceAfter(this.firstSighting);
	}

}
