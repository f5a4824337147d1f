package io.github.zklock.internal.session;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.zookeeper.ZooKeeper;

import io.github.zklock.internal.concurrent.Timer;

/**
 * The regular requests of a session. About every sixth of the session time-out a sync is
 * sent, so that the leader is known to touch the session when the first lock after an
 * idle time is taken; and after its answer, while anything is tracked, or what is known
 * is about to be too old for that, a transaction that makes a lease of it.
 */
final class SessionBeat {

	/*-
	 * I1: the next beat is timed before this one is made.
	 * I2: where it could not be timed, for want of memory, it is timed when something is tracked next, or is to be.
	 * I3: however often it begins, also at once, one chain of beats goes on: of what was timed before it began
	 *     anew, or seemed not to be timed, nothing comes.
	 */

	private final LockSession session;

	private final ZooKeeper zooKeeper;

	private final SessionTimeout timeout;

	private final Lease lease;

	private final Timer timer;

	private final AtomicBoolean silent = new AtomicBoolean();

	private final AtomicInteger chain = new AtomicInteger();

	/**
	 * Creates a heartbeat that does not beat yet.
	 * @param session whose
	 * @param zooKeeper its handle
	 * @param timeout its time-out, which may become less
	 * @param lease what it keeps up
	 * @param timer starts each beat
	 */
	SessionBeat(LockSession session, ZooKeeper zooKeeper, SessionTimeout timeout, Lease lease, Timer timer) {
		this.session = session;
		this.zooKeeper = zooKeeper;
		this.timeout = timeout;
		this.lease = lease;
		this.timer = timer;
	}

	void begin() {
		begin(this.timeout.nanos() / 6);
	}

	private void begin(long pause) {
		time(pause, this.chain.incrementAndGet());
		this.timer.failures().contain(this, this::beat);
	}

	/** Beats again, if it has stopped. */
	void goOn() {
		if (this.silent.get() && this.silent.compareAndSet(true, false)) {
			hurry();
		}
	}

	/** Beats from now on, whatever was timed before. */
	void hurry() {
		this.timer.failures().contain(this, this::begin);
	}

	/**
	 * Beats from now on, the second time as soon as that says more: what the receipts of
	 * the last connection said of an idle client, only those of this one say again.
	 */
	void reconnected() {
		this.timer.failures().contain(this, () -> begin(this.timeout.nanos() / 8));
	}

	private void time(long nanos, int current) {
		try {
			this.timer.later(nanos, () -> beatInTime(current));
		}
		catch (Throwable ex) {
			this.silent.set(true);
			throw ex;
		}
	}

	// Not before the receipt says more than the one before it
	private void beatInTime(int current) {
		this.timer.failures().contain(this, this.session::checkAlive);
		if (!this.session.isLive() || this.chain.get() != current) {
			return;
		}
		if (this.timeout.isCut(this.lease)) {
			hurry();
			return;
		}
		long early = this.lease.gapLeft();
		if (early > 0) {
			time(early, current);
			return;
		}
		time(this.timeout.nanos() / 6, current);
		this.timer.failures().contain(this, this::beat);
	}

	// A read-only server has no leader to ask.
	private void beat() {
		if (this.zooKeeper.getState() == ZooKeeper.States.CONNECTEDREADONLY) {
			return;
		}
		SessionRequests requests = this.session.requests();
		requests.receipt(() -> {
			if (this.session.trackedCount() > 0 || this.lease.isAging()) {
				requests.passQuorum((code) -> {
				});
			}
		});
	}

}
