package io.github.zklock.internal.client;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockMode;
import io.github.zklock.inspect.ContenderOrigin;
import io.github.zklock.inspect.LockInspector.Caller;
import io.github.zklock.inspect.LockInspector.Deadlock;
import io.github.zklock.inspect.LockInspector.Wait;
import io.github.zklock.inspect.LockInspector.Waits;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.inspect.LockQueue.Contender;

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

	private final Set<Wait> waits = new LinkedHashSet<>();

	private final Caller us;

	private final Collection<LocalCaller> locals;

	/**
	 * Creates an empty graph.
	 * @param us this client
	 * @param locals the callers of this client
	 */
	public WaitGraph(Caller us, Collection<LocalCaller> locals) {
		this.us = us;
		this.locals = List.copyOf(locals);
	}

	/**
	 * Adds a key.
	 * @param queue its queue
	 */
	public void add(LockQueue queue) {
		List<Position> positions = new ArrayList<>();
		for (Contender contender : queue.contenders()) {
			positions.add(new Position(contender.mode(), contender.permits() > 1, contender.holds(),
					new LinkedHashSet<>(callers(queue.key(), contender))));
		}
		Map<Caller, Span> queued = new HashMap<>();
		for (int at = 0; at < positions.size(); at++) {
			if (!positions.get(at).holds()) {
				Span here = new Span(at, at);
				positions.get(at).callers().forEach((caller) -> queued.merge(caller, here, Span::with));
			}
		}
		for (int behind = 1; behind < positions.size(); behind++) {
			for (int before = 0; before < behind; before++) {
				join(queue.key(), positions.get(behind), positions.get(before), new Span(before, behind), queued);
			}
		}
		wants(queue.key()).filter((asked) -> !queued.containsKey(asked.caller())).forEach((asked) -> {
			Position waiter = new Position(asked.want().mode(), false, false, Set.of(asked.caller()));
			for (int at = 0; at < positions.size(); at++) {
				if (positions.get(at).holds()) {
					join(queue.key(), waiter, positions.get(at), new Span(at, positions.size()), queued);
				}
			}
		});
	}

	// Which of several nodes that wait is whose may be unknown. So a caller waits for
	// another only if all that may be its own are behind all that may be the other's.
	private void join(String key, Position waiter, Position before, Span where, Map<Caller, Span> queued) {
		boolean shared = (waiter.permit() && before.permit()) || (waiter.mode().isShared() && before.mode().isShared());
		if (shared || (waiter.holds() && before.holds())) {
			return;
		}
		for (Caller behind : waiter.callers()) {
			Span own = queued.get(behind);
			int from = (own != null && !waiter.holds()) ? own.first() : where.last();
			for (Caller blocker : before.callers()) {
				int to = before.holds() ? where.first() : queued.getOrDefault(blocker, where).last();
				if (to < from && !behind.equals(blocker)) {
					this.waits.add(new Wait(behind, key, blocker));
				}
			}
		}
	}

	private List<Caller> callers(String key, Contender contender) {
		ContenderOrigin origin = contender.origin();
		if (contender.ours()) {
			List<Caller> known = ours(key, contender.holds(), (origin != null) ? origin.thread() : null);
			if (!known.isEmpty()) {
				return known;
			}
		}
		if (origin == null) {
			return List.of(new Caller(contender.path(), null, null, null, contender.path(), false));
		}
		String client = (origin.id().length() > 19) ? origin.id().substring(0, 19) : origin.id();
		return List
			.of(new Caller(client, origin.instance(), origin.host(), origin.pid(), origin.thread(), contender.ours()));
	}

	private List<Caller> ours(String key, boolean holds, @Nullable String thread) {
		List<Caller> named = wants(key).filter((asked) -> thread != null && thread.equals(asked.want().node()))
			.map(Asked::caller)
			.toList();
		if (holds) {
			Stream<Caller> holders = this.locals.stream()
				.filter((local) -> local.holds().contains(key))
				.map(this::caller);
			return Stream.concat(holders, named.stream()).toList();
		}
		return !named.isEmpty() ? named
				: wants(key).filter((asked) -> asked.want().node() == null).map(Asked::caller).toList();
	}

	private Stream<Asked> wants(String key) {
		return this.locals.stream()
			.flatMap((local) -> local.wants()
				.stream()
				.filter((want) -> want.key().equals(key))
				.map((want) -> new Asked(caller(local), want)));
	}

	private Caller caller(LocalCaller local) {
		return new Caller(this.us.client(), this.us.instance(), this.us.host(), this.us.pid(), local.name(), true);
	}

	/**
	 * Returns what was found.
	 * @return who waits for whom, and the circles in that
	 */
	public Waits result() {
		List<Deadlock> deadlocks = new ArrayList<>();
		Set<Set<String>> named = new HashSet<>();
		for (List<Wait> circle : new WaitCircles(this.waits).find()) {
			deadlocks.add(new Deadlock(true, circle));
			named.add(clients(circle));
		}
		Set<Wait> amongClients = new LinkedHashSet<>();
		this.waits.forEach((wait) -> {
			if (!wait.waiter().client().equals(wait.blocker().client())) {
				amongClients.add(new Wait(client(wait.waiter()), wait.key(), client(wait.blocker())));
			}
		});
		for (List<Wait> circle : new WaitCircles(amongClients).find()) {
			if (named.add(clients(circle))) {
				deadlocks.add(new Deadlock(false, circle));
			}
		}
		return new Waits(shown(), deadlocks);
	}

	private static Set<String> clients(List<Wait> circle) {
		return circle.stream().map((wait) -> wait.waiter().client()).collect(Collectors.toSet());
	}

	private static Caller client(Caller caller) {
		return new Caller(caller.client(), caller.instance(), caller.host(), caller.pid(), null, caller.ours());
	}

	// Each waiter with the first one that it waits for comes first: that one holds, as a
	// rule.
	private List<Wait> shown() {
		if (this.waits.size() <= MOST_WAITS) {
			return List.copyOf(this.waits);
		}
		Map<Caller, Set<String>> seen = new HashMap<>();
		Map<Boolean, List<Wait>> first = this.waits.stream()
			.collect(Collectors.partitioningBy(
					(wait) -> seen.computeIfAbsent(wait.waiter(), (waiter) -> new HashSet<>()).add(wait.key())));
		return Stream.of(true, false)
			.flatMap((is) -> first.getOrDefault(is, List.of()).stream())
			.limit(MOST_WAITS)
			.toList();
	}

	/**
	 * A position in a queue.
	 *
	 * @param mode its mode
	 * @param permit whether it wants one of several permits
	 * @param holds whether it holds
	 * @param callers whose node it is
	 */
	private record Position(LockMode mode, boolean permit, boolean holds, Set<Caller> callers) {
	}

	/**
	 * What a caller of this client waits for.
	 *
	 * @param caller who
	 * @param want what
	 */
	private record Asked(Caller caller, LocalCaller.Want want) {
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
