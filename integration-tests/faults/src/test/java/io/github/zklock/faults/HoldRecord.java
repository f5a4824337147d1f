package io.github.zklock.faults;

import io.github.zklock.LockMode;

/**
 * What one caller did with one grant. All times are of {@link System#nanoTime}, which the
 * processes of one machine share.
 *
 * @param who the process, the worker and the round
 * @param key the key
 * @param mode the mode that was asked for
 * @param token the fencing token
 * @param firstTrue a moment after which the handle first said that it was held
 * @param lastTrue a moment after which the handle last said that it was held
 * @param notified when the caller was told that the lock was lost; {@link Long#MAX_VALUE}
 * if it was not
 */
record HoldRecord(String who, String key, LockMode mode, long token, long firstTrue, long lastTrue, long notified) {

	static final long NEVER = Long.MAX_VALUE;

	boolean isLost() {
		return this.notified != NEVER;
	}

	/**
	 * Tells how many may hold a key together. Keys that begin with a digit are asked for
	 * with so many permits.
	 * @param key the key
	 * @return the number; 0 if locks of it are asked for
	 */
	static int permits(String key) {
		int first = key.charAt(0) - '0';
		return (first >= 1 && first <= 9) ? first : 0;
	}

	boolean conflictsWith(HoldRecord other) {
		return this.key.equals(other.key) && permits(this.key) == 0 && !(this.mode.isShared() && other.mode.isShared());
	}

	/**
	 * Tells until when the caller believed that it held the lock.
	 * @return the last moment of belief
	 */
	long believedUntil() {
		return Math.min(this.lastTrue, this.notified);
	}

}
