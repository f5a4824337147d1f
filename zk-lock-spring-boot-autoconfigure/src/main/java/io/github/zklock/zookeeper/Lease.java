package io.github.zklock.zookeeper;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/*
 * A transaction that a quorum accepted shows that its leader led, and had not expired the
 * session, when it handled it, so not before it was sent. From the send time that leader
 * grants at least the session time-out S less what it hears late from followers (half a
 * tick), and a later leader grants S from its election, which came later. Two thirds of S
 * stay clear of that for S of at least five ticks, and of clock rates that differ. (A
 * leader that was replaced answers reads and syncs until it notices: they show nothing.)
 *
 * I1: `validUntil` never goes back, in whatever order answers are handled.
 * Any thread confirms, any thread asks; one atomic long is all the state.
 * Source: Gray and Cheriton, "Leases", SOSP 1989.
 */
/**
 * Until when, on the local monotonic clock, the servers cannot have expired our session.
 */
final class Lease {

	private final LongSupplier clock;

	private final AtomicLong validUntil;

	Lease(LongSupplier clock) {
		this.clock = clock;
		this.validUntil = new AtomicLong(clock.getAsLong());
	}

	/**
	 * Notes that a transaction was answered.
	 * @param sentAt when it was sent, in nanoseconds of the clock
	 * @param sessionNanos the session time-out S in nanoseconds
	 */
	void confirm(long sentAt, long sessionNanos) {
		long until = sentAt + sessionNanos / 3 * 2;
		this.validUntil.accumulateAndGet(until, (known, given) -> (given - known > 0) ? given : known);
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

}
