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
 *
 * <p>
 * Guarded methods may call others, whose guards share the lock and the flag. If another
 * guard has set the flag, an interrupt is owed, not dropped: when an inner guard ends,
 * the nearest outer one that owes its interrupt sends it, also if the method of the inner
 * one has consumed the flag for both (I4). A guard clears only what it has sent itself
 * (I5).
 */
final class InterruptGuard {

	private static final ThreadLocal<InterruptGuard> innermost = new ThreadLocal<>();

	private final Thread worker = Thread.currentThread();

	private final @Nullable InterruptGuard outer = innermost.get();

	private final Flag flag = (this.outer != null) ? this.outer.flag : new Flag();

	private boolean running = true;

	private boolean sent;

	private boolean owed;

	InterruptGuard() {
		innermost.set(this);
	}

	/**
	 * Interrupts the thread that made this guard if its method still runs.
	 */
	void interrupt() {
		this.flag.lock.lock();
		try {
			if (this.running && !this.sent) {
				if (!this.worker.isInterrupted()) {
					send();
				}
				else {
					this.owed = this.flag.sender != null;
				}
			}
		}
		finally {
			this.flag.lock.unlock();
		}
	}

	private void send() {
		this.sent = true;
		this.owed = false;
		this.flag.sender = this;
		this.worker.interrupt();
	}

	/**
	 * Ends the time in which {@link #interrupt()} does something. Called once, by the
	 * thread that made this guard, after the guards of the methods that its method has
	 * called have ended.
	 * @param consumed whether the method ended with an {@link InterruptedException}, so
	 * that a flag that is set now is not ours
	 * @return whether an interrupt was sent, be it by an outer guard for both
	 */
	boolean end(boolean consumed) {
		this.flag.lock.lock();
		try {
			this.running = false;
			leave();
			InterruptGuard sender = this.flag.sender;
			if (sender == this) {
				this.flag.sender = null;
				if (!consumed) {
					Thread.interrupted();
				}
			}
			boolean shared = consumed && this.owed && sender != null && sender != this;
			InterruptGuard next = shared ? sender : nearestThatOwes();
			if (next != null && !this.worker.isInterrupted()) {
				next.send();
			}
			return this.sent || shared;
		}
		finally {
			this.flag.lock.unlock();
		}
	}

	private void leave() {
		if (this.outer != null) {
			innermost.set(this.outer);
		}
		else {
			innermost.remove();
		}
	}

	private @Nullable InterruptGuard nearestThatOwes() {
		InterruptGuard next = this.outer;
		while (next != null && !next.owed) {
			next = next.outer;
		}
		return next;
	}

	/**
	 * The flag of a thread, for all guards on it.
	 */
	private static final class Flag {

		private final Lock lock = new ReentrantLock();

		/** The guard that set the flag last and still runs. */
		private @Nullable InterruptGuard sender;

	}

}
