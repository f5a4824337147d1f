package io.github.zklock.internal.concurrent;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

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

	/**
	 * How long a call with time-out zero waits for ZooKeeper's answers, unless it says
	 * so.
	 */
	public static final long ZERO_BUDGET = TimeUnit.MILLISECONDS.toNanos(150);

	public static Deadline in(Duration timeout, @Nullable Duration answerTimeout, LongSupplier clock) {
		long answered = (answerTimeout != null) ? TimeUnit.NANOSECONDS.convert(answerTimeout) : ZERO_BUDGET;
		return new Deadline(timeout, timeout.isZero() ? answered : TimeUnit.NANOSECONDS.convert(timeout),
				clock.getAsLong(), clock);
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
		return "within " + text(this.timeout);
	}

	/**
	 * Says a duration as a person would.
	 * @param duration any duration
	 * @return for example {@code 5s}, {@code 1500ms}
	 */
	public static String text(Duration duration) {
		if (duration.toMillis() == 0) {
			return "less than 1ms";
		}
		return (duration.toMillis() % 1000 == 0) ? duration.toSeconds() + "s" : duration.toMillis() + "ms";
	}

}
