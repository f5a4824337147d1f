package io.github.zklock.internal.cohort;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.github.zklock.HandOver;
import io.github.zklock.LockException;
import io.github.zklock.LockMode;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.LostReason;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.ContenderListener;
import io.github.zklock.spi.Grant;
import io.github.zklock.spi.LockEntry;
import io.github.zklock.spi.LockStrategy;
import io.github.zklock.spi.Obstacle;

/*
 * One contender of a cohort, and the grant that it becomes, which passes from one local
 * caller to the next.
 *
 * CONTENDING -> GRANTED (held, or retained while nobody here wants it) -> LEAVING -> gone;
 * CONTENDING -> LEAVING. Steps run in the cohort's mailbox; the contender's calls come from
 * its own and are passed on as steps, and are dropped after LEAVING.
 *
 * I1: a stake that is not READ has at most one holder.
 * I2: each holder that is not READ has a token of its own: the grant's first one plus the
 *     number of hand-overs before it, at most 255. Readers share the first one.
 * I3: who is made a holder was made so while the grant was valid. A grant that was lost is
 *     never handed over.
 */
/**
 * What a cohort has in the contest for its key.
 */
public final class Stake implements ContenderListener {

	private final Cohort cohort;

	private final LockEntry entry;

	private final LockStrategy strategy;

	private final Set<CohortTurn> holders = new LinkedHashSet<>();

	private @Nullable Contender contender;

	private @Nullable Grant grant;

	private @Nullable Seen seen;

	private long grantedAt;

	private int passes;

	private boolean watched;

	private boolean contended;

	private boolean lost;

	private boolean spoiled;

	private boolean leaving;

	private long idleSince;

	private boolean idleIsTimed;

	public Stake(Cohort cohort, LockEntry entry, LockStrategy strategy) {
		this.cohort = cohort;
		this.entry = entry;
		this.strategy = strategy;
	}

	/** Enters the contest. */
	public void enter() {
		try {
			this.contender = this.strategy.enter(this.entry, this);
		}
		catch (RuntimeException ex) {
			failed(new LockUnavailableException("The strategy failed for " + this.entry.keys(), ex));
		}
	}

	/**
	 * Enters the contest while another stake leaves it.
	 * @param former the granted stake that leaves
	 * @return completes when nothing of that one is left in ZooKeeper
	 */
	public CompletionStage<Void> enterInsteadOf(Stake former) {
		Contender leaving = former.contender;
		if (leaving == null) {
			enter();
			return former.leave();
		}
		former.leaving = true;
		try {
			this.contender = this.strategy.enterInstead(leaving, this.entry, this);
		}
		catch (RuntimeException ex) {
			failed(new LockUnavailableException("The strategy failed for " + this.entry.keys(), ex));
		}
		return leaving.leave();
	}

	/**
	 * Tells whether another stake may enter in the same request with which this one
	 * leaves.
	 * @param next who would enter
	 * @return whether this one was granted, and not lost, by the same fair strategy
	 */
	public boolean mayBeReplacedBy(CohortTurn next) {
		return isGranted() && !this.lost && isFair() && this.strategy == next.strategy() && !next.isIfFree();
	}

	public boolean isShared() {
		return this.entry.mode().isShared();
	}

	public boolean isGranted() {
		return this.grant != null;
	}

	public boolean isHeld() {
		return !this.holders.isEmpty();
	}

	public boolean isLeaving() {
		return this.leaving;
	}

	public boolean isFair() {
		return this.strategy.isFair();
	}

	/**
	 * Tells whether this stake is of the kind that a turn asks for.
	 * @param turn the turn
	 * @return whether strategy and mode are the same
	 */
	public boolean suits(CohortTurn turn) {
		return this.strategy == turn.strategy() && mode() == turn.mode();
	}

	public LockMode mode() {
		return this.entry.mode();
	}

	/**
	 * Describes who of this process holds.
	 * @return one of the holders, or null if there is none
	 */
	public @Nullable Obstacle asHolder() {
		return this.holders.isEmpty() ? null : this.holders.iterator().next().asHolder();
	}

	/**
	 * Tells who was in this stake's own way.
	 * @return the last one that was seen, or null
	 */
	public @Nullable Seen seen() {
		return this.seen;
	}

	/**
	 * Tells whether a turn may have the grant now: it is valid, has tokens, and the
	 * bounds are not reached, or nobody else waits.
	 * @return whether {@link #pass} may be called
	 */
	public boolean mayPass() {
		Grant held = this.grant;
		if (held == null || this.leaving || this.lost || this.spoiled || (!isShared() && isHeld())) {
			return false;
		}
		if (this.passes == 0) {
			return held.isValid();
		}
		HandOver bounds = this.cohort.handOver();
		boolean within = this.passes <= bounds.maxCount()
				&& this.cohort.now() - this.grantedAt < bounds.maxDuration().toNanos();
		boolean tokens = isShared() || this.passes < Grant.TOKENS;
		return bounds.maxCount() > 0 && tokens && (within || !this.contended) && held.isValid();
	}

	/**
	 * Makes a turn a holder.
	 * @param turn who waited
	 */
	public void pass(CohortTurn turn) {
		Grant held = this.grant;
		if (held != null) {
			long token = held.firstToken() + (isShared() ? 0 : this.passes);
			this.passes++;
			this.holders.add(turn);
			if (this.passes == 2) {
				watchLine(held);
			}
			turn.hold(this, held, token, this.passes > 1);
		}
	}

	/**
	 * A holder gives its share back.
	 * @param turn the holder
	 */
	public void giveBack(CohortTurn turn) {
		this.holders.remove(turn);
	}

	/**
	 * A holder may go on working although it has lost its share: the grant is not passed
	 * on any more.
	 */
	public void spoil() {
		this.spoiled = true;
	}

	/**
	 * Tells whether this stake would be kept for a time although nobody here wants it, if
	 * its grant had tokens left.
	 * @return whether another stake should enter in its stead
	 */
	public boolean isUsedUp() {
		return isGranted() && !isShared() && this.passes >= Grant.TOKENS && mayBeRetained();
	}

	private boolean mayBeRetained() {
		return this.cohort.retains() && isFair() && !this.lost && !this.spoiled && !this.contended;
	}

	/**
	 * Creates a stake of the same kind, which nobody waits for yet.
	 * @return the stake
	 */
	public Stake another() {
		return new Stake(this.cohort, new LockEntry(this.entry.keys(), this.entry.mode(), false, this.entry.caller()),
				this.strategy);
	}

	/**
	 * Keeps the grant for a time although nobody here wants it.
	 * @return false if that is not wanted, or not possible
	 */
	public boolean retain() {
		Grant held = this.grant;
		if (held == null || !mayBeRetained() || !mayPass()) {
			return false;
		}
		watchLine(held);
		this.idleSince = this.cohort.now();
		if (!this.idleIsTimed) {
			timeIdleness(this.cohort.handOver().retain().toNanos());
		}
		return true;
	}

	// One step at most is under way, however often the grant is taken and given back
	private void timeIdleness(long nanos) {
		this.idleIsTimed = true;
		this.cohort.after(nanos, () -> {
			this.idleIsTimed = false;
			if (!this.leaving && !isHeld()) {
				long left = this.cohort.handOver().retain().toNanos() - (this.cohort.now() - this.idleSince);
				if (left > 0) {
					timeIdleness(left);
				}
				else {
					this.cohort.letGo(this);
				}
			}
		});
	}

	private void watchLine(Grant held) {
		if (!this.watched) {
			this.watched = true;
			held.whenContended().thenRun(() -> this.cohort.step(() -> {
				this.contended = true;
				if (!this.leaving && !isHeld()) {
					this.cohort.letGo(this);
				}
			}));
		}
	}

	/**
	 * Leaves the contest, or releases the grant.
	 * @return completes when nothing is left in ZooKeeper
	 */
	public CompletionStage<Void> leave() {
		this.leaving = true;
		Contender entered = this.contender;
		return (entered != null) ? entered.leave() : CompletableFuture.completedFuture(null);
	}

	@Override
	public void granted(List<Grant> grants) {
		step(() -> {
			this.grant = grants.get(0);
			this.grantedAt = this.cohort.now();
			this.cohort.stakeGranted();
		});
	}

	@Override
	public void blocked(Obstacle obstacle) {
		step(() -> {
			this.seen = new Seen(obstacle, this.cohort.now());
			this.cohort.blockedBy(obstacle);
		});
	}

	@Override
	public void disturbed(Exception cause) {
		step(() -> this.cohort.disturbed(cause));
	}

	@Override
	public void busy(Obstacle obstacle) {
		step(() -> {
			this.cohort.blockedBy(obstacle);
			this.cohort.letGo(this);
		});
	}

	@Override
	public void failed(LockException cause) {
		step(() -> this.cohort.stakeFailed(this, cause));
	}

	@Override
	public void lost(Grant what, LostReason reason) {
		step(() -> {
			this.lost = true;
			if (isHeld()) {
				List.copyOf(this.holders).forEach((holder) -> holder.lost(reason));
				this.cohort.stakeLost(this);
			}
			else {
				this.cohort.letGo(this);
			}
		});
	}

	private void step(Runnable step) {
		this.cohort.step(() -> {
			if (!this.leaving) {
				step.run();
			}
		});
	}

}
