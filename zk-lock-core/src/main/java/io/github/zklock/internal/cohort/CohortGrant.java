package io.github.zklock.internal.cohort;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LostReason;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.Grant;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.spi.LockStrategy;

/**
 * A grant that is handed off from one local caller to the next, or is retained when
 * nobody here wants it. A part of {@link CohortContender}, in the cohort's serial
 * executor.
 */
final class CohortGrant implements RetainedGrants.Retained {

	/*-
	 * GOOD -> FORFEITED, when a holder has lost its local grant and may go on working; both ->
	 * LOST, when the strategy says so. Only a GOOD one is handed off or retained.
	 *
	 * When it is handed off, or is retained, the strategy is asked who is queued behind it (`OtherContenders`).
	 * Once another contender was seen there, the bounds apply, and it is not retained.
	 *
	 * Nobody here wants it: it is retained, for as long as nobody else wants it either. Or it lingers: if the callers of the key were seen to come back at once, and the node says that it
	 * may be kept, then for a moment, also although others wait, because to release it and queue again costs them more than
	 * that moment: it is as if its holder worked longer. Idle, it is found in a `GrantSlot`, which is open between steps only.
	 *
	 * I1: what is beyond a bound is handed off only if an answer to that question has shown that nobody waits. Until
	 *     there is one, the next caller waits for the answer, which ends with the lease at the latest. A caller who was
	 *     woken within the bound in time may be awake later.
	 * I2: it lingers only if a caller would be handed it: within the bounds, or while nobody else waits. So with callers who
	 *     always come back others wait no longer than with callers queued here, and that moment.
	 * I3: if nobody else waits, the next one who comes ends it at once.
	 *
	 * The loss and the newcomer are noticed outside the serial executor and brought as steps. A handoff that comes first is
	 * no worse: what it handed off was valid when it looked. A WRITE that is made READ is not handed off either: readers have their own.
	 */

	private enum State {

		GOOD, FORFEITED, LOST

	}

	private final Set<GrantHolder> holders = new LinkedHashSet<>();

	private final Grant grant;

	private final boolean shared;

	private final boolean keepable;

	private final CohortSite site;

	private final Executor steps;

	private final Runnable unwanted;

	private final Runnable othersSeen;

	private final Tenure tenure;

	private final Idleness idleness;

	private final OtherContenders others;

	private State state = State.GOOD;

	private volatile int served;

	private boolean idle;

	private boolean retained;

	private @Nullable LockStrategy strategy;

	private GrantSlot.@Nullable Host slotHost;

	private volatile @Nullable GrantSlot slot;

	/**
	 * Creates a grant that nobody here holds yet.
	 * @param grant the strategy's grant
	 * @param attempt what was asked for: in a shared mode several may hold it at a time
	 * @param site the cohort's bounds and clock
	 * @param steps runs steps as long as the grant is not being released
	 * @param tenure for how long it is handed off
	 * @param unwanted a step that releases it: nobody here has it, and another client
	 * wants it or it has been retained for long enough
	 * @param othersSeen a step that looks again who may have it
	 */
	CohortGrant(Grant grant, LockAttempt attempt, CohortSite site, Executor steps, Tenure tenure, Runnable unwanted,
			Runnable othersSeen) {
		this.grant = grant;
		this.shared = attempt.mode().isShared();
		this.keepable = attempt.mayBeRetained();
		this.site = site;
		this.steps = steps;
		this.unwanted = unwanted;
		this.othersSeen = othersSeen;
		this.tenure = tenure;
		this.idleness = new Idleness(site, steps, this::idleForLong);
		this.others = new OtherContenders(grant, site, steps, this::sawOthers);
	}

	Grant grant() {
		return this.grant;
	}

	boolean isHeld() {
		return !this.holders.isEmpty();
	}

	boolean isLost() {
		return this.state == State.LOST;
	}

	boolean isHandedOff() {
		return this.served > 1;
	}

	@Nullable Blocker asHolder() {
		return this.holders.isEmpty() ? null : this.holders.iterator().next().asHolder();
	}

	// --- handing off ---

	// Valid, with tokens, and within the bounds, or known that nobody else waits
	boolean mayHandOff() {
		return (this.served == 0 || isWithinBounds() || this.others.isAlone()) && isUsable();
	}

	// The bounds are reached, and it is not known whether others wait: that is asked now
	boolean dependsOnOthers() {
		if (!this.others.isUnseen() || this.served == 0 || isWithinBounds() || !isUsable()) {
			return false;
		}
		this.others.look();
		return true;
	}

	private boolean isUsable() {
		return this.state == State.GOOD && (this.shared || !isHeld())
				&& (this.served == 0 || (this.site.handoff().maxCount() > 0 && hasTokens())) && this.grant.isValid();
	}

	private boolean isWithinBounds() {
		return this.tenure.lasts(this.served, this.others.isContended());
	}

	// Others wait, and its holder is the last one here to have it
	boolean isHeldLast() {
		return !this.shared && isHeld() && this.state == State.GOOD && this.others.isContended()
				&& this.tenure.isEnding(this.served);
	}

	private long left() {
		return this.tenure.left(this.served, this.others.isContended());
	}

	long bypassNanos() {
		if (this.shared != isHeld() || !mayHandOff()) {
			return 0;
		}
		return (this.shared && !this.others.isContended()) ? this.tenure.nanos() : left();
	}

	// Within which bounds others may have it while the caller who is next wakes, or null
	GrantSlot.@Nullable Bounds passing() {
		return (this.shared || this.served == 0) ? null : this.tenure.passing(this.served, this.others.isAlone());
	}

	// The tenure may be over for a caller who was woken within it
	boolean mayHandOffLate() {
		return this.served < this.tenure.tokens(this.others.isAlone()) && isUsable();
	}

	private boolean hasTokens() {
		return this.shared || this.served < Grant.TOKENS;
	}

	// Makes a caller a holder, and returns its token
	long grantTo(GrantHolder local) {
		int before = this.served;
		long token = this.grant.firstToken() + (this.shared ? 0 : before);
		this.served = before + 1;
		this.holders.add(local);
		this.tenure.served(this.site.now());
		wanted();
		if (isHandedOff()) {
			this.others.look();
		}
		return token;
	}

	void giveBack(GrantHolder local) {
		this.holders.remove(local);
	}

	// A holder may go on working without its local grant: nobody else gets this one
	void forfeit() {
		if (this.state == State.GOOD) {
			this.state = State.FORFEITED;
		}
	}

	// It is lost, and so are all local grants
	void lose(LostReason reason) {
		close();
		this.state = State.LOST;
		List.copyOf(this.holders).forEach((holder) -> this.site.failures().contain(this, () -> holder.lost(reason)));
	}

	private void sawOthers(boolean first) {
		boolean lingers = first && !this.retained && isWithinBounds();
		if (this.others.isContended() && this.idle && !lingers) {
			this.unwanted.run();
		}
		else {
			this.othersSeen.run();
		}
	}

	// --- retaining and lingering ---

	/**
	 * Returns whether it would be retained, or linger, if it had tokens or time left.
	 * @param mayLinger whether it may linger
	 * @return whether another grant should be asked for in its stead
	 */
	boolean isUsedUp(boolean mayLinger) {
		boolean retainable = mayBeRetained();
		return (retainable && !hasTokens())
				|| (!retainable && mayLinger && mayLinger() && !mayHandOff() && this.grant.isValid());
	}

	private boolean mayBeRetained() {
		return this.site.retains() && this.state == State.GOOD && !this.others.isContended();
	}

	// Keeps it for a time although nobody here wants it, if that is possible
	boolean retain() {
		if (!mayBeRetained() || !isUsable()) {
			return false;
		}
		this.others.look();
		this.retained = true;
		this.site.common().retained().add(this);
		idle(this.site.handoff().retain().toNanos());
		return true;
	}

	private boolean mayLinger() {
		return this.keepable && !this.shared && this.state == State.GOOD && this.site.expectsReturn();
	}

	// A small part of what a change takes; zero if that is not known
	long lingerNanos() {
		return this.shared ? 0 : this.tenure.lingerNanos();
	}

	// Keeps it for a moment, if a caller is expected to come back and would be handed it:
	// completes when one has it, or its node is gone. Null if it is not kept.
	@Nullable CompletionStage<Void> linger() {
		long moment = lingerNanos();
		if (moment == 0 || !mayLinger() || !mayHandOff()) {
			return null;
		}
		this.others.look();
		idle(moment);
		return this.idleness.end();
	}

	@Override
	public int uses() {
		GrantSlot open = this.slot;
		return (open != null) ? open.served() : this.served;
	}

	@Override
	public void giveUp() {
		this.steps.execute(() -> {
			if (this.idle) {
				this.unwanted.run();
			}
		});
	}

	/** It is being released, and is never wanted again. */
	void end() {
		notIdle();
		this.idleness.stop();
		this.tenure.stop();
	}

	/**
	 * It is being released.
	 * @param gone completes when its node is gone
	 */
	void endWith(CompletionStage<Void> gone) {
		this.idleness.ended(gone);
	}

	private void wanted() {
		notIdle();
		this.idleness.ended();
	}

	private void notIdle() {
		this.idle = false;
		if (this.retained) {
			this.retained = false;
			this.site.common().retained().remove(this);
		}
	}

	private void idle(long nanos) {
		this.idle = true;
		this.idleness.begin(nanos);
	}

	private void idleForLong() {
		if (this.idle && this.idleness.isOver()) {
			this.unwanted.run();
		}
	}

	// --- the slot ---

	/**
	 * It may be found in a slot from now on, where that is opened.
	 * @param whose the strategy whose grant it is
	 * @param back a step that gets it back
	 * @param downgrade a step that makes it READ
	 * @param failed the failed end of a step; returns when the node is gone
	 */
	void mayHaveSlot(LockStrategy whose, BiConsumer<GrantHolder, Boolean> back, Runnable downgrade,
			Function<Throwable, CompletionStage<Void>> failed) {
		this.strategy = whose;
		this.slotHost = new GrantSlot.Host(back, this::forfeit, downgrade, failed);
	}

	/**
	 * Lets callers take it without the cohort, if nobody has it and the next one may.
	 * @param passing within which bounds a caller who waits is passed; null if nobody is
	 */
	void open(GrantSlot.@Nullable Bounds passing) {
		LockStrategy whose = this.strategy;
		GrantSlot.Host host = this.slotHost;
		if (whose != null && host != null && (this.idle || passing != null) && !this.shared && !isHeld()
				&& mayHandOff()) {
			if (passing != null) {
				wanted();
				this.others.look();
			}
			GrantSlot.Bounds bounds = (passing != null) ? passing.from(this.served)
					: this.tenure.bounds(this.served, this.others.isAlone());
			this.slot = GrantSlot.open(this.grant, bounds, this.site,
					(passing != null || this.retained) ? CompletableFuture.completedStage(null) : this.idleness.end(),
					whose, host);
		}
	}

	// What callers did meanwhile is noted: returns whether any has taken it
	boolean close() {
		GrantSlot open = this.slot;
		if (open == null) {
			return false;
		}
		this.slot = null;
		GrantSlot.State left = open.close();
		boolean used = left.served() > this.served;
		this.served = left.served();
		if (left.holder() != null) {
			this.holders.add(left.holder());
			this.tenure.holds(left.holder().heldSince());
			wanted();
		}
		else if (used) {
			this.idleness.interrupted((left instanceof GrantSlot.Idle unused) ? unused.since() : this.site.now());
		}
		return used;
	}

}
