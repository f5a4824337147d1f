package io.github.zklock.internal.cohort;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

/**
 * Those who gave up waiting, and whose nodes may still be in the queues: while there are
 * many of a key, nobody else enters its queue, and while there are very many of all keys
 * nobody enters any.
 */
final class Departures {

	/*-
	 * A caller whose time-out is shorter than an answer takes has given up before its node is there, and asks
	 * again. The session's requests are handled in order, so who enters meanwhile is queued behind deletes that
	 * were sent before. Each lists the whole queue, so without a bound the requests of a few callers would grow
	 * with the square of the answers that are late. Where each asks for another key the work only adds up, and so
	 * does what is kept of them: without a bound for all, what callers ask for in vain while no answers come would all be
	 * made, and then deleted, before anything else.
	 *
	 * Any thread enters, leaves and is gone. What waits does so for the first bound that is reached, its keys' or that of
	 * ALL; when fewer leave there it enters, or waits for another one. So the end of a departure concerns only those
	 * who wait for it. What waits is taken out of `waiting` once, by who lets it enter or by who withdraws it.
	 */

	/** So many of a key may be leaving before others wait. */
	static final int MOST = 100;

	/** So many of all keys together may be leaving before others wait. */
	static final int MOST_OF_ALL = 2_000;

	// Stands for all keys; none is empty
	private static final String ALL = "";

	private final Map<String, Integer> leaving = new HashMap<>();

	private final Map<String, Set<Waiting>> waiting = new HashMap<>();

	// How many bounds are reached
	private volatile int full;

	/**
	 * Returns whether few leave, of each key and of all. May be old by then.
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
		String reached = reached(newcomer.keys());
		if (reached == null) {
			return true;
		}
		withdraw(newcomer);
		this.waiting.computeIfAbsent(reached, (any) -> new LinkedHashSet<>()).add(newcomer);
		return false;
	}

	private @Nullable String reached(List<String> keys) {
		for (String key : keys) {
			if (this.leaving.getOrDefault(key, 0) >= MOST) {
				return key;
			}
		}
		return (this.leaving.getOrDefault(ALL, 0) >= MOST_OF_ALL) ? ALL : null;
	}

	/**
	 * Withdraws a contender.
	 * @param some which
	 * @return whether it waited, and never enters
	 */
	synchronized boolean withdraw(Waiting some) {
		boolean waited = withdraw(some, ALL);
		for (String key : some.keys()) {
			waited |= withdraw(some, key);
		}
		return waited;
	}

	private boolean withdraw(Waiting some, String from) {
		Set<Waiting> there = this.waiting.get(from);
		if (there == null || !there.remove(some)) {
			return false;
		}
		if (there.isEmpty()) {
			this.waiting.remove(from);
		}
		return true;
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
			began(key, MOST);
			began(ALL, MOST_OF_ALL);
		}
	}

	private synchronized void began(String of, int most) {
		if (this.leaving.merge(of, 1, Integer::sum) == most) {
			this.full++;
		}
	}

	private synchronized List<Waiting> free(List<String> keys) {
		List<Waiting> free = new ArrayList<>();
		for (String key : keys) {
			ended(key, MOST, free);
			ended(ALL, MOST_OF_ALL, free);
		}
		return free;
	}

	private synchronized void ended(String of, int most, List<Waiting> free) {
		Integer left = this.leaving.computeIfPresent(of, (same, count) -> (count > 1) ? count - 1 : null);
		if (left != null && left == most - 1) {
			this.full--;
			for (Waiting some : Objects.requireNonNullElse(this.waiting.remove(of), Set.<Waiting>of())) {
				if (mayEnter(some)) {
					free.add(some);
				}
			}
		}
	}

	/**
	 * Counts what is kept here.
	 * @return the number of those who wait, and of the keys of those who leave
	 */
	synchronized int count() {
		int keys = this.leaving.size() - (this.leaving.containsKey(ALL) ? 1 : 0);
		return keys + this.waiting.values().stream().mapToInt(Set::size).sum();
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
