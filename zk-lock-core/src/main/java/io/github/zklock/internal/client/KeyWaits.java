package io.github.zklock.internal.client;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import io.github.zklock.inspect.ContenderOrigin;
import io.github.zklock.inspect.LockInspector.Caller;
import io.github.zklock.inspect.LockInspector.Wait;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.inspect.LockQueue.Contender;

/**
 * Who waits for whom for one key. Pairs are made only when they are asked for.
 */
final class KeyWaits {

	/*-
	 * A part is what a caller has to do with the key: one waits for another if they cannot share and the other one's
	 * end is before its own beginning. Which of several nodes that wait is whose may be unknown, as where a thread
	 * has several calls under way: nodes with the same callers are one group. So a caller waits for another only if all
	 * nodes that may be its own are behind all that may be the other's.
	 */

	private final String key;

	private final List<Group> groups = new ArrayList<>();

	/** Those that others may wait for. */
	private final List<Group> withNodes;

	private final List<Part> parts = new ArrayList<>();

	/** Where the first part of a kind ends. */
	private final Map<Kind, Integer> ends = new HashMap<>();

	/** Where the last part of a kind begins. */
	private final Map<Kind, Integer> begins = new HashMap<>();

	KeyWaits(LockQueue queue, LocalCallers locals) {
		this.key = queue.key();
		Map<Whose, Nodes> nodes = new LinkedHashMap<>();
		int at = 0;
		for (Contender contender : queue.contenders()) {
			add(nodes, contender, new Span(at, at), locals);
			at++;
		}
		Map<Caller, Span> queued = new HashMap<>();
		nodes.forEach((whose, same) -> {
			if (whose.kind().role() == Role.QUEUED) {
				same.callers().forEach((caller) -> queued.merge(caller, same.span(), Span::with));
			}
		});
		nodes.forEach((whose, same) -> add(whose.kind(), same, queued));
		this.withNodes = List.copyOf(this.groups);
		Span behindAll = new Span(at, Integer.MAX_VALUE);
		for (LocalCallers.Asked asked : locals.asked(this.key)) {
			if (!queued.containsKey(asked.caller())) {
				add(new Kind(asked.mode().isShared(), false, Role.WITHOUT_NODE),
						new Nodes(Set.of(asked.caller()), behindAll), queued);
			}
		}
	}

	private void add(Map<Whose, Nodes> nodes, Contender contender, Span where, LocalCallers locals) {
		Kind kind = new Kind(contender.mode().isShared(), contender.permits() > 1,
				contender.holds() ? Role.HOLDS : Role.QUEUED);
		ContenderOrigin origin = contender.origin();
		String thread = (contender.ours() && origin != null) ? origin.thread() : null;
		Set<Caller> named = (thread != null) ? locals.queued(this.key, thread) : Set.of();
		Set<Caller> others = Set.of();
		if (contender.ours()) {
			others = contender.holds() ? locals.holding(this.key)
					: named.isEmpty() ? locals.queued(this.key, null) : others;
		}
		boolean known = !named.isEmpty() || !others.isEmpty();
		Whose whose = new Whose(kind, known ? "" : caller(contender, origin), named.isEmpty() ? null : thread);
		Nodes same = nodes.get(whose);
		if (same == null) {
			Set<Caller> callers = new LinkedHashSet<>(others);
			callers.addAll(named);
			same = new Nodes(known ? callers : Set.of(caller(contender, origin)), where);
		}
		nodes.put(whose, new Nodes(same.callers(), same.span().with(where)));
	}

	private static Caller caller(Contender contender, @Nullable ContenderOrigin origin) {
		if (origin == null) {
			return new Caller(contender.path(), null, null, null, contender.path(), false);
		}
		return new Caller(ContenderOrigin.clientIn(origin.id()), origin.instance(), origin.host(), origin.pid(),
				origin.thread(), contender.ours());
	}

	private void add(Kind kind, Nodes nodes, Map<Caller, Span> queued) {
		List<Part> added = new ArrayList<>();
		for (Caller caller : nodes.callers()) {
			Span span = (kind.role() == Role.QUEUED) ? queued.getOrDefault(caller, nodes.span()) : nodes.span();
			boolean holds = kind.role() == Role.HOLDS;
			added.add(new Part(caller, kind, holds ? span.last() : span.first(), holds ? span.first() : span.last()));
		}
		for (Part part : added) {
			this.ends.merge(kind, part.end(), Math::min);
			this.begins.merge(kind, part.begin(), Math::max);
		}
		this.parts.addAll(added);
		this.groups.add(new Group(kind, added, nodes.span()));
	}

	String key() {
		return this.key;
	}

	/**
	 * Returns what callers have to do with the key.
	 * @return in their order in the queue; more than one for a caller that has nodes of
	 * several kinds
	 */
	List<Part> parts() {
		return this.parts;
	}

	/**
	 * Returns whether a part may wait for another one.
	 * @param part the part
	 * @return false if it surely waits for none
	 */
	boolean mayWait(Part part) {
		for (Kind kind : this.ends.keySet()) {
			if (part.kind().waitsFor(kind) && this.ends.getOrDefault(kind, Integer.MAX_VALUE) < part.begin()) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Returns whether another part may wait for a part.
	 * @param part the part
	 * @return false if surely none does
	 */
	boolean mayBlock(Part part) {
		for (Kind kind : this.begins.keySet()) {
			if (kind.waitsFor(part.kind()) && part.end() < this.begins.getOrDefault(kind, -1)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Makes pairs, in the order of the queue. One may come more than once.
	 * @param more gets each, and returns whether it wants more
	 * @return whether more was wanted to the end
	 */
	boolean pairs(Predicate<Wait> more) {
		for (Group behind : this.groups) {
			for (Group before : this.withNodes) {
				if (behind.mayWaitFor(before) && !pairs(behind, before, more)) {
					return false;
				}
			}
		}
		return true;
	}

	private boolean pairs(Group behind, Group before, Predicate<Wait> more) {
		for (Part waiter : behind.parts()) {
			for (Part blocker : before.parts()) {
				if (waiter.waitsFor(blocker) && !more.test(new Wait(waiter.caller(), this.key, blocker.caller()))) {
					return false;
				}
			}
		}
		return true;
	}

	/**
	 * Makes the first pair of each waiter. The first one that it waits for holds, as a
	 * rule.
	 * @param more gets each, and returns whether it wants more
	 * @return whether more was wanted to the end
	 */
	boolean firstPairs(Predicate<Wait> more) {
		Set<Caller> seen = new HashSet<>();
		for (Group behind : this.groups) {
			for (Part waiter : behind.parts()) {
				Wait first = seen.contains(waiter.caller()) ? null : first(behind, waiter);
				if (first != null && seen.add(waiter.caller()) && !more.test(first)) {
					return false;
				}
			}
		}
		return true;
	}

	private @Nullable Wait first(Group behind, Part waiter) {
		for (Group before : this.withNodes) {
			if (behind.mayWaitFor(before)) {
				for (Part blocker : before.parts()) {
					if (waiter.waitsFor(blocker)) {
						return new Wait(waiter.caller(), this.key, blocker.caller());
					}
				}
			}
		}
		return null;
	}

	enum Role {

		HOLDS, QUEUED, WITHOUT_NODE

	}

	/**
	 * What decides who can share.
	 *
	 * @param shared whether its mode is shared
	 * @param permit whether it wants one of several permits
	 * @param role what it does
	 */
	record Kind(boolean shared, boolean permit, Role role) {

		boolean waitsFor(Kind other) {
			boolean together = (this.shared && other.shared) || (this.permit && other.permit);
			boolean awaited = (other.role == Role.HOLDS) ? this.role != Role.HOLDS : this.role != Role.WITHOUT_NODE;
			return awaited && !together;
		}

	}

	/**
	 * What a caller has to do with the key.
	 *
	 * @param caller who
	 * @param kind how
	 * @param begin it waits for what ends before
	 * @param end it is waited for by what begins behind
	 */
	record Part(Caller caller, Kind kind, int begin, int end) {

		boolean waitsFor(Part other) {
			return other.end < this.begin && this.kind.waitsFor(other.kind) && !this.caller.equals(other.caller);
		}

	}

	/**
	 * Parts with the same nodes.
	 *
	 * @param kind their kind
	 * @param parts one for each caller
	 * @param span where the nodes are
	 */
	private record Group(Kind kind, List<Part> parts, Span span) {

		// A part of it may have other nodes, too, which only makes it wait for less
		boolean mayWaitFor(Group other) {
			int begin = (this.kind.role() == Role.HOLDS) ? this.span.last() : this.span.first();
			int end = (other.kind.role() == Role.HOLDS) ? other.span.first() : other.span.last();
			return end < begin && this.kind.waitsFor(other.kind);
		}

	}

	/**
	 * Nodes with the same callers.
	 *
	 * @param callers any of them may be the one whose node it is
	 * @param span where they are
	 */
	private record Nodes(Set<Caller> callers, Span span) {
	}

	/**
	 * What is the same for nodes with the same callers.
	 *
	 * @param kind their kind
	 * @param stranger their caller; empty text if local callers are known for them
	 * @param thread the thread that they name, if that is how local callers are known
	 */
	private record Whose(Kind kind, Object stranger, @Nullable String thread) {
	}

	/**
	 * Where nodes are in a queue.
	 *
	 * @param first the first one's position
	 * @param last the last one's
	 */
	private record Span(int first, int last) {

		Span with(Span other) {
			return new Span(Math.min(this.first, other.first), Math.max(this.last, other.last));
		}

	}

}
