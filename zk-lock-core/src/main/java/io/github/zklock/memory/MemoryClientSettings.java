package io.github.zklock.memory;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.github.zklock.Handoff;
import io.github.zklock.internal.client.CommonSettings;
import io.github.zklock.internal.client.KeyRules;
import io.github.zklock.internal.client.RequestRules;
import io.github.zklock.internal.client.ShareBound;
import io.github.zklock.internal.client.Shares;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.node.ClientIdentity;
import io.github.zklock.spi.LockStrategy;

/**
 * The settings of a client in memory.
 */
final class MemoryClientSettings extends CommonSettings {

	private final InstantSource wallClock;

	final Set<String> strategies = new TreeSet<>(List.of("sequential", "naive"));

	final List<TimeoutRule> timeouts = new ArrayList<>();

	final List<ShareBound> bounds = new ArrayList<>();

	String root = "/zk-lock";

	String application = "application";

	@Nullable String instance;

	MemoryClientSettings(InstantSource wallClock) {
		this.wallClock = wallClock;
	}

	/**
	 * Makes the strategy of a client.
	 * @return its contenders carry its names
	 */
	MemoryLockStrategy strategy() {
		long pid = ProcessHandle.current().pid();
		String named = (this.instance != null) ? this.instance : this.application + ":" + pid;
		ClientIdentity identity = new ClientIdentity(this.application, named, "localhost", pid, this.wallClock);
		return new MemoryLockStrategy(KeyQueues.of(this.root, this.wallClock.millis()), identity, new StepFailures(),
				System::nanoTime);
	}

	/**
	 * Puts the rules in order.
	 * @param strategy serves all requests
	 * @return the rules
	 * @throws IllegalArgumentException if the default strategy is not known, or if two
	 * time-outs or bounds contradict each other
	 */
	RequestRules rules(MemoryLockStrategy strategy) {
		if (!this.strategies.contains(defaultStrategy())) {
			throw RequestRules.unknownStrategy(defaultStrategy(), this.strategies);
		}
		KeyRules<TimeoutRule> ordered = new KeyRules<>(this.timeouts, TimeoutRule::pattern,
				List.of(TimeoutRule::timeout));
		Map<String, LockStrategy> served = new TreeMap<>();
		this.strategies.forEach((name) -> served.put(name, strategy));
		return new RequestRules(served, defaultStrategy(), timeout(), (keys) -> Optional.empty(),
				(keys) -> ordered.find(keys, TimeoutRule::timeout),
				(keys) -> RequestRules.checkCount(keys, maxKeysPerRequest()), Shares.of(this.bounds), strategy.clock());
	}

	@Override
	protected Function<String, Handoff> handoffs() {
		return (key) -> Handoff.DEFAULT;
	}

	/**
	 * The time-out of some keys.
	 *
	 * @param pattern which keys
	 * @param timeout how long requests queue that do not say it themselves
	 */
	record TimeoutRule(String pattern, Duration timeout) {
	}

}
