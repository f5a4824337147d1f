package io.github.zklock.internal.session;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.concurrent.StepFailures;

/**
 * The time-out of a session. It becomes less when the client connects to a server with a
 * smaller maximum; one that becomes more again is taken for what it was.
 */
final class SessionTimeout {

	private final ZooKeeper zooKeeper;

	private final StepFailures failures;

	private volatile long nanos;

	SessionTimeout(ZooKeeper zooKeeper, StepFailures failures) {
		this.zooKeeper = zooKeeper;
		this.failures = failures;
		this.nanos = given();
	}

	// Zero once the session has expired
	private long given() {
		return TimeUnit.MILLISECONDS.toNanos(this.zooKeeper.getSessionTimeout());
	}

	long nanos() {
		return this.nanos;
	}

	/**
	 * Looks what the last connection gave, which is known before any answer of it.
	 * @param lease ends sooner if that was less
	 * @return whether it was, and is noted by this call
	 */
	boolean isCut(Lease lease) {
		long given = given();
		long before = (given > 0 && given < this.nanos) ? cut(given, lease) : 0;
		boolean cut = before > given;
		if (cut) {
			this.failures.contain(this,
					() -> SessionTimeoutCheck.cut(Duration.ofNanos(before), Duration.ofNanos(given)));
		}
		return cut;
	}

	/**
	 * Looks whether the last connection gave more than is good for a lease.
	 * @param refusal why a time-out is too long, or null if it is not
	 */
	void checkRaised(Function<Duration, @Nullable String> refusal) {
		long given = given();
		String reason = (given > this.nanos) ? refusal.apply(Duration.ofNanos(given)) : null;
		if (reason != null) {
			SessionTimeoutCheck.raised(reason);
		}
	}

	private synchronized long cut(long given, Lease lease) {
		long before = this.nanos;
		if (given < before) {
			lease.shorten(given);
			this.nanos = given;
		}
		return before;
	}

}
