package io.github.zklock.internal.concurrent;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

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
	 * Returns how long to wait this time; those who began together do not go on together.
	 * @return nanoseconds, from half of the present pause up to all of it
	 */
	public long next() {
		int doublings = this.tries++ - this.free;
		if (doublings < 0) {
			return 0;
		}
		long pause = Math.min(this.first << Math.min(doublings, MOST_DOUBLINGS), this.longest);
		return ThreadLocalRandom.current().nextLong(pause / 2, pause + 1);
	}

	/** There was an answer: the next time is the first one. */
	public void reset() {
		this.tries = 0;
	}

}
