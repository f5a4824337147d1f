package io.github.zklock.spi;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.zklock.LockMode;

/**
 * ZooKeeper's word that a contender holds a key.
 *
 * @since 0.1.0
 */
public interface Grant {

	/** How many fencing tokens a grant has: its own and one for each handoff. */
	int TOKENS = 2048;

	/**
	 * Returns the key.
	 * @return the key
	 */
	String key();

	/**
	 * Returns the mode.
	 * @return the mode that was granted
	 */
	LockMode mode();

	/**
	 * Returns how many may hold the key together with this grant.
	 * @return the number if it is a permit's; 0 if it is a lock's, as it is unless
	 * overridden
	 */
	default int permits() {
		return 0;
	}

	/**
	 * Returns the first of the {@link #TOKENS} fencing tokens of this grant: the node's
	 * czxid in the upper bits, zero in the lower eleven.
	 * @return a positive number, larger than all tokens of earlier write grants of the
	 * key; of permits only unique
	 */
	long firstToken();

	/**
	 * Returns whether the grant is certainly good at this moment: not released, not lost,
	 * its session alive by the local monotonic clock. Once seen false it stays false.
	 * @return whether it is good
	 */
	boolean isValid();

	/**
	 * Asks to be notified when another contender is queued behind this grant (for READ: a
	 * contender of another mode).
	 * @return completes with null when one was seen, at once where the strategy cannot
	 * see who waits; never if the grant is released or lost before
	 */
	CompletionStage<Void> whenContended();

	/**
	 * Looks whether another contender is queued behind this grant (for READ: a contender
	 * of another mode).
	 * @return completes with whether one was seen by then; never if the grant is released
	 * or lost before. Unless overridden, with what {@link #whenContended()} shows at once
	 */
	default CompletionStage<Boolean> isContended() {
		CompletableFuture<Boolean> seen = new CompletableFuture<>();
		whenContended().thenRun(() -> seen.complete(true));
		seen.complete(false);
		return seen;
	}

	/**
	 * Returns whether more contenders held the key together with this grant than waited
	 * when the queue was last seen. A cohort keeps a READ grant that most contenders hold
	 * together for as long as any other although some wait, and otherwise for one change.
	 * Asked by any thread.
	 * @return whether most held it; unless overridden false
	 */
	default boolean isHeldByMost() {
		return false;
	}

	/**
	 * Returns how long it takes to pass the key to another client, as measured lately.
	 * @return nanoseconds. Unless overridden {@link Long#MAX_VALUE}: that is not known
	 */
	default long changeNanos() {
		return Long.MAX_VALUE;
	}

	/**
	 * Returns how long that takes for the client in the queue for which it takes least,
	 * as far as the others have said so. A cohort keeps a contended grant for ten times
	 * as long, within the bounds of its {@link io.github.zklock.Handoff}: a client that
	 * is alone there, or as near to the servers as the others, loses a tenth of its time
	 * by that, and one that is far has the key for about as long as they. Asked by any
	 * thread.
	 * @return nanoseconds; unless overridden the same as {@link #changeNanos()}. With
	 * {@link Long#MAX_VALUE} the bounds alone count
	 */
	default long leastChangeNanos() {
		return changeNanos();
	}

	/**
	 * Makes a WRITE grant a READ one, at the same position: no contender that excludes
	 * READ is granted in between, and those that share with it are. Its tokens stay.
	 * @return completes with whether it is READ from then on; with false if it stays as
	 * it is, as it does unless overridden; perhaps never if it is released or lost before
	 */
	default CompletionStage<Boolean> downgrade() {
		return CompletableFuture.completedStage(mode().isShared());
	}

	/**
	 * Releases the grant: its node is deleted, and the delete repeated until the node is
	 * known to be gone. Further calls return the same stage.
	 * @return completes with null when the node is gone; never exceptionally
	 */
	CompletionStage<Void> release();

}
