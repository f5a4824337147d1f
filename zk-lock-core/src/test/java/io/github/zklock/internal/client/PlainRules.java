package io.github.zklock.internal.client;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

import io.github.zklock.spi.LockStrategy;

/**
 * The rules of a client that has one strategy and bounds nothing.
 */
final class PlainRules {

	private PlainRules() {
	}

	/**
	 * Creates rules by which callers wait for a minute.
	 * @param strategy the strategy of all requests
	 * @param clock the monotonic clock
	 * @return the rules
	 */
	static RequestRules of(LockStrategy strategy, LongSupplier clock) {
		return new RequestRules(Map.of("memory", strategy), "memory", Duration.ofMinutes(1), (keys) -> Optional.empty(),
				(keys) -> Optional.empty(), (keys) -> {
				}, Shares.none(), clock);
	}

}
