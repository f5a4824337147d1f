package io.github.zklock.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

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
			throw PropertyChecks.unknownStrategy(prefix + ".strategy", strategy, strategies);
		}
		ZkLockKeyProperties.Handoff handoff = settings.getHandoff();
		PropertyChecks.checkNotNegative(prefix + ".timeout", settings.getTimeout());
		PropertyChecks.checkNotNegative(prefix + ".retain", settings.getRetain());
		PropertyChecks.checkNotNegative(prefix + ".handoff.max-count", handoff.getMaxCount());
		PropertyChecks.checkNotNegative(prefix + ".handoff.min-duration", handoff.getMinDuration());
		PropertyChecks.checkNotNegative(prefix + ".handoff.max-duration", handoff.getMaxDuration());
		Integer maxHeld = settings.getMaxHeld();
		if (maxHeld != null) {
			PropertyChecks.checkPositive(prefix + ".max-held", maxHeld);
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
				"Write patterns of which one has all the keys of the other: the narrower one then wins. Or give both the same value, except for max-held.",
				cause);
	}

}
