package io.github.zklock.internal.cohort;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.github.zklock.HandOver;
import io.github.zklock.LockException;
import io.github.zklock.spi.LockEntry;
import io.github.zklock.spi.LockStrategy;
import io.github.zklock.spi.Obstacle;

/*
 * The local callers of one key. `waiting` is their queue, in the order in which they came.
 * `stake` is the contender that stands for the head of the queue, or the grant that is
 * passed on along it; `draining` are READ stakes that take no more readers and are released
 * by their last one.
 *
 * I1: turns are served in the order of the queue. Readers are served together; one that
 *     stands behind a writer waits for it, although readers hold.
 * I2: there is one stake, and beside it only draining READs, and beside those only a READ.
 * I3: the next stake's create is sent with the delete of the one before it, or behind it,
 *     and ZooKeeper keeps the order, so it stands behind all who waited meanwhile. For a
 *     strategy that is not fair this client, having been served without a break for a number
 *     of turns or a time, enters again only after the delete was answered and a short random
 *     pause, because otherwise it would always win.
 * I4: a contender stands for the queue, not for one caller: who leaves while waiting
 *     touches nobody else. When the head that is left wants something else, it is withdrawn.
 *     A stake that replaces a retained one stands for nobody until somebody comes, and is
 *     withdrawn when anybody else is in the line.
 * I5: whoever waits is served or has a stake standing for it: every step that changes the
 *     queue or the stakes ends with `serve`.
 * All but what is read from outside (`sighting`, `crowded`) is confined to the mailbox.
 * Source: Dice, Marathe, Shavit, "Lock Cohorting", PPoPP 2012.
 */
/**
 * The local callers of one key, in their order, and the grant that they pass on.
 */
public final class Cohort {

	private static final long MIN_PAUSE = TimeUnit.MICROSECONDS.toNanos(500);

	private static final long MAX_PAUSE = TimeUnit.MILLISECONDS.toNanos(3);

	private final Set<CohortTurn> waiting = new LinkedHashSet<>();

	private final Set<Stake> draining = new LinkedHashSet<>();

	private final Host host;

	private final String key;

	private final HandOver handOver;

	private final Executor mailbox;

	private @Nullable Stake stake;

	private int turns;

	private int waitingIfFree;

	private boolean pausing;

	private int streak;

	private long streakBegan;

	private volatile boolean crowded;

	private volatile Sighting sighting = Sighting.NONE;

	public Cohort(Host host, String key, HandOver handOver, Executor mailbox) {
		this.host = host;
		this.key = key;
		this.handOver = handOver;
		this.mailbox = mailbox;
	}

	/** Counts a turn, or a stake. Called under the map's lock only. */
	public void addTurn() {
		this.turns++;
	}

	/**
	 * Counts a turn, or a stake, that is over. Called under the map's lock only.
	 * @return whether there are others
	 */
	public boolean dropTurn() {
		return --this.turns > 0;
	}

	public Turn enter(LockEntry entry, LockStrategy strategy, TurnListener listener) {
		CohortTurn turn = new CohortTurn(this, entry, strategy, listener, this.sighting.number());
		this.mailbox.execute(() -> join(turn));
		return turn;
	}

	public void step(Runnable step) {
		this.mailbox.execute(step);
	}

	/**
	 * Runs a step some time later.
	 * @param nanos in how many nanoseconds
	 * @param step a step of this cohort
	 */
	public void after(long nanos, Runnable step) {
		this.host.after(nanos, () -> step(step));
	}

	/**
	 * Tells whether callers wait here behind others. Asked from any thread.
	 * @return whether a newcomer would overtake somebody
	 */
	public boolean isCrowded() {
		return this.crowded;
	}

	public Sighting sighting() {
		return this.sighting;
	}

	public long now() {
		return this.host.now();
	}

	public boolean isReachable() {
		return this.host.isReachable();
	}

	public boolean retains() {
		return !this.handOver.retain().isZero() && !this.host.isClosed();
	}

	public HandOver handOver() {
		return this.handOver;
	}

	/** A turn, or a stake, has nothing left in ZooKeeper. */
	public void turnOver() {
		this.host.turnOver(this.key);
	}

	// --- the queue ---

	private void join(CohortTurn turn) {
		if (turn.hasLeft()) {
			return;
		}
		enqueue(turn);
		serve();
		if (this.waiting.contains(turn)) {
			lookAhead(turn);
		}
	}

	private void lookAhead(CohortTurn turn) {
		Obstacle holder = holderBefore(turn);
		if (holder != null) {
			turn.saw(holder);
		}
		else if (this.stake != null) {
			turn.sawEarlier(this.stake.seen());
		}
		Obstacle obstacle = turn.obstacle();
		if (turn.isIfFree() && obstacle != null) {
			dequeue(turn);
			turn.refuse(obstacle);
			withdrawIfUnwanted();
			serve();
		}
	}

	private @Nullable Obstacle holderBefore(CohortTurn turn) {
		Stake current = this.stake;
		if (current != null && current.asHolder() != null) {
			return current.asHolder();
		}
		return turn.isShared() ? null
				: this.draining.stream().map(Stake::asHolder).filter(Objects::nonNull).findFirst().orElse(null);
	}

	private void enqueue(CohortTurn turn) {
		this.waiting.add(turn);
		this.waitingIfFree += turn.isIfFree() ? 1 : 0;
		this.crowded = true;
	}

	private boolean dequeue(CohortTurn turn) {
		boolean removed = this.waiting.remove(turn);
		if (removed) {
			this.waitingIfFree -= turn.isIfFree() ? 1 : 0;
			this.crowded = !this.waiting.isEmpty();
		}
		return removed;
	}

	private @Nullable CohortTurn head() {
		return this.waiting.isEmpty() ? null : this.waiting.iterator().next();
	}

	public void leave(CohortTurn turn) {
		Stake held = turn.stake();
		if (held != null) {
			held.giveBack(turn);
			turn.goneWith(settle(held));
		}
		else {
			dequeue(turn);
			turn.goneWith(withdrawIfUnwanted());
		}
		serve();
	}

	// --- serving ---

	// Passes the grant on as far as it goes, and sees to it that a stake stands for the
	// rest.
	private void serve() {
		CohortTurn last = passOn();
		while (last != null) {
			refuseIfFree(last.asHolder());
			last = passOn();
		}
		CohortTurn head = head();
		Stake current = this.stake;
		if (head != null && current != null && current.isGranted() && !current.isLeaving()) {
			if (!current.isHeld()) {
				letGoOf(current);
			}
			else if (current.isShared() && current.suits(head)) {
				this.stake = null;
				this.draining.add(current);
			}
		}
		if (head != null && mayContend(head)) {
			contend(head).enter();
		}
	}

	private boolean mayContend(CohortTurn head) {
		return this.stake == null && !this.pausing && (head.isShared() || this.draining.isEmpty());
	}

	private @Nullable CohortTurn passOn() {
		CohortTurn last = null;
		CohortTurn head = head();
		while (head != null && this.stake != null && this.stake.suits(head) && this.stake.mayPass()) {
			dequeue(head);
			pass(this.stake, head);
			last = head;
			head = head();
		}
		return last;
	}

	private void pass(Stake current, CohortTurn turn) {
		if (this.streak++ == 0) {
			this.streakBegan = now();
		}
		turn.heldFromNow();
		note(turn.asHolder());
		current.pass(turn);
	}

	private Stake contend(CohortTurn head) {
		Stake fresh = new Stake(this, head.entry(), head.strategy());
		this.stake = fresh;
		this.host.stakeBegan(this.key);
		return fresh;
	}

	/**
	 * A stake has lost a holder: keeps it, retains it, or lets it go.
	 * @param held the stake
	 * @return completes when nothing in ZooKeeper is left that only the holder wanted
	 */
	private CompletionStage<Void> settle(Stake held) {
		CompletionStage<Void> nothing = CompletableFuture.completedFuture(null);
		if (held.isLeaving() || held.isHeld()) {
			return nothing;
		}
		CohortTurn head = head();
		boolean wanted = held == this.stake && head != null && held.suits(head) && held.mayPass();
		boolean idle = held == this.stake && head == null;
		if (idle && held.isUsedUp()) {
			return replace(held);
		}
		boolean kept = wanted || (idle && held.retain());
		return kept ? nothing : letGoOf(held);
	}

	// Whoever comes next finds a grant with all its tokens, or at least one on its way.
	private CompletionStage<Void> replace(Stake usedUp) {
		Stake fresh = usedUp.another();
		this.stake = fresh;
		this.host.stakeBegan(this.key);
		CompletionStage<Void> gone = fresh.enterInsteadOf(usedUp);
		gone.thenRun(this::turnOver);
		return gone;
	}

	private CompletionStage<Void> withdrawIfUnwanted() {
		Stake current = this.stake;
		CohortTurn head = head();
		boolean wanted = current == null || current.isGranted() || (head != null && current.suits(head));
		return wanted ? CompletableFuture.completedFuture(null) : letGoOf(current);
	}

	private CompletionStage<Void> letGoOf(@Nullable Stake unwanted) {
		if (unwanted == null || unwanted.isLeaving()) {
			return CompletableFuture.completedFuture(null);
		}
		boolean mustPause = !unwanted.isFair() && unwanted.isGranted() && hasHadItsTime();
		this.draining.remove(unwanted);
		if (this.stake == unwanted) {
			this.stake = null;
		}
		CompletionStage<Void> gone = leave(unwanted);
		if (mustPause) {
			this.streak = 0;
			this.pausing = true;
			gone.thenRun(() -> after(ThreadLocalRandom.current().nextLong(MIN_PAUSE, MAX_PAUSE), () -> {
				this.pausing = false;
				serve();
			}));
		}
		gone.thenRun(this::turnOver);
		return gone;
	}

	// Who is next enters in the same request, if there is anybody.
	private CompletionStage<Void> leave(Stake unwanted) {
		CohortTurn head = head();
		if (head != null && mayContend(head) && unwanted.mayBeReplacedBy(head)) {
			return contend(head).enterInsteadOf(unwanted);
		}
		return unwanted.leave();
	}

	private boolean hasHadItsTime() {
		HandOver bounds = (handOver().maxCount() > 0) ? handOver() : HandOver.DEFAULT;
		return this.streak > bounds.maxCount()
				|| (this.streak > 0 && now() - this.streakBegan > bounds.maxDuration().toNanos());
	}

	// --- what stakes tell ---

	/**
	 * A stake is of no more use.
	 * @param unwanted the stake
	 */
	public void letGo(Stake unwanted) {
		letGoOf(unwanted);
		serve();
	}

	/** The stake was granted. Nobody may want it: then it is retained, or let go. */
	public void stakeGranted() {
		serve();
		Stake current = this.stake;
		if (current != null && current.isGranted() && !current.isHeld() && (head() != null || !current.retain())) {
			letGo(current);
		}
	}

	/**
	 * The stake can never be granted, and so none of those who wait for the like.
	 * @param failed the stake
	 * @param cause why
	 */
	public void stakeFailed(Stake failed, LockException cause) {
		letGoOf(failed);
		CohortTurn head = head();
		if (head != null && failed.suits(head)) {
			dequeue(head);
			head.fail(cause);
		}
		serve();
	}

	/**
	 * Somebody else was seen in the way of this cohort.
	 * @param obstacle who
	 */
	public void blockedBy(Obstacle obstacle) {
		this.streak = 0;
		saw(obstacle);
		withdrawIfUnwanted();
		serve();
	}

	/**
	 * A stake was lost while it was held: its holders keep their node until they leave,
	 * and nobody else waits for them.
	 * @param lost the stake
	 */
	public void stakeLost(Stake lost) {
		this.draining.remove(lost);
		if (this.stake == lost) {
			this.stake = null;
		}
		serve();
	}

	private void saw(Obstacle obstacle) {
		note(obstacle);
		refuseIfFree(obstacle);
	}

	private void note(Obstacle obstacle) {
		this.sighting = this.sighting.with(new Seen(obstacle, now()));
	}

	private void refuseIfFree(Obstacle obstacle) {
		if (this.waitingIfFree > 0) {
			List<CohortTurn> refused = this.waiting.stream().filter(CohortTurn::isIfFree).toList();
			refused.forEach((turn) -> {
				dequeue(turn);
				turn.refuse(obstacle);
			});
		}
	}

	public void disturbed(Exception cause) {
		this.sighting = this.sighting.with(cause);
	}

	/**
	 * Gives up what is retained.
	 * @return completes when its node is gone
	 */
	public CompletableFuture<Void> stopRetaining() {
		CompletableFuture<Void> stopped = new CompletableFuture<>();
		step(() -> {
			Stake current = this.stake;
			boolean unwanted = current != null && !current.isHeld() && (current.isGranted() || head() == null);
			CompletionStage<Void> gone = unwanted ? letGoOf(current) : CompletableFuture.completedFuture(null);
			gone.thenRun(() -> stopped.complete(null));
			serve();
		});
		return stopped;
	}

	@Override
	public String toString() {
		return "cohort of '" + this.key + "'";
	}

	/** What the cohorts of a client have in common. */
	public interface Host {

		/**
		 * Starts a step some time later.
		 * @param nanos in how many nanoseconds
		 * @param step a short step that does not block
		 */
		void after(long nanos, Runnable step);

		long now();

		/**
		 * Tells whether a server has answered lately.
		 * @return whether what was seen before may be taken to be still so
		 */
		boolean isReachable();

		/**
		 * Tells whether the client is being closed.
		 * @return whether nothing is retained any more
		 */
		boolean isClosed();

		/**
		 * A stake enters the contest, and is counted as a turn is.
		 * @param key the cohort's key
		 */
		void stakeBegan(String key);

		/**
		 * A turn, or a stake, has nothing left in ZooKeeper.
		 * @param key the cohort's key
		 */
		void turnOver(String key);

	}

	/**
	 * What the callers of this key have seen last. Each has a number of its own, so that
	 * a caller who came later does not take the one for news because of the other.
	 *
	 * @param number how many sightings there were
	 * @param seen the last one in the way, or null
	 * @param seenNumber which sighting that was
	 * @param disturbance the last unusable answer, or null
	 * @param disturbanceNumber which sighting that was
	 */
	public record Sighting(long number, @Nullable Seen seen, long seenNumber, @Nullable Exception disturbance,
			long disturbanceNumber) {

		public static final Sighting NONE = new Sighting(0, null, 0, null, 0);

		public Sighting with(Seen obstacle) {
			return new Sighting(this.number + 1, obstacle, this.number + 1, this.disturbance, this.disturbanceNumber);
		}

		public Sighting with(Exception cause) {
			return new Sighting(this.number + 1, this.seen, this.seenNumber, cause, this.number + 1);
		}

		public @Nullable Seen seenAfter(long earlier) {
			return (this.seenNumber > earlier) ? this.seen : null;
		}

		public @Nullable Exception disturbanceAfter(long earlier) {
			return (this.disturbanceNumber > earlier) ? this.disturbance : null;
		}

	}

}
