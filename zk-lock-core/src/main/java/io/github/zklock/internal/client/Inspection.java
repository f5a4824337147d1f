package io.github.zklock.internal.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

import io.github.zklock.inspect.LockInspector.LocalWaiter;
import io.github.zklock.spi.LockAttempt;

/**
 * What all inspectors do alike, wherever the queues are.
 */
public final class Inspection {

	private static final int LONGEST_REASON = 1000;

	private Inspection() {
	}

	/**
	 * Checks which page is asked for.
	 * @param page its number
	 * @param size how many keys it has at most
	 * @throws IllegalArgumentException if there can be no such page
	 */
	public static void checkPage(int page, int size) {
		if (page < 0 || size < 1) {
			throw new IllegalArgumentException(
					"A page must not be negative and must have a size, but is %d of size %d".formatted(page, size));
		}
	}

	/**
	 * Checks the reason for which holders are asked to release.
	 * @param reason the reason
	 * @throws IllegalArgumentException if it is too long
	 */
	public static void checkReason(String reason) {
		if (reason.length() > LONGEST_REASON) {
			throw new IllegalArgumentException("The reason must have at most %d characters, but has %d"
				.formatted(LONGEST_REASON, reason.length()));
		}
	}

	/**
	 * Describes the callers of a client that wait.
	 * @param pending what is under way
	 * @return one for each caller and key, the longest wait first
	 */
	public static List<LocalWaiter> localWaiters(Collection<Acquisition> pending) {
		List<LocalWaiter> waiters = new ArrayList<>();
		pending.forEach((acquisition) -> {
			LockAttempt attempt = acquisition.attempt();
			if (attempt != null && !acquisition.isDecided()) {
				Duration waited = Duration.ofNanos(acquisition.asked().deadline().elapsed());
				for (int i = 0; i < attempt.keys().size(); i++) {
					waiters
						.add(new LocalWaiter(attempt.keys().get(i), attempt.modes().get(i), attempt.caller(), waited));
				}
			}
		});
		waiters.sort(Comparator.comparing(LocalWaiter::waited).reversed());
		return waiters;
	}

}
