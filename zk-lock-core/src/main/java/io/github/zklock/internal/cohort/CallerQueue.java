package io.github.zklock.internal.cohort;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.Grant;

/**
 * The local callers of one key who wait, in the order in which they came. Confined to the
 * cohort's serial executor, except {@link #isCrowded()}.
 */
final class CallerQueue {

	private final Set<QueuedContender> waiting = new LinkedHashSet<>();

	private final Set<QueuedContender> readers = new LinkedHashSet<>();

	private final Set<QueuedContender> others = new LinkedHashSet<>();

	private @Nullable QueuedContender head;

	private int tries;

	private volatile boolean crowded;

	void add(QueuedContender local) {
		this.waiting.add(local);
		if (this.head == null) {
			this.head = local;
		}
		all(local.isShared()).add(local);
		this.tries += local.isTryOnce() ? 1 : 0;
		this.crowded = true;
	}

	/**
	 * Takes a caller out of the queue.
	 * @param local the caller's; may not be in it
	 */
	void remove(QueuedContender local) {
		if (this.waiting.remove(local)) {
			all(local.isShared()).remove(local);
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
		remove(local);
		try {
			serving.accept(local);
		}
		catch (Throwable ex) {
			add(local);
			throw ex;
		}
	}

	/**
	 * Ends those who do not want to wait.
	 * @param blocker who is in their way
	 */
	void refuseTries(Blocker blocker) {
		if (this.tries > 0) {
			List<QueuedContender> tried = this.waiting.stream().filter(QueuedContender::isTryOnce).toList();
			tried.forEach((local) -> serve(local, (refused) -> refused.refuse(blocker)));
		}
	}

	int size() {
		return this.waiting.size();
	}

	/**
	 * Returns how many callers there are, if the one who was served last comes back.
	 * @return one more than wait
	 */
	int callers() {
		return size() + 1;
	}

	/**
	 * Begins a tenure, in which they are served.
	 * @param grant what they are handed
	 * @param shared whether readers hold it together
	 * @param site the cohort's clock and bounds
	 * @param again a step in which it may be asked again whether it is ending
	 * @return for how long the grant is handed off to them
	 */
	Tenure beginTenure(Grant grant, boolean shared, CohortSite site, Runnable again) {
		return new Tenure(grant, shared, site, this, again);
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

	/**
	 * Finds the first reader, or the first of the others.
	 * @param shared whether it is to be a reader
	 * @return the first one, or null
	 */
	@Nullable QueuedContender first(boolean shared) {
		Set<QueuedContender> all = all(shared);
		return all.isEmpty() ? null : all.iterator().next();
	}

	private Set<QueuedContender> all(boolean shared) {
		return shared ? this.readers : this.others;
	}

	/**
	 * Returns how long every reader, or every other, would let others pass, but for those
	 * who try once.
	 * @param shared whether readers are passed
	 * @param now nanoseconds of the monotonic clock
	 * @return nanoseconds; zero or less if one would let nobody pass any more
	 */
	long patience(boolean shared, long now) {
		return all(shared).stream()
			.filter((local) -> !local.isTryOnce())
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
