package io.github.zklock.internal.concurrent;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * How long a loop waits before it asks again: not at all for the first times, and then
 * about twice as long each time, up to a bound. Confined to the steps of the loop.
 */
public final class GrowingPause {

	private static final int MOST_DOUBLINGS = 20;

	private final int free;

	private final long first;

	private final long longest;

	private int tries;

	/**
	 * Creates a pause.
	 * @param free how many times there is none
	 * @param first the first one
	 * @param longest the longest one
	 */
	public GrowingPause(int free, Duration first, Duration longest) {
		this.free = free;
		this.first = first.toNanos();
		this.longest = longest.toNanos();
	}

	/**
	 * Creates the pause before what asks again for an answer that was lost.
	 * @return none after the first loss, and then of 50 ms up to five seconds
	 */
	public static GrowingPause afterLosses() {
		return new GrowingPause(1, Duration.ofMillis(50), Duration.ofSeconds(5));
	}

	/**
	 * Returns how long to wait this time; those who began together do not go on together.
	 * @return nanoseconds, from half of the present pause up to all of it
	 */
	public long next() {
		int doublings = this.tries++ - this.free;
		if (doublings < 0) {
			return 0;
		}
		return some(doublings, this.first, this.longest);
	}

	/**
	 * Returns how long to wait before something is asked for again that was refused.
	 * @param before how often it was refused before
	 * @return nanoseconds, of up to a second at first and up to five later
	 */
	public static long afterRefusal(int before) {
		return some(before, TimeUnit.SECONDS.toNanos(1), TimeUnit.SECONDS.toNanos(5));
	}

	private static long some(int doublings, long first, long longest) {
		long pause = Math.min(first << Math.min(doublings, MOST_DOUBLINGS), longest);
		return ThreadLocalRandom.current().nextLong(pause / 2, pause + 1);
	}

	/** There was an answer: the next time is the first one. */
	public void reset() {
		this.tries = 0;
	}

}
