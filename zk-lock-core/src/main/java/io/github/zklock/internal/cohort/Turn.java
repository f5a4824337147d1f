package io.github.zklock.internal.cohort;

import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.github.zklock.spi.Obstacle;

/**
 * One local caller's place in the contest for its keys: first it waits, then it holds.
 */
public interface Turn {

	/**
	 * Gives up waiting, or releases what is held. The turn's listener hears nothing more.
	 * Further calls return the same stage.
	 * @return completes with null when nothing of the turn is left in ZooKeeper; never
	 * exceptionally
	 */
	CompletionStage<Void> leave();

	/**
	 * Tells who was seen in the way since the turn began.
	 * @return the last obstacle: an answer of ZooKeeper's or a local holder; null if
	 * nobody was seen
	 */
	@Nullable Obstacle obstacle();

	/**
	 * Tells what disturbed the contest since the turn began.
	 * @return the last unusable answer, or null
	 */
	@Nullable Exception disturbance();

}
