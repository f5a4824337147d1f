package io.github.zklock.benchmarks.run;

import java.time.Duration;

/**
 * Until when the workers of a contestant work before anything is measured, so that their
 * code is compiled: until the compilers have little to do, and no worker was granted few
 * locks. The number of locks alone would not show it: of a key that is handed off within
 * a worker for hundreds of them, a few dozen pass it to another one.
 *
 * @param locks how many locks each worker JVM is granted
 * @param compilerPercent which part of the time that the worker JVMs use of the
 * processors their compilers use in the end, at most
 * @param atMost how long that may take for each contestant of a workload; a session that
 * has begun goes on to its end
 */
public record Heat(int locks, int compilerPercent, Duration atMost) {

	/** How long a worker works before it connects anew, as in each turn. */
	public static final Duration SESSION = Duration.ofSeconds(2);

	/**
	 * Checks the numbers.
	 */
	public Heat {
		if (locks < 0 || compilerPercent < 0 || atMost.isNegative()) {
			throw new IllegalArgumentException("Nobody gets as warm as that");
		}
	}

	/**
	 * Returns how long a worker that hands a key off passes it on as soon as it can.
	 * @return two thirds of the time
	 */
	Duration brieflyAtMost() {
		return this.atMost.multipliedBy(2).dividedBy(3);
	}

	boolean isEnough(long granted, long compilerNanos, long clientNanos) {
		return granted >= this.locks && compilerNanos * 100 <= clientNanos * this.compilerPercent;
	}

}
