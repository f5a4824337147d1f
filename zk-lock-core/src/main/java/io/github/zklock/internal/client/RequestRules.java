package io.github.zklock.internal.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockRequest;
import io.github.zklock.internal.concurrent.Deadline;
import io.github.zklock.spi.LockStrategy;

/**
 * Fills in what a request leaves open, by a client's defaults and its rules for keys.
 *
 * @param strategies what a request may name
 * @param defaultStrategy the strategy of requests that name none
 * @param defaultTimeout the time-out of requests that have none
 * @param strategyRule finds the strategy that the rules give to some keys
 * @param timeoutRule finds the time-out that the rules give to some keys
 * @param size refuses keys that are too many, or too long
 * @param shares bounds how many keys are held at a time
 * @param clock the monotonic clock
 */
public record RequestRules(Map<String, LockStrategy> strategies, String defaultStrategy, Duration defaultTimeout,
		Function<List<String>, Optional<String>> strategyRule, Function<List<String>, Optional<Duration>> timeoutRule,
		Consumer<List<String>> size, Shares shares, LongSupplier clock) {

	private static final Duration LONGEST_WAIT = Duration.ofDays(36_500);

	public RequestRules {
		strategies = Map.copyOf(strategies);
	}

	/**
	 * Says that there is no strategy of a name.
	 * @param name the name
	 * @param known the names that there are
	 * @return what to throw
	 */
	public static IllegalArgumentException unknownStrategy(String name, Set<String> known) {
		return new IllegalArgumentException("Unknown lock strategy '" + name + "'; known are " + known);
	}

	/**
	 * Refuses times that no clock can count.
	 * @param what the time's name
	 * @param duration the time
	 * @return the same
	 * @throws IllegalArgumentException if it is negative, or longer than a hundred years
	 */
	public static Duration checkSlowWait(String what, Duration duration) {
		if (duration.isNegative() || duration.compareTo(LONGEST_WAIT) > 0) {
			throw new IllegalArgumentException(what + " must be zero to a hundred years, but is " + duration);
		}
		return duration;
	}

	/**
	 * Refuses negative times.
	 * @param what the time's name
	 * @param duration the time
	 * @return the same
	 * @throws IllegalArgumentException if it is negative
	 */
	public static Duration notNegative(String what, Duration duration) {
		if (duration.isNegative()) {
			throw new IllegalArgumentException(what + " must not be negative, but is " + duration);
		}
		return duration;
	}

	/**
	 * Refuses numbers below one.
	 * @param what the number's name
	 * @param number the number
	 * @return the same
	 * @throws IllegalArgumentException if it is zero or negative
	 */
	public static int positive(String what, int number) {
		if (number < 1) {
			throw new IllegalArgumentException(what + " must be at least 1, but is " + number);
		}
		return number;
	}

	/**
	 * Refuses a request that has too many keys.
	 * @param keys its keys
	 * @param most how many it may have
	 * @throws IllegalArgumentException if it has more, with both numbers
	 */
	public static void checkCount(List<String> keys, int most) {
		if (keys.size() > most) {
			throw new IllegalArgumentException(
					"A lock request may have at most %d keys, but this one has %d (zk-lock.max-keys-per-request, maxKeysPerRequest)"
						.formatted(most, keys.size()));
		}
	}

	/**
	 * Resolves a request. Its time begins to count.
	 * @param request the request
	 * @param defaultOwner who owns what is acquired, if the request does not say so
	 * @return the request with defaults and rules applied
	 * @throws IllegalArgumentException if it names an unknown strategy
	 */
	ResolvedRequest resolve(LockRequest request, Object defaultOwner) {
		this.size.accept(request.keys());
		this.shares.check(request.keys());
		if (request.strategy() != null) {
			strategy(request.strategy());
		}
		String name = strategyName(request);
		LockStrategy strategy = strategy(name);
		Object owner = (request.owner() != null) ? request.owner() : defaultOwner;
		return new ResolvedRequest(request, name, strategy, owner,
				Deadline.in(timeout(request), request.answerTimeout(), this.clock));
	}

	/**
	 * Finds the strategy of a request, without a look at anything else.
	 * @param request the request
	 * @return the strategy, or null if only {@link #resolve} knows it, or refuses it
	 */
	@Nullable LockStrategy strategyOf(LockRequest request) {
		boolean known = request.strategy() == null || this.strategies.containsKey(request.strategy());
		return known ? this.strategies.get(strategyName(request)) : null;
	}

	/**
	 * Returns whether a request does not wait.
	 * @param request the request
	 * @return whether its time-out is zero
	 */
	boolean isTryOnce(LockRequest request) {
		return timeout(request).isZero();
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
		return this.strategyRule.apply(request.keys()).orElse(named);
	}

	private Duration timeout(LockRequest request) {
		return (request.timeout() != null) ? request.timeout()
				: this.timeoutRule.apply(request.keys()).orElse(this.defaultTimeout);
	}

	/**
	 * Returns the strategies that a request may name.
	 * @return their names, sorted
	 */
	public Set<String> names() {
		return new TreeSet<>(this.strategies.keySet());
	}

}
