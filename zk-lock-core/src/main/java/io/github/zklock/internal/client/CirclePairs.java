package io.github.zklock.internal.client;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import io.github.zklock.inspect.LockInspector.Caller;
import io.github.zklock.inspect.LockInspector.Wait;

/**
 * Makes the few pairs that circles need.
 */
final class CirclePairs {

	/*-
	 * A shortest circle does not go through a part by which its caller neither came nor leaves: who waits for it waits
	 * for those before it, too. So a pair needs a waiter for whom something else waits by another part, and a blocker
	 * that waits by another part. In a queue of 1,000 these are few, as a rule.
	 *
	 * But a reader does not wait for the reader before a writer that it waits for, nor a caller for itself, as where it
	 * holds and waits. Of all that are between two such parts the one that begins last waits for whatever any of them
	 * waits for: that one is enough.
	 */

	private final Set<Wait> pairs = new LinkedHashSet<>();

	private final Map<Caller, Integer> waiting = new HashMap<>();

	private final Map<Caller, Integer> blocking = new HashMap<>();

	private CirclePairs() {
	}

	/**
	 * Makes pairs.
	 * @param keys the keys
	 * @param merge returns who is meant by a caller
	 * @return pairs with a shortest circle of each that is in one
	 */
	static Set<Wait> of(Collection<KeyWaits> keys, UnaryOperator<Caller> merge) {
		CirclePairs circles = new CirclePairs();
		List<Ends> ends = new ArrayList<>();
		for (KeyWaits key : keys) {
			List<End> found = (key.parts().size() > 1)
					? key.parts().stream().map((part) -> End.of(key, part, merge)).toList() : List.of();
			ends.add(new Ends(key.key(), found));
			for (End end : found) {
				circles.waiting.merge(end.caller(), end.waits(), Integer::sum);
				circles.blocking.merge(end.caller(), end.blocks(), Integer::sum);
			}
		}
		ends.forEach(circles::join);
		return circles.pairs;
	}

	private void join(Ends ends) {
		Map<Who, Integer> behind = new LinkedHashMap<>();
		Map<Who, Integer> before = new LinkedHashMap<>();
		for (End end : ends.all()) {
			Who who = new Who(end.caller(), end.part().kind());
			if (end.waits() > 0 && this.blocking.getOrDefault(end.caller(), 0) > end.blocks()) {
				behind.merge(who, end.part().begin(), Math::max);
			}
			if (end.blocks() > 0 && this.waiting.getOrDefault(end.caller(), 0) > end.waits()) {
				before.merge(who, end.part().end(), Math::min);
			}
		}
		if (!before.isEmpty()) {
			behind.forEach((waiter, begin) -> join(ends, waiter, begin, before));
		}
	}

	private void join(Ends ends, Who waiter, int begin, Map<Who, Integer> before) {
		End last = ends.lastBetween(waiter, begin, null, -1);
		before.forEach((blocker, end) -> {
			boolean same = waiter.caller().equals(blocker.caller());
			if (end < begin && !same && waiter.kind().waitsFor(blocker.kind())) {
				add(waiter.caller(), ends.key(), blocker.caller());
			}
			else if (end < begin) {
				End between = same ? ends.lastBetween(waiter, begin, blocker, end) : last;
				if (between != null && end < between.part().begin() && between.part().kind().waitsFor(blocker.kind())) {
					add(waiter.caller(), ends.key(), between.caller());
					add(between.caller(), ends.key(), blocker.caller());
				}
			}
		});
	}

	private void add(Caller waiter, String key, Caller blocker) {
		if (!waiter.equals(blocker)) {
			this.pairs.add(new Wait(waiter, key, blocker));
		}
	}

	/**
	 * What may be in a circle of those who have to do with a key.
	 *
	 * @param key the key
	 * @param all in their order in the queue
	 */
	private record Ends(String key, List<End> all) {

		// The one that waits for the blocker, too, if there is one
		@Nullable End lastBetween(Who waiter, int begin, @Nullable Who blocker, int from) {
			End last = null;
			for (End end : this.all) {
				if (end.part().end() < begin && from < end.part().begin() && waiter.kind().waitsFor(end.part().kind())
						&& !waiter.caller().equals(end.caller())
						&& (blocker == null || end.part().kind().waitsFor(blocker.kind()))
						&& (last == null || last.part().begin() < end.part().begin())) {
					last = end;
				}
			}
			return last;
		}

	}

	/**
	 * A part.
	 *
	 * @param caller who is meant
	 * @param part the part
	 * @param waits 1 if it may wait for another one, 0 if not
	 * @param blocks 1 if another one may wait for it, 0 if not
	 */
	private record End(Caller caller, KeyWaits.Part part, int waits, int blocks) {

		static End of(KeyWaits key, KeyWaits.Part part, UnaryOperator<Caller> merge) {
			return new End(merge.apply(part.caller()), part, key.mayWait(part) ? 1 : 0, key.mayBlock(part) ? 1 : 0);
		}

	}

	/**
	 * Parts that differ only in where they are.
	 *
	 * @param caller who is meant
	 * @param kind their kind
	 */
	private record Who(Caller caller, KeyWaits.Kind kind) {
	}

}
