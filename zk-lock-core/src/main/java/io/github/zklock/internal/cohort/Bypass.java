package io.github.zklock.internal.cohort;

import org.jspecify.annotations.Nullable;

/**
 * For how long callers may pass those of their cohort who are next but want another mode:
 * readers the writers while a READ grant is held, others the readers when theirs is given
 * back. A part of {@link Cohort}, in its serial executor.
 */
final class Bypass {

	/*-
	 * CLOSED -> OPEN, when a writer is next and a READ grant is held, or a reader is next and another
	 * grant was given back, that may still be handed off; OPEN -> OVER, by time; any -> CLOSED, when the
	 * next one is not of those who were passed, or a contender for them enters.
	 *
	 * Those who are passed gather meanwhile, and are served by one grant. Without it each of them
	 * would cost its client two changes.
	 *
	 * I1: a writer is passed for one tenure at most, and for a quarter of the time for which it
	 *     would wait; once other clients wait, no longer than the READ grant lasts. Then nobody
	 *     passes, and a WRITE enters while the readers drain.
	 * I2: once a WRITE of the cohort is in the queue nobody passes it: other clients wait behind
	 *     it.
	 * I3: a reader is passed until the end of the tenure of the grant that is handed off past it, or its
	 *     count, whether other clients wait or not, and for a quarter of the time for which it would wait.
	 *     Then nobody passes, and a READ enters.
	 */

	private final CohortSite site;

	private final CallerQueue waiting;

	private final Runnable closed;

	private boolean begun;

	private boolean passesReaders;

	private long until;

	private @Nullable Runnable cancel;

	/**
	 * Creates a bypass that is closed.
	 * @param site the cohort's clock
	 * @param waiting those who pass and are passed
	 * @param closed a step that goes on when nobody passes any more
	 */
	Bypass(CohortSite site, CallerQueue waiting, Runnable closed) {
		this.site = site;
		this.waiting = waiting;
		this.closed = closed;
	}

	/**
	 * Returns whether others may pass the caller who is next.
	 * @param longest for how long at most, in nanoseconds; zero or less if there is no
	 * grant that they may have
	 * @return whether that grant is not to be drained, or released, yet
	 */
	boolean isOpen(long longest) {
		QueuedContender head = this.waiting.head();
		if (head == null || longest <= 0) {
			return false;
		}
		if (!this.begun) {
			begin(head, longest);
		}
		atMost(longest);
		return left() > 0;
	}

	private void begin(QueuedContender head, long longest) {
		this.begun = true;
		this.passesReaders = head.isShared();
		long now = this.site.now();
		this.until = now + Math.min(longest, this.waiting.patience(this.passesReaders, now));
		time();
	}

	/**
	 * Another caller waits, who may be less patient.
	 * @param local the caller's
	 */
	void came(QueuedContender local) {
		if (this.begun && !local.isTryOnce() && local.isShared() == this.passesReaders) {
			atMost(local.patience(this.site.now()));
		}
	}

	private void atMost(long nanos) {
		if (nanos < left()) {
			this.until = this.site.now() + nanos;
			time();
		}
	}

	/** The next caller may be another one: if it is none of those, nobody is passed. */
	void settle() {
		QueuedContender head = this.waiting.head();
		if (head == null || head.isShared() != this.passesReaders) {
			end();
		}
	}

	/** Nobody is passed. */
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
