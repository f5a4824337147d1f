package io.github.zklock.cohort;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.github.zklock.Contender;
import io.github.zklock.ContenderListener;
import io.github.zklock.Grant;
import io.github.zklock.LockEntry;
import io.github.zklock.LockException;
import io.github.zklock.LockStrategy;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.LostReason;
import io.github.zklock.Obstacle;

/*
 * WAITING -> CONTENDING -> GRANTED -> LEFT -> GONE; each -> LEFT. Steps run in the cohort's
 * mailbox; the contender's calls come from its own and are passed on as steps, so the
 * listener hears of nothing after `left`.
 */
/**
 * The turn of one local caller of one key.
 */
final class CohortTurn implements Turn, ContenderListener {

	private final Cohort cohort;

	private final LockEntry entry;

	private final LockStrategy strategy;

	private final TurnListener listener;

	private final long firstSighting;

	private final CompletableFuture<Void> gone = new CompletableFuture<>();

	private volatile @Nullable Seen seen;

	private volatile @Nullable Exception disturbance;

	private @Nullable Contender contender;

	private boolean left;

	private boolean granted;

	private long grantedAt;

	CohortTurn(Cohort cohort, LockEntry entry, LockStrategy strategy, TurnListener listener, long firstSighting) {
		this.cohort = cohort;
		this.entry = entry;
		this.strategy = strategy;
		this.listener = listener;
		this.firstSighting = firstSighting;
	}

	boolean isShared() {
		return this.entry.mode().isShared();
	}

	boolean isIfFree() {
		return this.entry.ifFree();
	}

	boolean isFair() {
		return this.strategy.isFair();
	}

	boolean hasLeft() {
		return this.left;
	}

	/**
	 * Describes this turn as somebody who stands before others.
	 * @return who holds, or who is in this turn's own way; null if nobody was seen
	 */
	@Nullable Obstacle asObstacle() {
		if (!this.granted) {
			Seen own = this.seen;
			return (own != null) ? own.by(this.cohort.now()) : null;
		}
		Duration age = Duration.ofNanos(this.cohort.now() - this.grantedAt);
		return new Obstacle(this.entry.keys().get(0), "this process (thread " + this.entry.caller() + ")", true, age);
	}

	void saw(Obstacle obstacle) {
		this.seen = new Seen(obstacle, this.cohort.now());
	}

	/** It is this turn's time: enters its contender. */
	void contend() {
		try {
			this.contender = this.strategy.enter(this.entry, this);
		}
		catch (RuntimeException ex) {
			failed(new LockUnavailableException("The strategy failed for " + this.entry.keys(), ex));
		}
	}

	/**
	 * Ends a turn that was not to wait.
	 * @param obstacle who is in the way
	 */
	void refuse(Obstacle obstacle) {
		this.left = true;
		this.listener.busy(obstacle);
		gone();
	}

	/** Leaves the contest. */
	void withdraw() {
		Contender entered = this.contender;
		if (entered == null) {
			gone();
		}
		else {
			entered.leave().whenComplete((nothing, failure) -> gone());
		}
	}

	CompletionStage<Void> whenGone() {
		return this.gone;
	}

	void gone() {
		if (this.gone.complete(null)) {
			this.cohort.turnOver();
		}
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
		Seen own = this.seen;
		if (own == null) {
			own = this.cohort.sighting().seenAfter(this.firstSighting);
		}
		return (own != null) ? own.by(this.cohort.now()) : null;
	}

	@Override
	public @Nullable Exception disturbance() {
		Exception own = this.disturbance;
		return (own != null) ? own : this.cohort.sighting().disturbanceAfter(this.firstSighting);
	}

	@Override
	public void granted(List<Grant> grants) {
		this.cohort.step(() -> {
			if (!this.left) {
				this.granted = true;
				this.grantedAt = this.cohort.now();
				this.cohort.grantedTo(this);
				this.listener.granted(List.of(new GrantShare(grants.get(0), this::leave)));
			}
		});
	}

	@Override
	public void blocked(Obstacle obstacle) {
		this.seen = new Seen(obstacle, this.cohort.now());
		this.cohort.step(() -> this.cohort.blockedBy(obstacle));
	}

	@Override
	public void disturbed(Exception cause) {
		this.disturbance = cause;
		this.cohort.step(() -> this.cohort.disturbed(cause));
	}

	@Override
	public void busy(Obstacle obstacle) {
		end(() -> this.listener.busy(obstacle));
	}

	@Override
	public void failed(LockException cause) {
		end(() -> this.listener.failed(cause));
	}

	private void end(Runnable tell) {
		this.cohort.step(() -> {
			if (!this.left) {
				this.left = true;
				tell.run();
				this.cohort.leave(this);
			}
		});
	}

	@Override
	public void lost(Grant grant, LostReason reason) {
		this.cohort.step(() -> {
			if (!this.left) {
				this.listener.lost(grant.key(), reason);
			}
		});
	}

}
