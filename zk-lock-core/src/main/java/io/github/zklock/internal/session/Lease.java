package io.github.zklock.internal.session;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Until when, on the local monotonic clock, the servers cannot have expired our session.
 * Open only to rules that tests must find wrong.
 */
public class Lease {

	/*-
	 * A leader expires a session that it has not touched for the session time-out S. What makes it
	 * touch one (ZooKeeper 3.9): a client that connects, and a follower's reply to one of
	 * its pings, which it sends every half tick; the reply names each session that has used
	 * the follower since the one before. A request that is only forwarded does not. So an
	 * answer shows nothing alone, whatever was asked. Three in a row, on one connection, do:
	 *
	 *   A  a receipt, sent at m: the answer to a sync or to a transaction, which has been to
	 *      the leader and back. From A's answer on the follower knows of us.
	 *   B  a receipt that is sent S/8 (more than half a tick) after A's answer. Meanwhile the
	 *      leader has sent a ping. It reached the follower before B's answer, because packets
	 *      between servers keep their order, and the follower's reply names us.
	 *   T  a transaction that is sent after B's answer. It reached the leader after that
	 *      reply. So when T was prepared the leader had touched our session at m or later; and T
	 *      was accepted by a quorum, so it was the leader.
	 *
	 * Hence nobody expires us before m + S, neither this leader nor a later one, which waits S
	 * from its election; if that helped, see below. B is the A of the next chain. A
	 * sync is no T: a leader that was replaced, and does not know it, answers it.
	 *
	 * Two things weaken that.
	 *
	 * - The leader stands still between A and B, and when it thaws it handles B before the
	 *   ping that is due. Two chains in a row do not overlap, so one such moment spoils one of
	 *   them. Therefore a chain is good until m + 5S/6, and no longer than p + S, where p is
	 *   the m of the chain before it. With a receipt every S/6 that is the same.
	 * - The session is doomed: the leader has found it overdue and will close it, however often
	 *   it is touched, but has not come to it yet, and until then serves it. So T is good
	 *   only if that is impossible: the lease was valid when T was answered; or four moments at
	 *   which the leader has touched our session on this connection are all younger than S. The
	 *   touch of the third was S/8 and more before T, and that of the fourth before it; only one of
	 *   the two can be spoiled. If the other one had been in vain the session would have been
	 *   closed by then and T refused; so it helped, until S after the fourth at least.
	 *
	 * A lost connection is a piece of evidence too. What was sent at c, and came back lost or
	 * was answered by the connection that was lost, was sent before the next connection was
	 * made, and the leader touches the session then, without any ping. Nothing spoils that, so
	 * it is three of the four. A chain never goes on from one connection to the next, because the
	 * next leader does not know what a replaced one has touched.
	 *
	 * The first m is when Curator was seen to have another handle, or none, before it made that of
	 * the session: so it is before the request for the session, and a new session is not doomed.
	 * That Curator was not connected would not do: the leader may have touched the session long
	 * before its answer comes. Where no such moment was seen, or it is older than that, m is S/2
	 * before the session was taken over. That is an assumption: a chain is good until m + 5S/6, so
	 * the leader has touched the session within 2S/3 before, and it was not doomed.
	 *
	 * A server that was started with a smaller maximum cuts S when the client connects to it; the
	 * leader then touches the session with the smaller one. What was known to last until V lasts
	 * until V less the difference: V was S, or 5S/6, after a moment that is not later than that touch.
	 *
	 * I1: `validUntil` never goes back, in whatever order answers are handled, unless S is cut.
	 * I2: without a transaction the lease never grows, whatever was received.
	 * I3: a transaction uses only evidence that was complete when it was sent.
	 * I4: what is lost with one connection is one piece of evidence.
	 * I5: a lease that is over begins again only with four moments on one connection.
	 * Answers come from one event thread, but what they change is guarded all the same; any
	 * thread asks. Assumed: S is at least five ticks; a running leader's ping is late by less
	 * than what S/8 is more than half a tick; the leader closes the sessions that are overdue
	 * in one tick within S/8, does not stand still while it does, and does not stand still for
	 * longer than its pings are apart twice within S; clock rates are alike.
	 * docs/design.md, docs/spec/ZkLease.tla. Source: Gray and Cheriton, "Leases", SOSP 1989.
	 */

	private static final int NEEDED = 4;

	private final LongSupplier clock;

	private volatile long sessionNanos;

	private final AtomicLong validUntil;

	private final long[] touched = new long[NEEDED];

	private int touchesHere;

	private Evidence newest;

	private @Nullable Evidence former;

	private @Nullable Receipt first;

	private long lastReceipt;

	private boolean disconnected;

	/**
	 * Begins without validity.
	 * @param clock the monotonic clock
	 * @param sessionNanos the session time-out S in nanoseconds
	 * @param touchedSince a moment, in nanoseconds of the clock, after which the leader
	 * has touched the session
	 */
	public Lease(LongSupplier clock, long sessionNanos, long touchedSince) {
		this.clock = clock;
		this.sessionNanos = sessionNanos;
		this.validUntil = new AtomicLong(clock.getAsLong());
		this.lastReceipt = touchedSince;
		for (int i = 0; i < NEEDED; i++) {
			touched(touchedSince);
		}
		this.newest = evidence(touchedSince);
	}

	/**
	 * Notes that a request was answered that has been to the leader.
	 * @param sentAt when it was sent, in nanoseconds of the clock
	 */
	public synchronized void received(long sentAt) {
		this.disconnected = false;
		this.lastReceipt = later(this.lastReceipt, sentAt);
		Receipt begun = this.first;
		long now = this.clock.getAsLong();
		if (begun == null) {
			this.first = new Receipt(sentAt, now);
		}
		else if (sentAt - begun.answeredAt >= gap()) {
			touched(begun.sentAt);
			this.former = this.newest;
			this.newest = evidence(now);
			this.first = new Receipt(sentAt, now);
		}
	}

	/**
	 * Notes that a request came back because its connection was lost: the next one is
	 * made later.
	 * @param sentAt when it was sent, in nanoseconds of the clock
	 */
	public synchronized void lost(long sentAt) {
		if (!this.disconnected || sentAt - this.touched[0] > 0) {
			this.disconnected = true;
			this.first = null;
			this.former = null;
			this.touchesHere = 0;
			for (int i = 1; i < NEEDED; i++) {
				touched(sentAt);
			}
			this.newest = evidence(sentAt);
		}
	}

	/**
	 * Returns when the last receipt was sent.
	 * @return nanoseconds of the clock
	 */
	public synchronized long lastReceipt() {
		return this.lastReceipt;
	}

	/**
	 * Notes that the connection was lost: the next one is made later than a receipt.
	 * @param receipt when the last receipt was sent that was known before there was no
	 * connection; a later one may be of the next connection
	 */
	public synchronized void disconnected(long receipt) {
		if (!this.disconnected) {
			lost(receipt);
		}
	}

	/**
	 * Notes that the connection is another one than some time ago: which answers came on
	 * which is not known.
	 */
	public synchronized void replaced() {
		this.first = null;
		this.former = null;
		this.touchesHere = 0;
		this.newest = new Evidence(this.newest.from, this.newest.until, null);
	}

	/**
	 * Notes that the servers expire the session sooner, since they have last touched it
	 * at the latest.
	 * @param sessionNanos the session time-out in nanoseconds, less than before
	 */
	public synchronized void shorten(long sessionNanos) {
		long less = this.sessionNanos - sessionNanos;
		this.sessionNanos = sessionNanos;
		this.validUntil.addAndGet(-less);
		this.newest = this.newest.shortened(less);
		this.former = null;
	}

	/**
	 * Notes that a transaction was answered.
	 * @param sentAt when it was sent, in nanoseconds of the clock
	 */
	public synchronized void confirm(long sentAt) {
		Evidence known = this.newest.servesFrom(sentAt) ? this.newest : this.former;
		if (known != null && known.servesFrom(sentAt) && (isValid() || isRecent(known))) {
			this.validUntil.accumulateAndGet(known.until, Lease::later);
		}
		received(sentAt);
	}

	/**
	 * Returns whether a transaction that is sent now can make the lease valid.
	 * @return false while too little is known of this connection, or only what is too old
	 * by now, unless the lease is valid
	 */
	public synchronized boolean canBeConfirmed() {
		return isValid() || (isRecent(this.newest) && this.newest.until - this.clock.getAsLong() > 0);
	}

	/**
	 * Returns whether the four moments may be too old before the next chain adds one:
	 * that of the beginning is older than its first receipt, and those of a lost
	 * connection are one. Only a valid lease lasts beyond that.
	 * @return whether the oldest is 3S/4 old; with a receipt every S/6 that of four
	 * chains is 2S/3 old after each
	 */
	public synchronized boolean isAging() {
		Long oldest = this.newest.oldest;
		return oldest != null && this.clock.getAsLong() - oldest >= this.sessionNanos / 4 * 3;
	}

	private boolean isRecent(Evidence known) {
		Long oldest = known.oldest;
		return oldest != null && this.clock.getAsLong() - oldest < this.sessionNanos;
	}

	private void touched(long moment) {
		System.arraycopy(this.touched, 0, this.touched, 1, NEEDED - 1);
		this.touched[0] = moment;
		this.touchesHere = Math.min(this.touchesHere + 1, NEEDED);
	}

	private Evidence evidence(long from) {
		long until = earlier(this.touched[0] + this.sessionNanos / 6 * 5, this.touched[1] + this.sessionNanos);
		return new Evidence(from, until, (this.touchesHere == NEEDED) ? this.touched[NEEDED - 1] : null);
	}

	private long gap() {
		return this.sessionNanos / 8;
	}

	/**
	 * Returns how long to wait before a receipt is asked for, so that it is the B of a
	 * chain.
	 * @return nanoseconds; zero or negative if it may be asked for now
	 */
	public synchronized long gapLeft() {
		Receipt begun = this.first;
		return (begun != null) ? begun.answeredAt + gap() - this.clock.getAsLong() : 0;
	}

	private static long later(long known, long given) {
		return (given - known > 0) ? given : known;
	}

	private static long earlier(long known, long given) {
		return (given - known < 0) ? given : known;
	}

	long sessionNanos() {
		return this.sessionNanos;
	}

	/**
	 * Returns how long the lease is still good.
	 * @return nanoseconds; zero or negative when it is over
	 */
	public long remaining() {
		return this.validUntil.get() - this.clock.getAsLong();
	}

	public boolean isValid() {
		return remaining() > 0;
	}

	/**
	 * Returns whether the lease can be renewed before it is over by a chain that begins
	 * now. It can where answers come in time: it has S/2 left at the least then. It has
	 * less after a stop of ours.
	 * @return whether at least S/8 are left
	 */
	public boolean isLong() {
		return remaining() >= gap();
	}

	/** Makes the lease of a session. */
	@FunctionalInterface
	public interface Factory {

		/**
		 * Makes a lease.
		 * @param clock the monotonic clock
		 * @param sessionNanos the session time-out S in nanoseconds
		 * @param touchedSince a moment after which the leader has touched the session
		 * @return the lease, without validity
		 */
		Lease create(LongSupplier clock, long sessionNanos, long touchedSince);

	}

	/**
	 * An answer that came from the leader.
	 *
	 * @param sentAt when it was asked
	 * @param answeredAt when the answer came
	 */
	private record Receipt(long sentAt, long answeredAt) {
	}

	/**
	 * What a transaction makes a lease of.
	 *
	 * @param from when a transaction must be sent, or later, to show it
	 * @param until how long the lease is good then
	 * @param oldest the oldest of the last four moments of this connection at which the
	 * leader has touched the session, or null if there are not so many
	 */
	private record Evidence(long from, long until, @Nullable Long oldest) {

		Evidence shortened(long less) {
			return new Evidence(this.from, this.until - less, this.oldest);
		}

		boolean servesFrom(long sentAt) {
			return sentAt - this.from >= 0;
		}

	}

}
