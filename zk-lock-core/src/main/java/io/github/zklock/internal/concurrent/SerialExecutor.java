package io.github.zklock.internal.concurrent;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Runs the steps of one state machine one at a time, in order, on the threads that bring
 * them. A step must not block. What a step throws is reported, and does not stop the
 * others; an owner that has an end for that brings its steps by {@link #of}.
 */
public final class SerialExecutor implements Executor {

	/*-
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
	 * I5: who brings a step gets away, however many steps others bring meanwhile: a drain takes
	 *     MOST_STEPS at most, a few milliseconds, and a thread of its own takes the rest. Between
	 *     the two `pending` is not zero, so nobody else drains. Where no thread can be made the
	 *     drainer goes on.
	 * The CAS chain on `pending` makes what a step wrote visible to the next one; from a drainer
	 * to the thread that goes on in its place, the start of that thread does.
	 */

	private static final int MOST_STEPS = 1000;

	private final ConcurrentLinkedQueue<Runnable> steps = new ConcurrentLinkedQueue<>();

	private final AtomicInteger pending = new AtomicInteger();

	private final StepFailures failures;

	private final int most;

	private final Executor rest;

	/**
	 * Creates an empty serial executor.
	 * @param failures is notified of each step that fails
	 */
	public SerialExecutor(StepFailures failures) {
		this(failures, MOST_STEPS, (drain) -> Threads.daemon(drain, "zk-lock-steps", null).start());
	}

	SerialExecutor(StepFailures failures, int most, Executor rest) {
		this.failures = failures;
		this.most = most;
		this.rest = rest;
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
			drain(this.most);
		}
	}

	private void drain(int atMost) {
		boolean done = false;
		try {
			done = runAll(atMost) || isLeftToAnother() || runAll(Integer.MAX_VALUE);
		}
		finally {
			if (!done) {
				leaveToAnother();
			}
		}
	}

	private boolean runAll(int atMost) {
		int left = atMost;
		boolean more = true;
		while (more && left > 0) {
			runNext();
			left--;
			more = this.pending.decrementAndGet() != 0;
		}
		return !more;
	}

	private boolean isLeftToAnother() {
		try {
			leaveToAnother();
			return true;
		}
		catch (OutOfMemoryError ex) {
			this.failures.report(this, ex);
			return false;
		}
	}

	private void leaveToAnother() {
		this.rest.execute(() -> drain(Integer.MAX_VALUE));
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
