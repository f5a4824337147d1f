package io.github.zklock.internal.cohort;

import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.concurrent.SerialExecutor;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.ContenderListener;

/**
 * What the cohorts of a client have in common.
 */
final class CommonSite {

	private final Later later;

	private final LongSupplier clock;

	private final BooleanSupplier reachable;

	private final StepFailures failures;

	private final RetainedGrants retained;

	private final QuickReturns returns = new QuickReturns();

	private final GrantSlots slots = new GrantSlots();

	private final Departures departures = new Departures();

	private volatile boolean closed;

	CommonSite(Later later, LongSupplier clock, BooleanSupplier reachable, StepFailures failures, int maxRetained) {
		this.later = later;
		this.clock = clock;
		this.reachable = reachable;
		this.failures = failures;
		this.retained = new RetainedGrants(maxRetained);
	}

	/**
	 * Gives each cohort a serial executor of its own.
	 * @param failures is notified of each step that fails
	 * @return makes an empty one
	 */
	static Supplier<Executor> serialExecutors(StepFailures failures) {
		return () -> new SerialExecutor(failures);
	}

	/** Nothing is retained, or lingers, from now on. */
	void close() {
		this.closed = true;
	}

	/**
	 * Starts a step some time later.
	 * @param nanos in how many nanoseconds
	 * @param step a short step that does not block
	 * @return cancels the step
	 */
	Runnable after(long nanos, Runnable step) {
		return this.later.after(nanos, step);
	}

	long now() {
		return this.clock.getAsLong();
	}

	/**
	 * Returns whether a server has answered lately.
	 * @return whether what was seen before may be taken to be still so
	 */
	boolean isReachable() {
		return this.reachable.getAsBoolean();
	}

	/**
	 * Returns whether the client is being closed.
	 * @return whether nothing is retained any more
	 */
	boolean isClosed() {
		return this.closed;
	}

	/**
	 * Returns what is retained.
	 * @return the grants that nobody here wants, of all cohorts
	 */
	RetainedGrants retained() {
		return this.retained;
	}

	/**
	 * Returns where callers find the grants that nobody wants.
	 * @return the open slots
	 */
	GrantSlots slots() {
		return this.slots;
	}

	/**
	 * Returns who is leaving.
	 * @return those who gave up waiting
	 */
	Departures departures() {
		return this.departures;
	}

	/**
	 * Lets a contender enter, or notifies its listener that the strategy has failed.
	 * @param what names what is asked for
	 * @param strategy makes the contender
	 * @return gives the contender, or null if the strategy has failed
	 */
	Function<ContenderListener, @Nullable EnteredContender> entering(String what,
			Function<ContenderListener, Contender> strategy) {
		return EnteredContender.orFailed(what, strategy, this.failures);
	}

	/**
	 * Returns what is known of the callers' ways.
	 * @return of which keys they come back at once
	 */
	QuickReturns returns() {
		return this.returns;
	}

	/**
	 * Returns what is notified of failures.
	 * @return the failures of the engine
	 */
	StepFailures failures() {
		return this.failures;
	}

}
