package io.github.zklock.internal.session;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import io.github.zklock.internal.concurrent.StepFailures;

/**
 * Those who wait for a session. Any thread joins, leaves and calls them.
 */
final class SessionWaiters {

	/*-
	 * I1: a round calls those who waited when it began, each once: one that is called, and whose session
	 *     has ended meanwhile, waits again before it returns.
	 * I2: what one of them throws is reported and keeps nobody else from being called.
	 */

	private final Set<SessionWaiter> waiting = ConcurrentHashMap.newKeySet();

	private final StepFailures failures;

	SessionWaiters(StepFailures failures) {
		this.failures = failures;
	}

	void add(SessionWaiter waiter) {
		this.waiting.add(waiter);
	}

	/**
	 * Lets a waiter wait no more.
	 * @param waiter which
	 * @return whether it did
	 */
	boolean remove(SessionWaiter waiter) {
		return this.waiting.remove(waiter);
	}

	boolean isEmpty() {
		return this.waiting.isEmpty();
	}

	int count() {
		return this.waiting.size();
	}

	/**
	 * Calls all who wait, and who go on waiting.
	 * @param call calls one
	 */
	void each(Consumer<SessionWaiter> call) {
		List.copyOf(this.waiting).forEach((waiter) -> this.failures.contain(waiter, () -> call.accept(waiter)));
	}

	/**
	 * Hands a session to all who wait.
	 * @param session the session
	 */
	void begin(LockSession session) {
		each((waiter) -> {
			if (remove(waiter)) {
				waiter.sessionBegan(session);
			}
		});
	}

}
