package io.github.zklock.internal.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockException;
import io.github.zklock.LockListener;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.internal.concurrent.Deadline;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.spi.LockStrategy;

/**
 * A request with all that it leaves open filled in, and what is said of it.
 *
 * @param request the request as the user gave it
 * @param strategyName the name of the strategy
 * @param strategy the strategy
 * @param owner who may re-enter
 * @param deadline until when it may take
 */
record ResolvedRequest(LockRequest request, String strategyName, LockStrategy strategy, Object owner,
		Deadline deadline) {

	private static final AtomicLong IDS = new AtomicLong();

	/**
	 * Numbers a call.
	 * @return what no other call in this JVM has
	 */
	static long newId() {
		return IDS.incrementAndGet();
	}

	/**
	 * Names what is asked for, in a sentence.
	 * @param request the request
	 * @return for example {@code lock 'orders'}, {@code locks [orders, stock]}
	 */
	static String named(LockRequest request) {
		return LockException.named(request.keys());
	}

	/**
	 * Returns what is to be entered.
	 * @param held what the owner holds of it already
	 * @param caller who asks, for people
	 * @return the attempt on the other keys, or null if there are none
	 */
	@Nullable LockAttempt attempt(List<Hold> held, String caller) {
		List<String> keys = this.request.keys();
		List<LockMode> modes = this.request.modes();
		List<Integer> permits = this.request.permits();
		if (!held.isEmpty()) {
			keys = new ArrayList<>(keys);
			modes = new ArrayList<>(modes);
			permits = new ArrayList<>(permits);
			for (Hold hold : held) {
				int index = keys.indexOf(hold.key());
				keys.remove(index);
				modes.remove(index);
				permits.remove(index);
			}
		}
		return keys.isEmpty() ? null : new LockAttempt(keys, modes, permits, this.deadline.isZero(), caller, false);
	}

	/**
	 * Puts what was acquired in the order of the keys.
	 * @param fresh what was granted now
	 * @param reentered what the owner held before
	 * @return all of it
	 */
	List<Hold> inOrder(List<Hold> fresh, List<Hold> reentered) {
		if (reentered.isEmpty()) {
			return fresh;
		}
		List<Hold> inOrder = new ArrayList<>(fresh);
		inOrder.addAll(reentered);
		inOrder.sort(Comparator.comparingInt((hold) -> this.request.keys().indexOf(hold.key())));
		return inOrder;
	}

	/**
	 * Describes the call for listeners.
	 * @param id the number of the acquisition
	 * @param way how it was acquired, or null
	 * @return the event, with the time that it has taken up to now
	 */
	LockListener.Event event(long id, LockListener.@Nullable Way way) {
		return new LockListener.Event(id, this.request.keys(), this.request.template(), this.request.mode(),
				this.strategyName, way, Duration.ofNanos(this.deadline.elapsed()));
	}

	/**
	 * Says that others hold a key.
	 * @param blocker who was seen
	 * @return what to throw
	 */
	LockTimeoutException busy(Blocker blocker) {
		return new LockTimeoutException(message(blocker.toString()));
	}

	/**
	 * Says that nobody was seen in the way, and that there was no grant either.
	 * @param disturbance the last unusable answer, or null
	 * @param servers who was asked
	 * @return what to throw
	 */
	LockUnavailableException unanswered(@Nullable Exception disturbance, String servers) {
		LockUnavailableException known = (disturbance instanceof LockUnavailableException unavailable) ? unavailable
				: null;
		Duration waited = this.deadline.isZero() ? this.request.answerTimeout() : null;
		String none = "ZooKeeper gave no answer" + ((waited != null) ? " within " + Deadline.text(waited) : "");
		String why = (known != null) ? String.valueOf(known.getMessage()) : none;
		return new LockUnavailableException(message("%s (servers %s)".formatted(why, servers)),
				(known != null) ? known.getCause() : disturbance);
	}

	/**
	 * Says that a step of the engine has failed.
	 * @param cause what the step threw
	 * @return what to throw
	 */
	LockException engineFailed(Throwable cause) {
		return LockException.engineFailed(this.request.keys(), cause);
	}

	/**
	 * Says that nothing is acquired any more.
	 * @return what to throw
	 */
	LockUnavailableException closed() {
		return new LockUnavailableException("Could not acquire " + named(this.request) + ": the lock client is closed");
	}

	private String message(String why) {
		return "Could not acquire %s %s: %s".formatted(named(this.request), this.deadline, why);
	}

}
