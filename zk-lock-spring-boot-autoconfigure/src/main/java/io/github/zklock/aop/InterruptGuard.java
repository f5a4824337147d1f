package io.github.zklock.aop;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Interrupts the thread of one guarded method, but never after the method has ended.
 *
 * <p>
 * The thread that works and the one that reports the loss both pass through one lock, so
 * that an interrupt is sent either while the method runs or not at all (I1). When the
 * method has ended without consuming our interrupt, the flag is cleared (I2). A thread
 * has only one such flag: if it was set before, we send nothing and clear nothing (I3).
 */
final class InterruptGuard {

	private final Thread worker = Thread.currentThread();

	private final Lock lock = new ReentrantLock();

	private boolean running = true;

	private boolean sent;

	/**
	 * Interrupts the thread that made this guard if its method still runs.
	 */
	void interrupt() {
		this.lock.lock();
		try {
			if (this.running && !this.sent && !this.worker.isInterrupted()) {
				this.sent = true;
				this.worker.interrupt();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Ends the time in which {@link #interrupt()} does something. Called once, by the
	 * thread that made this guard.
	 * @param consumed whether the method ended with an {@link InterruptedException}, so
	 * that a flag that is set now is not ours
	 * @return whether an interrupt was sent
	 */
	boolean end(boolean consumed) {
		this.lock.lock();
		try {
			this.running = false;
			if (this.sent && !consumed) {
				Thread.interrupted();
			}
			return this.sent;
		}
		finally {
			this.lock.unlock();
		}
	}

}
