package io.github.zklock.internal.cohort;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.zklock.Handoff;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.spi.LockStrategy;

/**
 * The cohorts of one client: for each key that is wanted here, the local callers in their
 * order. Source: Dice, Marathe, Shavit, "Lock Cohorting", PPoPP 2012.
 */
public final class Cohorts {

	/*-
	 * Any thread enters; each cohort goes on in its own serial executor.
	 *
	 * I1: a cohort is in the map exactly while it has local contenders or cohort contenders:
	 *     they are counted inside `compute`, under the map's lock for that key, so that nobody
	 *     joins a cohort that has left the map. One that has failed leaves the map at once, and
	 *     is among `failed` until it has nothing left; what it still reports is not counted.
	 */

	private final Map<String, Counted> cohorts = new ConcurrentHashMap<>();

	private final CommonSite common;

	private final Set<Counted> failed = ConcurrentHashMap.newKeySet();

	private final LongSupplier clock;

	private final Function<String, Handoff> handoff;

	private final StepFailures failures;

	private final Supplier<? extends Executor> serialExecutors;

	private final CompletableFuture<Void> empty = new CompletableFuture<>();

	/**
	 * Creates an empty set of cohorts.
	 * @param pause starts what is to happen later
	 * @param clock the monotonic clock, in nanoseconds
	 * @param handoff says how long the cohort of a key may keep a grant for itself
	 * @param reachable whether a server has answered lately, so that what was seen before
	 * may be taken to be still so
	 * @param failures is notified of each step that fails
	 * @param maxRetained how many grants are retained at most
	 */
	public Cohorts(Pause pause, LongSupplier clock, Function<String, Handoff> handoff, BooleanSupplier reachable,
			StepFailures failures, int maxRetained) {
		this(pause, clock, handoff, reachable, failures, maxRetained, failures::newSerialExecutor);
	}

	public Cohorts(Pause pause, LongSupplier clock, Function<String, Handoff> handoff, BooleanSupplier reachable,
			StepFailures failures, int maxRetained, Supplier<? extends Executor> serialExecutors) {
		this.clock = clock;
		this.handoff = handoff;
		this.failures = failures;
		this.common = new CommonSite(pause, clock, reachable, failures, maxRetained);
		this.serialExecutors = serialExecutors;
	}

	/**
	 * Gives up all grants that are only retained, and retains none from now on.
	 * @return completes when their nodes are gone
	 */
	public CompletableFuture<Void> stopRetaining() {
		this.common.close();
		return CompletableFuture.allOf(this.cohorts.values()
			.stream()
			.map((counted) -> counted.cohort.stopRetaining())
			.toArray(CompletableFuture[]::new));
	}

	/**
	 * Enters a local contender. Callers of one key are served first come first served;
	 * readers together, unless another caller is queued between them. A grant is handed
	 * off from one to the next without a request to the servers, within the bounds. An
	 * attempt on several keys always has a contender of its own in ZooKeeper.
	 * @param attempt which keys, in which mode
	 * @param strategy enters contenders
	 * @param listener is notified of what becomes of it, possibly before this returns
	 * @return the local contender
	 */
	public LocalContender enter(LockAttempt attempt, LockStrategy strategy, LocalContenderListener listener) {
		if (attempt.keys().size() > 1) {
			boolean overtakes = attempt.tryOnce() && attempt.keys().stream().anyMatch(this::isCrowded);
			return overtakes ? MultiKeyContender.refuse(attempt.keys().get(0), listener, this.clock, this.failures)
					: MultiKeyContender.enter(attempt.named(), (contender) -> strategy.enter(attempt, contender),
							listener, this.clock, this.failures);
		}
		Counted joined = join(attempt.keys().get(0));
		Cohort cohort = joined.cohort;
		boolean entered = false;
		try {
			QueuedContender local = new QueuedContender(cohort.site(), cohort, attempt, strategy, listener);
			cohort.enter(local);
			entered = true;
			return local;
		}
		finally {
			if (!entered) {
				joined.over();
			}
		}
	}

	/**
	 * Returns where callers find what they need not wait for.
	 * @return the grants that nobody here wants
	 */
	public GrantSlots slots() {
		return this.common.slots();
	}

	private Counted join(String key) {
		return this.cohorts.compute(key, (same, known) -> {
			Counted joined = (known != null) ? known : new Counted(same);
			joined.count++;
			return joined;
		});
	}

	private boolean isCrowded(String key) {
		Counted counted = this.cohorts.get(key);
		return counted != null && counted.cohort.isCrowded();
	}

	/**
	 * Reports when nobody here wants or holds anything any more. To be called after
	 * {@link #stopRetaining}.
	 * @return completes when there is no cohort
	 */
	public CompletableFuture<Void> whenEmpty() {
		completeIfEmpty();
		return this.empty;
	}

	private void completeIfEmpty() {
		if (this.cohorts.isEmpty() && this.failed.isEmpty()) {
			this.empty.complete(null);
		}
	}

	/**
	 * Counts the cohorts.
	 * @return the number of keys that are wanted or held here, or being given up after a
	 * failure
	 */
	public int count() {
		return this.cohorts.size() + this.failed.size();
	}

	/**
	 * A cohort, and how many local contenders and cohort contenders it has; counted under
	 * the map's lock only.
	 */
	private final class Counted implements CohortSite.Membership {

		private final String key;

		private final Cohort cohort;

		private int count;

		Counted(String key) {
			this.key = key;
			this.cohort = new Cohort(new CohortSite(Cohorts.this.common, this, key, Cohorts.this.handoff.apply(key),
					Cohorts.this.serialExecutors.get()));
		}

		private @Nullable Counted add(int more) {
			this.count += more;
			return (this.count > 0) ? this : null;
		}

		private void changeBy(int more) {
			Cohorts.this.cohorts.computeIfPresent(this.key, (same, counted) -> (counted == this) ? add(more) : counted);
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
			Cohorts.this.failed.add(this);
			Cohorts.this.cohorts.remove(this.key, this);
			gone.whenComplete((nothing, failure) -> {
				Cohorts.this.failed.remove(this);
				notifyIfEmpty();
			});
		}

		private void notifyIfEmpty() {
			if (Cohorts.this.common.isClosed()) {
				completeIfEmpty();
			}
		}

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
		 * @return cancels the step, and then keeps nothing of it
		 */
		Runnable before(long nanos, Runnable step);

	}

}
