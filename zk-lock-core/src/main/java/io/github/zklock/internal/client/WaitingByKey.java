package io.github.zklock.internal.client;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockMode;
import io.github.zklock.internal.concurrent.Timer;
import io.github.zklock.spi.LockAttempt;

/**
 * The callers of a client who wait, by the keys that they wait for.
 */
final class WaitingByKey {

	/*-
	 * All that is under way is looked through for the first who asks, and what was found serves those
	 * who ask within AGE. So many handles together cost about as much as one. Confined to the timer's thread.
	 */

	private static final long AGE = TimeUnit.MILLISECONDS.toNanos(100);

	private final Supplier<Collection<Acquisition>> pending;

	private final Timer timer;

	private @Nullable Map<String, List<Waiting>> found;

	/**
	 * Creates what has not looked yet.
	 * @param pending what is under way in the client
	 * @param timer asks
	 */
	WaitingByKey(Supplier<Collection<Acquisition>> pending, Timer timer) {
		this.pending = pending;
		this.timer = timer;
	}

	/**
	 * Returns those who wait for a key.
	 * @param key the key
	 * @return those who did a moment ago; some may be decided already
	 */
	List<Waiting> of(String key) {
		Map<String, List<Waiting>> known = this.found;
		if (known == null) {
			known = find();
			// First, so that nothing stays that is not dropped
			this.timer.later(AGE, () -> this.found = null);
			this.found = known;
		}
		return known.getOrDefault(key, List.of());
	}

	private Map<String, List<Waiting>> find() {
		Map<String, List<Waiting>> waiting = new HashMap<>();
		for (Acquisition acquisition : this.pending.get()) {
			LockAttempt attempt = acquisition.attempt();
			if (attempt != null && !acquisition.isDecided() && acquisition.blocker() != null) {
				for (int i = 0; i < attempt.keys().size(); i++) {
					waiting.computeIfAbsent(attempt.keys().get(i), (key) -> new ArrayList<>())
						.add(new Waiting(acquisition, attempt.modes().get(i), attempt.caller()));
				}
			}
		}
		return waiting;
	}

	/**
	 * A caller who waits for a key.
	 *
	 * @param acquisition the caller's
	 * @param mode how the caller wants the key
	 * @param thread the thread that asked
	 */
	record Waiting(Acquisition acquisition, LockMode mode, String thread) {
	}

}
