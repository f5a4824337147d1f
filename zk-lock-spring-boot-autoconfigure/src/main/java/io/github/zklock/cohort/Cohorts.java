package io.github.zklock.cohort;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockEntry;
import io.github.zklock.LockStrategy;

/*
 * I1: a cohort is in the map exactly while it has turns: `turns` is counted inside
 *     `compute`, under the map's lock for that key, so that nobody joins a cohort that has
 *     left the map.
 */
/**
 * The cohorts of one client: for each key that somebody here wants, the local callers in
 * their order. Source: Dice, Marathe, Shavit, "Lock Cohorting", PPoPP 2012.
 *
 * @since 0.1.0
 */
public final class Cohorts {

	private final Map<String, Cohort> cohorts = new ConcurrentHashMap<>();

	private final Pause pause;

	private final LongSupplier clock;

	/**
	 * Creates an empty set of cohorts.
	 * @param pause starts the next caller of a strategy that is not fair
	 * @param clock the monotonic clock, in nanoseconds
	 */
	public Cohorts(Pause pause, LongSupplier clock) {
		this.pause = pause;
		this.clock = clock;
	}

	/**
	 * Takes a turn. Callers of one key are served first come first served; readers
	 * together, unless another caller stands between them. An entry for several keys
	 * always has a contender of its own.
	 * @param entry which keys, in which mode
	 * @param strategy runs the contest
	 * @param listener hears what becomes of the turn, possibly before this returns
	 * @return the turn
	 */
	public Turn enter(LockEntry entry, LockStrategy strategy, TurnListener listener) {
		if (entry.keys().size() > 1) {
			boolean overtakes = entry.ifFree() && entry.keys().stream().anyMatch(this::isCrowded);
			return overtakes ? SoloTurn.refuse(entry, listener, this.clock)
					: SoloTurn.enter(entry, strategy, listener, this.clock);
		}
		String key = entry.keys().get(0);
		Cohort joined = this.cohorts.compute(key, (same, known) -> {
			Cohort cohort = (known != null) ? known : new Cohort(this, same, this.pause, this.clock);
			cohort.addTurn();
			return cohort;
		});
		return joined.enter(entry, strategy, listener);
	}

	private boolean isCrowded(String key) {
		Cohort cohort = this.cohorts.get(key);
		return cohort != null && cohort.isCrowded();
	}

	void turnOver(String key) {
		this.cohorts.compute(key, (same, known) -> dropTurn(known));
	}

	private static @Nullable Cohort dropTurn(@Nullable Cohort cohort) {
		return (cohort != null && cohort.dropTurn()) ? cohort : null;
	}

	/**
	 * Counts the cohorts.
	 * @return the number of keys that somebody here wants or holds
	 */
	public int count() {
		return this.cohorts.size();
	}

	/**
	 * Starts a step some time later.
	 */
	@FunctionalInterface
	public interface Pause {

		/**
		 * Starts a step.
		 * @param nanos in how many nanoseconds
		 * @param step a short step that does not block
		 */
		void before(long nanos, Runnable step);

	}

}
