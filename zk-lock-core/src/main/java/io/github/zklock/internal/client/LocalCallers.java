package io.github.zklock.internal.client;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockMode;
import io.github.zklock.inspect.LockInspector.Caller;

/**
 * The callers of this client by the keys that they hold or want, so that each is looked
 * at once, however many keys there are.
 */
final class LocalCallers {

	private final Map<String, Set<Caller>> holding = new HashMap<>();

	private final Map<String, List<Asked>> asked = new HashMap<>();

	private final Map<Node, Set<Caller>> queued = new HashMap<>();

	LocalCallers(Caller us, Collection<LocalCaller> locals) {
		for (LocalCaller local : locals) {
			Caller caller = new Caller(us.client(), us.instance(), us.host(), us.pid(), local.name(), true);
			for (String key : local.holds()) {
				this.holding.computeIfAbsent(key, (fresh) -> new LinkedHashSet<>()).add(caller);
			}
			for (LocalCaller.Want want : local.wants()) {
				this.asked.computeIfAbsent(want.key(), (fresh) -> new ArrayList<>())
					.add(new Asked(caller, want.mode()));
				this.queued.computeIfAbsent(new Node(want.key(), want.node()), (fresh) -> new LinkedHashSet<>())
					.add(caller);
			}
		}
	}

	/**
	 * Returns who holds a key.
	 * @param key the key
	 * @return the holders, none if nobody here does
	 */
	Set<Caller> holding(String key) {
		return this.holding.getOrDefault(key, Set.of());
	}

	/**
	 * Returns who wants a key.
	 * @param key the key
	 * @return one for each call
	 */
	List<Asked> asked(String key) {
		return this.asked.getOrDefault(key, List.of());
	}

	/**
	 * Returns who wants a key and has nodes of its own for that.
	 * @param key the key
	 * @param thread the thread that the nodes name; null for those who share one
	 * @return any of them may be the one whose node it is
	 */
	Set<Caller> queued(String key, @Nullable String thread) {
		return this.queued.getOrDefault(new Node(key, thread), Set.of());
	}

	/**
	 * A call for a key.
	 *
	 * @param caller who asked
	 * @param mode how it wants the key
	 */
	record Asked(Caller caller, LockMode mode) {
	}

	/**
	 * What is known of nodes.
	 *
	 * @param key what they are for
	 * @param thread the thread that they name, or null
	 */
	private record Node(String key, @Nullable String thread) {
	}

}
