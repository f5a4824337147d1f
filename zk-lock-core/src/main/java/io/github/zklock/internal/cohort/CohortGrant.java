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
final class CohortGrant {

	/*-
	 * GOOD -> FORFEITED, when a holder has lost its local grant and may go on working; both ->
	 * LOST, when the strategy says so. Only a GOOD one is handed off or retained.
	 *
	 * What is known of others: UNWATCHED -> WATCHED -> CONTENDED. Once another contender was
	 * seen behind it, the bounds apply, and it is not retained.
	 *
	 * The loss and the newcomer are noticed outside of the serial executor and brought as
	 * steps. A pass that comes first is no worse than one that came before the notice: what it
	 * handed off was valid when it looked.
	 */

	private enum State {

		GOOD, FORFEITED, LOST

	}

	private enum Others {

		UNWATCHED, WATCHED, CONTENDED

	}

	private final Set<QueuedContender> holders = new LinkedHashSet<>();

	private final Grant grant;

	private final boolean shared;

	private final CohortSite site;

	private final Executor steps;

	private final Runnable unwanted;

	private final long grantedAt;

	private State state = State.GOOD;

	private Others others = Others.UNWATCHED;

	private int served;

	private long idleSince;

	private boolean idleIsTimed;

	/**
	 * Creates a grant that nobody here holds yet.
	 * @param grant the strategy's grant
	 * @param shared whether several may hold it at a time
	 * @param site the cohort's bounds and clock
	 * @param steps runs steps as long as the grant is not being released
	 * @param unwanted a step that releases it: nobody here has it, and another client
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
	 * bounds are not reached, or nobody else waits.
	 * @return whether {@link #grantTo} may be called
	 */
	boolean mayHandOff() {
		if (this.state != State.GOOD || (!this.shared && isHeld())) {
			return false;
		}
		if (this.served == 0) {
			return this.grant.isValid();
		}
		Handoff bounds = this.site.handoff();
		boolean within = this.served <= bounds.maxCount()
				&& this.site.now() - this.grantedAt < bounds.maxDuration().toNanos();
		return bounds.maxCount() > 0 && hasTokens() && (within || this.others != Others.CONTENDED)
				&& this.grant.isValid();
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
		if (isHandedOff()) {
			watchOthers();
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

	private void watchOthers() {
		if (this.others == Others.UNWATCHED) {
			this.others = Others.WATCHED;
			this.grant.whenContended().thenRun(() -> this.steps.execute(() -> {
				this.others = Others.CONTENDED;
				if (!isHeld()) {
					this.unwanted.run();
				}
			}));
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
		if (!mayBeRetained() || !mayHandOff()) {
			return false;
		}
		watchOthers();
		this.idleSince = this.site.now();
		if (!this.idleIsTimed) {
			timeIdleness(this.site.handoff().retain().toNanos());
		}
		return true;
	}

	// One step at most is under way, however often the grant is taken and given back
	private void timeIdleness(long nanos) {
		this.idleIsTimed = true;
		this.site.host().after(nanos, () -> this.steps.execute(() -> {
			this.idleIsTimed = false;
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
