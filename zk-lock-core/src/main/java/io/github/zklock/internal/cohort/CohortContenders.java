package io.github.zklock.internal.cohort;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

import io.github.zklock.spi.Blocker;

/**
 * The contenders of a cohort: the one that stands for the head of its queue, or is handed
 * off along it, and the draining ones, which are handed to nobody any more and are
 * released by their last holder: READs, or an exclusive one beside which the next one is
 * queued. Those that were lost or are leaving are not among them. A part of
 * {@link Cohort}, in its serial executor.
 */
final class CohortContenders {

	static final long LOOK_NANOS = 100_000_000;

	private final Set<CohortContender> draining = new LinkedHashSet<>();

	private final Set<CohortContender> notGone = ConcurrentHashMap.newKeySet();

	private final Succession succession;

	private @Nullable CohortContender current;

	private @Nullable BlockerSighting seenByCurrent;

	private @Nullable Serving later;

	CohortContenders(LongSupplier clock) {
		this.succession = new Succession(clock);
	}

	/**
	 * Returns how the caller who is next gets the grant.
	 * @return who is woken, and passed meanwhile
	 */
	Succession succession() {
		return this.succession;
	}

	@Nullable CohortContender current() {
		return this.current;
	}

	/**
	 * Adds a new contender, for which there is room by now.
	 * @param fresh the contender
	 */
	void begin(CohortContender fresh) {
		this.notGone.add(fresh);
		this.current = fresh;
		this.seenByCurrent = null;
	}

	/**
	 * After a step: callers may take a grant without a step that nobody here wants, or
	 * that the next one does not get before it is awake.
	 * @param waiting those who wait
	 */
	void open(CallerQueue waiting) {
		CohortGrant grant = (this.current != null) ? this.current.fairGrant() : null;
		if (grant != null && (waiting.head() == null || this.succession.isPassed())) {
			grant.open(this.succession.passing());
		}
	}

	/** Before a step: they come here again. */
	void close() {
		boolean passing = this.succession.isPassed();
		if (this.current != null && this.current.close(passing) && passing) {
			this.succession.passedBy();
		}
	}

	/**
	 * Lets the current contender, which is held, be handed to nobody any more.
	 * @param held the current one
	 */
	void drain(CohortContender held) {
		forget(held);
		this.draining.add(held);
	}

	void forget(CohortContender former) {
		this.draining.remove(former);
		if (this.current == former) {
			this.current = null;
			this.seenByCurrent = null;
		}
	}

	/**
	 * A contender leaves. One that was given up is among the departures until it has
	 * gone.
	 * @param former the contender
	 * @param gone completes when it has nothing left in ZooKeeper
	 * @param site the cohort's
	 * @return the same stage
	 */
	CompletionStage<Void> leaves(CohortContender former, CompletionStage<Void> gone, CohortSite site) {
		if (!former.isGranted()) {
			site.departures().leaves(List.of(site.key()), gone);
		}
		return gone;
	}

	/**
	 * A contender has nothing left in ZooKeeper. Called on any thread.
	 * @param former the contender
	 */
	void gone(CohortContender former) {
		this.notGone.remove(former);
	}

	/**
	 * Lets go of all.
	 * @return all that have begun and are not gone, also those that were lost or are
	 * leaving
	 */
	List<CohortContender> forgetAll() {
		waitForRoomWith(null);
		this.draining.clear();
		this.current = null;
		this.seenByCurrent = null;
		return List.copyOf(this.notGone);
	}

	/**
	 * Finds who is to be handed the current grant. The head may be woken instead.
	 * @param waiting those who wait
	 * @param bypass whether others may pass the head of the queue
	 * @return the head, one who passes it, or null
	 */
	@Nullable QueuedContender next(CallerQueue waiting, Bypass bypass) {
		bypass.settle();
		this.succession.settle(waiting.head());
		QueuedContender head = waiting.head();
		if (head == null || this.current == null) {
			return null;
		}
		if (this.current.mayHandOffTo(head)) {
			return this.succession.isToWake(head, this.current.fairGrant()) ? null : head;
		}
		if (this.current.suits(head) && this.succession.isDue(head, this.current.fairGrant())) {
			return head;
		}
		QueuedContender other = waiting.first(!head.isShared());
		boolean passes = other != null && !other.isTryOnce() && this.current.mayHandOffTo(other)
				&& bypass.isOpen(this.current.bypassNanos(head));
		return passes ? other : null;
	}

	/**
	 * Returns whether there is room for another one.
	 * @param site the cohort's
	 * @param serve a step that asks again; it is brought when there may be room, if there
	 * is none because many of the key were given up and have not gone
	 * @return whether it would be beside draining ones only
	 */
	boolean hasRoom(CohortSite site, Runnable serve) {
		if (this.current != null) {
			return false;
		}
		if (site.departures().areFew()) {
			return true;
		}
		if (this.later == null) {
			this.later = new Serving(site, serve);
		}
		return site.departures().mayEnter(this.later);
	}

	/**
	 * Notes who is in a contender's way.
	 * @param blocked the contender
	 * @param by who
	 */
	void blocked(CohortContender blocked, BlockerSighting by) {
		if (blocked == this.current) {
			this.seenByCurrent = by;
		}
	}

	/**
	 * Waits for room only as long as a caller waits.
	 * @param head who is next, or null
	 */
	void waitForRoomWith(@Nullable QueuedContender head) {
		if (head == null && this.later != null) {
			this.later.site().departures().withdraw(this.later);
		}
	}

	/**
	 * Returns who is in the way of those that a newcomer is queued behind.
	 * @return the last one that was seen in the current contender's own way; null also if
	 * that was granted since, so that nobody is in its way any more
	 */
	@Nullable BlockerSighting seenByCurrent() {
		return (this.current != null && this.current.isGranted()) ? null : this.seenByCurrent;
	}

	/**
	 * Returns whether a caller tries once, and would wait for another client.
	 * @param local the caller's
	 * @return whether the current contender was seen to wait for one
	 */
	boolean isBlockedTry(QueuedContender local) {
		return local.isTryOnce() && seenByCurrent() != null;
	}

	/**
	 * Returns whether the head of the queue has to wait until it is known whether other
	 * clients wait.
	 * @param head the head
	 * @return whether the current contender's grant is handed off to it if they do not
	 */
	boolean dependOnOthers(@Nullable QueuedContender head) {
		return this.current != null && head != null && this.current.dependsOnOthers(head);
	}

	/**
	 * Finds a local holder for whom a caller waits, or who is about to hold.
	 * @param local the caller's
	 * @param head the head of the queue
	 * @return the holder, or null if none is in the caller's way
	 */
	@Nullable Blocker holderBefore(QueuedContender local, @Nullable QueuedContender head) {
		if (this.succession.isPassed() && head != null && head != local) {
			return head.asNext();
		}
		if (this.current != null && this.current.isHeld()) {
			boolean alike = this.current.suits(local) || (this.current.isShared() && local.isShared());
			return (alike && dependOnOthers(head)) ? null : this.current.asHolder();
		}
		for (CohortContender former : this.draining) {
			Blocker holder = (local.isShared() && former.isShared()) ? null : former.asHolder();
			if (holder != null) {
				return holder;
			}
		}
		return null;
	}

	/**
	 * Serves those who wait, when fewer leave.
	 *
	 * @param site the cohort's
	 * @param serve a step that asks again
	 */
	private record Serving(CohortSite site, Runnable serve) implements Departures.Waiting {

		@Override
		public List<String> keys() {
			return List.of(this.site.key());
		}

		// By a step of its own, as others that wait may enter by this one
		@Override
		public void letIn() {
			try {
				this.site.after(0, this.serve);
			}
			catch (Throwable ex) {
				this.site.failures().report(this, ex);
				this.site.serialExecutor().execute(this.serve);
			}
		}

	}

}
