package io.github.zklock.internal.cohort;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.BiConsumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockMode;
import io.github.zklock.spi.Grant;
import io.github.zklock.spi.LockStrategy;

/**
 * A grant that nobody here wants at the moment, where the next caller finds it: callers
 * take it and give it back by one CAS each, without a step of the cohort.
 */
final class GrantSlot implements GrantSlots.Slot {

	/*-
	 * A cohort opens one after each step that leaves its grant idle, and closes it before its
	 * next step. So while a step runs none is open, and the step finds everything as if each caller
	 * had come to the cohort. Between two steps callers have the grant to themselves:
	 *
	 *   Idle -> SlotGrant -> Idle -> ...        callers: take a token, and give the grant back
	 *   Idle -> Over; SlotGrant -> Revoked      the cohort, before a step
	 *   SlotGrant -> Revoked                    its holder, who has lost its local grant
	 *   SlotGrant, Revoked -> Over              its holder, who goes to the cohort
	 *
	 * The state is one reference to something immutable, so a token and its holder cannot come
	 * apart: with a count beside it, a caller that is stalled between the two would take a token
	 * that another one has, or one more than there are.
	 *
	 * I1: once it is closed, nobody takes it. What is idle again is opened as a slot of its own, so a
	 *     caller that was stalled for long finds the one that it knew closed.
	 * I2: each token is handed out once, in the order of the numbers.
	 * I3: it is taken within the bounds of the cohort only: a number of tokens and, unless it is
	 *     known that nobody else waits, a time. Who gives it back at a bound goes to the cohort,
	 *     which lets another grant take its place.
	 * I4: who took it has found it valid afterwards. One that is not goes to the cohort.
	 * I5: it is given back once, also if it is revoked, or given up, meanwhile.
	 * I6: who has forfeited it has it no more, but is its holder until the cohort has forfeited the grant, too.
	 * Source: locks that are biased to those who come back, as in D. Dice, M. Moir, W. Scherer, "Quickly
	 * Reacquirable Locks", 2003; but towards a process, not a thread.
	 */

	private static final AtomicReferenceFieldUpdater<GrantSlot, State> STATE = AtomicReferenceFieldUpdater
		.newUpdater(GrantSlot.class, State.class, "state");

	private final Grant grant;

	private final Bounds bounds;

	private final CohortSite site;

	private final CompletionStage<Void> kept;

	private final LockStrategy strategy;

	private final Host host;

	private volatile State state;

	private GrantSlot(Grant grant, Bounds bounds, CohortSite site, CompletionStage<Void> kept, LockStrategy strategy,
			Host host) {
		this.grant = grant;
		this.bounds = bounds;
		this.site = site;
		this.kept = kept;
		this.strategy = strategy;
		this.host = host;
		this.state = new Idle(bounds.served(), site.now());
	}

	/**
	 * Opens a slot, where callers find it from now on.
	 * @param grant the grant
	 * @param bounds how often, and how long, it may be taken
	 * @param site the cohort's
	 * @param kept completes when a caller has it again, or its node is gone
	 * @param strategy whose grant it is
	 * @param host gets it back
	 * @return the slot
	 */
	static GrantSlot open(Grant grant, Bounds bounds, CohortSite site, CompletionStage<Void> kept,
			LockStrategy strategy, Host host) {
		GrantSlot open = new GrantSlot(grant, bounds, site, kept, strategy, host);
		site.common().slots().add(site.id(), open);
		return open;
	}

	Grant grant() {
		return this.grant;
	}

	CohortSite site() {
		return this.site;
	}

	int served() {
		return this.state.served();
	}

	boolean isPassing() {
		return this.bounds.passing();
	}

	CompletionStage<Void> kept() {
		return this.kept;
	}

	Host host() {
		return this.host;
	}

	// --- callers, on any thread ---

	@Override
	public @Nullable SlotGrant offer(LockMode mode, LockStrategy strategy) {
		long now = this.site.now();
		return (mode == this.grant.mode() && strategy == this.strategy && this.state instanceof Idle idle
				&& this.bounds.allow(idle.served(), now)) ? new SlotGrant(this, idle, now) : null;
	}

	/**
	 * Takes the grant.
	 * @param offered what was offered
	 * @param found the state in which it was
	 * @return false if that has changed since
	 */
	boolean take(SlotGrant offered, Idle found) {
		return STATE.compareAndSet(this, found, offered);
	}

	boolean isHeldBy(SlotGrant holder) {
		return isHeldBy(this.state, holder);
	}

	private static boolean isHeldBy(State now, SlotGrant holder) {
		return now == holder || isRevoked(now, holder, true);
	}

	private static boolean isRevoked(State now, SlotGrant holder, boolean good) {
		return now instanceof Revoked revoked && revoked.holder() == holder && revoked.good() == good;
	}

	boolean isOpenWith(SlotGrant holder) {
		return this.state == holder;
	}

	/**
	 * Gives the grant back to the next caller.
	 * @param holder who has it
	 * @return false if it must go to the cohort
	 */
	boolean giveBack(SlotGrant holder) {
		long now = this.site.now();
		return this.bounds.allow(holder.served(), now)
				&& STATE.compareAndSet(this, holder, new Idle(holder.served(), now));
	}

	/**
	 * Takes the grant from its holder, unless that has gone to the cohort with it, or
	 * given it back, before; and keeps it from all others, too.
	 * @param holder who has it
	 */
	void forfeit(SlotGrant holder) {
		end(holder, new Revoked(holder, false));
	}

	/**
	 * The holder goes to the cohort with it.
	 * @param holder who has it
	 * @return false if it has done so, or has forfeited it or given it back, before
	 */
	boolean leave(SlotGrant holder) {
		return end(holder, new Over(holder.served(), holder));
	}

	private boolean end(SlotGrant holder, State next) {
		State now = this.state;
		while (isHeldBy(now, holder)) {
			if (STATE.compareAndSet(this, now, next)) {
				return true;
			}
			now = this.state;
		}
		return false;
	}

	/**
	 * The cohort gets what its holder has forfeited.
	 * @param former who had it
	 * @return false if it had not forfeited it, or the cohort got it before
	 */
	boolean leaveForfeited(SlotGrant former) {
		State now = this.state;
		return isRevoked(now, former, false) && STATE.compareAndSet(this, now, new Over(former.served(), former));
	}

	/**
	 * Returns whether a former holder went to the cohort with it, or has forfeited it.
	 * @param former who had it
	 * @return false if it gave it back here
	 */
	boolean wasLeftBy(SlotGrant former) {
		State now = this.state;
		return (now instanceof Over over && over.leftBy() == former) || isRevoked(now, former, false);
	}

	// --- the cohort, before a step ---

	/**
	 * Closes the slot.
	 * @return what has become of the grant meanwhile
	 */
	State close() {
		this.site.common().slots().remove(this.site.id(), this);
		State now = this.state;
		while (!STATE.compareAndSet(this, now, now.closed())) {
			now = this.state;
		}
		return now;
	}

	/** Where the grant is. */
	sealed interface State permits Idle, SlotGrant, Revoked, Over {

		/**
		 * Returns how many tokens were handed out.
		 * @return the number of tokens, also that of the holder
		 */
		int served();

		/**
		 * Returns what follows when the slot is closed.
		 * @return a state in which nobody takes it
		 */
		State closed();

		/**
		 * Returns who has it.
		 * @return the holder, or null
		 */
		default @Nullable SlotGrant holder() {
			return null;
		}

	}

	/**
	 * Nobody has it.
	 *
	 * @param served how many tokens were handed out
	 * @param since since when, in nanoseconds of the clock
	 */
	record Idle(int served, long since) implements State {

		@Override
		public State closed() {
			return new Over(this.served, null);
		}

	}

	/**
	 * Its holder has it, and nobody takes it afterwards.
	 *
	 * @param holder who
	 * @param good false if the holder has forfeited it
	 */
	record Revoked(SlotGrant holder, boolean good) implements State {

		@Override
		public int served() {
			return this.holder.served();
		}

		@Override
		public State closed() {
			return this;
		}

	}

	/**
	 * Nobody has it, and nobody takes it.
	 *
	 * @param served how many tokens were handed out
	 * @param leftBy its last holder, if that went to the cohort with it
	 */
	record Over(int served, @Nullable SlotGrant leftBy) implements State {

		@Override
		public State closed() {
			return this;
		}

	}

	/**
	 * Within which bounds callers take a grant.
	 *
	 * @param served how many tokens were handed out before
	 * @param tokens how many there are
	 * @param ends whether there is an end in time
	 * @param end until when, in nanoseconds of the clock
	 * @param passing whether a caller waits, and is passed by those who take it
	 */
	record Bounds(int served, int tokens, boolean ends, long end, boolean passing) {

		Bounds from(int soFar) {
			return new Bounds(soFar, this.tokens, this.ends, this.end, this.passing);
		}

		Bounds endingBy(long latest) {
			return new Bounds(this.served, this.tokens, true, (this.ends && this.end - latest < 0) ? this.end : latest,
					this.passing);
		}

		Bounds within(Bounds others) {
			Bounds ending = endingBy(others.end);
			return new Bounds(ending.served, Math.min(ending.tokens, others.tokens), true, ending.end, ending.passing);
		}

		boolean allow(int soFar, long now) {
			return soFar < this.tokens && (!this.ends || now - this.end < 0);
		}

	}

	/**
	 * Gets the grant back.
	 *
	 * @param back a step of the cohort: a holder gives the grant back, and says whether
	 * it may be kept for a moment although nobody wants it
	 * @param forfeit a step of the cohort: the grant is handed to nobody any more
	 * @param downgrade a step of the cohort: the grant becomes READ
	 * @param failed a step has failed, and with it all who wait or hold here; returns
	 * when the grant's node is gone
	 */
	record Host(BiConsumer<GrantHolder, Boolean> back, Runnable forfeit, Runnable downgrade,
			Function<Throwable, CompletionStage<Void>> failed) {

	}

}
