package io.github.zklock.internal.concurrent;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A moment on the monotonic clock until which one call may take.
 *
 * @param timeout the time-out as the user gave it
 * @param budget how long the call may really take, in nanoseconds; {@link Long#MAX_VALUE}
 * forever. A time-out of zero still needs answers, so it has a small budget.
 * @param began when the call began, in nanoseconds of the clock
 * @param clock the monotonic clock
 */
public record Deadline(Duration timeout, long budget, long began, LongSupplier clock) {

	/** How long a call with time-out zero waits for ZooKeeper's answers. */
	public static final long ZERO_BUDGET = TimeUnit.MILLISECONDS.toNanos(150);

	public static Deadline in(Duration timeout, LongSupplier clock) {
		return new Deadline(timeout, timeout.isZero() ? ZERO_BUDGET : nanos(timeout), clock.getAsLong(), clock);
	}

	static long nanos(Duration timeout) {
		return (timeout.toSeconds() >= Long.MAX_VALUE / 1_000_000_000L) ? Long.MAX_VALUE : timeout.toNanos();
	}

	public boolean isForever() {
		return this.budget == Long.MAX_VALUE;
	}

	public boolean isZero() {
		return this.timeout.isZero();
	}

	public long elapsed() {
		return this.clock.getAsLong() - this.began;
	}

	public long remaining() {
		return isForever() ? Long.MAX_VALUE : this.budget - elapsed();
	}

	/**
	 * Says the time-out as a person would.
	 * @return for example {@code within 5s}, {@code at once}
	 */
	@Override
	public String toString() {
		if (isZero()) {
			return "at once";
		}
		if (isForever()) {
			return "at all";
		}
		if (this.timeout.toMillis() == 0) {
			return "within less than 1ms";
		}
		return "within " + ((this.timeout.toMillis() % 1000 == 0) ? this.timeout.toSeconds() + "s"
				: this.timeout.toMillis() + "ms");
	}

}
