package io.github.zklock.internal.concurrent;

import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Brings the steps of one owner to a serial executor, which it may share with others, and
 * leads the owner to its failed end when one of them throws anything. The others do not
 * notice.
 *
 * @param executor runs the steps
 * @param failures is notified of each failure
 * @param owner whose steps
 * @param failed leads the owner to its end, as a part of the step that failed
 */
public record OwnedSteps(Executor executor, StepFailures failures, Object owner,
		Consumer<Throwable> failed) implements Executor {

	@Override
	public void execute(Runnable step) {
		this.executor.execute(() -> inside(step));
	}

	/**
	 * Does something of the owner's as a part of another one's step.
	 * @param step what to do
	 */
	public void inside(Runnable step) {
		try {
			this.failures.before(this.owner);
			step.run();
			this.failures.after(this.owner);
		}
		catch (Throwable ex) {
			this.failures.report(this.owner, ex);
			this.failures.contain(this.owner, () -> this.failed.accept(ex));
		}
	}

	/**
	 * Returns if the calling thread has enough stack for steps.
	 * @throws StackOverflowError if it has not
	 */
	public static void requireStack() {
		StackProbe.require();
	}

	/**
	 * Brings steps of the same owner, of which one that fails has an end of its own.
	 * @param other what to do then
	 * @return brings such steps
	 */
	public OwnedSteps orElse(Consumer<Throwable> other) {
		return new OwnedSteps(this.executor, this.failures, this.owner, other);
	}

}
