package io.github.zklock.internal.cohort;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.spi.LockStrategy;

/**
 * The permit cohorts of one client: for each key of which permits are wanted here, their
 * local callers.
 */
final class PermitCohorts {

	/*-
	 * I1: a permit cohort is in the map exactly while callers of the key's permits have not left: they are counted
	 *     inside `compute`, under the map's lock for that key. One that has failed leaves the map at once. Its
	 *     lanes are cohorts like the others, under ids that no key has, and may outlive it.
	 * I2: callers of one that has failed may still have its lanes, so one that is made later has others. Which node
	 *     holds a permit is decided by the queue of the key, whatever lanes there are.
	 */

	private final Map<String, Counted> cohorts = new ConcurrentHashMap<>();

	// It is one more before the failed one leaves the map
	private final AtomicInteger failed = new AtomicInteger();

	private final CohortMap lanes;

	private final CommonSite common;

	private final Supplier<? extends Executor> serialExecutors;

	/**
	 * Creates an empty set.
	 * @param lanes has the cohorts of all lanes
	 * @param common what the cohorts have in common
	 * @param serialExecutors gives each permit cohort its own
	 */
	PermitCohorts(CohortMap lanes, CommonSite common, Supplier<? extends Executor> serialExecutors) {
		this.lanes = lanes;
		this.common = common;
		this.serialExecutors = serialExecutors;
	}

	/**
	 * Enters a local contender for a permit of one key.
	 * @param attempt which key, and how many permits it has
	 * @param strategy enters contenders
	 * @param listener is notified of what becomes of it, possibly before this returns
	 * @return the local contender
	 */
	LocalContender enter(LockAttempt attempt, LockStrategy strategy, LocalContenderListener listener) {
		Counted joined = this.cohorts.compute(attempt.keys().get(0), (key, known) -> {
			Counted some = (known != null) ? known : new Counted(key);
			some.count++;
			return some;
		});
		try {
			return joined.cohort.enter(attempt, strategy, listener);
		}
		catch (Throwable ex) {
			joined.over();
			throw ex;
		}
	}

	int count() {
		return this.cohorts.size();
	}

	/**
	 * A permit cohort, and how many callers it has; counted under the map's lock only.
	 */
	private final class Counted implements PermitCohort.Host {

		private final String key;

		private final int failedBefore;

		private final PermitCohort cohort;

		private int count;

		Counted(String key) {
			this.key = key;
			this.failedBefore = PermitCohorts.this.failed.get();
			this.cohort = new PermitCohort(this, key, PermitCohorts.this.serialExecutors.get());
		}

		@Override
		public LocalContender enter(int lane, LockAttempt attempt, LockStrategy strategy,
				LocalContenderListener listener) {
			return PermitCohorts.this.lanes.enter(id(lane), attempt, strategy, listener);
		}

		@Override
		public boolean isInUse(int lane) {
			return PermitCohorts.this.lanes.contains(id(lane));
		}

		// A key is well-formed Unicode, so none is equal to this
		private String id(int lane) {
			return this.key + '\ud800' + this.failedBefore + '.' + lane;
		}

		private @Nullable Counted withoutOne() {
			this.count--;
			return (this.count > 0) ? this : null;
		}

		@Override
		public void over() {
			PermitCohorts.this.cohorts.computeIfPresent(this.key,
					(same, counted) -> (counted == this) ? withoutOne() : counted);
		}

		@Override
		public void failed() {
			PermitCohorts.this.failed.incrementAndGet();
			PermitCohorts.this.cohorts.remove(this.key, this);
		}

		@Override
		public long now() {
			return PermitCohorts.this.common.now();
		}

		@Override
		public StepFailures failures() {
			return PermitCohorts.this.common.failures();
		}

	}

}
