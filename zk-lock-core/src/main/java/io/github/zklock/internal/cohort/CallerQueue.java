package io.github.zklock.internal.cohort;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.github.zklock.spi.Blocker;

/**
 * The local callers of one key who wait, in the order in which they came. Confined to the
 * cohort's serial executor, except {@link #isCrowded()}.
 */
final class CallerQueue {

	private final Set<QueuedContender> waiting = new LinkedHashSet<>();

	private final Set<QueuedContender> readers = new LinkedHashSet<>();

	private @Nullable QueuedContender head;

	private int tries;

	private volatile boolean crowded;

	void add(QueuedContender local) {
		this.waiting.add(local);
		if (this.head == null) {
			this.head = local;
		}
		if (local.isShared()) {
			this.readers.add(local);
		}
		this.tries += local.isTryOnce() ? 1 : 0;
		this.crowded = true;
	}

	/**
	 * Takes a caller out of the queue.
	 * @param local the caller's; may not be in it
	 */
	void remove(QueuedContender local) {
		if (this.waiting.remove(local)) {
			this.readers.remove(local);
			if (this.head == local) {
				this.head = this.waiting.isEmpty() ? null : this.waiting.iterator().next();
			}
			this.tries -= local.isTryOnce() ? 1 : 0;
			this.crowded = !this.waiting.isEmpty();
		}
	}

	/**
	 * Serves a caller, who does not wait any more; if that fails, it is among those who
	 * wait, for whom the cohort then ends.
	 * @param local the caller's
	 * @param serving what to do
	 */
	void serve(QueuedContender local, Consumer<QueuedContender> serving) {
		boolean served = false;
		remove(local);
		try {
			serving.accept(local);
			served = true;
		}
		finally {
			if (!served) {
				add(local);
			}
		}
	}

	/**
	 * Ends those who do not want to wait.
	 * @param blocker who is in their way
	 */
	void refuseTries(Blocker blocker) {
		if (this.tries > 0) {
			List<QueuedContender> tried = this.waiting.stream().filter(QueuedContender::isTryOnce).toList();
			tried.forEach(this::remove);
			tried.forEach((local) -> local.refuse(blocker));
		}
	}

	int size() {
		return this.waiting.size();
	}

	/**
	 * Takes out all.
	 * @return who they were, in their order
	 */
	List<QueuedContender> removeAll() {
		List<QueuedContender> removed = List.copyOf(this.waiting);
		removed.forEach(this::remove);
		return removed;
	}

	boolean contains(QueuedContender local) {
		return this.waiting.contains(local);
	}

	@Nullable QueuedContender head() {
		return this.head;
	}

	@Nullable QueuedContender firstReader() {
		return this.readers.isEmpty() ? null : this.readers.iterator().next();
	}

	/**
	 * Returns how long every writer would let readers pass.
	 * @param now nanoseconds of the monotonic clock
	 * @return nanoseconds; zero or less if one would let nobody pass any more
	 */
	long patienceOfWriters(long now) {
		return this.waiting.stream()
			.filter((local) -> !local.isShared())
			.mapToLong((local) -> local.patience(now))
			.min()
			.orElse(Long.MAX_VALUE);
	}

	/**
	 * Returns whether anybody waits. Asked from any thread; the answer may be old by
	 * then.
	 * @return whether a newcomer would overtake others
	 */
	boolean isCrowded() {
		return this.crowded;
	}

}
