package io.github.zklock.zookeeper;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/*
 * A leader expires a session when it has not heard of it for the session time-out S. A
 * transaction that a quorum accepted shows that its leader led, and had not expired the
 * session, when it handled it, so not before it was sent. (A leader that was replaced
 * answers reads and syncs until it notices: they show nothing.) But it does not make the
 * leader hear of the session: a follower tells that only with its answers to the leader's
 * pings, every half tick. So a transaction sent at s counts only together with a moment
 * from which on the leader is known to have heard of the session, and this is
 *
 * - when an earlier request, a read will do, was sent that was answered S/8 (more than half
 *   a tick) before s: the follower had heard of us by then, and has told the leader before
 *   it let the transaction pass;
 * - when a request was sent that came back with its connection lost: the one after was
 *   made later, and making a connection is something that the leader hears of;
 * - when Curator was seen not to be connected, or S/2 before the session was taken over
 *   from it. This is an assumption: that the client was not frozen for S/2 just then, with
 *   what it was told last still unread. It serves until the first request of our own is
 *   S/8 old.
 *
 * From the latest of them on the leader waits S, of which we use 5S/6, but never more than
 * s + 2S/3. A later leader waits S from its election, which came later. With a request
 * every S/6, also while nothing is locked, there always is an earlier one, and a lone
 * transaction lasts S/2 at least. Assumed: S is at least five ticks.
 *
 * I1: `validUntil` never goes back, in whatever order answers are handled.
 * I2: without a transaction the lease never grows, whatever was heard.
 * Answers come from one event thread, but what they change is guarded all the same; any
 * thread asks. docs/spec/ZkLease.tla. Source: Gray and Cheriton, "Leases", SOSP 1989.
 */
/**
 * Until when, on the local monotonic clock, the servers cannot have expired our session.
 */
final class Lease {

	private final LongSupplier clock;

	private final long sessionNanos;

	private final AtomicLong validUntil;

	private long heard;

	private @Nullable Answered candidate;

	/**
	 * Begins without validity.
	 * @param clock the monotonic clock
	 * @param sessionNanos the session time-out S in nanoseconds
	 */
	Lease(LongSupplier clock, long sessionNanos) {
		this.clock = clock;
		this.sessionNanos = sessionNanos;
		long now = clock.getAsLong();
		this.validUntil = new AtomicLong(now);
		this.heard = now - sessionNanos / 2;
	}

	/**
	 * Notes that a request was answered by whatever server we talk to.
	 * @param sentAt when it was sent, in nanoseconds of the clock
	 */
	synchronized void answered(long sentAt) {
		Answered earlier = this.candidate;
		if (earlier != null && sentAt - earlier.at >= this.sessionNanos / 8) {
			heardSince(earlier.sentAt);
			this.candidate = null;
		}
		if (this.candidate == null) {
			this.candidate = new Answered(sentAt, this.clock.getAsLong());
		}
	}

	/**
	 * Notes that the connection, or the session, was made later than some moment: a
	 * request that was sent then came back because its connection was lost.
	 * @param moment in nanoseconds of the clock
	 */
	synchronized void disconnected(long moment) {
		heardSince(moment);
	}

	private void heardSince(long moment) {
		this.heard = later(this.heard, moment);
	}

	/**
	 * Notes that a transaction was answered.
	 * @param sentAt when it was sent, in nanoseconds of the clock
	 */
	synchronized void confirm(long sentAt) {
		answered(sentAt);
		long ends = sentAt + Math.min(this.heard - sentAt + this.sessionNanos / 6 * 5, this.sessionNanos / 3 * 2);
		this.validUntil.accumulateAndGet(ends, Lease::later);
	}

	private static long later(long known, long given) {
		return (given - known > 0) ? given : known;
	}

	/**
	 * Returns how long the lease is still good.
	 * @return nanoseconds; zero or negative when it is over
	 */
	long remaining() {
		return this.validUntil.get() - this.clock.getAsLong();
	}

	boolean isValid() {
		return remaining() > 0;
	}

	private record Answered(long sentAt, long at) {
	}

}
