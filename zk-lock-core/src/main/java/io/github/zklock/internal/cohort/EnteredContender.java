package io.github.zklock.internal.cohort;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockUnavailableException;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.ContenderListener;

/**
 * A contender of a strategy, which is entered and leaves whatever the strategy's author
 * has written.
 *
 * @param contender the strategy's
 * @param failures is notified of what leaving throws
 */
record EnteredContender(Contender contender, StepFailures failures) {

	/**
	 * Enters.
	 * @param entering makes the strategy's contender
	 * @param what names what is asked for
	 * @param listener is notified that the strategy has failed if that throws anything
	 * @param failures is notified of what leaving throws
	 * @return the contender, or null if that has thrown anything
	 */
	static @Nullable EnteredContender enter(Supplier<Contender> entering, String what, ContenderListener listener,
			StepFailures failures) {
		try {
			return new EnteredContender(entering.get(), failures);
		}
		catch (Throwable ex) {
			listener.failed(new LockUnavailableException("The strategy failed for " + what, ex));
			return null;
		}
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
