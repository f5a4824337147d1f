package io.github.zklock.internal.cohort;

import java.util.List;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockException;
import io.github.zklock.LostReason;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.ContenderListener;
import io.github.zklock.spi.Grant;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.spi.LockStrategy;

/**
 * What a cohort has in ZooKeeper for its key: a contender, and the grant that it becomes.
 */
final class CohortContender implements ContenderListener {

	/*-
	 * One contender of a cohort, and the grant that it becomes, which is handed off from
	 * one local caller to the next.
	 *
	 * CONTENDING -> GRANTED (held, or retained while nobody here wants it) -> LEAVING -> gone;
	 * CONTENDING -> LEAVING. A grant that is lost or forfeited stays GRANTED until its holders
	 * have left; `CohortGrant` knows. Steps run in the cohort's serial executor; the strategy's
	 * calls come from other threads, become steps, and are dropped after LEAVING.
	 *
	 * I1: a cohort contender that is not READ has at most one holder.
	 * I2: each holder that is not READ has a token of its own: the grant's first one plus the
	 *     number of handoffs before it, below `Grant.TOKENS`. Readers share the first one.
	 * I3: a holder was made one while the grant was valid. A grant that was lost is
	 *     never handed off.
	 */

	private enum State {

		CONTENDING, GRANTED, LEAVING

	}

	private final Cohort cohort;

	private final LockAttempt attempt;

	private final LockStrategy strategy;

	private State state = State.CONTENDING;

	private @Nullable EnteredContender contender;

	private @Nullable CohortGrant grant;

	// It was downgraded
	private boolean reads;

	private boolean disturbed;

	private CohortContender(Cohort cohort, LockAttempt attempt, LockStrategy strategy) {
		this.cohort = cohort;
		this.attempt = attempt;
		this.strategy = strategy;
	}

	/**
	 * Creates a cohort contender that has not entered yet.
	 * @param cohort whose it is
	 * @param first the caller for whom it is made; any other who wants the like is served
	 * by it too
	 * @return the cohort contender
	 */
	static CohortContender of(Cohort cohort, QueuedContender first) {
		LockAttempt asked = first.attempt();
		boolean retain = first.strategy().isFair()
				&& (cohort.site().retains() || (!asked.mode().isShared() && cohort.site().expectsReturn()));
		return new CohortContender(cohort,
				new LockAttempt(asked.keys(), asked.modes(), asked.permits(), asked.tryOnce(), asked.caller(), retain),
				first.strategy());
	}

	// Of the same kind; nobody waits for it yet
	CohortContender another() {
		return new CohortContender(this.cohort, new LockAttempt(this.attempt.keys(), this.attempt.modes(),
				this.attempt.permits(), false, this.attempt.caller(), true), this.strategy);
	}

	// --- entering and leaving ---

	/** Enters a contender of the strategy. */
	void enter() {
		enter(null);
	}

	private void enter(@Nullable EnteredContender leaving) {
		try {
			this.contender = EnteredContender
				.of(() -> (leaving != null) ? this.strategy.enterInstead(leaving.contender(), this.attempt, this)
						: this.strategy.enter(this.attempt, this), this.cohort.site().failures());
		}
		catch (Throwable ex) {
			failed(EnteredContender.failure(this.attempt.named(), ex));
		}
	}

	/**
	 * Enters while another cohort contender leaves.
	 * @param former the granted one that leaves
	 * @return completes when nothing of that one is left in ZooKeeper
	 */
	CompletionStage<Void> enterInsteadOf(CohortContender former) {
		EnteredContender leaving = former.contender;
		if (leaving == null) {
			enter();
			return former.leave();
		}
		former.endGrant();
		enter(leaving);
		return former.leave();
	}

	/**
	 * Returns whether another cohort contender may enter in the same request with which
	 * this one leaves.
	 * @param next who would enter
	 * @return whether this one was granted, and not lost, by the same fair strategy
	 */
	boolean mayBeReplacedBy(QueuedContender next) {
		CohortGrant held = this.grant;
		return held != null && !held.isLost() && isFair() && this.strategy == next.strategy() && !next.isTryOnce();
	}

	// Gives up, or releases the grant. Completes when nothing is left in ZooKeeper
	CompletionStage<Void> leave() {
		endGrant();
		CompletionStage<Void> gone = EnteredContender.leave(this.contender);
		if (this.grant != null) {
			this.grant.endWith(gone);
		}
		return gone;
	}

	private void endGrant() {
		this.state = State.LEAVING;
		if (this.grant != null) {
			this.grant.end();
		}
	}

	/**
	 * The cohort has failed: what is held is lost, and then given up.
	 * @return completes when nothing is left in ZooKeeper
	 */
	CompletionStage<Void> fail() {
		CohortGrant held = this.grant;
		if (held != null) {
			this.cohort.site().failures().contain(this, () -> held.lose(LostReason.ENGINE_FAILED));
		}
		return leave();
	}

	// --- what it is ---

	boolean isShared() {
		return this.reads || this.attempt.mode().isShared();
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
	 * Returns whether the next cohort contender may be queued while this one's last
	 * holder has it.
	 * @param next for whom
	 * @return whether the holder is the last, and the next one wants a lock like this one
	 */
	boolean isHeldLast(QueuedContender next) {
		return mayBeReplacedBy(next) && suits(next) && this.attempt.permits().get(0) == 0 && this.grant != null
				&& this.grant.isHeldLast();
	}

	// Whether it is of the kind that a caller asks for. Its node says how many permits.
	boolean suits(QueuedContender local) {
		return this.strategy == local.strategy() && this.attempt.mode() == local.attempt().mode()
				&& this.attempt.permits().get(0).equals(local.attempt().permits().get(0));
	}

	// One that tries once may look for long before it makes its node
	boolean waitsFor(QueuedContender local) {
		return suits(local) && (local.isTryOnce() || !this.attempt.tryOnce() || !this.disturbed);
	}

	@Nullable Blocker asHolder() {
		return (this.grant != null) ? this.grant.asHolder() : null;
	}

	// --- handing off ---

	/**
	 * Returns whether a caller may have the grant now.
	 * @param local the caller's
	 * @return whether this is what it asks for, and {@link #grantTo} may be called
	 */
	boolean mayHandOffTo(QueuedContender local) {
		return this.state == State.GRANTED && this.grant != null && suits(local) && this.grant.mayHandOff();
	}

	/**
	 * Returns whether a caller has to wait until it is known whether others wait.
	 * @param local the caller's
	 * @return whether this is what it asks for, and nobody has looked yet
	 */
	boolean dependsOnOthers(QueuedContender local) {
		return this.state == State.GRANTED && this.grant != null && suits(local) && this.grant.dependsOnOthers();
	}

	// For how many nanoseconds others may have the grant before the one who is next
	long bypassNanos(QueuedContender passed) {
		return (this.grant != null && passed.isShared() != isShared()) ? this.grant.bypassNanos() : 0;
	}

	void grantTo(QueuedContender local) {
		CohortGrant passed = this.grant;
		if (passed != null) {
			long token = passed.grantTo(local);
			local.hold(passed.grant(), token, passed.isHandedOff(), (mayLinger) -> giveBack(local, mayLinger),
					passed::forfeit, this::downgrade);
		}
	}

	// Its holder goes on as a reader. Nobody here gets the grant any more: readers have
	// their own beside it.
	private void downgrade() {
		CohortGrant held = this.grant;
		if (held != null) {
			held.forfeit();
			this.cohort.site().failures().contain(this, () -> held.grant().downgrade().thenAccept((done) -> step(() -> {
				if (done && isHeld() && !held.isLost()) {
					this.reads = true;
					this.cohort.contenderReads(this);
				}
			})));
		}
	}

	private void giveBack(GrantHolder holder, boolean mayLinger) {
		if (this.grant != null) {
			this.grant.giveBack(holder);
		}
		this.cohort.leave(holder, this, mayLinger);
	}

	/**
	 * Returns whether this cohort contender would be kept for a time although nobody here
	 * wants it, if its grant had tokens or time left.
	 * @param mayLinger whether that may be because a caller will come back
	 * @return whether another cohort contender should enter in its stead
	 */
	boolean isUsedUp(boolean mayLinger) {
		return this.grant != null && isFair() && this.grant.isUsedUp(mayLinger);
	}

	// Keeps the grant for a time although nobody here wants it, if that is possible
	boolean retain() {
		return this.grant != null && isFair() && this.grant.retain();
	}

	// For how many nanoseconds the grant would linger; zero if it would not
	long lingerNanos() {
		return (this.grant != null && isFair()) ? this.grant.lingerNanos() : 0;
	}

	// The grant, if it goes from caller to caller in an order
	@Nullable CohortGrant fairGrant() {
		return (this.state == State.GRANTED && isFair()) ? this.grant : null;
	}

	/**
	 * Keeps the grant for a moment, because a caller is expected to come back.
	 * @return completes when a caller has it, or it is gone; null if it is not kept
	 */
	@Nullable CompletionStage<Void> linger() {
		return (this.grant != null && isFair()) ? this.grant.linger() : null;
	}

	// --- the slot ---

	/**
	 * Callers come to the cohort again.
	 * @param passing whether a caller waited
	 * @return whether others have taken the grant meanwhile
	 */
	boolean close(boolean passing) {
		boolean used = this.grant != null && this.grant.close();
		if (used && !passing) {
			this.cohort.site().left(lingerNanos());
			if (isHeld()) {
				this.cohort.site().came();
			}
		}
		return used;
	}

	private CompletionStage<Void> failed(Throwable cause) {
		this.cohort.failed(cause);
		return EnteredContender.leave(this.contender);
	}

	// --- what the contender reports ---

	@Override
	public void granted(List<Grant> grants) {
		step(() -> {
			if (this.state == State.CONTENDING) {
				this.state = State.GRANTED;
				this.grant = new CohortGrant(grants.get(0), this.attempt, this.cohort.site(), this::step,
						this.cohort.waiting()
							.beginTenure(grants.get(0), isShared(), this.cohort.site(), this.cohort::serve),
						() -> this.cohort.letGo(this), this.cohort::serve);
				this.grant.mayHaveSlot(this.strategy, this::giveBack, this::downgrade, this::failed);
				this.cohort.contenderGranted();
			}
		});
	}

	@Override
	public void blocked(Blocker blocker) {
		step(() -> this.cohort.blockedBy(blocker, this));
	}

	@Override
	public void awaits(Blocker blocker) {
		step(() -> this.cohort.note(blocker));
	}

	@Override
	public void disturbed(Exception cause) {
		step(() -> {
			this.disturbed = true;
			this.cohort.disturbed(cause);
			QueuedContender head = this.cohort.waiting().head();
			if (head != null && !isGranted() && suits(head) && !waitsFor(head)) {
				this.cohort.letGo(this);
			}
		});
	}

	@Override
	public void busy(Blocker blocker) {
		step(() -> {
			this.cohort.blockedBy(blocker, this);
			this.cohort.letGo(this);
		});
	}

	@Override
	public void failed(LockException cause) {
		step(() -> this.cohort.contenderFailed(this, cause));
	}

	@Override
	public void lost(Grant what, LostReason reason) {
		step(() -> {
			if (this.grant != null) {
				this.grant.lose(reason);
			}
			if (isHeld()) {
				this.cohort.contenderLost(this);
			}
			else {
				this.cohort.letGo(this);
			}
		});
	}

	private void step(Runnable step) {
		this.cohort.site().serialExecutor().execute(() -> {
			if (!isLeaving()) {
				step.run();
			}
		});
	}

}
