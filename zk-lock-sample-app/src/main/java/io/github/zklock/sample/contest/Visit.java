package io.github.zklock.sample.contest;

import org.jspecify.annotations.Nullable;

/**
 * One client's turn, on the clock of {@link System#nanoTime()}.
 *
 * @param client which client
 * @param asked when it asked for the lock
 * @param entered when it held the lock; if it never did, when it gave up
 * @param left when it began to release the lock; if it never held it, when it gave up
 * @param fencingToken the lock's token; zero without a lock
 * @param ticket the ticket it bought; null if it never came to the counter
 * @param failure why it never came to the counter; null if it did
 */
public record Visit(int client, long asked, long entered, long left, long fencingToken, @Nullable Integer ticket,
		@Nullable String failure) {

	/**
	 * Returns whether the client came to the counter.
	 * @return false if it was turned away
	 */
	public boolean served() {
		return this.failure == null;
	}

}
