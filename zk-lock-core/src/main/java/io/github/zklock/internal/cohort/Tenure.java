package io.github.zklock.internal.cohort;

import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.github.zklock.Handoff;
import io.github.zklock.spi.Grant;

/**
 * For how long a grant is handed off although others wait. A part of {@link CohortGrant},
 * in the cohort's serial executor.
 */
final class Tenure {

	/*-
	 * What a change costs is worth it once it is a small part of the time between two: so a tenure
	 * lasts for CHANGES of them.
	 *
	 * Holds may take so long that few of the callers would be served in that time: one here, and two in a client that takes
	 * a change to be a little slower, whose callers would get the key twice as often. So who waited when it began is
	 * served in it, but MOST at most, as long as the longest tenure allows: in one queue of all callers of all clients
	 * they would be served before most of the others, too.
	 *
	 * Where the callers hold for less, the bound is more than it takes. Were all callers of all clients in
	 * one queue, the others would wait for n holds and n changes of the n callers here. They wait no
	 * longer for a tenure: it lasts until n callers were served, and then until the time is over that
	 * n holds and n changes take. A hold takes what was taken for each of those that were served:
	 * `elapsed >= n (elapsed / served + change)`.
	 *
	 * If a hold takes as long as the holds before it did, it can be known when it begins that the tenure ends with
	 * it. That is of use where a hold is not much shorter than a write: then there is time to queue again meanwhile.
	 * It is done one write before the end, but not at once: the holder has just been woken, often on the processor
	 * of the thread that would do it, and would have to wait for that. Who released before it may not be back yet,
	 * but is one of the callers here, as at the end of each hold.
	 *
	 * Readers hold together, also those of several clients. If most contenders of the queue do, the others
	 * wait for a whole tenure. If most wait, it lasts for ONE change only: otherwise each client would read
	 * in a tenure of its own, one after the other, while the rest waits. So who reads apart soon queues
	 * behind the others' writers, where the READs come together.
	 */

	private static final int CHANGES = 10;

	/** So many callers are served at most although their holds take longer. */
	private static final int MOST = CHANGES;

	/** After one of so many parts of a hold the holder works. */
	private static final int SETTLED = 4;

	/** A change takes so many times as long as a grant may linger. */
	private static final int LINGERS = 4;

	private static final long LONGEST_LINGER = TimeUnit.MICROSECONDS.toNanos(200);

	/**
	 * Half of the callers here are served in a tenure at least, if others pass each of
	 * them.
	 */
	private static final int PARTS = 2;

	private final Grant grant;

	private final boolean shared;

	private final CohortSite site;

	private final CallerQueue waiting;

	private final Runnable again;

	private final long since;

	private long heldSince;

	private int callersThen;

	private @Nullable Runnable cancel;

	/**
	 * Creates a tenure that begins now.
	 * @param grant knows what a change costs
	 * @param shared whether readers hold it together
	 * @param site the cohort's clock and bounds
	 * @param waiting the callers here who wait
	 * @param again a step in which it may be asked again whether it is ending
	 */
	Tenure(Grant grant, boolean shared, CohortSite site, CallerQueue waiting, Runnable again) {
		this.grant = grant;
		this.shared = shared;
		this.site = site;
		this.waiting = waiting;
		this.again = again;
		this.since = site.now();
		this.heldSince = this.since;
	}

	/**
	 * A hold has begun.
	 * @param since when it has begun, in nanoseconds of the clock
	 */
	void holds(long since) {
		this.heldSince = since;
		this.callersThen = this.waiting.callers();
		stop();
	}

	/**
	 * A caller who waited has begun to hold.
	 * @param since when, in nanoseconds of the clock
	 */
	void served(long since) {
		holds(since);
		this.callersThen++;
	}

	/** Nothing is to be asked again. */
	void stop() {
		if (this.cancel != null) {
			this.cancel.run();
			this.cancel = null;
		}
	}

	/**
	 * Returns whether the present hold is its last one, and it is time to queue again.
	 * @param served how many callers were served in it, with the holder
	 * @return false also if that is to be asked again later; then a step is timed
	 */
	boolean isEnding(int served) {
		if (served < 2) {
			return false;
		}
		long change = this.grant.changeNanos();
		long before = this.heldSince - this.since;
		long hold = before / (served - 1);
		long now = this.site.now() - this.since;
		if (hold < change / 2
				|| Math.max(now, before + hold) < lasting(served, Math.max(this.waiting.callers(), this.callersThen))) {
			return false;
		}
		long early = before + Math.max(hold / SETTLED, hold - change) - now;
		if (early > 0 && this.cancel == null) {
			this.cancel = this.site.after(early, () -> {
				this.cancel = null;
				this.again.run();
			});
		}
		return early <= 0;
	}

	/**
	 * Returns how long it lasts at most.
	 * @return nanoseconds
	 */
	long nanos() {
		Handoff bounds = this.site.handoff();
		long most = bounds.maxDuration().toNanos();
		long change = this.grant.leastChangeNanos();
		return (change > most / CHANGES) ? most
				: Math.min(most, Math.max(CHANGES * change, bounds.minDuration().toNanos()));
	}

	// How long it lasts for those who were served and are here
	private long nanos(int served, int callers) {
		long most = nanos();
		long change = this.grant.leastChangeNanos();
		if (served <= callers || change >= most) {
			return most;
		}
		long fair = callers * change / (served - callers) * served;
		return Math.min(most, Math.max(fair, this.site.handoff().minDuration().toNanos()));
	}

	// The one who is next waited already when it began
	private boolean isOwed(int served) {
		QueuedContender next = this.waiting.head();
		return !this.shared && served < MOST && served <= this.site.handoff().maxCount() && next != null
				&& next.cameBefore(this.since);
	}

	private long lasting(int served, int callers) {
		return isOwed(served) ? this.site.handoff().maxDuration().toNanos() : nanos(served, callers);
	}

	private long end(int served) {
		return this.since + nanos(served, this.waiting.callers());
	}

	/**
	 * Returns within which bounds callers take the grant without the cohort.
	 * @param served how many were served in it
	 * @param alone whether it is known that nobody else waits
	 * @return the bounds
	 */
	GrantSlot.Bounds bounds(int served, boolean alone) {
		return new GrantSlot.Bounds(served, tokens(alone), !alone, end(served), false);
	}

	/**
	 * Returns within which bounds others may have the grant while the caller who is next
	 * wakes: for a moment, and so that a token is left for it. Where others wait, they
	 * have {@value #PARTS} callers' parts of the count at most.
	 * @param served how many were served in it
	 * @param alone whether it is known that nobody else waits
	 * @return the bounds; null if nobody may, or the last hold was longer than the moment
	 */
	GrantSlot.@Nullable Bounds passing(int served, boolean alone) {
		int left = tokens(alone) - 1 - served;
		long now = this.site.now();
		long moment = lingerNanos();
		if (left <= 0 || now - this.heldSince >= moment) {
			return null;
		}
		int passes = alone ? left : Math.min(left, Math.max(1, PARTS * left / this.waiting.callers()));
		GrantSlot.Bounds most = new GrantSlot.Bounds(served, served + passes, true, now + moment, true);
		return alone ? most : most.endingBy(end(served));
	}

	/**
	 * Returns how many tokens a grant has.
	 * @param alone whether it is known that nobody else waits
	 * @return how many callers are served at most
	 */
	int tokens(boolean alone) {
		return alone ? Grant.TOKENS : Math.min(Grant.TOKENS - 1, this.site.handoff().maxCount()) + 1;
	}

	/**
	 * Returns how long the grant lingers where it may.
	 * @return nanoseconds, a small part of what a change takes; zero if that is not known
	 */
	long lingerNanos() {
		long change = this.grant.changeNanos();
		return (change == Long.MAX_VALUE) ? 0 : Math.min(LONGEST_LINGER, change / LINGERS);
	}

	/**
	 * Returns whether it lasts for the caller who is next.
	 * @param served how many callers were served in it
	 * @param contended whether others wait
	 * @return whether its bounds, of time and of count, are not reached
	 */
	boolean lasts(int served, boolean contended) {
		return left(served, contended) > 0
				|| (isOwed(served) && this.site.now() - this.since < lasting(served, this.waiting.callers()));
	}

	/**
	 * Returns how much of it is left, whether each caller here was served or not.
	 * @param served how many callers were served in it
	 * @param contended whether others wait
	 * @return nanoseconds; zero or less if it is over, by time or by count
	 */
	long left(int served, boolean contended) {
		if (!this.shared) {
			return (served > this.site.handoff().maxCount()) ? 0 : end(served) - this.site.now();
		}
		long lasts = nanos();
		if (contended && !this.grant.isHeldByMost()) {
			long least = this.site.handoff().minDuration().toNanos();
			lasts = Math.min(lasts, Math.max(this.grant.changeNanos(), least));
		}
		return this.since + lasts - this.site.now();
	}

}
