package io.github.zklock.internal.cohort;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockException;
import io.github.zklock.spi.Obstacle;

/**
 * The local callers of one key, in their order, and the grant that they pass on.
 */
final class Cohort implements CohortTurn.Host {

	/*-
	 * The local callers of one key. `waiting` is their queue, in the order in which they came.
	 * The current one of `contenders` stands for the head of the queue, or is the grant that is
	 * passed on along it; the draining ones are READs that take no more readers and are
	 * released by their last one.
	 *
	 * I1: turns are served in the order of the queue. Readers are served together; one that
	 *     stands behind a writer waits for it, although readers hold.
	 * I2: there is one stake, and beside it only draining READs, and beside those only a READ.
	 * I3: the next stake's create is sent with the delete of the one before it, or behind it,
	 *     and ZooKeeper keeps the order, so it stands behind all who waited meanwhile. For a
	 *     strategy that is not fair this client, having been served without a break for a
	 *     number of turns or a time, enters again only after the delete was answered and a
	 *     short random pause, because otherwise it would always win.
	 * I4: a contender stands for the queue, not for one caller: who leaves while waiting
	 *     touches nobody else. When the head that is left wants something else, it is
	 *     withdrawn. A stake that replaces a retained one stands for nobody until somebody
	 *     comes, and is withdrawn when anybody else is in the line.
	 * I5: whoever waits is served or has a stake standing for it: every step that changes the
	 *     queue or the stakes ends with `serve`.
	 *
	 * All but what is read from outside (`sightings`, and whether `waiting` is crowded) is
	 * confined to the mailbox. Each of these two is one volatile value that is replaced as a
	 * whole, so a reader from outside sees it as it was a moment ago at worst.
	 * Source: Dice, Marathe, Shavit, "Lock Cohorting", PPoPP 2012.
	 */

	private static final CompletionStage<Void> NOTHING = CompletableFuture.completedStage(null);

	private static final long MIN_PAUSE = TimeUnit.MICROSECONDS.toNanos(500);

	private static final long MAX_PAUSE = TimeUnit.MILLISECONDS.toNanos(3);

	private final CallerQueue waiting = new CallerQueue();

	private final CohortContenders contenders = new CohortContenders();

	private final ServingStreak streak = new ServingStreak();

	private final CohortSite site;

	private boolean pausing;

	private volatile BlockerSightings sightings = BlockerSightings.NONE;

	Cohort(CohortSite site) {
		this.site = site;
	}

	CohortSite site() {
		return this.site;
	}

	/**
	 * Tells whether callers wait here behind others. Asked from any thread.
	 * @return whether a newcomer would overtake somebody
	 */
	boolean isCrowded() {
		return this.waiting.isCrowded();
	}

	@Override
	public BlockerSightings sightings() {
		return this.sightings;
	}

	// --- the queue ---

	void enter(CohortTurn turn) {
		this.site.mailbox().execute(() -> {
			if (!turn.hasLeft()) {
				this.waiting.add(turn);
				serve();
				if (this.waiting.contains(turn)) {
					lookAhead(turn);
				}
			}
		});
	}

	private void lookAhead(CohortTurn turn) {
		Obstacle holder = this.contenders.holderBefore(turn);
		if (holder != null) {
			turn.saw(holder);
		}
		else {
			turn.sawEarlier(this.contenders.seenByCurrent());
		}
		Obstacle obstacle = turn.obstacle();
		if (turn.isIfFree() && obstacle != null) {
			this.waiting.remove(turn);
			turn.refuse(obstacle);
			withdrawIfUnwanted();
			serve();
		}
	}

	@Override
	public void leave(CohortTurn turn) {
		this.waiting.remove(turn);
		turn.goneWith(withdrawIfUnwanted());
		serve();
	}

	/**
	 * A turn gives back what it held.
	 * @param turn the turn
	 * @param held the stake that it is no holder of any more
	 */
	void leave(CohortTurn turn, Stake held) {
		turn.goneWith(settle(held));
		serve();
	}

	// --- serving ---

	// Passes the grant on as far as it goes, and sees to it that a stake stands for the
	// rest.
	private void serve() {
		CohortTurn last = passOn();
		while (last != null) {
			refuseTries(last.asHolder());
			last = passOn();
		}
		CohortTurn head = this.waiting.head();
		if (head != null) {
			makeWayFor(head);
			if (mayContend(head)) {
				begin(Stake.of(this, head)).enter();
			}
		}
	}

	private @Nullable CohortTurn passOn() {
		CohortTurn last = null;
		CohortTurn head = this.waiting.head();
		Stake current = this.contenders.current();
		while (head != null && current != null && current.suits(head) && current.mayPass()) {
			this.waiting.remove(head);
			pass(current, head);
			last = head;
			head = this.waiting.head();
		}
		return last;
	}

	private void pass(Stake current, CohortTurn turn) {
		this.streak.served(this.site.now());
		turn.heldFromNow();
		note(turn.asHolder());
		current.pass(turn);
	}

	// The grant is of no use for the head: it is given up, or drains.
	private void makeWayFor(CohortTurn head) {
		Stake current = this.contenders.current();
		if (current != null && current.isGranted()) {
			if (!current.isHeld()) {
				letGoOf(current);
			}
			else if (current.isShared() && current.suits(head)) {
				this.contenders.drain(current);
			}
		}
	}

	private boolean mayContend(CohortTurn head) {
		return !this.pausing && this.contenders.hasRoomFor(head);
	}

	private Stake begin(Stake fresh) {
		this.contenders.begin(fresh);
		this.site.began();
		return fresh;
	}

	/**
	 * A stake has lost a holder: keeps it, retains it, or lets it go.
	 * @param held the stake
	 * @return completes when nothing in ZooKeeper is left that only the holder wanted
	 */
	private CompletionStage<Void> settle(Stake held) {
		if (held.isLeaving() || held.isHeld()) {
			return NOTHING;
		}
		CohortTurn head = this.waiting.head();
		boolean current = held == this.contenders.current();
		boolean wanted = current && head != null && held.suits(head) && held.mayPass();
		boolean idle = current && head == null;
		if (idle && held.isUsedUp()) {
			return replace(held);
		}
		boolean kept = wanted || (idle && held.retain());
		return kept ? NOTHING : letGoOf(held);
	}

	// Whoever comes next finds a grant with all its tokens, or at least one on its way.
	private CompletionStage<Void> replace(Stake usedUp) {
		CompletionStage<Void> gone = begin(usedUp.another()).enterInsteadOf(usedUp);
		gone.thenRun(this.site::over);
		return gone;
	}

	private CompletionStage<Void> withdrawIfUnwanted() {
		Stake current = this.contenders.current();
		CohortTurn head = this.waiting.head();
		boolean wanted = current == null || current.isGranted() || (head != null && current.suits(head));
		return wanted ? NOTHING : letGoOf(current);
	}

	private CompletionStage<Void> letGoOf(@Nullable Stake unwanted) {
		if (unwanted == null || unwanted.isLeaving()) {
			return NOTHING;
		}
		boolean mustPause = !unwanted.isFair() && unwanted.isGranted()
				&& this.streak.exceeds(this.site.handOver(), this.site.now());
		this.contenders.forget(unwanted);
		CompletionStage<Void> gone = leave(unwanted);
		if (mustPause) {
			this.streak.end();
			this.pausing = true;
			gone.thenRun(() -> this.site.after(ThreadLocalRandom.current().nextLong(MIN_PAUSE, MAX_PAUSE), () -> {
				this.pausing = false;
				serve();
			}));
		}
		gone.thenRun(this.site::over);
		return gone;
	}

	// Who is next enters in the same request, if there is anybody.
	private CompletionStage<Void> leave(Stake unwanted) {
		CohortTurn head = this.waiting.head();
		if (head != null && mayContend(head) && unwanted.mayBeReplacedBy(head)) {
			return begin(Stake.of(this, head)).enterInsteadOf(unwanted);
		}
		return unwanted.leave();
	}

	/**
	 * Gives up what is retained.
	 * @return completes when its node is gone
	 */
	CompletableFuture<Void> stopRetaining() {
		CompletableFuture<Void> stopped = new CompletableFuture<>();
		this.site.mailbox().execute(() -> {
			Stake current = this.contenders.current();
			boolean unwanted = current != null && !current.isHeld()
					&& (current.isGranted() || this.waiting.head() == null);
			CompletionStage<Void> gone = unwanted ? letGoOf(current) : NOTHING;
			gone.thenRun(() -> stopped.complete(null));
			serve();
		});
		return stopped;
	}

	// --- what stakes tell ---

	/**
	 * A stake is of no more use.
	 * @param unwanted the stake
	 */
	void letGo(Stake unwanted) {
		letGoOf(unwanted);
		serve();
	}

	/** The stake was granted. Nobody may want it: then it is retained, or let go. */
	void stakeGranted() {
		serve();
		Stake current = this.contenders.current();
		if (current != null && current.isGranted() && !current.isHeld()
				&& (this.waiting.head() != null || !current.retain())) {
			letGo(current);
		}
	}

	/**
	 * The stake can never be granted, and so none of those who wait for the like.
	 * @param failed the stake
	 * @param cause why
	 */
	void stakeFailed(Stake failed, LockException cause) {
		letGoOf(failed);
		CohortTurn head = this.waiting.head();
		if (head != null && failed.suits(head)) {
			this.waiting.remove(head);
			head.fail(cause);
		}
		serve();
	}

	/**
	 * Somebody else was seen in the way of this cohort.
	 * @param obstacle who
	 * @param blocked whose way it is
	 */
	void blockedBy(Obstacle obstacle, Stake blocked) {
		this.contenders.blocked(blocked, new Seen(obstacle, this.site.now()));
		this.streak.end();
		note(obstacle);
		refuseTries(obstacle);
		withdrawIfUnwanted();
		serve();
	}

	/**
	 * A stake was lost while it was held: its holders keep their node until they leave,
	 * and nobody else waits for them.
	 * @param lost the stake
	 */
	void stakeLost(Stake lost) {
		this.contenders.forget(lost);
		serve();
	}

	void disturbed(Exception cause) {
		this.sightings = this.sightings.with(cause);
	}

	private void note(Obstacle obstacle) {
		this.sightings = this.sightings.with(obstacle, this.site.now());
	}

	private void refuseTries(Obstacle obstacle) {
		this.waiting.removeTries().forEach((turn) -> turn.refuse(obstacle));
	}

	@Override
	public String toString() {
		return "cohort of '" + this.site.key() + "'";
	}

}
