package io.github.zklock.internal.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.zklock.LockException;
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

	/**
	 * Asks the servers and warns, unless the call is decided before they have answered.
	 * Returns at once.
	 * @return whether a warning was logged; fails if what was answered cannot be
	 * described
	 */
	CompletableFuture<Boolean> report() {
		return CompletableFuture.completedFuture(this)
			.thenComposeAsync(SlowWaitWarning::fronts, this.executor)
			.handleAsync((queues, failure) -> {
				boolean needed = isNeeded();
				if (needed) {
					warn((failure != null) ? seen() + "; ZooKeeper does not say who holds it"
							: holders(queues, seen()));
				}
				return needed;
			}, this.executor);
	}

	private String seen() {
		Blocker blocker = this.acquisition.blocker();
		return (blocker != null) ? blocker.toString() : "nobody was seen in the way";
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
