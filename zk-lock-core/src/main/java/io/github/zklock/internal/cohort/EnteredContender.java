package io.github.zklock.internal.cohort;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.spi.Contender;

/**
 * A contender of a strategy, which leaves whatever the strategy's author has written.
 *
 * @param contender the strategy's
 * @param failures is notified of what leaving throws
 */
record EnteredContender(Contender contender, StepFailures failures) {

	/**
	 * Describes the failure of a strategy that let nobody enter.
	 * @param what names what is asked for
	 * @param cause what the strategy threw
	 * @return what a listener is notified of
	 */
	static LockException failure(String what, Throwable cause) {
		return new LockUnavailableException("The strategy failed for " + what, cause);
	}

	/**
	 * Leaves.
	 * @param entered which, or null if it never entered
	 * @return completes when nothing of it is left, or it has failed; never exceptionally
	 */
	static CompletionStage<Void> leave(@Nullable EnteredContender entered) {
		return (entered != null) ? entered.leave() : CompletableFuture.completedFuture(null);
	}

	private CompletionStage<Void> leave() {
		try {
			return this.contender.leave().handle((nothing, failure) -> {
				if (failure != null) {
					this.failures.report(this.contender, failure);
				}
				return null;
			});
		}
		catch (Throwable ex) {
			this.failures.report(this.contender, ex);
			return CompletableFuture.completedFuture(null);
		}
	}

}
