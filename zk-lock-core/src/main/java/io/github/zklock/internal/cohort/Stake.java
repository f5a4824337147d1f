package io.github.zklock.internal.cohort;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.LostReason;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.ContenderListener;
import io.github.zklock.spi.Grant;
import io.github.zklock.spi.LockEntry;
import io.github.zklock.spi.LockStrategy;
import io.github.zklock.spi.Obstacle;

/**
 * What a cohort has in the contest for its key: a contender, and the grant that it
 * becomes.
 */
final class Stake implements ContenderListener {

	/*-
	 * One contender of a cohort, and the grant that it becomes, which passes from one local
	 * caller to the next.
	 *
	 * CONTENDING -> GRANTED (held, or retained while nobody here wants it) -> LEAVING -> gone;
	 * CONTENDING -> LEAVING. A grant that is lost or forfeited stays GRANTED until its holders
	 * have left; `CohortGrant` knows. Steps run in the cohort's mailbox; the contender's calls
	 * come from its own and are passed on as steps, and are dropped after LEAVING.
	 *
	 * I1: a stake that is not READ has at most one holder.
	 * I2: each holder that is not READ has a token of its own: the grant's first one plus the
	 *     number of hand-overs before it, at most 255. Readers share the first one.
	 * I3: who is made a holder was made so while the grant was valid. A grant that was lost is
	 *     never handed over.
	 */

	private enum State {

		CONTENDING, GRANTED, LEAVING

	}

	private final Cohort cohort;

	private final LockEntry entry;

	private final LockStrategy strategy;

	private State state = State.CONTENDING;

	private @Nullable Contender contender;

	private @Nullable CohortGrant grant;

	private Stake(Cohort cohort, LockEntry entry, LockStrategy strategy) {
		this.cohort = cohort;
		this.entry = entry;
		this.strategy = strategy;
	}

	/**
	 * Creates a stake that has not entered yet.
	 * @param cohort whose it is
	 * @param first the caller for whom it is made; any other who wants the like is served
	 * by it too
	 * @return the stake
	 */
	static Stake of(Cohort cohort, CohortTurn first) {
		return new Stake(cohort, first.entry(), first.strategy());
	}

	/**
	 * Creates a stake of the same kind, which nobody waits for yet.
	 * @return the stake
	 */
	Stake another() {
		return new Stake(this.cohort, new LockEntry(this.entry.keys(), this.entry.mode(), false, this.entry.caller()),
				this.strategy);
	}

	// --- entering and leaving ---

	/** Enters the contest. */
	void enter() {
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
	CompletionStage<Void> enterInsteadOf(Stake former) {
		Contender leaving = former.contender;
		if (leaving == null) {
			enter();
			return former.leave();
		}
		former.state = State.LEAVING;
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
	boolean mayBeReplacedBy(CohortTurn next) {
		CohortGrant held = this.grant;
		return held != null && !held.isLost() && isFair() && this.strategy == next.strategy() && !next.isIfFree();
	}

	/**
	 * Leaves the contest, or releases the grant.
	 * @return completes when nothing is left in ZooKeeper
	 */
	CompletionStage<Void> leave() {
		this.state = State.LEAVING;
		Contender entered = this.contender;
		return (entered != null) ? entered.leave() : CompletableFuture.completedFuture(null);
	}

	// --- what it is ---

	boolean isShared() {
		return this.entry.mode().isShared();
	}

	boolean isFair() {
		return this.strategy.isFair();
	}

	boolean isGranted() {
		return this.grant != null;
	}

	boolean isHeld() {
		return this.grant != null && this.grant.isHeld();
	}

	boolean isLeaving() {
		return this.state == State.LEAVING;
	}

	/**
	 * Tells whether this stake is of the kind that a caller asks for.
	 * @param turn the caller's
	 * @return whether strategy and mode are the same
	 */
	boolean suits(CohortTurn turn) {
		return this.strategy == turn.strategy() && this.entry.mode() == turn.entry().mode();
	}

	/**
	 * Describes who of this process holds.
	 * @return one of the holders, or null if there is none
	 */
	@Nullable Obstacle asHolder() {
		return (this.grant != null) ? this.grant.asHolder() : null;
	}

	// --- passing on ---

	/**
	 * Tells whether a caller may have the grant now.
	 * @return whether {@link #pass} may be called
	 */
	boolean mayPass() {
		return this.state == State.GRANTED && this.grant != null && this.grant.mayPass();
	}

	/**
	 * Makes a caller a holder.
	 * @param turn who waited
	 */
	void pass(CohortTurn turn) {
		CohortGrant passed = this.grant;
		if (passed != null) {
			long token = passed.pass(turn);
			turn.hold(passed.grant(), token, passed.isHandedOver(), () -> giveBack(passed, turn), passed::forfeit);
		}
	}

	private void giveBack(CohortGrant passed, CohortTurn turn) {
		passed.giveBack(turn);
		this.cohort.leave(turn, this);
	}

	/**
	 * Tells whether this stake would be kept for a time although nobody here wants it, if
	 * its grant had tokens left.
	 * @return whether another stake should enter in its stead
	 */
	boolean isUsedUp() {
		return this.grant != null && isFair() && this.grant.isUsedUp();
	}

	/**
	 * Keeps the grant for a time although nobody here wants it.
	 * @return false if that is not wanted, or not possible
	 */
	boolean retain() {
		return this.grant != null && isFair() && this.grant.retain();
	}

	// --- what the contender tells ---

	@Override
	public void granted(List<Grant> grants) {
		step(() -> {
			if (this.state == State.CONTENDING) {
				this.state = State.GRANTED;
				this.grant = new CohortGrant(grants.get(0), isShared(), this.cohort.site(), this::step,
						() -> this.cohort.letGo(this));
				this.cohort.stakeGranted();
			}
		});
	}

	@Override
	public void blocked(Obstacle obstacle) {
		step(() -> this.cohort.blockedBy(obstacle, this));
	}

	@Override
	public void disturbed(Exception cause) {
		step(() -> this.cohort.disturbed(cause));
	}

	@Override
	public void busy(Obstacle obstacle) {
		step(() -> {
			this.cohort.blockedBy(obstacle, this);
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
			if (this.grant != null) {
				this.grant.lose(reason);
			}
			if (isHeld()) {
				this.cohort.stakeLost(this);
			}
			else {
				this.cohort.letGo(this);
			}
		});
	}

	private void step(Runnable step) {
		this.cohort.site().mailbox().execute(() -> {
			if (!isLeaving()) {
				step.run();
			}
		});
	}

}
