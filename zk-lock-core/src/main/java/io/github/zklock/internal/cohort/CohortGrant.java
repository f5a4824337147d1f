package io.github.zklock.internal.cohort;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;

import io.github.zklock.HandOver;
import io.github.zklock.LostReason;
import io.github.zklock.spi.Grant;
import io.github.zklock.spi.Obstacle;

/**
 * A grant that passes from one local caller to the next, or is retained when nobody here
 * wants it. A part of {@link Stake}, in the cohort's mailbox.
 */
final class CohortGrant {

	/*-
	 * GOOD -> FORFEITED, when a holder has lost its share and may go on working; both -> LOST,
	 * when the strategy says so. Only a GOOD one is passed on or retained.
	 *
	 * What is known of others: UNWATCHED -> WATCHED -> CONTENDED. Once somebody else was seen
	 * behind it, the bounds apply, and it is not retained.
	 *
	 * The loss and the newcomer are noticed outside of the mailbox and brought as steps. A pass
	 * that comes first is no worse than one that came before the notice: what it passed on was
	 * valid when it looked.
	 */

	private enum Standing {

		GOOD, FORFEITED, LOST

	}

	private enum Line {

		UNWATCHED, WATCHED, CONTENDED

	}

	private final Set<CohortTurn> holders = new LinkedHashSet<>();

	private final Grant grant;

	private final boolean shared;

	private final CohortSite site;

	private final Executor steps;

	private final Runnable unwanted;

	private final long grantedAt;

	private Standing standing = Standing.GOOD;

	private Line line = Line.UNWATCHED;

	private int passes;

	private long idleSince;

	private boolean idleIsTimed;

	/**
	 * Creates a grant that nobody here holds yet.
	 * @param grant the strategy's grant
	 * @param shared whether several may hold it at a time
	 * @param site the cohort's bounds and clock
	 * @param steps runs steps as long as the grant is not being released
	 * @param unwanted a step that releases it: nobody here has it, and somebody else
	 * wants it or it has been retained for long enough
	 */
	CohortGrant(Grant grant, boolean shared, CohortSite site, Executor steps, Runnable unwanted) {
		this.grant = grant;
		this.shared = shared;
		this.site = site;
		this.steps = steps;
		this.unwanted = unwanted;
		this.grantedAt = site.now();
	}

	Grant grant() {
		return this.grant;
	}

	boolean isHeld() {
		return !this.holders.isEmpty();
	}

	boolean isLost() {
		return this.standing == Standing.LOST;
	}

	/**
	 * Tells whether more than one caller has had it.
	 * @return false until it is passed for the second time
	 */
	boolean isHandedOver() {
		return this.passes > 1;
	}

	/**
	 * Describes who of this process holds.
	 * @return one of the holders, or null if there is none
	 */
	@Nullable Obstacle asHolder() {
		return this.holders.isEmpty() ? null : this.holders.iterator().next().asHolder();
	}

	// --- passing on ---

	/**
	 * Tells whether a caller may have the grant now: it is valid, has tokens, and the
	 * bounds are not reached, or nobody else waits.
	 * @return whether {@link #pass} may be called
	 */
	boolean mayPass() {
		if (this.standing != Standing.GOOD || (!this.shared && isHeld())) {
			return false;
		}
		if (this.passes == 0) {
			return this.grant.isValid();
		}
		HandOver bounds = this.site.handOver();
		boolean within = this.passes <= bounds.maxCount()
				&& this.site.now() - this.grantedAt < bounds.maxDuration().toNanos();
		return bounds.maxCount() > 0 && hasTokens() && (within || this.line != Line.CONTENDED) && this.grant.isValid();
	}

	private boolean hasTokens() {
		return this.shared || this.passes < Grant.TOKENS;
	}

	/**
	 * Makes a caller a holder.
	 * @param turn the caller's
	 * @return the caller's token
	 */
	long pass(CohortTurn turn) {
		long token = this.grant.firstToken() + (this.shared ? 0 : this.passes);
		this.passes++;
		this.holders.add(turn);
		if (isHandedOver()) {
			watchLine();
		}
		return token;
	}

	void giveBack(CohortTurn turn) {
		this.holders.remove(turn);
	}

	/**
	 * A holder may go on working although it has lost its share: the grant is not passed
	 * on any more.
	 */
	void forfeit() {
		if (this.standing == Standing.GOOD) {
			this.standing = Standing.FORFEITED;
		}
	}

	/**
	 * The grant is lost, and so are all shares.
	 * @param reason why
	 */
	void lose(LostReason reason) {
		this.standing = Standing.LOST;
		List.copyOf(this.holders).forEach((holder) -> holder.lost(reason));
	}

	private void watchLine() {
		if (this.line == Line.UNWATCHED) {
			this.line = Line.WATCHED;
			this.grant.whenContended().thenRun(() -> this.steps.execute(() -> {
				this.line = Line.CONTENDED;
				if (!isHeld()) {
					this.unwanted.run();
				}
			}));
		}
	}

	// --- retaining ---

	/**
	 * Tells whether it would be retained if it had tokens left.
	 * @return whether another grant should be asked for in its stead
	 */
	boolean isUsedUp() {
		return !hasTokens() && mayBeRetained();
	}

	private boolean mayBeRetained() {
		return this.site.retains() && this.standing == Standing.GOOD && this.line != Line.CONTENDED;
	}

	/**
	 * Keeps the grant for a time although nobody here wants it.
	 * @return false if that is not wanted, or not possible
	 */
	boolean retain() {
		if (!mayBeRetained() || !mayPass()) {
			return false;
		}
		watchLine();
		this.idleSince = this.site.now();
		if (!this.idleIsTimed) {
			timeIdleness(this.site.handOver().retain().toNanos());
		}
		return true;
	}

	// One step at most is under way, however often the grant is taken and given back
	private void timeIdleness(long nanos) {
		this.idleIsTimed = true;
		this.site.host().after(nanos, () -> this.steps.execute(() -> {
			this.idleIsTimed = false;
			if (!isHeld()) {
				long left = this.site.handOver().retain().toNanos() - (this.site.now() - this.idleSince);
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
