package io.github.zklock.internal.cohort;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.zklock.LockMode;
import io.github.zklock.spi.Grant;

/**
 * A grant of a key that is valid for ever, and for which nobody waits.
 *
 * @param permits how many may hold the key together, or 0 if it is a lock's
 */
public record EndlessGrant(int permits) implements Grant {

	@Override
	public String key() {
		return "key";
	}

	@Override
	public LockMode mode() {
		return LockMode.EXCLUSIVE;
	}

	@Override
	public long firstToken() {
		return TOKENS;
	}

	@Override
	public boolean isValid() {
		return true;
	}

	@Override
	public CompletionStage<Void> whenContended() {
		return new CompletableFuture<>();
	}

	@Override
	public CompletionStage<Void> release() {
		return new CompletableFuture<>();
	}

}
