package io.github.zklock.zookeeper;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/*
 * A leader expires a session when it has not heard of it for the session time-out S. What
 * makes it hear (ZooKeeper 3.9): a client that connects, and a follower's reply to one of
 * its pings, which it sends every half tick; the reply names each session that has used
 * the follower since the one before. A request that is only passed on does not. So an
 * answer shows nothing alone, whatever was asked. Three in a row, on one connection, do:
 *
 *   A  a receipt, sent at m: the answer to a sync or to a transaction, which has been to
 *      the leader and back. From A's answer on the follower knows of us.
 *   B  a receipt that is sent S/8 (more than half a tick) after A's answer. Meanwhile the
 *      leader has sent a ping. It reached the follower before B's answer, because packets
 *      between servers keep their order, and the follower's reply names us.
 *   T  a transaction that is sent after B's answer. It reached the leader behind that
 *      reply. So when T was prepared the leader had heard of us at m or later and had not
 *      expired us; and T was accepted by a quorum, so it was the leader.
 *
 * Hence nobody expires us before m + S, neither this leader nor a later one, which waits S
 * from its election. B is the A of the next chain. A sync alone is no T: a leader that was
 * replaced, and does not know it, answers it.
 *
 * A chain has one weak point: a leader that stands still between A and B. When it thaws it
 * may handle B before the ping that is due; or it has already taken our session out of its
 * queue as expired, and still serves us until it comes to close it, however often it hears
 * of us. Two chains in a row do not overlap, so one such moment spoils only one of them.
 * Therefore a chain is good until m + 5S/6, and no longer than p + S, where p is the m of
 * the chain before it. With a receipt every S/6 that is the same. After a freeze of the
 * client p is old, and the lease comes back with the second chain.
 *
 * A request that was sent at c and came back with its connection lost shows as much as a
 * chain: the next connection was made later than c, and the leader hears of that. Its p is
 * the last m that the leader has heard of for sure: one whose T, or the B of the chain
 * behind it, was answered. A chain never goes on from one connection to the next.
 *
 * The first m is when Curator was seen not to be connected before it made the session.
 * Where that was not seen it is S/2 before the session was taken over: an assumption, that
 * the client was not frozen for S/2 just then.
 *
 * I1: `validUntil` never goes back, in whatever order answers are handled.
 * I2: without a transaction the lease never grows, whatever was received.
 * I3: a transaction counts for evidence that was complete when it was sent.
 * I4: what is lost with one connection is one piece of evidence, with one p.
 * Answers come from one event thread, but what they change is guarded all the same; any
 * thread asks. Assumed: S is at least five ticks, and a running leader is late by less than
 * what S/8 is more than half a tick; it closes the sessions of one tick within S/8; clock
 * rates are alike. docs/design.md, docs/spec/ZkLease.tla. Source: Gray and Cheriton,
 * "Leases", SOSP 1989.
 */
/**
 * Until when, on the local monotonic clock, the servers cannot have expired our session.
 */
final class Lease {

	private final LongSupplier clock;

	private final long sessionNanos;

	private final AtomicLong validUntil;

	private Evidence newest;

	private @Nullable Evidence former;

	private @Nullable Receipt first;

	private long delivered;

	private boolean disconnected;

	/**
	 * Begins without validity.
	 * @param clock the monotonic clock
	 * @param sessionNanos the session time-out S in nanoseconds
	 * @param heardSince a moment, in nanoseconds of the clock, after which the leader has
	 * heard of the session
	 */
	Lease(LongSupplier clock, long sessionNanos, long heardSince) {
		this.clock = clock;
		this.sessionNanos = sessionNanos;
		this.validUntil = new AtomicLong(clock.getAsLong());
		this.delivered = heardSince;
		this.newest = evidence(heardSince, heardSince, heardSince);
	}

	/**
	 * Notes that a request was answered that has been to the leader.
	 * @param sentAt when it was sent, in nanoseconds of the clock
	 */
	synchronized void received(long sentAt) {
		this.disconnected = false;
		if (this.newest.servesFrom(sentAt)) {
			this.delivered = later(this.delivered, this.newest.moment);
		}
		Receipt begun = this.first;
		long now = this.clock.getAsLong();
		if (begun == null) {
			this.first = new Receipt(sentAt, now);
		}
		else if (sentAt - begun.answeredAt >= this.sessionNanos / 8) {
			this.former = this.newest;
			this.newest = evidence(begun.sentAt, now, this.newest.moment);
			this.first = new Receipt(sentAt, now);
		}
	}

	/**
	 * Notes that a request came back because its connection was lost: the next one is
	 * made later.
	 * @param sentAt when it was sent, in nanoseconds of the clock
	 */
	synchronized void disconnected(long sentAt) {
		this.first = null;
		if (!this.disconnected || sentAt - this.newest.moment > 0) {
			this.newest = evidence(sentAt, sentAt, this.delivered);
		}
		this.disconnected = true;
		this.former = null;
	}

	/**
	 * Notes that a transaction was answered.
	 * @param sentAt when it was sent, in nanoseconds of the clock
	 */
	synchronized void confirm(long sentAt) {
		Evidence known = this.newest.servesFrom(sentAt) ? this.newest : this.former;
		if (known != null && known.servesFrom(sentAt)) {
			this.validUntil.accumulateAndGet(known.until, Lease::later);
		}
		received(sentAt);
	}

	private Evidence evidence(long moment, long from, long before) {
		return new Evidence(moment, from, earlier(moment + this.sessionNanos / 6 * 5, before + this.sessionNanos));
	}

	private static long later(long known, long given) {
		return (given - known > 0) ? given : known;
	}

	private static long earlier(long known, long given) {
		return (given - known < 0) ? given : known;
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
	 * @param moment after which the leader has heard of the session
	 * @param from when a transaction must be sent, or later, to show it
	 * @param until how long the lease is good then
	 */
	private record Evidence(long moment, long from, long until) {

		boolean servesFrom(long sentAt) {
			return sentAt - this.from >= 0;
		}

	}

}
