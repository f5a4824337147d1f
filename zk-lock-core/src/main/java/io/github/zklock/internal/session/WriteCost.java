package io.github.zklock.internal.session;

import java.util.concurrent.TimeUnit;

/**
 * How long the servers take to answer a write, on average. To hand a lock to another
 * client takes about as long.
 */
public final class WriteCost {

	/*-
	 * Answers come on ZooKeeper's event thread, which alone changes it; any thread asks.
	 *
	 * I1: a single late answer changes nothing: it says more of a stall, or of our own pause, than of
	 *     the servers. Several in a row do.
	 */

	/** What is assumed before the first answer. */
	static final long START_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	/** An answer that took so many times the average is late. */
	static final int LATE = 4;

	/** More than so many times the average is taken for as much. */
	static final int MOST = 16;

	/** So many late answers in a row are believed. */
	static final int BELIEVED = 4;

	/** An answer has the weight of one of so many. */
	private static final int SHARE = 8;

	/** After so many answers the average is theirs. */
	static final int SOME = 16;

	private volatile long average = START_NANOS;

	private volatile int answers;

	private int lateInARow;

	/**
	 * A write was answered.
	 * @param nanos how long that took
	 */
	void answered(long nanos) {
		long known = this.average;
		if (nanos > LATE * known && ++this.lateInARow < BELIEVED) {
			return;
		}
		this.lateInARow = 0;
		this.average = Math.max(1, known + (Math.min(nanos, MOST * known) - known) / SHARE);
		int before = this.answers;
		if (before < SOME) {
			this.answers = before + 1;
		}
	}

	/**
	 * Returns the average.
	 * @return in nanoseconds
	 */
	public long nanos() {
		return this.average;
	}

	/**
	 * Returns the average, once others may go by it.
	 * @return in nanoseconds; 0 until {@value #SOME} writes were answered
	 */
	public long saidNanos() {
		return (this.answers < SOME) ? 0 : this.average;
	}

}
