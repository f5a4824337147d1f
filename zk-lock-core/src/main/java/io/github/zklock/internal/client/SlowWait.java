package io.github.zklock.internal.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.zklock.inspect.LockLine;
import io.github.zklock.spi.LockEntry;
import io.github.zklock.spi.Obstacle;

/**
 * Warns that a caller has waited for long, and says who holds what it wants. It asks the
 * servers without waiting for them; a holder of this client is known without.
 *
 * @param acquisition the caller's call
 * @param entry what it waits for
 * @param limit after how long it is slow
 * @param executor where the answer is handled
 */
public record SlowWait(Acquisition acquisition, LockEntry entry, Duration limit, Executor executor) {

	private static final Logger log = LoggerFactory.getLogger(SlowWait.class);

	/** The time has come. Runs on the timer, and returns at once. */
	@SuppressWarnings("FutureReturnValueIgnored") // nobody waits for a warning
	public void tell() {
		if (this.acquisition.isDecided()) {
			return;
		}
		Obstacle obstacle = this.acquisition.obstacle();
		List<CompletableFuture<LockLine>> lines = new ArrayList<>();
		this.entry.keys()
			.forEach((key) -> lines.add(this.acquisition.asked().strategy().front(key).toCompletableFuture()));
		CompletableFuture.allOf(lines.toArray(CompletableFuture[]::new)).whenCompleteAsync((nothing, failure) -> {
			if (!this.acquisition.isDecided()) {
				String seen = (obstacle != null) ? obstacle.toString() : "nobody was seen in the way";
				warn((failure != null) ? seen + "; ZooKeeper does not say who holds it"
						: holders(lines.stream().map(CompletableFuture::join).toList(), seen));
			}
		}, this.executor);
	}

	private static String holders(List<LockLine> lines, String otherwise) {
		String holders = lines.stream()
			.flatMap((line) -> line.contenders()
				.stream()
				.filter((standing) -> standing.holds() && !standing.ours())
				.map((standing) -> text(line, standing, lines.size() > 1)))
			.collect(Collectors.joining("; "));
		return holders.isEmpty() ? otherwise : holders;
	}

	private static String text(LockLine line, LockLine.Standing holder, boolean named) {
		var origin = holder.origin();
		String who = (origin != null) ? origin.who() + " since " + origin.since() : "the node " + holder.path();
		return (named ? "'" + line.key() + "' " : "") + "held by " + who;
	}

	private void warn(String why) {
		log.warn("Thread {} has waited {}ms for {}: {}", this.entry.caller(), this.limit.toMillis(),
				ResolvedRequest.named(this.acquisition.asked().request()), why);
	}

}
