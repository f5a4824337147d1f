package io.github.zklock.internal.cohort;

import org.jspecify.annotations.Nullable;

/**
 * For how long readers may pass the writers of their cohort while a READ grant is held. A
 * part of {@link Cohort}, in its serial executor.
 */
final class ReaderBypass {

	/*-
	 * CLOSED -> OPEN, when a writer is next and a READ grant is held that may still be handed
	 * off; OPEN -> OVER, by time; any -> CLOSED, when no writer waits behind that grant.
	 *
	 * Writers gather meanwhile, and are served by one WRITE grant. Without it each of them
	 * would cost its client two changes.
	 *
	 * I1: a writer is passed for one tenure at most, and for a quarter of the time for which it
	 *     would wait. Then nobody passes, and a WRITE enters while the readers drain.
	 * I2: once a WRITE of the cohort is in the queue nobody passes it: other clients wait behind
	 *     it.
	 */

	private final CohortSite site;

	private final CallerQueue waiting;

	private final Runnable closed;

	private boolean begun;

	private long until;

	private @Nullable Runnable cancel;

	/**
	 * Creates a bypass that is closed.
	 * @param site the cohort's clock
	 * @param waiting those who pass and are passed
	 * @param closed a step that goes on when nobody passes any more
	 */
	ReaderBypass(CohortSite site, CallerQueue waiting, Runnable closed) {
		this.site = site;
		this.waiting = waiting;
		this.closed = closed;
	}

	/**
	 * Returns whether readers may pass the writer who is next.
	 * @param longest for how long at most, in nanoseconds; zero if there is no READ grant
	 * that they may have
	 * @return whether that grant is not to be drained yet
	 */
	boolean isOpen(long longest) {
		QueuedContender head = this.waiting.head();
		if (head == null || head.isShared() || longest == 0) {
			return false;
		}
		if (!this.begun) {
			begin(longest);
		}
		return left() > 0;
	}

	private void begin(long longest) {
		this.begun = true;
		long now = this.site.now();
		this.until = now + Math.min(longest, this.waiting.patienceOfWriters(now));
		time();
	}

	/**
	 * Another caller waits, who may be less patient.
	 * @param local the caller's
	 */
	void came(QueuedContender local) {
		if (this.begun && !local.isShared()) {
			long patience = local.patience(this.site.now());
			if (patience < left()) {
				this.until = this.site.now() + patience;
				time();
			}
		}
	}

	/** The next caller may be another one: if it is no writer, nobody is passed. */
	void settle() {
		QueuedContender head = this.waiting.head();
		if (head == null || head.isShared()) {
			end();
		}
	}

	/** Nobody is passed: no writer waits for a READ grant to end. */
	void end() {
		this.begun = false;
		stop();
	}

	private long left() {
		return this.until - this.site.now();
	}

	private void time() {
		stop();
		if (left() > 0) {
			this.cancel = this.site.after(left(), () -> {
				if (this.begun && left() > 0) {
					time();
				}
				else {
					this.closed.run();
				}
			});
		}
	}

	private void stop() {
		if (this.cancel != null) {
			this.cancel.run();
			this.cancel = null;
		}
	}

}
