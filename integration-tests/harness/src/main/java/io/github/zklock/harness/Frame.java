package io.github.zklock.harness;

import java.util.concurrent.locks.LockSupport;

/**
 * What is under way in one direction of a connection.
 */
final class Frame {

	/** After the last one. */
	static final Frame END = new Frame(0, new byte[0]);

	private final long due;

	private final byte[] bytes;

	/**
	 * Creates a frame.
	 * @param due when it may be forwarded, by the monotonic clock
	 * @param bytes what it consists of, without its length
	 */
	Frame(long due, byte[] bytes) {
		this.due = due;
		this.bytes = bytes;
	}

	byte[] bytes() {
		return this.bytes;
	}

	void awaitDue() {
		for (long left = this.due - System.nanoTime(); left > 0; left = this.due - System.nanoTime()) {
			LockSupport.parkNanos(left);
		}
	}

}
