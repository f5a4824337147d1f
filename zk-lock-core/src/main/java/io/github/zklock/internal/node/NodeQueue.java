package io.github.zklock.internal.node;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockMode;

/**
 * The contenders of a key, in the order in which they entered. Source: ZooKeeper recipes,
 * "Locks" with "Shared Locks".
 */
public final class NodeQueue {

	/** A contender with so many blockers, or fewer, watches them all. */
	public static final int MOST_WATCHED = 4;

	private static final int LONG = 16;

	private final List<LockNodeName> names;

	private NodeQueue(List<LockNodeName> names) {
		this.names = names;
	}

	/**
	 * Picks the contenders from a list of children.
	 * @param children all children of a key node, in any order
	 * @return the contenders by sequence number; those near the end of the numbers are
	 * behind all others, because a key node gives those numbers last
	 */
	public static NodeQueue of(List<String> children) {
		List<LockNodeName> names = new ArrayList<>(children.size());
		children.forEach((child) -> LockNodeName.parse(child).ifPresent(names::add));
		names.sort(Comparator.comparing(LockNodeName::isNearOverflow)
			.thenComparingInt(LockNodeName::sequence)
			.thenComparing(LockNodeName::name));
		return new NodeQueue(names);
	}

	/**
	 * Returns whether the numbers do not say the order: servers stop at the largest
	 * number, so that contenders tie, or go on at the smallest.
	 * @return true if several are near the end of the numbers
	 */
	public boolean needsCzxids() {
		return nearOverflow().size() > 1;
	}

	/**
	 * Returns those whose order the numbers do not say.
	 * @return those near the end of the numbers; the last ones in the queue
	 */
	public List<LockNodeName> nearOverflow() {
		int from = this.names.size();
		while (from > 0 && this.names.get(from - 1).isNearOverflow()) {
			from--;
		}
		return this.names.subList(from, this.names.size());
	}

	/**
	 * Returns whether a list of it is much to read for one change.
	 * @return true from a kilobyte on, unless its order is not that of the numbers
	 */
	public boolean isLong() {
		return this.names.size() > LONG && !needsCzxids();
	}

	/**
	 * Orders those near the end of the numbers by when their nodes were created. All
	 * others stay before them in the order of their numbers, also beside those: a
	 * downgrade leaves a younger node at the same position.
	 * @param czxids the czxids of those; the ones without have gone
	 * @return the contenders that are still there
	 */
	public NodeQueue byCzxid(Map<String, Long> czxids) {
		List<LockNodeName> present = new ArrayList<>(this.names);
		present.removeIf((name) -> name.isNearOverflow() && !czxids.containsKey(name.name()));
		present
			.sort(Comparator.comparing((name) -> name.isNearOverflow() ? czxids.getOrDefault(name.name(), 0L) : -1L));
		return new NodeQueue(present);
	}

	public List<LockNodeName> names() {
		return this.names;
	}

	public Optional<String> findById(String id) {
		return this.names.stream().map(LockNodeName::name).filter((name) -> name.contains(id)).findFirst();
	}

	/**
	 * Looks at the queue from a contender's position in it.
	 * @param name the contender's name
	 * @param mode the contender's mode
	 * @return what is in its way, or null if it is not in the queue
	 */
	public @Nullable Position positionOf(String name, LockMode mode) {
		int index = indexOf(name);
		if (index < 0) {
			return null;
		}
		LockNodeName own = this.names.get(index);
		return own.isPermit() ? permitPosition(index, own.permits()) : position(index, mode);
	}

	/**
	 * Looks at the queue as a contender that would enter now.
	 * @param mode the mode
	 * @param permits how many may hold the key together with it; 0 for a lock
	 * @return what would be in the way
	 */
	public Position positionAtEnd(LockMode mode, int permits) {
		int end = this.names.size();
		return (permits > 0) ? permitPosition(end, permits) : position(end, mode);
	}

	private Position position(int index, LockMode mode) {
		List<LockNodeName> nearest = new ArrayList<>(MOST_WATCHED);
		LockNodeName blocker = null;
		int blockers = 0;
		int passed = 0;
		int others = 0;
		boolean blockerHolds = false;
		boolean behindReaders = true;
		boolean lasting = true;
		int permitsLeft = (index > 0 && this.names.get(0).isPermit()) ? permitsHeld() : 0;
		for (LockNodeName before : this.names.subList(0, index)) {
			if (!mode.isShared() || !before.mode().isShared()) {
				blockerHolds = permitsLeft > 0
						|| (behindReaders && (before.mode().isShared() || before.equals(this.names.get(0))));
				blocker = before;
				blockers++;
				others = passed;
				lasting &= before.mode() != LockMode.WRITE && blockers <= MOST_WATCHED;
				if (lasting) {
					nearest.add(before);
				}
			}
			else {
				passed++;
			}
			behindReaders &= before.mode().isShared();
			permitsLeft--;
		}
		boolean complete = lasting && blocker != null;
		return new Position(blocker, blockers, blockerHolds, complete ? nearest : List.of(), others, 0, 0);
	}

	private Position permitPosition(int index, int permits) {
		int held = Math.min(permitsHeld(), index);
		int most = Permits.most(permits(index), permits);
		if (held == index && index < most) {
			return Position.FREE;
		}
		LockNodeName directly = this.names.get(index - 1);
		boolean first = held == index;
		boolean few = first && index <= MOST_WATCHED;
		boolean holds = first || (!directly.isPermit() && position(index - 1, directly.mode()).isFree());
		return new Position(directly, index, holds, few ? List.copyOf(this.names.subList(0, index)) : List.of(), 0,
				few ? most - 1 : 0, index - held);
	}

	/**
	 * Counts those who hold permits.
	 * @return how many; they are the first in the queue
	 */
	public int permitsHeld() {
		return Permits.held(permits(this.names.size()));
	}

	private List<Integer> permits(int count) {
		return this.names.subList(0, count).stream().map(LockNodeName::permits).toList();
	}

	/**
	 * Returns whether the next one in the queue wants a permit: only such a one learns by
	 * another node's data that its turn may have come.
	 * @param name a contender's name
	 * @return whether a permit's node is directly behind it
	 */
	public boolean isFollowedByPermit(String name) {
		int next = indexOf(name) + 1;
		return next > 0 && next < this.names.size() && this.names.get(next).isPermit();
	}

	/**
	 * Returns whether a contender behind another one waits for it.
	 * @param name the contender's name
	 * @param mode the contender's mode
	 * @return true if any (for READ: any of another mode; for a permit: any that does not
	 * hold one too) is queued behind it
	 */
	public boolean isContended(String name, LockMode mode) {
		int index = indexOf(name);
		if (index >= 0 && this.names.get(index).isPermit()) {
			return this.names.size() > Math.max(permitsHeld(), index + 1);
		}
		for (int i = index + 1; index >= 0 && i < this.names.size(); i++) {
			if (!mode.isShared() || !this.names.get(i).mode().isShared()) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Returns whether a reader holds the key, or will when those before it that are not
	 * READ have gone, together with more contenders than have to wait for them.
	 * @param name the reader's name
	 * @return whether those who hold are more than half of them all
	 */
	public boolean isHeldByMost(String name) {
		int holders = 0;
		int waiting = 0;
		int own = indexOf(name);
		for (int i = 0; own >= 0 && i < this.names.size(); i++) {
			boolean shared = this.names.get(i).mode().isShared();
			waiting += (waiting > 0 || (i > own && !shared)) ? 1 : 0;
			holders += (waiting == 0 && shared) ? 1 : 0;
		}
		return holders > waiting;
	}

	/**
	 * Returns where a contender is.
	 * @param name its name
	 * @return how many are before it; less than 0 if it is not in the queue
	 */
	public int indexOf(String name) {
		for (int i = 0; i < this.names.size(); i++) {
			if (this.names.get(i).name().equals(name)) {
				return i;
			}
		}
		return -1;
	}

	/**
	 * What is in a contender's way.
	 *
	 * @param blocker the one directly before; null if the way is free
	 * @param blockers how many are in the way
	 * @param blockerHolds whether the blocker holds the key, as far as the queue shows
	 * @param all all that are in the way, in their order, if their end grants without
	 * another look: there are few, and nobody can have added a node with the number of
	 * one of them (Curator's downgrade does so for {@code __WRIT__} nodes). Otherwise
	 * empty
	 * @param others of a READ: how many before the blocker are not in the way, because
	 * they are READ too. The blocker may have to wait for them. Otherwise 0
	 * @param remaining how many of these may still be there when the way is free: none,
	 * unless a permit is asked for
	 * @param waiting of a permit: how many before it wait; the first one that waits does
	 * so for any of those who hold, the others for the one directly before. Otherwise 0
	 */
	public record Position(@Nullable LockNodeName blocker, int blockers, boolean blockerHolds, List<LockNodeName> all,
			int others, int remaining, int waiting) {

		private static final Position FREE = new Position(null, 0, false, List.of(), 0, 0, 0);

		public boolean isFree() {
			return this.blocker == null;
		}

	}

}
