package io.github.zklock.faults;

import io.github.zklock.LockMode;

/**
 * What one caller did with one key of a grant. All times are of {@link System#nanoTime},
 * which the processes of one machine share.
 *
 * @param who the process, the worker and the round
 * @param key the key
 * @param mode the mode that was asked for
 * @param token the fencing token
 * @param firstTrue a moment after which the handle first said that it was held
 * @param lastTrue a moment after which the handle last said that it was held
 * @param notified when the caller was told that the lock was lost; {@link Long#MAX_VALUE}
 * if it was not
 * @param downgraded a moment before it was downgraded to READ; {@link Long#MAX_VALUE} if
 * it was not
 */
record HoldRecord(String who, String key, LockMode mode, long token, long firstTrue, long lastTrue, long notified,
		long downgraded) {

	static final long NEVER = Long.MAX_VALUE;

	boolean isLost() {
		return this.notified != NEVER;
	}

	boolean isDowngraded() {
		return this.downgraded != NEVER;
	}

	HoldRecord downgradedAt(long moment) {
		return new HoldRecord(this.who, this.key, this.mode, this.token, this.firstTrue, this.lastTrue, this.notified,
				moment);
	}

	HoldRecord left(long last, long loss) {
		return new HoldRecord(this.who, this.key, this.mode, this.token, this.firstTrue, last, loss, this.downgraded);
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

	/**
	 * Tells whether this one could not be granted as long as another one holds, as that
	 * one held at last.
	 * @param before the other one
	 * @return false for readers of one key, and where permits of it are asked for
	 */
	boolean conflictsWith(HoldRecord before) {
		boolean shared = before.mode.isShared() || before.isDowngraded();
		return this.key.equals(before.key) && permits(this.key) == 0 && !(this.mode.isShared() && shared);
	}

	/**
	 * Tells until when the caller believed that nobody else read either.
	 * @return the last moment of that belief, of one who does not ask for READ
	 */
	long exclusiveUntil() {
		return Math.min(believedUntil(), this.downgraded);
	}

	/**
	 * Tells until when the caller believed that it held the lock.
	 * @return the last moment of belief
	 */
	long believedUntil() {
		return Math.min(this.lastTrue, this.notified);
	}

}
