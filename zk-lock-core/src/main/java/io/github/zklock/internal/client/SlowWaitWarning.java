package io.github.zklock.internal.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.zklock.LockException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.inspect.LockQueue;
import io.github.zklock.spi.Blocker;
import io.github.zklock.spi.LockAttempt;

/**
 * Warns that a caller has waited for long, and says who holds what it wants. It asks the
 * servers without waiting for them; a holder of this client is known without.
 *
 * @param acquisition the caller's call
 * @param attempt what it waits for
 * @param limit after how long it is slow
 * @param executor where the answer is handled
 */
record SlowWaitWarning(Acquisition acquisition, LockAttempt attempt, Duration limit, Executor executor) {

	private static final Logger log = LoggerFactory.getLogger(SlowWaitWarning.class);

	private static final String UNKNOWN = "; ZooKeeper does not say who holds it";

	/**
	 * Asks the servers and warns, unless the call is decided before they have answered.
	 * Returns at once.
	 * @param unanswered is asked where nothing is known but that ZooKeeper does not
	 * answer: gives for how many other keys that was so since it was logged last; empty
	 * if it is not to be logged again
	 * @return whether the caller still waited, so that there was something to warn of;
	 * fails if what was answered cannot be described
	 */
	CompletableFuture<Boolean> report(Supplier<OptionalInt> unanswered) {
		return CompletableFuture.completedFuture(this)
			.thenComposeAsync(SlowWaitWarning::fronts, this.executor)
			.handleAsync((queues, failure) -> {
				boolean needed = isNeeded();
				if (needed) {
					Blocker blocker = this.acquisition.blocker();
					String seen = (blocker != null) ? blocker.toString() : "nobody was seen in the way";
					if (failure == null) {
						warn(holders(queues, seen));
					}
					else if (blocker == null && failure.getCause() instanceof LockUnavailableException) {
						unanswered.get().ifPresent((others) -> warn(seen + UNKNOWN + and(others)));
					}
					else {
						warn(seen + UNKNOWN);
					}
				}
				return needed;
			}, this.executor);
	}

	private static String and(int others) {
		return (others > 0) ? " (other keys since the last such warning: " + others + ")" : "";
	}

	private CompletableFuture<List<LockQueue>> fronts() {
		List<CompletableFuture<LockQueue>> queues = new ArrayList<>();
		this.attempt.keys()
			.forEach((key) -> queues.add(this.acquisition.asked().strategy().front(key).toCompletableFuture()));
		return CompletableFuture.allOf(queues.toArray(CompletableFuture[]::new))
			.thenApply((all) -> queues.stream().map(CompletableFuture::join).toList());
	}

	/**
	 * Returns whether the caller still waits.
	 * @return false once its call is decided
	 */
	boolean isNeeded() {
		return !this.acquisition.isDecided();
	}

	private static String holders(List<LockQueue> queues, String otherwise) {
		String holders = queues.stream()
			.flatMap((queue) -> queue.contenders()
				.stream()
				.filter((contender) -> contender.holds() && !contender.ours())
				.map((contender) -> text(queue, contender, queues.size() > 1)))
			.collect(Collectors.joining("; "));
		return holders.isEmpty() ? otherwise : holders;
	}

	private static String text(LockQueue queue, LockQueue.Contender holder, boolean named) {
		var origin = holder.origin();
		String who = (origin != null) ? origin.who() + " since " + origin.since() : "the node " + holder.path();
		return (named ? "'" + LockException.printable(queue.key()) + "' " : "") + "held by " + who;
	}

	private void warn(String why) {
		log.warn("Thread {} has waited {}ms for {}: {}", this.attempt.caller(), this.limit.toMillis(),
				ResolvedRequest.named(this.acquisition.asked().request()), why);
	}

}
