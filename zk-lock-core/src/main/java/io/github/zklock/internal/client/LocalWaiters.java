package io.github.zklock.internal.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

import io.github.zklock.inspect.LockInspector.LocalWaiter;
import io.github.zklock.spi.LockAttempt;

/**
 * Describes the callers of a client that wait, for people.
 */
public final class LocalWaiters {

	private LocalWaiters() {
	}

	/**
	 * Describes those who wait.
	 * @param pending what is under way
	 * @return one for each caller and key, the longest wait first
	 */
	public static List<LocalWaiter> of(Collection<Acquisition> pending) {
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
