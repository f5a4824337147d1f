package io.github.zklock.aop;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * Interrupts the thread of one guarded method, but never after the method has ended.
 *
 * <p>
 * The thread that works and the one that reports the loss both pass through one lock, so
 * that an interrupt is sent either while the method runs or not at all (I1). When the
 * method has ended without consuming our interrupt, the flag is cleared (I2). A thread
 * has only one such flag: if it was set before, we send nothing and clear nothing (I3).
 * It may have been set for a guarded method that this one has called, so our interrupt is
 * sent when such a method has ended, if the flag is not set any more (I4).
 */
final class InterruptGuard {

	/** The guard of the method that the thread is in: each knows the one around it. */
	private static final ThreadLocal<InterruptGuard> innermost = new ThreadLocal<>();

	private final @Nullable InterruptGuard outer = innermost.get();

	private final Flag flag = (this.outer != null) ? this.outer.flag : new Flag();

	private final Thread worker = Thread.currentThread();

	private boolean running = true;

	private boolean wanted;

	private boolean sent;

	/**
	 * Guards the method that the calling thread is about to enter, until {@link #end}.
	 */
	InterruptGuard() {
		innermost.set(this);
	}

	/**
	 * Interrupts the thread that made this guard if its method still runs.
	 */
	void interrupt() {
		this.flag.lock.lock();
		try {
			this.wanted = true;
			send();
		}
		finally {
			this.flag.lock.unlock();
		}
	}

	private void send() {
		if (this.running && this.wanted && !this.sent && !this.worker.isInterrupted()) {
			this.sent = true;
			this.flag.sender = this;
			this.worker.interrupt();
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
		this.flag.lock.lock();
		try {
			this.running = false;
			if (this.sent && !consumed && this.flag.sender == this) {
				Thread.interrupted();
			}
			for (InterruptGuard around = this.outer; around != null; around = around.outer) {
				around.send();
			}
			return this.sent;
		}
		finally {
			this.flag.lock.unlock();
			leave();
		}
	}

	private void leave() {
		if (this.outer == null) {
			innermost.remove();
		}
		else {
			innermost.set(this.outer);
		}
	}

	/** The interrupt flag of a thread, which its guards share. */
	private static final class Flag {

		private final Lock lock = new ReentrantLock();

		private @Nullable InterruptGuard sender;

	}

}
