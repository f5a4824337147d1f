package io.github.zklock.internal.concurrent;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

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
 * The CAS chain on `pending` makes what a step wrote visible to the next one.
 */
/**
 * Runs the steps of one state machine one at a time, in order, on the threads that bring
 * them. A step must not block. An exception of a step goes to the thread's uncaught
 * exception handler and does not stop the others.
 */
public final class SerialExecutor implements Executor {

	private final ConcurrentLinkedQueue<Runnable> steps = new ConcurrentLinkedQueue<>();

	private final AtomicInteger pending = new AtomicInteger();

	/**
	 * Creates an empty serial executor.
	 */
	public SerialExecutor() {
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
		do {
			Runnable step = this.steps.poll();
			try {
				if (step != null) {
					step.run();
				}
			}
			catch (Throwable ex) {
				report(ex);
			}
		}
		while (this.pending.decrementAndGet() != 0);
	}

	private static void report(Throwable failure) {
		Thread thread = Thread.currentThread();
		try {
			thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
		}
		catch (Throwable ex) {
			// As the JVM does it: an exception of the handler is ignored.
			failure.addSuppressed(ex);
		}
	}

}
