package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.Collection;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.github.zklock.Handoff;
import io.github.zklock.internal.client.KeyRules;

/**
 * What holds for the keys that match a pattern, instead of what holds for all. In a
 * pattern {@code *} stands for any text, also for none and for text with slashes;
 * everything else stands for itself. What is null is left to rules for more keys, and
 * then to the client's own settings.
 *
 * @param pattern which keys
 * @param strategy the name of the strategy, also for requests that name another
 * @param timeout how long requests queue that do not say it themselves
 * @param maxCount after how many handoffs a cohort queues again
 * @param minDuration after how long it does so at the earliest, but for the number
 * @param maxDuration after how long it does so at the latest
 * @param retain how long a grant is kept that nobody here wants
 * @since 0.1.0
 * @see Handoff
 */
public record KeyRule(String pattern, @Nullable String strategy, @Nullable Duration timeout, @Nullable Integer maxCount,
		@Nullable Duration minDuration, @Nullable Duration maxDuration, @Nullable Duration retain) {

	/**
	 * Creates a rule.
	 * @throws IllegalArgumentException if the pattern is empty or a bound is negative
	 */
	public KeyRule {
		if (pattern.isEmpty()) {
			throw new IllegalArgumentException("A key pattern must not be empty");
		}
		if (timeout != null && timeout.isNegative()) {
			throw new IllegalArgumentException("A lock time-out must not be negative, but is " + timeout);
		}
		merge(Handoff.DEFAULT, maxCount, minDuration, maxDuration, retain);
	}

	/**
	 * Begins a rule that says nothing yet.
	 * @param pattern which keys
	 * @return the rule
	 */
	public static KeyRule of(String pattern) {
		return new KeyRule(pattern, null, null, null, null, null, null);
	}

	/**
	 * Sets the strategy.
	 * @param name the name of the strategy
	 * @return a changed copy
	 */
	public KeyRule strategy(String name) {
		return new KeyRule(this.pattern, name, this.timeout, this.maxCount, this.minDuration, this.maxDuration,
				this.retain);
	}

	/**
	 * Sets the time-out.
	 * @param time how long to queue at most; zero tries once
	 * @return a changed copy
	 */
	public KeyRule timeout(Duration time) {
		return new KeyRule(this.pattern, this.strategy, time, this.maxCount, this.minDuration, this.maxDuration,
				this.retain);
	}

	/**
	 * Sets all bounds of the handoff.
	 * @param bounds the bounds
	 * @return a changed copy
	 */
	public KeyRule handoff(Handoff bounds) {
		return new KeyRule(this.pattern, this.strategy, this.timeout, bounds.maxCount(), bounds.minDuration(),
				bounds.maxDuration(), bounds.retain());
	}

	static KeyRules<KeyRule> ordered(Collection<KeyRule> rules) {
		return new KeyRules<>(rules, KeyRule::pattern, List.of(KeyRule::strategy, KeyRule::timeout, KeyRule::maxCount,
				KeyRule::minDuration, KeyRule::maxDuration, KeyRule::retain));
	}

	Handoff over(Handoff general) {
		return merge(general, this.maxCount, this.minDuration, this.maxDuration, this.retain);
	}

	private static Handoff merge(Handoff general, @Nullable Integer maxCount, @Nullable Duration minDuration,
			@Nullable Duration maxDuration, @Nullable Duration retain) {
		return new Handoff((maxCount != null) ? maxCount : general.maxCount(),
				(minDuration != null) ? minDuration : general.minDuration(),
				(maxDuration != null) ? maxDuration : general.maxDuration(),
				(retain != null) ? retain : general.retain());
	}

}
