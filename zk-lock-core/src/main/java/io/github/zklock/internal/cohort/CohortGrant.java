package io.github.zklock.internal.cohort;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.github.zklock.Handoff;
import io.github.zklock.LostReason;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.Grant;
import io.github.zklock.spi.LockAttempt;

/**
 * A grant that passes from one local caller to the next, or is retained when nobody here
 * wants it. A part of {@link CohortContender}, in the cohort's serial executor.
 */
final class CohortGrant implements RetainedGrants.Retained {

	/*-
	 * GOOD -> FORFEITED, when a holder has lost its local grant and may go on working; both ->
	 * LOST, when the strategy says so. Only a GOOD one is handed off or retained.
	 *
	 * What is known of others: UNKNOWN -> ASKED -> NOBODY -> CONTENDED; ASKED -> CONTENDED.
	 * When it passes to a second caller, or is retained, the strategy is asked who is queued
	 * behind it, and from then on it reports who comes. Once another contender was seen there, the
	 * bounds apply, and it is not retained.
	 *
	 * Nobody here wants it: it is retained, for as long as nobody else wants it either. Or it
	 * lingers: if the callers of the key were seen to come back at once, and the node says that it
	 * may be kept, then for a moment, also although others wait, because to release it and queue
	 * again costs them more than that moment. To them it is as if its holder worked a little longer.
	 *
	 * I1: what is beyond a bound is handed off only if an answer to that question has shown that
	 *     nobody waits. Until there is one, the next caller waits for the answer, which ends with
	 *     the lease at the latest.
	 * I2: it lingers only if a caller would be handed it: within the bounds, or while nobody else
	 *     waits. So with callers who always come back others wait no longer than with callers who
	 *     are queued here, and that moment at most.
	 * I3: if nobody else waits, the next one who comes ends it at once.
	 *
	 * The loss and the newcomer are noticed outside the serial executor and brought as
	 * steps. A pass that comes first is no worse than one that came before the notice: what it
	 * handed off was valid when it looked.
	 */

	/** A tenure lasts as long as so many changes. */
	private static final int CHANGES = 10;

	/** A change takes so many times as long as it may linger. */
	private static final int LINGERS = 4;

	private static final long LONGEST_LINGER = TimeUnit.MICROSECONDS.toNanos(200);

	private enum State {

		GOOD, FORFEITED, LOST

	}

	private enum Others {

		UNKNOWN, ASKED, NOBODY, CONTENDED

	}

	private final Set<QueuedContender> holders = new LinkedHashSet<>();

	private final Grant grant;

	private final boolean shared;

	private final boolean keepable;

	private final CohortSite site;

	private final Executor steps;

	private final Runnable unwanted;

	private final Runnable othersSeen;

	private final long grantedAt;

	private State state = State.GOOD;

	private Others others = Others.UNKNOWN;

	private int served;

	private long idleSince;

	private long idleNanos;

	private long idlenessTimedAt;

	private int timings;

	private @Nullable Runnable cancelIdleness;

	private boolean retained;

	/**
	 * Creates a grant that nobody here holds yet.
	 * @param grant the strategy's grant
	 * @param attempt what was asked for: in a shared mode several may hold it at a time
	 * @param site the cohort's bounds and clock
	 * @param steps runs steps as long as the grant is not being released
	 * @param unwanted a step that releases it: nobody here has it, and another client
	 * wants it or it has been retained for long enough
	 * @param othersSeen a step that goes on when it is known whether others wait
	 */
	CohortGrant(Grant grant, LockAttempt attempt, CohortSite site, Executor steps, Runnable unwanted,
			Runnable othersSeen) {
		this.grant = grant;
		this.shared = attempt.mode().isShared();
		this.keepable = attempt.mayBeRetained();
		this.site = site;
		this.steps = steps;
		this.unwanted = unwanted;
		this.othersSeen = othersSeen;
		this.grantedAt = site.now();
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

	/**
	 * Returns whether more than one caller has had it.
	 * @return false until it is passed for the second time
	 */
	boolean isHandedOff() {
		return this.served > 1;
	}

	/**
	 * Describes who of this process holds.
	 * @return one of the holders, or null if there is none
	 */
	@Nullable Blocker asHolder() {
		return this.holders.isEmpty() ? null : this.holders.iterator().next().asHolder();
	}

	// --- passing on ---

	/**
	 * Returns whether a caller may have the grant now: it is valid, has tokens, and the
	 * bounds are not reached, or it is known that nobody else waits.
	 * @return whether {@link #grantTo} may be called
	 */
	boolean mayHandOff() {
		return (this.served == 0 || isWithinBounds() || this.others == Others.NOBODY) && isUsable();
	}

	/**
	 * Returns whether it depends on others whether a caller may have the grant: the
	 * bounds are reached, and nobody has looked yet. That is done now, if it is not under
	 * way.
	 * @return whether the answer is to be waited for
	 */
	boolean dependsOnOthers() {
		boolean unseen = this.others == Others.UNKNOWN || this.others == Others.ASKED;
		if (!unseen || this.served == 0 || isWithinBounds() || !isUsable()) {
			return false;
		}
		lookForOthers();
		return true;
	}

	private boolean isUsable() {
		return this.state == State.GOOD && (this.shared || !isHeld())
				&& (this.served == 0 || (this.site.handoff().maxCount() > 0 && hasTokens())) && this.grant.isValid();
	}

	private boolean isWithinBounds() {
		return (this.shared || this.served <= this.site.handoff().maxCount())
				&& this.site.now() - this.grantedAt < tenureNanos();
	}

	/**
	 * Returns how long it is handed off although others wait. What a change costs is
	 * worth it once it is a small part of the time between two.
	 * @return nanoseconds
	 */
	long tenureNanos() {
		Handoff bounds = this.site.handoff();
		long most = bounds.maxDuration().toNanos();
		long change = this.grant.changeNanos();
		return (change > most / CHANGES) ? most : Math.max(CHANGES * change, bounds.minDuration().toNanos());
	}

	private boolean hasTokens() {
		return this.shared || this.served < Grant.TOKENS;
	}

	/**
	 * Makes a caller a holder.
	 * @param local the caller's
	 * @return the caller's token
	 */
	long grantTo(QueuedContender local) {
		long token = this.grant.firstToken() + (this.shared ? 0 : this.served);
		this.served++;
		this.holders.add(local);
		notRetained();
		if (isHandedOff()) {
			lookForOthers();
		}
		return token;
	}

	void giveBack(QueuedContender local) {
		this.holders.remove(local);
	}

	/**
	 * A holder may go on working although it has lost its local grant: the grant is not
	 * handed off any more.
	 */
	void forfeit() {
		if (this.state == State.GOOD) {
			this.state = State.FORFEITED;
		}
	}

	/**
	 * The grant is lost, and so are all shares.
	 * @param reason why
	 */
	void lose(LostReason reason) {
		this.state = State.LOST;
		List.copyOf(this.holders).forEach((holder) -> this.site.failures().contain(this, () -> holder.lost(reason)));
	}

	private void lookForOthers() {
		if (this.others == Others.UNKNOWN) {
			this.others = Others.ASKED;
			this.grant.whenContended().whenComplete((nothing, failure) -> this.steps.execute(() -> sawOthers(true)));
			this.grant.isContended()
				.exceptionally((failure) -> true)
				.thenAccept((contended) -> this.steps.execute(() -> {
					if (this.others == Others.ASKED) {
						sawOthers(contended);
					}
				}));
		}
	}

	private void sawOthers(boolean contended) {
		boolean lingers = this.others == Others.ASKED && !this.retained && isWithinBounds();
		this.others = contended ? Others.CONTENDED : Others.NOBODY;
		if (contended && !isHeld() && !lingers) {
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
		return this.site.retains() && this.state == State.GOOD && this.others != Others.CONTENDED;
	}

	/**
	 * Keeps the grant for a time although nobody here wants it.
	 * @return false if that is not wanted, or not possible
	 */
	boolean retain() {
		if (!mayBeRetained() || !isUsable()) {
			return false;
		}
		lookForOthers();
		this.retained = true;
		this.site.host().retained().add(this);
		idle(this.site.handoff().retain().toNanos());
		return true;
	}

	private boolean mayLinger() {
		return this.keepable && !this.shared && this.state == State.GOOD && this.site.expectsReturn();
	}

	/**
	 * Returns how long it would linger.
	 * @return nanoseconds, a small part of what a change takes; zero if that is not known
	 */
	long lingerNanos() {
		long change = this.grant.changeNanos();
		return (this.shared || change == Long.MAX_VALUE) ? 0 : Math.min(LONGEST_LINGER, change / LINGERS);
	}

	/**
	 * Keeps the grant for a moment, because a caller is expected to come back.
	 * @return false if none is, or nobody would be handed it
	 */
	boolean linger() {
		long moment = lingerNanos();
		if (moment == 0 || !mayLinger() || !mayHandOff()) {
			return false;
		}
		lookForOthers();
		idle(moment);
		return true;
	}

	@Override
	public void giveUp() {
		this.steps.execute(() -> {
			if (!isHeld()) {
				this.unwanted.run();
			}
		});
	}

	/** It is being released, and is never wanted again. */
	void end() {
		notRetained();
		if (this.cancelIdleness != null) {
			this.cancelIdleness.run();
		}
	}

	private void notRetained() {
		if (this.retained) {
			this.retained = false;
			this.site.host().retained().remove(this);
		}
	}

	// One step at most is under way, however often the grant is taken and given back
	private void idle(long nanos) {
		this.idleSince = this.site.now();
		this.idleNanos = nanos;
		Runnable cancel = this.cancelIdleness;
		if (cancel != null && this.idlenessTimedAt - (this.idleSince + nanos) > 0) {
			cancel.run();
			cancel = null;
		}
		if (cancel == null) {
			timeIdleness(nanos);
		}
	}

	private void timeIdleness(long nanos) {
		int current = ++this.timings;
		this.idlenessTimedAt = this.site.now() + nanos;
		this.cancelIdleness = this.site.host().after(nanos, () -> this.steps.execute(() -> {
			if (current != this.timings) {
				return;
			}
			this.cancelIdleness = null;
			if (!isHeld()) {
				long left = this.idleNanos - (this.site.now() - this.idleSince);
				if (left > 0) {
					timeIdleness(left);
				}
				else {
					this.unwanted.run();
				}
			}
		}));
	}

}
