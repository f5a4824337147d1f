package io.github.zklock.zookeeper;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.github.zklock.Handoff;
import io.github.zklock.internal.client.CommonSettings;
import io.github.zklock.internal.client.KeyRules;
import io.github.zklock.internal.client.RequestRules;
import io.github.zklock.internal.concurrent.Timer;
import io.github.zklock.spi.LockStrategy;

/**
 * The settings of a client on ZooKeeper.
 */
final class ClientSettings extends CommonSettings {

	private final Map<String, LockStrategy> strategies = new TreeMap<>();

	private final List<KeyRule> rules = new ArrayList<>();

	private Handoff handoff = Handoff.DEFAULT;

	private @Nullable Executor bareCallbacks;

	/**
	 * Looks whether all fits together.
	 * @throws IllegalArgumentException if the default strategy, or that of a rule, is not
	 * known, or if two rules contradict each other
	 */
	void check() {
		orderedRules();
	}

	private KeyRules<KeyRule> orderedRules() {
		Set<String> known = new TreeSet<>(this.strategies.keySet());
		known.addAll(Set.of(SequentialLockStrategy.NAME, NaiveLockStrategy.NAME));
		if (!known.contains(defaultStrategy())) {
			throw RequestRules.unknownStrategy(defaultStrategy(), known);
		}
		for (KeyRule rule : this.rules) {
			if (rule.strategy() != null && !known.contains(rule.strategy())) {
				throw RequestRules.unknownStrategy(rule.strategy(), known);
			}
		}
		return KeyRule.ordered(this.rules);
	}

	/**
	 * Returns what fills in requests.
	 * @param sessions where the nodes will be
	 * @return the rules
	 */
	RequestRules rules(LockSessions sessions) {
		KeyRules<KeyRule> keyRules = orderedRules();
		RequestSize size = new RequestSize(maxKeysPerRequest(), sessions.source().paths(), sessions.source().identity(),
				sessions::servers);
		return new RequestRules(strategies(sessions), defaultStrategy(), timeout(),
				(keys) -> keyRules.find(keys, KeyRule::strategy), (keys) -> keyRules.find(keys, KeyRule::timeout),
				size::check, KeyRule.shares(this.rules), sessions.source().clock());
	}

	private Map<String, LockStrategy> strategies(LockSessions sessions) {
		Map<String, LockStrategy> all = new TreeMap<>();
		all.put(SequentialLockStrategy.NAME, new SequentialLockStrategy(sessions));
		all.put(NaiveLockStrategy.NAME, new NaiveLockStrategy(sessions));
		all.putAll(this.strategies);
		return all;
	}

	void strategy(String name, LockStrategy strategy) {
		this.strategies.put(name, strategy);
	}

	@Override
	protected Function<String, Handoff> handoffs() {
		KeyRules<KeyRule> keyRules = orderedRules();
		Handoff general = this.handoff;
		return (key) -> keyRules.over(key, general, KeyRule::over);
	}

	void handoff(Handoff handoff) {
		this.handoff = handoff;
	}

	void rule(KeyRule rule) {
		this.rules.add(rule);
	}

	@Override
	protected Executor callbacks(Timer timer) {
		return (this.bareCallbacks != null) ? this.bareCallbacks : super.callbacks(timer);
	}

	/**
	 * Sets what runs the user's code, without any thread of ours behind it.
	 * @param executor may run it where it is brought
	 */
	void bareCallbacks(Executor executor) {
		this.bareCallbacks = executor;
	}

}
