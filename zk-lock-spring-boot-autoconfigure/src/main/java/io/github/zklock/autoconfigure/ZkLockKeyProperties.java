package io.github.zklock.autoconfigure;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Configuration properties of the keys that match a pattern. What is not set is left to
 * wider patterns, and then to what holds for all keys.
 *
 * @since 0.1.0
 */
public final class ZkLockKeyProperties {

	/**
	 * Name of the lock strategy, also for requests and methods that name another.
	 */
	private @Nullable String strategy;

	/**
	 * Longest time to queue, for requests that name no time-out.
	 */
	private @Nullable Duration timeout;

	/**
	 * Time to keep a lock that nobody in this JVM wants any more.
	 */
	private @Nullable Duration retain;

	/**
	 * Maximum number of keys of this pattern that this instance holds at a time.
	 */
	private @Nullable Integer maxHeld;

	private final Handoff handoff = new Handoff();

	/**
	 * Returns the strategy.
	 * @return its name, or null
	 */
	public @Nullable String getStrategy() {
		return this.strategy;
	}

	/**
	 * Sets the strategy.
	 * @param strategy its name
	 */
	public void setStrategy(@Nullable String strategy) {
		this.strategy = strategy;
	}

	/**
	 * Returns the time-out.
	 * @return the time-out, or null
	 */
	public @Nullable Duration getTimeout() {
		return this.timeout;
	}

	/**
	 * Sets the time-out.
	 * @param timeout the time-out; zero tries once
	 */
	public void setTimeout(@Nullable Duration timeout) {
		this.timeout = timeout;
	}

	/**
	 * Returns how long a lock is kept that nobody here wants.
	 * @return the time, or null
	 */
	public @Nullable Duration getRetain() {
		return this.retain;
	}

	/**
	 * Sets how long a lock is kept that nobody here wants.
	 * @param retain the time; zero for not at all
	 */
	public void setRetain(@Nullable Duration retain) {
		this.retain = retain;
	}

	/**
	 * Returns how many keys this instance holds at a time.
	 * @return the number, or null
	 */
	public @Nullable Integer getMaxHeld() {
		return this.maxHeld;
	}

	/**
	 * Sets how many keys this instance holds at a time.
	 * @param maxHeld the number, at least one
	 */
	public void setMaxHeld(@Nullable Integer maxHeld) {
		this.maxHeld = maxHeld;
	}

	/**
	 * Returns how locks are handed off inside this JVM.
	 * @return the properties
	 */
	public Handoff getHandoff() {
		return this.handoff;
	}

	/**
	 * How callers of this JVM hand a lock off to each other.
	 */
	public static final class Handoff {

		/**
		 * Number of times that callers of this JVM hand a lock off to each other while
		 * others wait for it.
		 */
		private @Nullable Integer maxCount;

		/**
		 * Longest time for which callers of this JVM hand a lock off to each other while
		 * others wait for it.
		 */
		private @Nullable Duration maxDuration;

		/**
		 * Least time for which they do so.
		 */
		private @Nullable Duration minDuration;

		/**
		 * Returns how often a lock is handed off.
		 * @return the number, or null
		 */
		public @Nullable Integer getMaxCount() {
			return this.maxCount;
		}

		/**
		 * Sets how often a lock is handed off.
		 * @param maxCount the number; zero for never
		 */
		public void setMaxCount(@Nullable Integer maxCount) {
			this.maxCount = maxCount;
		}

		/**
		 * Returns for how long a lock is handed off.
		 * @return the time, or null
		 */
		public @Nullable Duration getMaxDuration() {
			return this.maxDuration;
		}

		/**
		 * Sets for how long a lock is handed off.
		 * @param maxDuration the time
		 */
		public void setMaxDuration(@Nullable Duration maxDuration) {
			this.maxDuration = maxDuration;
		}

		/**
		 * Returns for how long a lock is handed off at least.
		 * @return the time, or null
		 */
		public @Nullable Duration getMinDuration() {
			return this.minDuration;
		}

		/**
		 * Sets for how long a lock is handed off at least.
		 * @param minDuration the time
		 */
		public void setMinDuration(@Nullable Duration minDuration) {
			this.minDuration = minDuration;
		}

	}

}
