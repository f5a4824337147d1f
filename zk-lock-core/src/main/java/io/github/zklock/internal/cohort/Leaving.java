package io.github.zklock.internal.cohort;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.spi.Contender;

/**
 * Lets contenders of a strategy leave, whatever the strategy's author has written.
 */
final class Leaving {

	private Leaving() {
	}

	/**
	 * Lets a contender leave.
	 * @param contender which
	 * @param failures is notified of what it throws
	 * @return completes when nothing of it is left, or it has failed; never exceptionally
	 */
	static CompletionStage<Void> of(Contender contender, StepFailures failures) {
		try {
			return contender.leave().handle((nothing, failure) -> {
				if (failure != null) {
					failures.report(contender, failure);
				}
				return null;
			});
		}
		catch (Throwable ex) {
			failures.report(contender, ex);
			return CompletableFuture.completedFuture(null);
		}
	}

}
