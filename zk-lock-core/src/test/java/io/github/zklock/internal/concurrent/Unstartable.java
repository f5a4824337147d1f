package io.github.zklock.internal.concurrent;

/**
 * A thread for which the system has no room.
 */
public final class Unstartable extends Thread {

	/**
	 * Makes a thread that cannot be started.
	 * @param task what it will never run
	 */
	public Unstartable(Runnable task) {
		super(task);
	}

	/**
	 * Makes a timer whose thread cannot be started.
	 * @param failures is notified of each step that fails
	 * @return the timer
	 */
	public static Timer timer(StepFailures failures) {
		return new Timer(Unstartable::new, failures);
	}

	@Override
	public synchronized void start() {
		throw new OutOfMemoryError("unable to create native thread");
	}

}
