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
public final class Line {

	private final List<LineName> names;

	private Line(List<LineName> names) {
		this.names = names;
	}

	/**
	 * Picks the contenders from a list of children.
	 * @param children all children of a place, in any order
	 * @return the contenders by sequence number
	 */
	public static Line of(List<String> children) {
		List<LineName> names = new ArrayList<>(children.size());
		children.forEach((child) -> LineName.parse(child).ifPresent(names::add));
		names.sort(Comparator.comparingInt(LineName::sequence).thenComparing(LineName::name));
		return new Line(names);
	}

	/**
	 * Tells whether the numbers cannot be trusted: servers stop at the largest number, so
	 * that contenders tie, or go on at the smallest.
	 * @return true if the line is to be ordered by czxid
	 */
	public boolean needsCzxids() {
		return this.names.stream().anyMatch(LineName::isNearOverflow);
	}

	/**
	 * Orders the line by when the nodes were created.
	 * @param czxids the czxid of each name; names without one have gone
	 * @return the contenders that are still there
	 */
	public Line byCzxid(Map<String, Long> czxids) {
		List<LineName> present = new ArrayList<>(this.names);
		present.removeIf((name) -> !czxids.containsKey(name.name()));
		present.sort(Comparator.comparing((name) -> czxids.get(name.name())));
		return new Line(present);
	}

	public List<LineName> names() {
		return this.names;
	}

	public Optional<String> findById(String id) {
		return this.names.stream().map(LineName::name).filter((name) -> name.contains(id)).findFirst();
	}

	/**
	 * Looks at the line from a contender's place in it.
	 * @param name the contender's name
	 * @param mode the contender's mode
	 * @return what is in its way, or null if it is not in the line
	 */
	public @Nullable Position positionOf(String name, LockMode mode) {
		int index = indexOf(name);
		if (index < 0) {
			return null;
		}
		return position(index, mode);
	}

	/**
	 * Looks at the line as somebody who would enter now.
	 * @param mode the mode
	 * @return what would be in the way
	 */
	public Position positionAtEnd(LockMode mode) {
		return position(this.names.size(), mode);
	}

	private Position position(int index, LockMode mode) {
		LineName obstacle = null;
		int blockers = 0;
		boolean obstacleHolds = true;
		for (LineName before : this.names.subList(0, index)) {
			if (!mode.isShared() || !before.mode().isShared()) {
				obstacleHolds = obstacle == null || (before.mode().isShared() && obstacleHolds);
				obstacle = before;
				blockers++;
			}
		}
		return new Position(obstacle, blockers, obstacleHolds && index > 0);
	}

	/**
	 * Tells whether somebody behind a contender waits for it.
	 * @param name the contender's name
	 * @param mode the contender's mode
	 * @return true if anybody (for READ: anybody of another mode) stands behind it
	 */
	public boolean isContended(String name, LockMode mode) {
		int index = indexOf(name);
		return index >= 0 && this.names.subList(index + 1, this.names.size())
			.stream()
			.anyMatch((behind) -> !mode.isShared() || !behind.mode().isShared());
	}

	private int indexOf(String name) {
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
	 * @param obstacle the one to wait for; null if the way is free
	 * @param blockers how many are in the way
	 * @param obstacleHolds whether the obstacle holds the key, as far as the line shows
	 */
	public record Position(@Nullable LineName obstacle, int blockers, boolean obstacleHolds) {

		public boolean isFree() {
			return this.obstacle == null;
		}

		/**
		 * Tells whether the obstacle's end grants without another look: nothing else was
		 * in the way, and nobody can have added a node with its number (Curator's
		 * downgrade does so for {@code __WRIT__} nodes).
		 * @return true if a NodeDeleted of the obstacle is enough
		 */
		public boolean isLastObstacle() {
			return this.blockers == 1 && this.obstacle != null && this.obstacle.mode() != LockMode.WRITE;
		}

	}

}
