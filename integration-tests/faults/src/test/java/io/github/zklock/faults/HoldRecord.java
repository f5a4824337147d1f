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

	boolean conflictsWith(HoldRecord other) {
		return this.key.equals(other.key) && !(this.mode.isShared() && other.mode.isShared());
	}

	/**
	 * Tells until when the caller believed that it held the lock.
	 * @return the last moment of belief
	 */
	long believedUntil() {
		return Math.min(this.lastTrue, this.notified);
	}

}
