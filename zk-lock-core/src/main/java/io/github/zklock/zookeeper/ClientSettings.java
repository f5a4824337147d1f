package io.github.zklock.zookeeper;

import java.time.Duration;
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
import io.github.zklock.LockListener;
import io.github.zklock.internal.client.KeyRules;
import io.github.zklock.internal.client.RequestRules;
import io.github.zklock.internal.concurrent.CallbackExecutor;
import io.github.zklock.internal.concurrent.Timer;
import io.github.zklock.spi.LockStrategy;

/**
 * The settings of a client.
 */
final class ClientSettings {

	private final Map<String, LockStrategy> strategies = new TreeMap<>();

	private final List<LockListener> listeners = new ArrayList<>();

	private final List<KeyRule> rules = new ArrayList<>();

	private String defaultStrategy = SequentialLockStrategy.NAME;

	private Duration timeout = Duration.ofSeconds(10);

	private Duration slowWait = Duration.ZERO;

	private Handoff handoff = Handoff.DEFAULT;

	private @Nullable Executor callbacks;

	private @Nullable Executor bareCallbacks;

	private int maxCallbackThreads = CallbackExecutor.DEFAULT_THREADS;

	private int maxWaitingEvents = 100_000;

	private int maxKeysPerRequest = 1000;

	private int maxRetained = 1000;

	private Duration slowWaitInterval = Duration.ofMinutes(1);

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
		if (!known.contains(this.defaultStrategy)) {
			throw RequestRules.unknownStrategy(this.defaultStrategy, known);
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
		RequestSize size = new RequestSize(this.maxKeysPerRequest, sessions.source().paths(),
				sessions.source().identity(), sessions::servers);
		return new RequestRules(strategies(sessions), this.defaultStrategy, this.timeout,
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

	void defaultStrategy(String name) {
		this.defaultStrategy = name;
	}

	void timeout(Duration timeout) {
		this.timeout = RequestRules.notNegative("The default time-out", timeout);
	}

	Duration slowWait() {
		return this.slowWait;
	}

	void slowWait(Duration slowWait) {
		this.slowWait = RequestRules.checkSlowWait("The time after which a wait is slow", slowWait);
	}

	Duration slowWaitInterval() {
		return this.slowWaitInterval;
	}

	void slowWaitInterval(Duration interval) {
		this.slowWaitInterval = RequestRules.checkSlowWait("The time between two warnings of slow waits", interval);
	}

	Function<String, Handoff> handoffs() {
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

	/**
	 * Makes what runs the user's code.
	 * @param timer tries again when no thread can be made
	 * @return the executor
	 */
	Executor callbacks(Timer timer) {
		return (this.bareCallbacks != null) ? this.bareCallbacks
				: new CallbackExecutor(this.callbacks, this.maxCallbackThreads, timer);
	}

	void callbacks(Executor executor) {
		this.callbacks = executor;
	}

	/**
	 * Sets what runs the user's code, without any thread of ours behind it.
	 * @param executor may run it where it is brought
	 */
	void bareCallbacks(Executor executor) {
		this.bareCallbacks = executor;
	}

	void maxCallbackThreads(int threads) {
		this.maxCallbackThreads = RequestRules.positive("The number of callback threads", threads);
	}

	int maxWaitingEvents() {
		return this.maxWaitingEvents;
	}

	void maxWaitingEvents(int events) {
		this.maxWaitingEvents = RequestRules.positive("The number of waiting events", events);
	}

	void maxKeysPerRequest(int keys) {
		this.maxKeysPerRequest = RequestRules.positive("The number of keys", keys);
	}

	int maxRetained() {
		return this.maxRetained;
	}

	void maxRetained(int locks) {
		this.maxRetained = RequestRules.positive("The number of retained locks (zero time retains none)", locks);
	}

	List<LockListener> listeners() {
		return this.listeners;
	}

	void listener(LockListener listener) {
		this.listeners.add(listener);
	}

}
