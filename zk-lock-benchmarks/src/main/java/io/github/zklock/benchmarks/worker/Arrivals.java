package io.github.zklock.benchmarks.worker;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * When callers come to a process that do not know of each other, whether or not earlier
 * ones were served: an open loop. Its threads take one caller after the other. If all of
 * them are late, callers wait for a thread too, and that is part of their wait.
 */
final class Arrivals {

	private final SplittableRandom random;

	private final double meanNanos;

	private final long begin;

	private double sinceBegin;

	/**
	 * Lets callers come.
	 * @param random what draws their moments
	 * @param perSecond how many come in a second, on average
	 * @param begin when they begin to come, a moment of {@code System.nanoTime()}
	 */
	Arrivals(SplittableRandom random, double perSecond, long begin) {
		if (!(perSecond > 0)) {
			throw new IllegalArgumentException("Nobody comes: " + perSecond);
		}
		this.random = random;
		this.meanNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
		this.begin = begin;
	}

	/**
	 * Takes the next caller.
	 * @return the moment when it comes, or came
	 */
	synchronized long next() {
		this.sinceBegin += Pause.draw(this.random, this.meanNanos);
		return this.begin + (long) this.sinceBegin;
	}

}
