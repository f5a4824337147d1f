package io.github.zklock.harness;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Waits for what other processes do.
 */
public final class Waiting {

	private static final Duration PAUSE = Duration.ofMillis(10);

	private Waiting() {
	}

	/**
	 * Waits until a condition holds.
	 * @param what the condition, for the message
	 * @param limit how long at most
	 * @param condition looks whether it holds
	 * @throws IllegalStateException if it does not hold in time, or if interrupted; the
	 * thread is interrupted again then
	 */
	public static void until(String what, Duration limit, BooleanSupplier condition) {
		present(what, limit, () -> condition.getAsBoolean() ? Optional.of(true) : Optional.empty());
	}

	/**
	 * Waits until there is a value.
	 * @param <T> the type of the value
	 * @param what the condition under which there is one, for the message
	 * @param limit how long at most
	 * @param look looks for the value
	 * @return the value
	 * @throws IllegalStateException if there is none in time, or if interrupted; the
	 * thread is interrupted again then
	 */
	public static <T> T present(String what, Duration limit, Supplier<Optional<T>> look) {
		long begun = System.nanoTime();
		Optional<T> found = look.get();
		while (found.isEmpty()) {
			if (System.nanoTime() - begun > limit.toNanos()) {
				throw new IllegalStateException("Waited for %s in vain until %s".formatted(limit, what));
			}
			pause(PAUSE);
			found = look.get();
		}
		return found.get();
	}

	/**
	 * Does nothing for a while.
	 * @param time how long
	 * @throws IllegalStateException if interrupted; the thread is interrupted again then
	 */
	public static void pause(Duration time) {
		try {
			TimeUnit.NANOSECONDS.sleep(time.toNanos());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted", ex);
		}
	}

}
