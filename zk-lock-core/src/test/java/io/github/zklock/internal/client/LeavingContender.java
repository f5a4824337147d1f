package io.github.zklock.internal.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.zklock.internal.cohort.LocalContender;
import io.github.zklock.spi.Blocker;

/**
 * Leaves, and has not left until the test says so.
 */
final class LeavingContender implements LocalContender {

	private final CompletableFuture<Void> gone = new CompletableFuture<>();

	private volatile boolean hasLeft;

	/**
	 * Returns what is completed when it has left.
	 * @return the test's to complete
	 */
	CompletableFuture<Void> gone() {
		return this.gone;
	}

	/**
	 * Returns whether it was to leave.
	 * @return whether {@link #leave} was called
	 */
	boolean hasLeft() {
		return this.hasLeft;
	}

	@Override
	public CompletionStage<Void> leave() {
		this.hasLeft = true;
		return this.gone;
	}

	@Override
	public Blocker blocker() {
		return null;
	}

	@Override
	public Exception disturbance() {
		return null;
	}

}
