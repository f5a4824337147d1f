package io.github.zklock.internal.cohort;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockException;
import io.github.zklock.spi.Blocker;

/**
 * The local callers of one key, in their order, and the grant that they hand off.
 */
final class Cohort implements QueuedContender.Host {

	/*-
	 * The local callers of one key. `waiting` is their queue, in the order in which they came. The current one of
	 * `contenders` stands for the head of the queue, or is the grant that is handed off along it; the draining ones
	 * are handed to nobody any more and are released by their last holder.
	 *
	 * I1: local contenders are served in the order of the queue. Readers are served together. For a bounded time others
	 *     pass: those who want the mode of the grant (`Bypass`), and those who come while the next one wakes (`Succession`).
	 * I2: there is one cohort contender, and beside it only draining ones: READs, or one that its last holder has; and
	 *     those that leave. While many of the key that were given up have not gone none enters (`Departures`).
	 * I3: the next cohort contender's create is sent with the delete of the one before it, or after it, or while its
	 *     last holder has it, for a caller who waits. ZooKeeper keeps the order, so it is queued behind all who waited
	 *     until then. For a strategy that is not fair this client, having been served without a break for a number of
	 *     callers or a time, enters again only after the delete was answered and a short random pause, because it
	 *     would always win.
	 * I4: a cohort contender is there for the queue, not for one caller: who leaves while waiting touches nobody
	 *     else. If the head that is left wants something else, tries once and would wait, or waits where it tries once and
	 *     was disturbed, it is withdrawn. One that replaces a retained or lingering one is for nobody until a caller
	 *     comes, and withdrawn if others are queued.
	 * I5: every caller that waits is served or has a cohort contender (but for I2): what changes either ends with `serve`.
	 * I6: a step that throws anything ends the cohort, and no other. It leaves the map, so that later callers find a new
	 *     one; its grants are lost, those who wait, or still come to it, get an exception, and then its contenders leave.
	 *
	 * All is confined to the serial executor, but `sightings`, and whether `waiting` is crowded: one volatile value
	 * each. Source: Dice, Marathe, Shavit, "Lock Cohorting", PPoPP 2012.
	 */

	private static final CompletionStage<Void> NOTHING = CompletableFuture.completedStage(null);

	private final CallerQueue waiting = new CallerQueue();

	private final CohortContenders contenders;

	private final ServingStreak streak = new ServingStreak();

	private final Bypass bypass;

	private final CohortSite site;

	private @Nullable Throwable failure;

	private volatile BlockerSightings sightings = BlockerSightings.NONE;

	Cohort(CohortSite site) {
		this.contenders = new CohortContenders(site::now);
		this.site = site.of(this, this::failed, this.contenders::close, () -> this.contenders.open(this.waiting));
		this.bypass = new Bypass(this.site, this.waiting, this::serve);
	}

	CohortSite site() {
		return this.site;
	}

	// Asked from any thread: whether a newcomer would overtake others
	boolean isCrowded() {
		return this.waiting.isCrowded();
	}

	CallerQueue waiting() {
		return this.waiting;
	}

	@Override
	public BlockerSightings sightings() {
		return this.sightings;
	}

	// --- the queue ---

	void enter(QueuedContender local) {
		this.site.orElse((cause) -> {
			failed(cause);
			failIfWaiting(local, cause);
		}).execute(() -> {
			if (this.failure != null) {
				failIfWaiting(local, this.failure);
			}
			else if (!local.hasLeft()) {
				this.site.came();
				this.contenders.succession().came(local);
				this.waiting.add(local);
				this.bypass.came(local);
				serve();
				lookAhead(local);
			}
		});
	}

	private void lookAhead(QueuedContender local) {
		if (this.waiting.contains(local)) {
			local.sightings()
				.saw(this.contenders.holderBefore(local, this.waiting.head()), this.contenders.seenByCurrent());
			Blocker blocker = local.blocker();
			if (local.isTryOnce() && blocker != null) {
				this.waiting.serve(local, (refused) -> refused.refuse(blocker));
				withdrawIfUnwanted();
				serve();
			}
			else if (this.contenders.isBlockedTry(local)) {
				// When servers answer again, what was seen may be known without an event
				this.site.after(CohortContenders.LOOK_NANOS, () -> lookAhead(local));
			}
		}
	}

	@Override
	public void leave(QueuedContender local) {
		this.waiting.remove(local);
		local.goneWith(withdrawIfUnwanted());
		serve();
	}

	// A local contender gives back what it held; it is no holder of that any more.
	void leave(GrantHolder local, CohortContender held, boolean mayLinger) {
		this.contenders.succession().left(held.lingerNanos());
		local.goneWith((this.failure != null || held.isLeaving()) ? held.leave() : settle(held, mayLinger));
		serve();
		if (this.waiting.head() == null) {
			this.site.left(held.lingerNanos());
		}
	}

	@Override
	public void awake(QueuedContender local) {
		this.contenders.succession().awake(local);
		Blocker holder = this.contenders.holderBefore(local, this.waiting.head());
		if (holder != null) {
			announce(holder);
		}
		serve();
	}

	@Override
	public void over() {
		this.site.membership().over();
	}

	// --- serving ---

	// Hands the grant off as far as it goes; the rest gets a cohort contender.
	void serve() {
		QueuedContender last = handOff();
		while (last != null) {
			QueuedContender next = this.waiting.head();
			if (next != null && !(next.isShared() && last.isShared())) {
				announce(last.asHolder());
			}
			last = handOff();
		}
		QueuedContender head = this.waiting.head();
		this.contenders.waitForRoomWith(head);
		if (head != null && !this.contenders.dependOnOthers(head)) {
			makeWayFor(head);
			if (mayContend()) {
				begin(CohortContender.of(this, head)).enter();
			}
		}
	}

	private @Nullable QueuedContender handOff() {
		QueuedContender last = null;
		CohortContender current = this.contenders.current();
		QueuedContender next = this.contenders.next(this.waiting, this.bypass);
		while (next != null && current != null) {
			this.waiting.serve(next, (local) -> grantTo(current, local));
			last = next;
			next = this.contenders.next(this.waiting, this.bypass);
		}
		return last;
	}

	private void grantTo(CohortContender current, QueuedContender local) {
		this.streak.served(this.site.now());
		current.grantTo(local);
	}

	// Those who come later look for themselves
	private void announce(Blocker holder) {
		note(holder);
		this.waiting.refuseTries(holder);
	}

	private void makeWayFor(QueuedContender head) {
		CohortContender current = this.contenders.current();
		if (current != null && current.isGranted() && !this.contenders.succession().isPassed()) {
			if (!current.isHeld()) {
				letGoOf(current);
			}
			else if (current.isHeldLast(head) || (current.isShared() && (head.isShared() || head.waitsToWrite())
					&& !this.bypass.isOpen(current.bypassNanos(head)))) {
				this.contenders.drain(current);
			}
		}
	}

	private boolean mayContend() {
		return !this.streak.isPausing() && this.contenders.hasRoom(this.site, this::serve);
	}

	private CohortContender begin(CohortContender fresh) {
		this.bypass.end();
		this.contenders.begin(fresh);
		this.site.membership().began();
		return fresh;
	}

	// It has lost a holder. Completes when nothing is left that only the holder wanted
	private CompletionStage<Void> settle(CohortContender held, boolean mayLinger) {
		if (held.isLeaving() || held.isHeld()) {
			return NOTHING;
		}
		QueuedContender head = this.waiting.head();
		boolean current = held == this.contenders.current();
		if (current && head == null) {
			return settleIdle(held, mayLinger);
		}
		boolean wanted = current && head != null && (this.contenders.next(this.waiting, this.bypass) != null
				|| this.contenders.succession().isPassed() || held.dependsOnOthers(head));
		return wanted ? NOTHING : letGoOf(held);
	}

	private CompletionStage<Void> settleIdle(CohortContender held, boolean mayLinger) {
		if (held.isUsedUp(mayLinger)) {
			return replace(held);
		}
		if (held.retain()) {
			return NOTHING;
		}
		CompletionStage<Void> lingering = mayLinger ? held.linger() : null;
		return (lingering != null) ? lingering : letGoOf(held);
	}

	// The next caller finds a grant with all its tokens, or at least one on its way.
	private CompletionStage<Void> replace(CohortContender usedUp) {
		CompletionStage<Void> gone = begin(usedUp.another()).enterInsteadOf(usedUp);
		gone.thenRun(() -> gone(usedUp));
		return gone;
	}

	private void gone(CohortContender former) {
		this.contenders.gone(former);
		over();
	}

	private CompletionStage<Void> withdrawIfUnwanted() {
		CohortContender current = this.contenders.current();
		if (current != null && current.isGranted()) {
			return settle(current, false);
		}
		QueuedContender head = this.waiting.head();
		boolean wanted = head != null && current != null && current.waitsFor(head)
				&& !this.contenders.isBlockedTry(head);
		return wanted ? NOTHING : letGoOf(current);
	}

	private CompletionStage<Void> letGoOf(@Nullable CohortContender unwanted) {
		if (unwanted == null || unwanted.isLeaving()) {
			return NOTHING;
		}
		boolean mustPause = !unwanted.isFair() && unwanted.isGranted()
				&& this.streak.exceeds(this.site.handoff(), this.site.now());
		this.contenders.forget(unwanted);
		CompletionStage<Void> gone = this.contenders.leaves(unwanted, leave(unwanted), this.site);
		if (mustPause) {
			this.streak.endWithPause(gone, this.site, this::serve);
		}
		gone.thenRun(() -> gone(unwanted));
		return gone;
	}

	// Who is next enters in the same request, if there is anybody.
	private CompletionStage<Void> leave(CohortContender unwanted) {
		QueuedContender head = this.waiting.head();
		if (head != null && mayContend() && unwanted.mayBeReplacedBy(head)) {
			return begin(CohortContender.of(this, head)).enterInsteadOf(unwanted);
		}
		return unwanted.leave();
	}

	// Gives up what is retained; completes when its node is gone
	CompletableFuture<Void> stopRetaining() {
		CompletableFuture<Void> stopped = new CompletableFuture<>();
		this.site.orElse((cause) -> {
			failed(cause);
			stopped.complete(null);
		}).execute(() -> {
			CohortContender current = this.contenders.current();
			boolean unwanted = current != null && !current.isHeld()
					&& (current.isGranted() || this.waiting.head() == null);
			CompletionStage<Void> gone = unwanted ? letGoOf(current) : NOTHING;
			gone.thenRun(() -> stopped.complete(null));
			serve();
		});
		return stopped;
	}

	// --- what cohort contenders report ---

	// A cohort contender is of no more use.
	void letGo(CohortContender unwanted) {
		letGoOf(unwanted);
		serve();
	}

	void contenderGranted() {
		serve();
		CohortContender current = this.contenders.current();
		if (current != null && current.isGranted() && !current.isHeld()
				&& (this.waiting.head() != null || !current.retain())) {
			letGo(current);
		}
	}

	// It can never be granted, and so none of those who wait for the like.
	void contenderFailed(CohortContender failed, LockException cause) {
		letGoOf(failed);
		QueuedContender head = this.waiting.head();
		if (head != null && failed.suits(head)) {
			this.waiting.serve(head, (ended) -> ended.fail(cause));
		}
		serve();
	}

	// Another contender was seen in the way of this cohort.
	void blockedBy(Blocker blocker, CohortContender blocked) {
		this.contenders.blocked(blocked, new BlockerSighting(blocker, this.site.now()));
		this.streak.end();
		note(blocker);
		this.waiting.refuseTries(blocker);
		withdrawIfUnwanted();
		serve();
	}

	// It was lost while it was held: its holders keep their node until they leave.
	void contenderLost(CohortContender lost) {
		this.contenders.forget(lost);
		serve();
	}

	void contenderReads(CohortContender held) {
		this.contenders.drain(held);
		serve();
	}

	void disturbed(Exception cause) {
		this.sightings = this.sightings.with(cause);
	}

	// --- the failed end ---

	@Override
	public void failed(Throwable cause) {
		if (this.failure == null) {
			this.failure = cause;
		}
		CompletableFuture<Void> gone = new CompletableFuture<>();
		this.site.membership().failed(gone);
		List<QueuedContender> callers = this.waiting.removeAll();
		List<CompletableFuture<Void>> leaving = new ArrayList<>();
		this.contenders.forgetAll()
			.forEach((contender) -> this.site.failures()
				.contain(this, () -> leaving.add(contender.fail().toCompletableFuture())));
		callers.forEach((local) -> failIfWaiting(local, cause));
		CompletionStage<Void> all = CompletableFuture.allOf(leaving.toArray(CompletableFuture[]::new));
		all.whenComplete((nothing, failed) -> gone.complete(null));
	}

	private void failIfWaiting(QueuedContender local, Throwable cause) {
		if (local.isWaiting()) {
			this.site.failures()
				.contain(this, () -> local.fail(LockException.engineFailed(List.of(this.site.key()), cause)));
		}
	}

	void note(Blocker blocker) {
		this.sightings = this.sightings.with(blocker, this.site.now());
	}

	@Override
	public String toString() {
		return "cohort of '" + this.site.key() + "'";
	}

}
