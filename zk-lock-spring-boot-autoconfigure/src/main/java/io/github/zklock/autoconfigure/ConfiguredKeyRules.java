package io.github.zklock.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

import io.github.zklock.zookeeper.KeyRule;

/**
 * Reads the rules for keys from the properties, and says what is wrong with them.
 */
final class ConfiguredKeyRules {

	private ConfiguredKeyRules() {
	}

	/**
	 * Reads the rules.
	 * @param keys the properties by pattern
	 * @param strategies the names of all strategies
	 * @return the rules, each one right by itself
	 */
	static List<KeyRule> read(Map<String, ZkLockKeyProperties> keys, Set<String> strategies) {
		List<KeyRule> rules = new ArrayList<>();
		keys.forEach((pattern, settings) -> rules.add(read(pattern, settings, strategies)));
		return rules;
	}

	private static KeyRule read(String pattern, ZkLockKeyProperties settings, Set<String> strategies) {
		String prefix = "zk-lock.keys[" + pattern + "]";
		String strategy = settings.getStrategy();
		if (strategy != null && !strategies.contains(strategy)) {
			throw unknownStrategy(prefix + ".strategy", strategy, strategies);
		}
		ZkLockKeyProperties.Handoff handoff = settings.getHandoff();
		checkNotNegative(prefix + ".timeout", settings.getTimeout());
		checkNotNegative(prefix + ".retain", settings.getRetain());
		checkNotNegative(prefix + ".handoff.max-count", handoff.getMaxCount());
		checkNotNegative(prefix + ".handoff.min-duration", handoff.getMinDuration());
		checkNotNegative(prefix + ".handoff.max-duration", handoff.getMaxDuration());
		Integer maxHeld = settings.getMaxHeld();
		if (maxHeld != null) {
			checkPositive(prefix + ".max-held", maxHeld);
		}
		return new KeyRule(pattern, strategy, settings.getTimeout(), handoff.getMaxCount(), handoff.getMinDuration(),
				handoff.getMaxDuration(), settings.getRetain(), maxHeld);
	}

	/**
	 * Says that two rules contradict each other.
	 * @param cause what the client says of them
	 * @return to be thrown
	 */
	static ZkLockStartupException contradiction(IllegalArgumentException cause) {
		return new ZkLockStartupException(
				"The properties zk-lock.keys contradict each other. " + cause.getMessage() + ".",
				"Give both the same value, or write patterns of which one has all the keys of the other: the narrower one then wins.",
				cause);
	}

	static ZkLockStartupException unknownStrategy(String property, String strategy, Set<String> known) {
		return new ZkLockStartupException(
				"%s is '%s', but there is no lock strategy of that name.".formatted(property, strategy),
				"Use one of %s, or define a LockStrategy bean with that name.".formatted(String.join(", ", known)),
				null);
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

}
