package io.github.zklock.internal.session;

import java.util.concurrent.TimeUnit;

/**
 * How long the way to the servers and back takes.
 */
public final class RoundTrip {

	/*-
	 * Answers come on ZooKeeper's event thread, which alone changes what is known; any thread asks, or
	 * says that the connection was lost.
	 *
	 * I1: the least of what was seen lately: a late answer says something of the servers, or of us,
	 *     and not of the way. It grows by a small part with each answer, so that a way that has become
	 *     longer is believed in the end.
	 * I2: at first the servers are taken to be near, until some answers have shown how far they are: the
	 *     first ones are late because classes are loaded. After a lost connection, which the next
	 *     server may be farther from, some answers show it anew; until then what is known holds, but
	 *     for an early answer, which shows at once that the way is shorter.
	 */

	/** Whose round trip is longer waits for answers more than for processors. */
	static final long FAR_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

	/**
	 * What is known grows by one of so many parts with each answer. On busy processors
	 * scores of answers in a row are late.
	 */
	private static final int GROWTH = 1024;

	private static final long LEAST_GROWTH_NANOS = 100;

	/** From so many answers on they are believed. */
	static final int SOME = 32;

	private long first = Long.MAX_VALUE;

	private int answers;

	private volatile long least;

	private volatile boolean connectionLost;

	/** The next answers may come from another server. Called on any thread. */
	void connectionLost() {
		this.connectionLost = true;
	}

	/**
	 * A read was answered.
	 * @param nanos how long that took
	 */
	void answered(long nanos) {
		if (this.connectionLost) {
			this.connectionLost = false;
			this.first = Long.MAX_VALUE;
			this.answers = 0;
		}
		if (this.answers < SOME) {
			this.answers++;
			this.first = Math.min(nanos, this.first);
			if (this.answers == SOME || nanos < this.least) {
				this.least = this.first;
			}
			return;
		}
		long known = this.least;
		this.least = Math.min(nanos, known + known / GROWTH + LEAST_GROWTH_NANOS);
	}

	/**
	 * Returns whether it is worth a few more requests, sent at once, to spare one that
	 * would be waited for.
	 * @return whether the servers are far away
	 */
	public boolean isLong() {
		return this.least > FAR_NANOS;
	}

}
