package io.github.zklock.internal.cohort;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.github.zklock.Handoff;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.spi.LockStrategy;

/**
 * The cohorts of one client: for each key that is wanted here, the local callers in their
 * order. Source: Dice, Marathe, Shavit, "Lock Cohorting", PPoPP 2012.
 */
public final class Cohorts {

	private final CommonSite common;

	private final CohortMap cohorts;

	private final PermitCohorts permits;

	/**
	 * Creates an empty set of cohorts.
	 * @param later starts what is to happen later
	 * @param clock the monotonic clock, in nanoseconds
	 * @param handoff says how long the cohort of a key may keep a grant for itself
	 * @param reachable whether a server has answered lately, so that what was seen before
	 * may be taken to be still so
	 * @param failures is notified of each step that fails
	 * @param maxRetained how many grants are retained at most
	 */
	public Cohorts(Later later, LongSupplier clock, Function<String, Handoff> handoff, BooleanSupplier reachable,
			StepFailures failures, int maxRetained) {
		this(later, clock, handoff, reachable, failures, maxRetained, CommonSite.serialExecutors(failures));
	}

	public Cohorts(Later later, LongSupplier clock, Function<String, Handoff> handoff, BooleanSupplier reachable,
			StepFailures failures, int maxRetained, Supplier<? extends Executor> serialExecutors) {
		this.common = new CommonSite(later, clock, reachable, failures, maxRetained);
		this.cohorts = new CohortMap(this.common, handoff, serialExecutors);
		this.permits = new PermitCohorts(this.cohorts, this.common, serialExecutors);
	}

	/**
	 * Gives up all grants that are only retained, and retains none from now on.
	 * @return completes when their nodes are gone
	 */
	public CompletableFuture<Void> stopRetaining() {
		this.common.close();
		return this.cohorts.stopRetaining();
	}

	/**
	 * Enters a local contender. Callers of one key are served first come first served,
	 * but for those who come while the next one wakes; readers together, unless another
	 * caller is queued between them. A grant is handed off from one to the next without a
	 * request to the servers, within the bounds, and so is each permit of a key. An
	 * attempt on several keys always has a contender of its own in ZooKeeper.
	 * @param attempt which keys, in which mode
	 * @param strategy enters contenders
	 * @param listener is notified of what becomes of it, possibly before this returns
	 * @return the local contender
	 */
	public LocalContender enter(LockAttempt attempt, LockStrategy strategy, LocalContenderListener listener) {
		if (attempt.keys().size() > 1) {
			boolean overtakes = attempt.tryOnce() && attempt.keys().stream().anyMatch(this.cohorts::isCrowded);
			return overtakes ? MultiKeyContender.refuse(attempt.keys().get(0), listener, this.common)
					: MultiKeyContender.enter(attempt.keys(),
							this.common.entering(attempt.named(), (contender) -> strategy.enter(attempt, contender)),
							listener, this.common);
		}
		return (attempt.permits().get(0) > 0) ? this.permits.enter(attempt, strategy, listener)
				: this.cohorts.enter(attempt.keys().get(0), attempt, strategy, listener);
	}

	/**
	 * Returns where callers find what they need not wait for.
	 * @return the grants that nobody here wants
	 */
	public GrantSlots slots() {
		return this.common.slots();
	}

	/**
	 * Reports when nobody here wants or holds anything any more. To be called after
	 * {@link #stopRetaining}.
	 * @return completes when there is no cohort
	 */
	public CompletableFuture<Void> whenEmpty() {
		return this.cohorts.whenEmpty();
	}

	/**
	 * Counts the cohorts.
	 * @return the number of keys that are wanted or held here, or being given up after a
	 * failure; each permit that is wanted or held is another one, and so is what is kept
	 * of those who leave
	 */
	public int count() {
		return this.cohorts.count() + this.permits.count() + this.common.departures().count();
	}

}
