package io.github.zklock.internal.cohort;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.github.zklock.spi.Blocker;

/**
 * One local caller that contends for its keys: first it waits, then it holds.
 */
public interface LocalContender {

	/**
	 * Gives up waiting, or releases what is held. Its listener is not called any more.
	 * Further calls return the same stage.
	 * @return completes with null when nothing of the local contender is left in
	 * ZooKeeper; never exceptionally
	 */
	CompletionStage<Void> leave();

	/**
	 * It was woken ({@link LocalContenderListener#wake}) and is awake. If nobody holds
	 * what it waits for, it is granted, possibly before this returns.
	 */
	default void awake() {
	}

	/**
	 * Returns who was seen in the way since it began.
	 * @return the last blocker: an answer of ZooKeeper's or a local holder; null if
	 * nobody was seen
	 */
	@Nullable Blocker blocker();

	/**
	 * Returns what disturbed it since it began.
	 * @return the last unusable answer, or null
	 */
	@Nullable Exception disturbance();

	/**
	 * Describes a caller of this process to those in whose way it is.
	 * @param key the key
	 * @param thread the caller's thread
	 * @param holds whether it holds the key; otherwise it is queued before them
	 * @param nanos for how long
	 * @return the blocker
	 */
	static Blocker inTheWay(String key, String thread, boolean holds, long nanos) {
		return new Blocker(key, "this process (thread " + thread + ")", holds, Duration.ofNanos(nanos));
	}

	/**
	 * Describes the callers of this process who are queued before a new one.
	 * @param key the key
	 * @return one blocker for all
	 */
	static Blocker queuedBefore(String key) {
		return new Blocker(key, "callers of this process who came before", false, null);
	}

}
