package io.github.zklock.internal.client;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.zklock.inspect.LockInspector.Caller;
import io.github.zklock.inspect.LockInspector.Deadlock;
import io.github.zklock.inspect.LockInspector.Wait;
import io.github.zklock.inspect.LockInspector.Waits;
import io.github.zklock.inspect.LockQueue;

/**
 * Who waits for whom. A contender waits for all before it that it cannot share with; one
 * that wants a permit, of which there are several, for none of those who have one,
 * because any of them may be the one that lets it in. Our own nodes represent local
 * callers, which are known better than by what the nodes say: a request of several keys
 * has nodes of its own, all others of a key have one together, and those who wait behind
 * a local holder have none at all.
 */
public final class WaitGraph {

	/** Circles are found in all of them; these are shown. */
	private static final int MOST_WAITS = 5000;

	private final List<KeyWaits> keys = new ArrayList<>();

	private final LocalCallers locals;

	private int made;

	/**
	 * Creates an empty graph.
	 * @param us this client
	 * @param locals the callers of this client
	 */
	public WaitGraph(Caller us, Collection<LocalCaller> locals) {
		this.locals = new LocalCallers(us, locals);
	}

	/**
	 * Adds a key.
	 * @param queue its queue
	 */
	public void add(LockQueue queue) {
		this.keys.add(new KeyWaits(queue, this.locals));
	}

	/**
	 * Returns what was found.
	 * @return who waits for whom, and the circles in that
	 */
	public Waits result() {
		List<Deadlock> deadlocks = new ArrayList<>();
		Set<Set<String>> named = new HashSet<>();
		for (List<Wait> circle : circles(UnaryOperator.identity())) {
			deadlocks.add(new Deadlock(true, circle));
			named.add(clients(circle));
		}
		for (List<Wait> circle : circles(WaitGraph::client)) {
			if (named.add(clients(circle))) {
				deadlocks.add(new Deadlock(false, circle));
			}
		}
		return new Waits(shown(), deadlocks);
	}

	private List<List<Wait>> circles(UnaryOperator<Caller> merge) {
		Set<Wait> pairs = CirclePairs.of(this.keys, merge);
		this.made += pairs.size();
		return new WaitCircles(pairs).find();
	}

	private static Set<String> clients(List<Wait> circle) {
		return circle.stream().map((wait) -> wait.waiter().client()).collect(Collectors.toSet());
	}

	private static Caller client(Caller caller) {
		return new Caller(caller.client(), caller.instance(), caller.host(), caller.pid(), null, caller.ours());
	}

	// If there are more than are shown, each waiter with the first one that it waits for
	// comes first.
	private List<Wait> shown() {
		Set<Wait> shown = new LinkedHashSet<>();
		for (KeyWaits key : this.keys) {
			if (!key.pairs(upTo(MOST_WAITS + 1, shown))) {
				break;
			}
		}
		if (shown.size() <= MOST_WAITS) {
			return List.copyOf(shown);
		}
		Set<Wait> first = new LinkedHashSet<>();
		for (KeyWaits key : this.keys) {
			if (!key.firstPairs(upTo(MOST_WAITS, first))) {
				break;
			}
		}
		return Stream.concat(first.stream(), shown.stream()).distinct().limit(MOST_WAITS).toList();
	}

	private Predicate<Wait> upTo(int most, Set<Wait> pairs) {
		return (pair) -> {
			this.made++;
			pairs.add(pair);
			return pairs.size() < most;
		};
	}

	/**
	 * Returns what the result took.
	 * @return how many pairs were made
	 */
	int made() {
		return this.made;
	}

}
