package io.github.zklock.cohort;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockEntry;
import io.github.zklock.LockStrategy;
import io.github.zklock.Obstacle;
import io.github.zklock.concurrent.Mailbox;

/*
 * The local callers of one key. `waiting` is their queue, `contending` those whose
 * contender has been entered: one that is not READ, or any number of READs.
 *
 * I1: turns are admitted in the order of the queue; a READ behind a waiting writer waits
 *     for it, although readers hold.
 * I2: a turn is admitted only when everyone in `contending` may hold with it. The next
 *     caller's create is sent after the delete of the one before it, and ZooKeeper keeps
 *     the order, so it stands behind all who waited meanwhile.
 * I3: for a strategy that is not fair this client, having been served without a break for
 *     a number of turns or a time, enters its next caller only after the delete was
 *     answered and a short random pause, because otherwise it would always win.
 * I4: who leaves while waiting touches nobody else.
 * All but what is read from outside (`sighting`, `crowded`) is confined to the mailbox.
 */
/**
 * The local callers of one key, in their order.
 */
final class Cohort {

	private static final long MIN_PAUSE = TimeUnit.MICROSECONDS.toNanos(500);

	private static final long MAX_PAUSE = TimeUnit.MILLISECONDS.toNanos(3);

	private static final int MAX_STREAK = 64;

	private static final long MAX_STREAK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final Mailbox mailbox = new Mailbox();

	private final Set<CohortTurn> waiting = new LinkedHashSet<>();

	private final Set<CohortTurn> contending = new LinkedHashSet<>();

	private final Cohorts cohorts;

	private final String key;

	private final Cohorts.Pause pause;

	private final LongSupplier clock;

	private int turns;

	private int waitingIfFree;

	private volatile boolean crowded;

	private boolean pausing;

	private int streak;

	private long streakBegan;

	private volatile Sighting sighting = Sighting.NONE;

	Cohort(Cohorts cohorts, String key, Cohorts.Pause pause, LongSupplier clock) {
		this.cohorts = cohorts;
		this.key = key;
		this.pause = pause;
		this.clock = clock;
	}

	/** Counts a turn. Called under the map's lock only. */
	void addTurn() {
		this.turns++;
	}

	/**
	 * Counts a turn that is over. Called under the map's lock only.
	 * @return whether there are others
	 */
	boolean dropTurn() {
		return --this.turns > 0;
	}

	Turn enter(LockEntry entry, LockStrategy strategy, TurnListener listener) {
		CohortTurn turn = new CohortTurn(this, entry, strategy, listener, this.sighting.number());
		this.mailbox.execute(() -> join(turn));
		return turn;
	}

	void step(Runnable step) {
		this.mailbox.execute(step);
	}

	/**
	 * Tells whether callers wait here behind others. Asked from any thread.
	 * @return whether a newcomer would overtake somebody
	 */
	boolean isCrowded() {
		return this.crowded;
	}

	Sighting sighting() {
		return this.sighting;
	}

	long now() {
		return this.clock.getAsLong();
	}

	/**
	 * Somebody else was seen in the way of a caller of this cohort.
	 * @param obstacle who
	 */
	void blockedBy(Obstacle obstacle) {
		this.streak = 0;
		saw(obstacle);
	}

	/**
	 * A caller of this cohort was granted the key.
	 * @param holder who
	 */
	void grantedTo(CohortTurn holder) {
		if (this.streak++ == 0) {
			this.streakBegan = now();
		}
		Obstacle obstacle = holder.asObstacle();
		if (obstacle != null) {
			saw(obstacle);
		}
	}

	private void saw(Obstacle obstacle) {
		this.sighting = this.sighting.with(new Seen(obstacle, now()));
		if (this.waitingIfFree > 0) {
			List<CohortTurn> refused = this.waiting.stream().filter(CohortTurn::isIfFree).toList();
			refused.forEach((turn) -> {
				dequeue(turn);
				turn.refuse(obstacle);
			});
		}
	}

	void disturbed(Exception cause) {
		this.sighting = this.sighting.with(cause);
	}

	private void join(CohortTurn turn) {
		if (turn.hasLeft()) {
			return;
		}
		boolean next = this.waiting.isEmpty() && !this.pausing && mayContend(turn);
		if (!next) {
			this.contending.stream()
				.map(CohortTurn::asObstacle)
				.filter(Objects::nonNull)
				.findFirst()
				.ifPresent(turn::saw);
			Obstacle obstacle = turn.obstacle();
			if (turn.isIfFree() && obstacle != null) {
				turn.refuse(obstacle);
				return;
			}
		}
		this.waiting.add(turn);
		this.waitingIfFree += turn.isIfFree() ? 1 : 0;
		this.crowded = true;
		admit();
	}

	private boolean dequeue(CohortTurn turn) {
		boolean removed = this.waiting.remove(turn);
		if (removed) {
			this.waitingIfFree -= turn.isIfFree() ? 1 : 0;
			this.crowded = !this.waiting.isEmpty();
		}
		return removed;
	}

	private boolean mayContend(CohortTurn turn) {
		return this.contending.isEmpty()
				|| (turn.isShared() && this.contending.stream().allMatch(CohortTurn::isShared));
	}

	private void admit() {
		while (!this.pausing) {
			CohortTurn head = this.waiting.isEmpty() ? null : this.waiting.iterator().next();
			if (head == null || !mayContend(head)) {
				return;
			}
			dequeue(head);
			this.contending.add(head);
			head.contend();
		}
	}

	void leave(CohortTurn turn) {
		if (dequeue(turn)) {
			turn.gone();
			admit();
		}
		else if (this.contending.remove(turn)) {
			boolean mustPause = !turn.isFair()
					&& (this.streak >= MAX_STREAK || (this.streak > 0 && now() - this.streakBegan > MAX_STREAK_NANOS));
			turn.withdraw();
			if (mustPause) {
				this.streak = 0;
				this.pausing = true;
				turn.whenGone().thenRun(this::pauseShortly);
			}
			admit();
		}
		else {
			turn.gone();
		}
	}

	private void pauseShortly() {
		this.pause.before(ThreadLocalRandom.current().nextLong(MIN_PAUSE, MAX_PAUSE), () -> step(this::pauseOver));
	}

	private void pauseOver() {
		this.pausing = false;
		admit();
	}

	/**
	 * A turn has nothing left in ZooKeeper.
	 */
	void turnOver() {
		this.cohorts.turnOver(this.key);
	}

	@Override
	public String toString() {
		return "cohort of '" + this.key + "'";
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
	record Sighting(long number, @Nullable Seen seen, long seenNumber, @Nullable Exception disturbance,
			long disturbanceNumber) {

		static final Sighting NONE = new Sighting(0, null, 0, null, 0);

		Sighting with(Seen obstacle) {
			return new Sighting(this.number + 1, obstacle, this.number + 1, this.disturbance, this.disturbanceNumber);
		}

		Sighting with(Exception cause) {
			return new Sighting(this.number + 1, this.seen, this.seenNumber, cause, this.number + 1);
		}

		@Nullable Seen seenAfter(long earlier) {
			return (this.seenNumber > earlier) ? this.seen : null;
		}

		@Nullable Exception disturbanceAfter(long earlier) {
			return (this.disturbanceNumber > earlier) ? this.disturbance : null;
		}

	}

}
