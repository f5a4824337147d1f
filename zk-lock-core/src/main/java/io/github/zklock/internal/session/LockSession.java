package io.github.zklock.internal.session;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;

import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.concurrent.GrowingPause;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.concurrent.Timer;

/**
 * A ZooKeeper session, its raw handle and its lease.
 */
public final class LockSession {

	/*-
	 * One ZooKeeper session: its one raw handle, its lease, and what of ours lives in it.
	 *
	 * LIVE -> ENDED, final. Ended by the first of: an answer SESSION_EXPIRED or AUTH_FAILED, an Expired or
	 * Closed event, the handle found dead, a new handle in Curator's hands, Curator being closed.
	 *
	 * I1: a member that is tracked when the session ends, or is tracked later, is notified
	 *     at least once: `track` looks at `ended` after it has added, `end` reads
	 *     the set after it has set `ended`.
	 * I2: the lease is kept up by the `SessionBeat`, from the beginning to the end. By construction.
	 * I3: what is held is looked after by `LeaseHolders`, until it ends. By construction.
	 * I4: no lock is held while anyone is called: but for the time-out, which only becomes less, all that is
	 *     shared is one atomic or one concurrent collection each. By construction.
	 * I5: what one member throws is reported and keeps nobody else from being notified.
	 */

	private final ZooKeeper zooKeeper;

	private final LongSupplier clock;

	private final Timer timer;

	private final SessionTimeout timeout;

	private final Lease lease;

	private final SessionRequests requests;

	private final CommitBarrier barrier;

	private final StepFailures failures;

	private final NodeWatches watches;

	private final Host host;

	private final SessionCounters counters;

	private final Map<String, SessionMember> tracked = new ConcurrentHashMap<>();

	private final LeaseHolders held;

	private final SessionBeat heartbeat;

	private final AtomicBoolean ended = new AtomicBoolean();

	/**
	 * Wraps the handle of a session.
	 * @param zooKeeper the handle, connected
	 * @param clock the monotonic clock
	 * @param timer starts what is due later
	 * @param counters what is counted for the metrics
	 * @param leases makes the lease
	 * @param madeAfter a moment at which the handle was not made yet, so that its session
	 * was asked for later; null if none is known
	 * @param host whose session it is
	 */
	public LockSession(ZooKeeper zooKeeper, LongSupplier clock, Timer timer, SessionCounters counters,
			Lease.Factory leases, @Nullable Long madeAfter, Host host) {
		this.zooKeeper = zooKeeper;
		this.clock = clock;
		this.timer = timer;
		this.counters = counters;
		this.failures = timer.failures();
		this.host = host;
		this.timeout = new SessionTimeout(zooKeeper, this.failures);
		this.lease = leases.create(clock, timeoutNanos(), touchedSince(clock.getAsLong(), madeAfter));
		this.held = new LeaseHolders(clock, timer, this.lease);
		this.heartbeat = new SessionBeat(this, zooKeeper, this.timeout, this.lease, timer);
		this.requests = new SessionRequests(zooKeeper, this.lease, clock, timer, this::end, this::evaded);
		this.barrier = new CommitBarrier(this.requests, timer, this::isLive);
		this.watches = new NodeWatches(this.requests, counters, this.failures, this::end,
				() -> connectionLost(() -> false));
	}

	private long touchedSince(long now, @Nullable Long madeAfter) {
		long assumed = now - timeoutNanos() / 2;
		return (madeAfter != null && madeAfter - assumed > 0) ? madeAfter : assumed;
	}

	/** Begins to send its regular requests. */
	public void begin() {
		this.heartbeat.begin();
	}

	public boolean uses(ZooKeeper handle) {
		return this.zooKeeper == handle;
	}

	public long id() {
		return this.zooKeeper.getSessionId();
	}

	public LongSupplier clock() {
		return this.clock;
	}

	public SessionCounters counters() {
		return this.counters;
	}

	public StepFailures failures() {
		return this.failures;
	}

	public Duration timeout() {
		return Duration.ofNanos(timeoutNanos());
	}

	/**
	 * Returns whether a server is connected that takes writes.
	 * @return false while there is none, and once the handle is dead
	 */
	public boolean isConnected() {
		return this.zooKeeper.getState() == ZooKeeper.States.CONNECTED;
	}

	public boolean isReconnecting() {
		return !isOver() && !this.zooKeeper.getState().isConnected();
	}

	public SessionRequests requests() {
		return this.requests;
	}

	public NodeWatches watches() {
		return this.watches;
	}

	/**
	 * Returns how long to wait before the lease is asked for again.
	 * @return nanoseconds, a small part of the session time-out
	 */
	public long leasePause() {
		return timeoutNanos() / 64;
	}

	public long timeoutNanos() {
		return this.timeout.nanos();
	}

	/**
	 * Returns when the last receipt was sent.
	 * @return nanoseconds of the clock
	 */
	public long lastReceipt() {
		return this.lease.lastReceipt();
	}

	public boolean isLive() {
		return !this.ended.get();
	}

	/**
	 * Returns whether no server can have expired this session.
	 * @return false once the session has ended, its handle was closed or the lease is
	 * over
	 */
	public boolean isConfirmed() {
		lookAtTimeout();
		return !isOver() && this.lease.isValid();
	}

	/**
	 * Returns whether a transaction that is sent now can confirm the session.
	 * @return false while too little is known of a new connection
	 */
	public boolean canBeConfirmed() {
		lookAtTimeout();
		this.heartbeat.goOn();
		return this.lease.canBeConfirmed();
	}

	// The beat that is timed would come too late
	private void lookAtTimeout() {
		if (this.timeout.isCut(this.lease)) {
			this.heartbeat.hurry();
		}
	}

	/**
	 * Returns whether what is granted now is not lost at once, unless the servers do not
	 * answer any more.
	 * @return false if the lease may be over before it is renewed
	 */
	public boolean isLeaseLong() {
		lookAtTimeout();
		return this.lease.isLong();
	}

	/**
	 * Returns whether the session is over, whether or not that was handled already.
	 * @return true once it has ended, or its handle is dead or being closed
	 */
	public boolean isOver() {
		return !isLive() || isDead();
	}

	/**
	 * Returns why the session has ended.
	 * @return whether its credentials were refused
	 */
	public boolean isRefused() {
		return this.zooKeeper.getState() == ZooKeeper.States.AUTH_FAILED;
	}

	private boolean isDead() {
		return this.host.isClosing() || !this.zooKeeper.getState().isAlive();
	}

	/**
	 * The connection was lost.
	 * @param replaced whether answers of the next one may have come already; never, if
	 * called on ZooKeeper's event thread
	 */
	public void connectionLost(BooleanSupplier replaced) {
		long receipt = this.lease.lastReceipt();
		if (replaced.getAsBoolean()) {
			this.lease.replaced();
		}
		else {
			this.lease.disconnected(receipt);
		}
		this.requests.roundTrip().connectionLost();
	}

	/**
	 * The connection may be another one.
	 * @param connected whether it is, and is that of this session
	 * @param refusal why a time-out is too long for a lease, or null if it is not
	 */
	void connectionChanged(boolean connected, Function<Duration, @Nullable String> refusal) {
		checkAlive();
		if (connected && isLive()) {
			this.timeout.checkRaised(refusal);
			this.heartbeat.reconnected();
		}
	}

	/** Ends the session if its handle is dead, or is being closed. */
	public void checkAlive() {
		if (isDead()) {
			end();
		}
	}

	private void evaded() {
		this.barrier.pause();
	}

	/** Ends the session and notifies all that is tracked. Further calls do nothing. */
	public void end() {
		if (this.ended.compareAndSet(false, true)) {
			this.tracked.values().forEach((member) -> this.failures.contain(member, member::sessionEnded));
			this.tracked.clear();
			this.held.clear();
			this.host.idle(this);
		}
	}

	/**
	 * Notes that something of ours is, or is about to be, in ZooKeeper.
	 * @param member who is notified of the session's end
	 */
	public void track(SessionMember member) {
		this.tracked.put(member.id(), member);
		this.heartbeat.goOn();
		if (!isLive()) {
			this.tracked.remove(member.id());
			member.sessionEnded();
		}
	}

	public void untrack(SessionMember member) {
		if (this.tracked.remove(member.id()) != null && this.tracked.isEmpty()) {
			this.host.idle(this);
		}
	}

	public int trackedCount() {
		return this.tracked.size();
	}

	/**
	 * Returns what is held.
	 * @return the holders, which are notified of the lease's end
	 */
	public LeaseHolders held() {
		return this.held;
	}

	/**
	 * Runs a step later.
	 * @param nanos in how many nanoseconds
	 * @param step what to do; runs on the timer's thread
	 */
	public void later(long nanos, Runnable step) {
		this.timer.later(nanos, step);
	}

	/**
	 * Runs a step later, unless it is cancelled.
	 * @param nanos in how many nanoseconds
	 * @param step what to do; runs on the timer's thread
	 * @return cancels the step
	 */
	public Future<?> after(long nanos, Runnable step) {
		return this.timer.after(nanos, step);
	}

	/**
	 * Runs a step of a loop, now or after a pause.
	 * @param pause how the pauses of the loop grow
	 * @param step what to do; runs now, or on the timer's thread
	 */
	public void afterPause(GrowingPause pause, Runnable step) {
		long nanos = pause.next();
		if (nanos == 0) {
			step.run();
		}
		else {
			later(nanos, step);
		}
	}

	/**
	 * Runs a step again later that has ended with a refusal. That is no result where an
	 * earlier answer was lost, or where a node would stay behind: another connection of
	 * the session may have other credentials.
	 * @param before how often it was refused before
	 * @param step what to do; runs on the timer's thread
	 */
	public void afterRefusal(int before, Runnable step) {
		later(GrowingPause.afterRefusal(before), step);
	}

	/**
	 * Runs a step after a transaction that is sent from now on has been answered.
	 * @param step what to do; never runs if the session ends before
	 */
	public void afterCommit(Runnable step) {
		this.barrier.pass(step);
	}

	@Override
	public String toString() {
		return "session 0x" + Long.toHexString(id());
	}

	/** Whose session it is. */
	@FunctionalInterface
	public interface Host {

		/**
		 * Nothing is tracked any more.
		 * @param session the session
		 */
		void idle(LockSession session);

		/**
		 * Returns whether the handle is being closed: the servers may delete the nodes
		 * before the handle has their answer.
		 * @return whether it is
		 */
		default boolean isClosing() {
			return false;
		}

	}

}
