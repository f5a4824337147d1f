package io.github.zklock.internal.session;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of a session source: it is closed, and then its clients have left.
 */
final class SourceEnd {

	private static final Logger log = LoggerFactory.getLogger(SourceEnd.class);

	private static final long PATIENCE = TimeUnit.SECONDS.toNanos(SessionSource.CLOSE_SECONDS);

	private final AtomicBoolean closed = new AtomicBoolean();

	private final AtomicInteger leaving = new AtomicInteger();

	private final CountDownLatch settled = new CountDownLatch(1);

	private volatile long leavingUntil;

	private volatile boolean overdue;

	/** The source is closed. */
	void close() {
		this.closed.set(true);
	}

	/** A client was closed, and leaves from now on. */
	void leaves() {
		this.leavingUntil = System.nanoTime() + PATIENCE;
		this.leaving.incrementAndGet();
	}

	/**
	 * A client has left, or has had its time.
	 * @param gone whether nothing is left of it
	 */
	void left(boolean gone) {
		if (!gone) {
			this.overdue = true;
		}
		this.leaving.decrementAndGet();
	}

	/**
	 * Returns whether no client needs the source any more.
	 * @return whether it is closed, and no client is leaving
	 */
	boolean isClear() {
		return this.closed.get() && this.leaving.get() == 0;
	}

	/** Nothing is tracked any more either. */
	void settled() {
		this.settled.countDown();
	}

	/**
	 * Waits a short time until all is settled. Where a client leaves, or has not left in
	 * its time, that began when it was closed: a client whose close has waited for all of
	 * it has warned already.
	 */
	void await() {
		long nanos = (this.overdue || this.leaving.get() > 0) ? this.leavingUntil - System.nanoTime() : PATIENCE;
		try {
			if (!this.settled.await(nanos, TimeUnit.NANOSECONDS) && nanos > 0) {
				log.warn(SessionSource.UNCONFIRMED);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
