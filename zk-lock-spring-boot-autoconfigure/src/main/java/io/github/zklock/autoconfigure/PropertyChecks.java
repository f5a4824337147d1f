package io.github.zklock.autoconfigure;

import java.time.Duration;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Refuses values of properties that are out of range, or name what is not there.
 */
final class PropertyChecks {

	private static final Duration LONGEST_SLOW_WAIT = Duration.ofDays(36_500);

	private PropertyChecks() {
	}

	/**
	 * Refuses numbers and durations that are out of range.
	 * @param properties the properties
	 */
	static void checkBounds(ZkLockProperties properties) {
		ZkLockProperties.Handoff handoff = properties.getHandoff();
		checkNotNegative("zk-lock.timeout", properties.getTimeout());
		checkNotNegative("zk-lock.retain", properties.getRetain());
		checkNotNegative("zk-lock.handoff.max-count", handoff.getMaxCount());
		checkNotNegative("zk-lock.handoff.min-duration", handoff.getMinDuration());
		checkNotNegative("zk-lock.handoff.max-duration", handoff.getMaxDuration());
		checkSlowWait("zk-lock.slow-wait", properties.getSlowWait());
		checkSlowWait("zk-lock.slow-wait-interval", properties.getSlowWaitInterval());
		checkPositive("zk-lock.max-callback-threads", properties.getMaxCallbackThreads());
		checkPositive("zk-lock.max-waiting-events", properties.getMaxWaitingEvents());
		checkPositive("zk-lock.max-keys-per-request", properties.getMaxKeysPerRequest());
		checkPositive("zk-lock.max-retained", properties.getMaxRetained());
	}

	private static void checkSlowWait(String property, Duration value) {
		checkNotNegative(property, value);
		if (value.compareTo(LONGEST_SLOW_WAIT) > 0) {
			throw new InvalidConfigurationPropertyValueException(property, value,
					"It must be at most a hundred years.");
		}
	}

	/**
	 * Says that there is no such strategy.
	 * @param property the property that names it
	 * @param strategy the name
	 * @param known the names that there are
	 * @return to be thrown
	 */
	static ZkLockStartupException unknownStrategy(String property, String strategy, Set<String> known) {
		return new ZkLockStartupException(
				"%s is '%s', but there is no lock strategy of that name.".formatted(property, strategy),
				"Use one of %s, or define a LockStrategy bean with that name.".formatted(String.join(", ", known)));
	}

	static void checkNotNegative(String property, @Nullable Object value) {
		boolean negative = (value instanceof Duration time) ? time.isNegative()
				: value instanceof Integer number && number < 0;
		if (negative) {
			throw new InvalidConfigurationPropertyValueException(property, value, "It must not be negative.");
		}
	}

	static void checkPositive(String property, int value) {
		if (value < 1) {
			throw new InvalidConfigurationPropertyValueException(property, value, "It must be at least 1.");
		}
	}

	/**
	 * Returns a duration as the connection takes it.
	 * @param property the property, for the message
	 * @param duration its value
	 * @return at least one millisecond
	 * @throws InvalidConfigurationPropertyValueException if it is out of range
	 */
	static int millis(String property, Duration duration) {
		if (duration.isNegative() || duration.isZero() || duration.toNanosPart() % 1_000_000 != 0
				|| duration.compareTo(Duration.ofMillis(Integer.MAX_VALUE)) > 0) {
			throw new InvalidConfigurationPropertyValueException(property, duration,
					"It must be positive, at most 24 days, and in whole milliseconds.");
		}
		return (int) duration.toMillis();
	}

}
