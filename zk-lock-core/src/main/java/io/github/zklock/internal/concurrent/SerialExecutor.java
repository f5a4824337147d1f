package io.github.zklock.internal.concurrent;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/*
 * The queue-drain loop of Reactive Streams implementations: `pending` counts the steps that
 * were brought and have not been run. Who raises it from zero drains; everyone else leaves
 * the step for the drainer.
 *
 * I1: at most one thread runs steps, and steps run in the order in which they were queued.
 * I2: a step that was brought is run: the drainer leaves only when it lowers `pending` to
 *     zero, and `pending` is raised after the step was queued.
 * I3: no lock is held while a step runs, so a step may bring further steps to this or to
 *     any other serial executor; it never waits. By construction.
 * I4: the queue goes on whatever a step throws. Where the drainer itself fails, for want of
 *     stack, another thread goes on in its place; a step that it had taken may be missing
 *     then, which is why a drainer may find fewer steps than `pending` says.
 * The CAS chain on `pending` makes what a step wrote visible to the next one.
 */
/**
 * Runs the steps of one state machine one at a time, in order, on the threads that bring
 * them. A step must not block. What a step throws is reported, and does not stop the
 * others; an owner that has an end for that brings its steps by {@link #of}.
 */
public final class SerialExecutor implements Executor {

	private final ConcurrentLinkedQueue<Runnable> steps = new ConcurrentLinkedQueue<>();

	private final AtomicInteger pending = new AtomicInteger();

	private final StepFailures failures;

	/**
	 * Creates an empty serial executor.
	 * @param failures is notified of each step that fails
	 */
	public SerialExecutor(StepFailures failures) {
		this.failures = failures;
	}

	/**
	 * Brings the steps of one owner.
	 * @param owner whose steps
	 * @param failed leads the owner to its failed end
	 * @return brings its steps to this serial executor
	 */
	public OwnedSteps of(Object owner, Consumer<Throwable> failed) {
		return new OwnedSteps(this, this.failures, owner, failed);
	}

	/**
	 * Runs the step now, or leaves it to the thread that is running steps already.
	 * @param step what to do
	 */
	@Override
	public void execute(Runnable step) {
		this.steps.add(step);
		if (this.pending.getAndIncrement() == 0) {
			drain();
		}
	}

	private void drain() {
		boolean done = false;
		try {
			do {
				runNext();
			}
			while (this.pending.decrementAndGet() != 0);
			done = true;
		}
		finally {
			if (!done) {
				Threads.daemon(this::drain, "zk-lock-steps", null).start();
			}
		}
	}

	private void runNext() {
		Runnable step = this.steps.poll();
		try {
			if (step != null) {
				step.run();
			}
		}
		catch (Throwable ex) {
			this.failures.report(this, ex);
		}
	}

}
