package io.github.zklock.internal.cohort;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * Those who gave up waiting, and whose nodes may still be in the queues: while there are
 * many of a key, nobody else enters its queue.
 */
final class Departures {

	/*-
	 * A caller whose time-out is shorter than an answer takes has given up before its node is there, and asks
	 * again. The session's requests are handled in order, so who enters meanwhile is queued behind deletes that
	 * were sent before. Each lists the whole queue, so without a bound the requests of a few callers would grow
	 * with the square of the answers that are late.
	 *
	 * Any thread enters, leaves and is gone. What waits is taken out of `waiting` once, by who lets it enter or by
	 * who withdraws it.
	 */

	/** So many of a key may be leaving before others wait. */
	static final int MOST = 100;

	private final Map<String, Integer> leaving = new HashMap<>();

	private final Set<Waiting> waiting = new LinkedHashSet<>();

	// How many keys there are of which many leave
	private volatile int full;

	/**
	 * Returns whether few leave of each key. May be old by then.
	 * @return whether anybody may enter
	 */
	boolean areFew() {
		return this.full == 0;
	}

	/**
	 * Asks whether a contender may enter now.
	 * @param newcomer which; may wait already
	 * @return false if it waits, until it is let in or withdrawn
	 */
	synchronized boolean mayEnter(Waiting newcomer) {
		if (isFree(newcomer)) {
			return true;
		}
		this.waiting.add(newcomer);
		return false;
	}

	private boolean isFree(Waiting some) {
		return some.keys().stream().allMatch((key) -> this.leaving.getOrDefault(key, 0) < MOST);
	}

	/**
	 * Withdraws a contender.
	 * @param some which
	 * @return whether it waited, and never enters
	 */
	synchronized boolean withdraw(Waiting some) {
		return this.waiting.remove(some);
	}

	/**
	 * A contender leaves that was not granted.
	 * @param keys its keys
	 * @param gone completes when it has gone
	 */
	@SuppressWarnings("FutureReturnValueIgnored") // the stages of leaving never fail
	void leaves(List<String> keys, CompletionStage<Void> gone) {
		if (!gone.toCompletableFuture().isDone()) {
			began(keys);
			gone.whenComplete((nothing, failure) -> free(keys).forEach(Waiting::letIn));
		}
	}

	private synchronized void began(List<String> keys) {
		for (String key : keys) {
			if (this.leaving.merge(key, 1, Integer::sum) == MOST) {
				this.full++;
			}
		}
	}

	private synchronized List<Waiting> free(List<String> keys) {
		boolean room = false;
		for (String key : keys) {
			Integer left = this.leaving.computeIfPresent(key, (same, count) -> (count > 1) ? count - 1 : null);
			if (left != null && left == MOST - 1) {
				this.full--;
				room = true;
			}
		}
		if (!room) {
			return List.of();
		}
		List<Waiting> free = new ArrayList<>(this.waiting);
		free.removeIf((some) -> !isFree(some));
		free.forEach(this.waiting::remove);
		return free;
	}

	/**
	 * Counts what is kept here.
	 * @return the number of those who wait, and of the keys of those who leave
	 */
	synchronized int count() {
		return this.waiting.size() + this.leaving.size();
	}

	/** A contender that may have to wait. */
	interface Waiting {

		/**
		 * Returns what it is to enter.
		 * @return the keys
		 */
		List<String> keys();

		/** It may enter. Returns at once. */
		void letIn();

	}

}
