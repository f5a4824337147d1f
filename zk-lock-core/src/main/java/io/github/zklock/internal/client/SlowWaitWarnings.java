package io.github.zklock.internal.client;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.LockAttempt;

/**
 * Warns of callers that wait for long, once in a time for each key, however many wait for
 * it: each warning asks the servers who holds the key.
 */
final class SlowWaitWarnings {

	/*-
	 * When each key was warned of last, the earliest first. Waits come due on the timer's
	 * thread, so the monitor is free nearly always; it is held while the map is changed only.
	 *
	 * What is older than the interval is forgotten, and there are at most MOST_KEYS: beyond
	 * that no other key is warned of until one is forgotten.
	 */

	private static final int MOST_KEYS = 1000;

	private final Map<String, Long> warned = new LinkedHashMap<>();

	private final Duration limit;

	private final long interval;

	private final Executor executor;

	private final LongSupplier clock;

	/**
	 * Creates warnings.
	 * @param limit after how long a wait is slow; zero for never
	 * @param interval in which time a key is warned of once; zero for each call
	 * @param executor where the warnings are logged
	 * @param clock the monotonic clock
	 */
	SlowWaitWarnings(Duration limit, Duration interval, Executor executor, LongSupplier clock) {
		this.limit = limit;
		this.interval = interval.toNanos();
		this.executor = executor;
		this.clock = clock;
	}

	/**
	 * Warns of a caller when the time has come, unless that was done for its key lately.
	 * @param acquisition the caller's call
	 * @param attempt what it waits for
	 */
	void watch(Acquisition acquisition, LockAttempt attempt) {
		if (!this.limit.isZero()) {
			acquisition.warnIfSlow(this.limit.toNanos(), () -> report(acquisition, attempt));
		}
	}

	private void report(Acquisition acquisition, LockAttempt attempt) {
		Blocker blocker = acquisition.blocker();
		String key = (blocker != null) ? blocker.key() : attempt.keys().get(0);
		if (!acquisition.isDecided() && isDue(key)) {
			new SlowWaitWarning(acquisition, attempt, this.limit, this.executor).report();
		}
	}

	private boolean isDue(String key) {
		if (this.interval == 0) {
			return true;
		}
		long now = this.clock.getAsLong();
		synchronized (this.warned) {
			Iterator<Long> earliest = this.warned.values().iterator();
			while (earliest.hasNext() && now - earliest.next() >= this.interval) {
				earliest.remove();
			}
			return this.warned.size() < MOST_KEYS && this.warned.putIfAbsent(key, now) == null;
		}
	}

}
