package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.github.zklock.Handoff;
import io.github.zklock.internal.client.KeyRules;
import io.github.zklock.internal.client.ShareBound;
import io.github.zklock.internal.client.Shares;

/**
 * What holds for the keys that match a pattern, instead of what holds for all. In a
 * pattern {@code *} stands for any text, also for none and for text with slashes;
 * everything else stands for itself. What is null is left to rules for more keys, and
 * then to the client's own settings.
 *
 * @param pattern which keys
 * @param strategy the name of the strategy, also for requests that name another
 * @param timeout how long requests queue that do not say it themselves
 * @param maxCount after how many handoffs between callers of this client it queues again
 * @param minDuration how long its callers may hand a lock off at least, unless the number
 * is reached before
 * @param maxDuration how long they may do so at most while others wait
 * @param retain how long a grant is kept that nobody here wants
 * @param maxHeld how many of the keys this client holds at a time; keys for which a
 * narrower rule says so are not among them
 * @since 0.1.0
 * @see Handoff
 */
public record KeyRule(String pattern, @Nullable String strategy, @Nullable Duration timeout, @Nullable Integer maxCount,
		@Nullable Duration minDuration, @Nullable Duration maxDuration, @Nullable Duration retain,
		@Nullable Integer maxHeld) {

	/**
	 * Creates a rule.
	 * @throws IllegalArgumentException if the pattern is empty, a bound is negative, or
	 * no key could be held
	 */
	public KeyRule {
		if (pattern.isEmpty()) {
			throw new IllegalArgumentException("A key pattern must not be empty");
		}
		if (timeout != null && timeout.isNegative()) {
			throw new IllegalArgumentException("A lock time-out must not be negative, but is " + timeout);
		}
		merge(Handoff.DEFAULT, maxCount, minDuration, maxDuration, retain);
		bound(pattern, maxHeld);
	}

	/**
	 * Creates a rule that leaves open how many of the keys are held at a time.
	 * @param pattern which keys
	 * @param strategy the name of the strategy
	 * @param timeout how long requests queue that do not say it themselves
	 * @param maxCount after how many handoffs a cohort queues again
	 * @param minDuration after how long it does so at the earliest
	 * @param maxDuration after how long it does so at the latest
	 * @param retain how long a grant is kept that nobody here wants
	 * @throws IllegalArgumentException if the pattern is empty or a bound is negative
	 */
	public KeyRule(String pattern, @Nullable String strategy, @Nullable Duration timeout, @Nullable Integer maxCount,
			@Nullable Duration minDuration, @Nullable Duration maxDuration, @Nullable Duration retain) {
		this(pattern, strategy, timeout, maxCount, minDuration, maxDuration, retain, null);
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
				this.retain, this.maxHeld);
	}

	/**
	 * Sets the time-out.
	 * @param time how long to queue at most; zero tries once
	 * @return a changed copy
	 */
	public KeyRule timeout(Duration time) {
		return new KeyRule(this.pattern, this.strategy, time, this.maxCount, this.minDuration, this.maxDuration,
				this.retain, this.maxHeld);
	}

	/**
	 * Sets all bounds of the handoff.
	 * @param bounds the bounds
	 * @return a changed copy
	 */
	public KeyRule handoff(Handoff bounds) {
		return new KeyRule(this.pattern, this.strategy, this.timeout, bounds.maxCount(), bounds.minDuration(),
				bounds.maxDuration(), bounds.retain(), this.maxHeld);
	}

	/**
	 * Sets how many of the keys this client holds at a time, so that other instances get
	 * their part of them. A caller beyond that waits, within its time-out, without being
	 * in any queue of the servers.
	 * @param keys at least one
	 * @return a changed copy
	 */
	public KeyRule maxHeld(int keys) {
		return new KeyRule(this.pattern, this.strategy, this.timeout, this.maxCount, this.minDuration, this.maxDuration,
				this.retain, keys);
	}

	private static @Nullable ShareBound bound(String pattern, @Nullable Integer maxHeld) {
		return (maxHeld != null) ? new ShareBound(pattern, maxHeld) : null;
	}

	private @Nullable ShareBound bound() {
		return bound(this.pattern, this.maxHeld);
	}

	static Shares shares(Collection<KeyRule> rules) {
		return Shares.of(rules.stream().map(KeyRule::bound).filter(Objects::nonNull).toList());
	}

	static KeyRules<KeyRule> ordered(Collection<KeyRule> rules) {
		return new KeyRules<>(rules, KeyRule::pattern, List.of(KeyRule::strategy, KeyRule::timeout, KeyRule::maxCount,
				KeyRule::minDuration, KeyRule::maxDuration, KeyRule::retain, KeyRule::bound));
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
