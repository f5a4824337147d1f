package io.github.zklock.internal.cohort;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.zklock.LockException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.ContenderListener;

/**
 * A contender of a strategy, which leaves whatever the strategy's author has written.
 *
 * @param contender the strategy's
 * @param failures is notified of what leaving throws
 */
record EnteredContender(Contender contender, StepFailures failures) {

	/**
	 * Lets a contender enter.
	 * @param entering calls the strategy
	 * @param failures is notified of what leaving throws
	 * @return the contender
	 */
	static EnteredContender of(Supplier<Contender> entering, StepFailures failures) {
		return new EnteredContender(Objects.requireNonNull(entering.get(), "The strategy returned no contender"),
				failures);
	}

	/**
	 * Lets a contender enter, or notifies its listener that the strategy has failed.
	 * @param what names what is asked for
	 * @param entering calls the strategy
	 * @param failures is notified of what leaving throws
	 * @return gives the contender, or null if the strategy has failed
	 */
	static Function<ContenderListener, @Nullable EnteredContender> orFailed(String what,
			Function<ContenderListener, Contender> entering, StepFailures failures) {
		return (notified) -> {
			try {
				return of(() -> entering.apply(notified), failures);
			}
			catch (Throwable ex) {
				notified.failed(failure(what, ex));
				return null;
			}
		};
	}

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
		return gone(this.contender::leave, this.contender, this.failures);
	}

	/**
	 * Lets go of something of a strategy's.
	 * @param leaving what the strategy does then
	 * @param owner whose step it is
	 * @param failures is notified of what it throws
	 * @return completes when that has been done, or has failed; never exceptionally
	 */
	static CompletionStage<Void> gone(Supplier<CompletionStage<Void>> leaving, Object owner, StepFailures failures) {
		CompletableFuture<Void> gone = new CompletableFuture<>();
		try {
			leaving.get().whenComplete((nothing, failure) -> {
				if (failure != null) {
					failures.report(owner, failure);
				}
				gone.complete(null);
			});
		}
		catch (Throwable ex) {
			failures.report(owner, ex);
			gone.complete(null);
		}
		return gone;
	}

}
