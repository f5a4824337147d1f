package io.github.zklock.benchmarks.worker;

import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits without using a processor. The system wakes a thread some 50 µs late, or more if
 * the processors are busy.
 */
final class Pause {

	private Pause() {
	}

	static void until(long moment) {
		for (long left = moment - System.nanoTime(); left > 0; left = moment - System.nanoTime()) {
			LockSupport.parkNanos(left);
		}
	}

	/**
	 * Draws a time from those between events that do not know of each other: from an
	 * exponential distribution.
	 * @param random what draws
	 * @param mean the mean
	 * @return the time, in the mean's unit
	 */
	static double draw(SplittableRandom random, double mean) {
		return -mean * Math.log(1 - random.nextDouble());
	}

}
