package io.github.zklock.internal.cohort;

import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.github.zklock.spi.Obstacle;

/**
 * The contenders of a cohort: the one that stands for the head of its queue, or is passed
 * on along it, and the READs that take no more readers and are released by their last
 * one. Those that were lost or are leaving are not among them. A part of {@link Cohort},
 * in its mailbox.
 */
final class CohortContenders {

	private final Set<Stake> draining = new LinkedHashSet<>();

	private @Nullable Stake current;

	private @Nullable Seen seenByCurrent;

	@Nullable Stake current() {
		return this.current;
	}

	/**
	 * Puts a new contender into the place that is free by now.
	 * @param fresh the contender
	 */
	void begin(Stake fresh) {
		this.current = fresh;
		this.seenByCurrent = null;
	}

	/**
	 * Lets the current contender, a READ that is held, take no more readers.
	 * @param held the current one
	 */
	void drain(Stake held) {
		forget(held);
		this.draining.add(held);
	}

	void forget(Stake former) {
		this.draining.remove(former);
		if (this.current == former) {
			this.current = null;
			this.seenByCurrent = null;
		}
	}

	/**
	 * Tells whether there is room for one that a caller needs.
	 * @param turn the caller's
	 * @return whether it would be beside draining READs only, and is a READ if there are
	 * any
	 */
	boolean hasRoomFor(CohortTurn turn) {
		return this.current == null && (turn.isShared() || this.draining.isEmpty());
	}

	/**
	 * Notes who is in a contender's way.
	 * @param blocked the contender
	 * @param by who
	 */
	void blocked(Stake blocked, Seen by) {
		if (blocked == this.current) {
			this.seenByCurrent = by;
		}
	}

	/**
	 * Tells who is in the way of those before whom a newcomer does not stand.
	 * @return the last one that was seen in the current contender's own way, or null
	 */
	@Nullable Seen seenByCurrent() {
		return this.seenByCurrent;
	}

	/**
	 * Finds a local holder for whom a caller waits.
	 * @param turn the caller's
	 * @return the holder, or null if none is in the caller's way
	 */
	@Nullable Obstacle holderBefore(CohortTurn turn) {
		if (this.current != null && this.current.isHeld()) {
			return this.current.asHolder();
		}
		return turn.isShared() ? null
				: this.draining.stream().map(Stake::asHolder).filter(Objects::nonNull).findFirst().orElse(null);
	}

}
