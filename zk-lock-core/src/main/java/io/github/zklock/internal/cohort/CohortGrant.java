package io.github.zklock.internal.cohort;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;

import io.github.zklock.Handoff;
import io.github.zklock.LostReason;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.Grant;

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
	 * I1: what is beyond a bound is handed off only if an answer to that question has shown that
	 *     nobody waits. Until there is one, who is next waits for the answer, which ends with
	 *     the lease at the latest.
	 *
	 * The loss and the newcomer are noticed outside of the serial executor and brought as
	 * steps. A pass that comes first is no worse than one that came before the notice: what it
	 * handed off was valid when it looked.
	 */

	/** A tenure lasts as long as so many changes. */
	private static final int CHANGES = 10;

	private enum State {

		GOOD, FORFEITED, LOST

	}

	private enum Others {

		UNKNOWN, ASKED, NOBODY, CONTENDED

	}

	private final Set<QueuedContender> holders = new LinkedHashSet<>();

	private final Grant grant;

	private final boolean shared;

	private final CohortSite site;

	private final Executor steps;

	private final Runnable unwanted;

	private final Runnable othersSeen;

	private final long grantedAt;

	private State state = State.GOOD;

	private Others others = Others.UNKNOWN;

	private int served;

	private long idleSince;

	private @Nullable Runnable cancelIdleness;

	private boolean retained;

	/**
	 * Creates a grant that nobody here holds yet.
	 * @param grant the strategy's grant
	 * @param shared whether several may hold it at a time
	 * @param site the cohort's bounds and clock
	 * @param steps runs steps as long as the grant is not being released
	 * @param unwanted a step that releases it: nobody here has it, and another client
	 * wants it or it has been retained for long enough
	 * @param othersSeen a step that goes on when it is known whether others wait
	 */
	CohortGrant(Grant grant, boolean shared, CohortSite site, Executor steps, Runnable unwanted, Runnable othersSeen) {
		this.grant = grant;
		this.shared = shared;
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
		return this.served <= this.site.handoff().maxCount() && this.site.now() - this.grantedAt < tenureNanos();
	}

	// What a change costs is worth it once it is a small part of the time between two
	private long tenureNanos() {
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
			this.grant.whenContended().thenRun(() -> this.steps.execute(() -> sawOthers(true)));
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
		this.others = contended ? Others.CONTENDED : Others.NOBODY;
		if (contended && !isHeld()) {
			this.unwanted.run();
		}
		else {
			this.othersSeen.run();
		}
	}

	// --- retaining ---

	/**
	 * Returns whether it would be retained if it had tokens left.
	 * @return whether another grant should be asked for in its stead
	 */
	boolean isUsedUp() {
		return !hasTokens() && mayBeRetained();
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
		this.idleSince = this.site.now();
		if (this.cancelIdleness == null) {
			timeIdleness(this.site.handoff().retain().toNanos());
		}
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
	private void timeIdleness(long nanos) {
		this.cancelIdleness = this.site.host().after(nanos, () -> this.steps.execute(() -> {
			this.cancelIdleness = null;
			if (!isHeld()) {
				long left = this.site.handoff().retain().toNanos() - (this.site.now() - this.idleSince);
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
