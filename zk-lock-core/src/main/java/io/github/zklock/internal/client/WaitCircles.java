package io.github.zklock.internal.client;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.github.zklock.inspect.LockInspector.Caller;
import io.github.zklock.inspect.LockInspector.Wait;

/**
 * Finds those who wait for each other in a circle.
 */
final class WaitCircles {

	/*-
	 * Who waits for nobody, or is waited for by nobody, is in no circle, nor is who then is left with nobody.
	 * They are taken away one by one, so that each wait is looked at once or twice: in a long queue each
	 * contender waits for all before it.
	 *
	 * A circle with all callers of a smaller one, and others, is left out: the one who lets go ends both. Else a deadlock
	 * of two would be found once for each who is queued between them.
	 */

	private final Map<Caller, Integer> numbers = new HashMap<>();

	/** By the number of who waits. */
	private final List<List<Edge>> waits = new ArrayList<>();

	/** By the number of who is waited for. */
	private final List<List<Edge>> blocks = new ArrayList<>();

	private final Set<Integer> left = new LinkedHashSet<>();

	private int looked;

	/**
	 * Creates what has found nothing yet.
	 * @param waits who waits for whom
	 */
	WaitCircles(Collection<Wait> waits) {
		for (Wait wait : waits) {
			Edge edge = new Edge(number(wait.waiter()), number(wait.blocker()), wait);
			this.waits.get(edge.from()).add(edge);
			this.blocks.get(edge.to()).add(edge);
			this.left.add(edge.from());
		}
	}

	private int number(Caller caller) {
		return this.numbers.computeIfAbsent(caller, (fresh) -> {
			this.waits.add(new ArrayList<>());
			this.blocks.add(new ArrayList<>());
			return this.numbers.size();
		});
	}

	/**
	 * Finds the circles.
	 * @return for each caller a shortest one that it is in, each of them once, without
	 * those that contain a smaller one's callers
	 */
	List<List<Wait>> find() {
		trim();
		Map<Set<Caller>, List<Wait>> circles = new LinkedHashMap<>();
		Map<Caller, List<Set<Caller>>> known = new HashMap<>();
		for (int start : this.left) {
			List<Wait> circle = shortest(start);
			if (!circle.isEmpty()) {
				Set<Caller> callers = circle.stream().map(Wait::waiter).collect(Collectors.toSet());
				if (circles.putIfAbsent(callers, circle) == null) {
					known.computeIfAbsent(callers.iterator().next(), (first) -> new ArrayList<>()).add(callers);
				}
			}
		}
		circles.keySet().removeIf((callers) -> hasSmaller(callers, known));
		return List.copyOf(circles.values());
	}

	private static boolean hasSmaller(Set<Caller> callers, Map<Caller, List<Set<Caller>>> known) {
		return callers.stream()
			.flatMap((caller) -> known.getOrDefault(caller, List.of()).stream())
			.anyMatch((other) -> other.size() < callers.size() && callers.containsAll(other));
	}

	private void trim() {
		int[] waiting = this.waits.stream().mapToInt(List::size).toArray();
		int[] blocking = this.blocks.stream().mapToInt(List::size).toArray();
		Deque<Integer> ends = new ArrayDeque<>();
		for (int at = 0; at < waiting.length; at++) {
			if (waiting[at] == 0 || blocking[at] == 0) {
				ends.add(at);
			}
		}
		while (!ends.isEmpty()) {
			int end = ends.remove();
			this.left.remove(end);
			for (Edge edge : this.waits.get(end)) {
				this.looked++;
				if (--blocking[edge.to()] == 0 && waiting[edge.to()] > 0) {
					ends.add(edge.to());
				}
			}
			for (Edge edge : this.blocks.get(end)) {
				this.looked++;
				if (--waiting[edge.from()] == 0 && blocking[edge.from()] > 0) {
					ends.add(edge.from());
				}
			}
		}
		this.waits.forEach((edges) -> edges.removeIf((edge) -> !this.left.contains(edge.to())));
	}

	private List<Wait> shortest(int start) {
		@Nullable Edge[] reachedBy = new @Nullable Edge[this.waits.size()];
		Deque<Integer> next = new ArrayDeque<>(List.of(start));
		while (!next.isEmpty() && reachedBy[start] == null) {
			for (Edge edge : this.waits.get(next.remove())) {
				if (reachedBy[edge.to()] == null) {
					reachedBy[edge.to()] = edge;
					next.add(edge.to());
				}
			}
		}
		Deque<Wait> circle = new ArrayDeque<>();
		Edge last = reachedBy[start];
		while (last != null) {
			circle.addFirst(last.pair());
			last = (last.from() == start) ? null : reachedBy[last.from()];
		}
		return List.copyOf(circle);
	}

	/**
	 * Returns what it took to find out who is in no circle.
	 * @return how often a wait was looked at
	 */
	int looked() {
		return this.looked;
	}

	/**
	 * A wait.
	 *
	 * @param from the number of who waits
	 * @param to the number of who is waited for
	 * @param pair both of them
	 */
	private record Edge(int from, int to, Wait pair) {
	}

}
