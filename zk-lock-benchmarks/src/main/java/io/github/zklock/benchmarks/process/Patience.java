package io.github.zklock.benchmarks.process;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Waits for what other processes do.
 */
public final class Patience {

	private static final Duration LIMIT = Duration.ofSeconds(90);

	private Patience() {
	}

	/**
	 * Waits until something is so.
	 * @param what what is waited for, for the message
	 * @param condition whether it is so
	 * @throws IllegalStateException if it is not so in time
	 */
	public static void await(String what, BooleanSupplier condition) {
		long start = System.nanoTime();
		while (!condition.getAsBoolean()) {
			if (System.nanoTime() - start > LIMIT.toNanos()) {
				throw new IllegalStateException("Waited in vain until " + what);
			}
			pause(5);
		}
	}

	/**
	 * Does nothing for a time.
	 * @param millis how long
	 */
	public static void pause(long millis) {
		try {
			TimeUnit.MILLISECONDS.sleep(millis);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("Interrupted", ex);
		}
	}

}
