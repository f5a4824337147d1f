package io.github.zklock.internal.cohort;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The local callers of one key who wait, in the order in which they came. Confined to the
 * cohort's mailbox, except {@link #isCrowded()}.
 */
final class CallerQueue {

	private final Set<CohortTurn> waiting = new LinkedHashSet<>();

	private int tries;

	private volatile boolean crowded;

	void add(CohortTurn turn) {
		this.waiting.add(turn);
		this.tries += turn.isIfFree() ? 1 : 0;
		this.crowded = true;
	}

	/**
	 * Takes a caller out of the queue.
	 * @param turn the caller's; may not be in it
	 */
	void remove(CohortTurn turn) {
		if (this.waiting.remove(turn)) {
			this.tries -= turn.isIfFree() ? 1 : 0;
			this.crowded = !this.waiting.isEmpty();
		}
	}

	/**
	 * Takes out those who do not want to wait.
	 * @return who they were, in their order
	 */
	List<CohortTurn> removeTries() {
		if (this.tries == 0) {
			return List.of();
		}
		List<CohortTurn> removed = this.waiting.stream().filter(CohortTurn::isIfFree).toList();
		removed.forEach(this::remove);
		return removed;
	}

	boolean contains(CohortTurn turn) {
		return this.waiting.contains(turn);
	}

	@Nullable CohortTurn head() {
		return this.waiting.isEmpty() ? null : this.waiting.iterator().next();
	}

	/**
	 * Tells whether anybody waits. Asked from any thread; the answer may be old by then.
	 * @return whether a newcomer would overtake somebody
	 */
	boolean isCrowded() {
		return this.crowded;
	}

}
