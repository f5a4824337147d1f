package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import io.github.zklock.LockRequest;
import io.github.zklock.internal.client.RequestResolver;
import io.github.zklock.internal.client.ResolvedRequest;
import io.github.zklock.internal.concurrent.Deadline;
import io.github.zklock.internal.concurrent.StackProbe;
import io.github.zklock.internal.session.SessionSource;
import io.github.zklock.spi.LockStrategy;

/**
 * Applies a client's defaults and its rules for keys.
 *
 * @param strategies what a request may name
 * @param defaultStrategy the strategy of requests that name none
 * @param defaultTimeout the time-out of requests that have none
 * @param rules what applies to some keys
 * @param maxKeys how many keys a request may have
 * @param source where its nodes will be
 */
record RequestRules(Map<String, LockStrategy> strategies, String defaultStrategy, Duration defaultTimeout,
		KeyRules rules, int maxKeys, SessionSource source) implements RequestResolver {

	RequestRules {
		strategies = Map.copyOf(strategies);
	}

	static IllegalArgumentException unknownStrategy(String name, Set<String> known) {
		return new IllegalArgumentException("Unknown lock strategy '" + name + "'; known are " + known);
	}

	@Override
	public ResolvedRequest resolve(LockRequest request, Object defaultOwner) {
		StackProbe.require();
		new RequestSize(this.maxKeys, this.source.paths(), this.source.identity()).check(request.keys());
		if (request.strategy() != null) {
			strategy(request.strategy());
		}
		String name = strategyName(request);
		LockStrategy strategy = strategy(name);
		Object owner = (request.owner() != null) ? request.owner() : defaultOwner;
		return new ResolvedRequest(request, name, strategy, owner, Deadline.in(timeout(request), this.source.clock()));
	}

	private LockStrategy strategy(String name) {
		LockStrategy strategy = this.strategies.get(name);
		if (strategy == null) {
			throw unknownStrategy(name, names());
		}
		return strategy;
	}

	private String strategyName(LockRequest request) {
		String named = (request.strategy() != null) ? request.strategy() : this.defaultStrategy;
		return this.rules.find(request.keys(), KeyRule::strategy).orElse(named);
	}

	private Duration timeout(LockRequest request) {
		return (request.timeout() != null) ? request.timeout()
				: this.rules.find(request.keys(), KeyRule::timeout).orElse(this.defaultTimeout);
	}

	/**
	 * Returns the strategies that a request may name.
	 * @return their names, sorted
	 */
	Set<String> names() {
		return new TreeSet<>(this.strategies.keySet());
	}

}
