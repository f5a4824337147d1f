package io.github.zklock.drill;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;

/**
 * Waits for something to be there.
 */
final class Waiting {

	private static final Duration PAUSE = Duration.ofMillis(50);

	private Waiting() {
	}

	static <T> T until(String what, Duration limit, Callable<Optional<T>> look) throws Exception {
		long begun = System.nanoTime();
		while (true) {
			Optional<T> found = look.call();
			if (found.isPresent()) {
				return found.get();
			}
			if (System.nanoTime() - begun > limit.toNanos()) {
				throw new IllegalStateException("Waited for %d s in vain: %s".formatted(limit.toSeconds(), what));
			}
			Thread.sleep(PAUSE.toMillis());
		}
	}

}
