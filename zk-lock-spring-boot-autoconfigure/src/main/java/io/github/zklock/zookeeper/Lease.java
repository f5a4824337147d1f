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
 * pings, every half tick. So how long the leader will wait from the send time s on depends
 * on when it last heard of us:
 *
 * - An anchor, an earlier transaction that was answered S/8 (more than half a tick) before
 *   s, has been told to the leader by the time the one of s was answered. The leader waits
 *   at least until the anchor's send time + S, of which we use 5S/6.
 * - Without one there are still the pings of ZooKeeper's client, at least every S/3, so
 *   that the leader waits at least until s + 2S/3 less half a tick, of which we use S/2.
 *
 * A later leader waits S from its election, which came later.
 * The lease never lasts longer than s + 2S/3. With a transaction every S/6 the anchor is
 * the one before, and it always lasts that long. Assumed: S is at least five ticks.
 *
 * I1: `validUntil` never goes back, in whatever order answers are handled.
 * Answers come from one event thread, but `confirm` is guarded all the same; any thread
 * asks. Source: Gray and Cheriton, "Leases", SOSP 1989.
 */
/**
 * Until when, on the local monotonic clock, the servers cannot have expired our session.
 */
final class Lease {

	private final LongSupplier clock;

	private final AtomicLong validUntil;

	private @Nullable Confirmation anchor;

	private @Nullable Confirmation candidate;

	Lease(LongSupplier clock) {
		this.clock = clock;
		this.validUntil = new AtomicLong(clock.getAsLong());
	}

	/**
	 * Notes that a transaction was answered.
	 * @param sentAt when it was sent, in nanoseconds of the clock
	 * @param sessionNanos the session time-out S in nanoseconds
	 */
	synchronized void confirm(long sentAt, long sessionNanos) {
		if (this.candidate != null && sentAt - this.candidate.answeredAt >= sessionNanos / 8) {
			this.anchor = this.candidate;
			this.candidate = null;
		}
		if (this.candidate == null) {
			this.candidate = new Confirmation(sentAt, this.clock.getAsLong());
		}
		long lasting = sessionNanos / 2;
		if (this.anchor != null) {
			long heardOf = this.anchor.sentAt - sentAt + sessionNanos / 6 * 5;
			lasting = Math.max(lasting, Math.min(heardOf, sessionNanos / 3 * 2));
		}
		this.validUntil.accumulateAndGet(sentAt + lasting, (known, given) -> (given - known > 0) ? given : known);
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

	private record Confirmation(long sentAt, long answeredAt) {
	}

}
