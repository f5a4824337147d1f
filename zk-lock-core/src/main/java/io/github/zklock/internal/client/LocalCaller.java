package io.github.zklock.internal.client;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockMode;
import io.github.zklock.internal.concurrent.Threads;
import io.github.zklock.spi.LockAttempt;

/**
 * An owner of this client, and what it has to do with keys.
 *
 * @param name the name of its thread, if it is one, with its number where others have
 * that name, too
 * @param holds what it holds
 * @param wants what it waits for
 */
record LocalCaller(String name, Set<String> holds, List<Want> wants) {

	/**
	 * Finds the owners of a client.
	 * @param held what is held
	 * @param pending what is under way
	 * @return one for each owner
	 */
	static Collection<LocalCaller> all(List<Hold> held, Collection<Acquisition> pending) {
		Map<Object, LocalCaller> callers = new HashMap<>();
		held.forEach((hold) -> callers.computeIfAbsent(hold.owner(), LocalCaller::of).holds().add(hold.key()));
		pending.forEach((acquisition) -> {
			LockAttempt attempt = acquisition.attempt();
			if (attempt != null && !acquisition.isDecided()) {
				callers.computeIfAbsent(acquisition.asked().owner(), LocalCaller::of).addWants(attempt);
			}
		});
		Map<String, Integer> named = new HashMap<>();
		callers.values().forEach((caller) -> named.merge(caller.name(), 1, Integer::sum));
		callers.replaceAll(
				(owner, caller) -> (named.getOrDefault(caller.name(), 1) > 1) ? caller.numbered(owner, named) : caller);
		return callers.values();
	}

	private void addWants(LockAttempt attempt) {
		String node = (attempt.keys().size() > 1) ? attempt.caller() : null;
		for (int i = 0; i < attempt.keys().size(); i++) {
			if (attempt.permits().get(i) <= 1) {
				this.wants.add(new Want(attempt.keys().get(i), attempt.modes().get(i), node));
			}
		}
	}

	// Callers of one name would be one in the graph
	@SuppressWarnings("deprecation") // newer JDKs call it threadId
	private LocalCaller numbered(Object owner, Map<String, Integer> named) {
		long number = (owner instanceof Thread thread) ? thread.getId() : named.merge(this.name, 1, Integer::sum);
		return new LocalCaller(this.name + "#" + number, this.holds, this.wants);
	}

	private static LocalCaller of(Object owner) {
		String name = (owner instanceof Thread thread) ? Threads.name(thread)
				: "owner " + Integer.toHexString(owner.hashCode());
		return new LocalCaller(name, new HashSet<>(), new ArrayList<>());
	}

	/**
	 * A key that is waited for.
	 *
	 * @param key the key
	 * @param mode how it is wanted
	 * @param node the thread that is named by the node that was made for this alone, or
	 * null if it shares one with other callers
	 */
	record Want(String key, LockMode mode, @Nullable String node) {
	}

}
