package io.github.zklock.internal.cohort;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.zklock.Handoff;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.spi.LockStrategy;

/**
 * The cohorts that have anything, each under an id of its own: a key, or a lane of its
 * permits.
 */
final class CohortMap {

	/*-
	 * Any thread enters; each cohort goes on in its own serial executor.
	 *
	 * I1: a cohort is in the map exactly while it has local contenders or cohort contenders:
	 *     they are counted inside `compute`, under the map's lock for that id, so that nobody
	 *     joins a cohort that has left the map. One that has failed leaves the map at once, and
	 *     is among `failed` until it has nothing left; what it still reports is not counted.
	 */

	private final Map<String, Counted> cohorts = new ConcurrentHashMap<>();

	private final Set<Counted> failed = ConcurrentHashMap.newKeySet();

	private final CommonSite common;

	private final Function<String, Handoff> handoff;

	private final Supplier<? extends Executor> serialExecutors;

	private final CompletableFuture<Void> empty = new CompletableFuture<>();

	/**
	 * Creates an empty map.
	 * @param common what the cohorts have in common
	 * @param handoff says how long the cohort of a key may keep a grant for itself
	 * @param serialExecutors gives each cohort its own
	 */
	CohortMap(CommonSite common, Function<String, Handoff> handoff, Supplier<? extends Executor> serialExecutors) {
		this.common = common;
		this.handoff = handoff;
		this.serialExecutors = serialExecutors;
	}

	/**
	 * Enters a local contender for one key.
	 * @param id the id of the cohort
	 * @param attempt what is asked for
	 * @param strategy enters contenders
	 * @param listener is notified of what becomes of it, possibly before this returns
	 * @return the local contender
	 */
	LocalContender enter(String id, LockAttempt attempt, LockStrategy strategy, LocalContenderListener listener) {
		Counted joined = join(id, attempt.keys().get(0));
		Cohort cohort = joined.cohort;
		try {
			QueuedContender local = new QueuedContender(cohort.site(), cohort, attempt, strategy, listener);
			cohort.enter(local);
			return local;
		}
		catch (Throwable ex) {
			joined.over();
			throw ex;
		}
	}

	private Counted join(String id, String key) {
		return this.cohorts.compute(id, (same, known) -> {
			Counted joined = (known != null) ? known : new Counted(same, key);
			joined.count++;
			return joined;
		});
	}

	/**
	 * Gives up all grants that are only retained.
	 * @return completes when their nodes are gone
	 */
	CompletableFuture<Void> stopRetaining() {
		return CompletableFuture.allOf(this.cohorts.values()
			.stream()
			.map((counted) -> counted.cohort.stopRetaining())
			.toArray(CompletableFuture[]::new));
	}

	boolean contains(String id) {
		return this.cohorts.containsKey(id);
	}

	boolean isCrowded(String id) {
		Counted counted = this.cohorts.get(id);
		return counted != null && counted.cohort.isCrowded();
	}

	/**
	 * Reports when there is no cohort, once nothing is retained any more.
	 * @return completes when the map is empty
	 */
	CompletableFuture<Void> whenEmpty() {
		completeIfEmpty();
		return this.empty;
	}

	private void completeIfEmpty() {
		if (this.cohorts.isEmpty() && this.failed.isEmpty()) {
			this.empty.complete(null);
		}
	}

	int count() {
		return this.cohorts.size() + this.failed.size();
	}

	/**
	 * A cohort, and how many local contenders and cohort contenders it has; counted under
	 * the map's lock only.
	 */
	private final class Counted implements CohortSite.Membership {

		private final String id;

		private final Cohort cohort;

		private int count;

		Counted(String id, String key) {
			this.id = id;
			this.cohort = new Cohort(new CohortSite(CohortMap.this.common, this, id, key,
					CohortMap.this.handoff.apply(key), CohortMap.this.serialExecutors.get()));
		}

		private @Nullable Counted add(int more) {
			this.count += more;
			return (this.count > 0) ? this : null;
		}

		private void changeBy(int more) {
			CohortMap.this.cohorts.computeIfPresent(this.id,
					(same, counted) -> (counted == this) ? add(more) : counted);
		}

		@Override
		public void began() {
			changeBy(1);
		}

		@Override
		public void over() {
			changeBy(-1);
			notifyIfEmpty();
		}

		@Override
		public void failed(CompletionStage<Void> gone) {
			CohortMap.this.failed.add(this);
			CohortMap.this.cohorts.remove(this.id, this);
			gone.whenComplete((nothing, failure) -> {
				CohortMap.this.failed.remove(this);
				notifyIfEmpty();
			});
		}

		private void notifyIfEmpty() {
			if (CohortMap.this.common.isClosed()) {
				completeIfEmpty();
			}
		}

	}

}
