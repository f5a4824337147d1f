package io.github.zklock.internal.session;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.concurrent.Timer;
import io.github.zklock.internal.node.ClientIdentity;

/**
 * Takes one session after the other from a {@link CuratorFramework} and hands it to those
 * who wait for one; with where the locks are and who we are.
 */
public final class SessionSource implements CuratorHandles.Host, LockSession.Host {

	/*-
	 * Curator makes the ZooKeeper handles (`CuratorHandles`); we take the raw one of each session
	 * as soon as it is connected, and let go of it when the session has ended. `current` goes
	 * from null to a session and from one session to the next, by CAS.
	 *
	 * I1: those who wait for a session get one: `await` looks at `current` after it has joined the
	 *     waiting, `adopt` reads the waiting after it has set `current`. While anyone waits a
	 *     timer looks too, because Curator drops events when its queue is full.
	 * I2: a session object is made once for each handle: `adopt` does nothing for the handle
	 *     that is current, and a handle that was found dead is not adopted.
	 * I3: the threads end when this is closed, no session tracks anything and each client that was closed before
	 *     has left, or had a session time-out for it: one that is about to make a node is tracked only then.
	 * I4: `adopt` gets a moment at which Curator had an earlier handle, or none: it counts a handle before
	 *     it makes it. So the request for the session was sent later.
	 * I5: Curator is never called on the timer thread, because it may keep its caller waiting:
	 *     for the monitor, for one, that its event thread holds while it closes an expired
	 *     session. Deadlines, leases and maxHold depend on that thread.
	 * I6: the session ends before Curator closes its handle: what is closed has its nodes deleted as soon as the servers
	 *     get to know, and their answer may come late. A closing Curator is stopped first, then reports that it closes,
	 *     and then closes the handle; one that is reset counts the handle first. `isHeld` looks at both.
	 * Source: Curator tech notes on session and connection states.
	 */

	private static final Logger log = LoggerFactory.getLogger(SessionSource.class);

	/** How long a close waits for the servers. */
	public static final int CLOSE_SECONDS = 2;

	/** What a close logs that has waited in vain. */
	public static final String UNCONFIRMED = "ZooKeeper has not yet confirmed the removal of all lock nodes that there may be; they will "
			+ "be removed as soon as it answers or, if the connection is closed before, with the session";

	private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final CuratorHandles handles;

	private final LockPaths paths;

	private final ClientIdentity identity;

	private final LongSupplier clock;

	private final Lease.Factory leases;

	private final SessionTimeoutCheck timeoutCheck;

	private final StepFailures failures = new StepFailures();

	private final Timer timer = new Timer("zk-lock-timer", this.failures);

	private final Timer deadlines = new Timer("zk-lock-deadline", this.failures);

	private final Timer search = new Timer("zk-lock-session", this.failures);

	private final AtomicReference<@Nullable LockSession> current = new AtomicReference<>();

	private final SessionWaiters waiting = new SessionWaiters(this.failures);

	private final SessionCounters counters = new SessionCounters();

	private final AtomicReference<@Nullable String> unusable = new AtomicReference<>();

	private final AtomicBoolean polling = new AtomicBoolean();

	private final SourceEnd end = new SourceEnd();

	/**
	 * Creates a source that has not started.
	 * @param curator a started client; it is not closed by us
	 * @param paths where the locks are
	 * @param identity who we are
	 * @param clock the monotonic clock
	 * @param leases makes the sessions' leases
	 * @param asked which session time-out Curator asks for, or null if that is not known
	 */
	public SessionSource(CuratorFramework curator, LockPaths paths, ClientIdentity identity, LongSupplier clock,
			Lease.Factory leases, @Nullable Duration asked) {
		this.paths = paths;
		this.identity = identity;
		this.clock = clock;
		this.leases = leases;
		this.timeoutCheck = new SessionTimeoutCheck(asked);
		this.handles = new CuratorHandles(curator, clock, this);
	}

	/** Takes the first session as soon as Curator is connected. */
	public void start() {
		this.handles.listen();
		takeHandle();
	}

	@Override
	public void connectionLost(BooleanSupplier replaced) {
		LockSession session = this.current.get();
		if (session != null) {
			session.connectionLost(replaced);
		}
	}

	@Override
	public void connectionChanged(ConnectionState state) {
		LockSession before = this.current.get();
		if (state.isConnected()) {
			takeHandle();
		}
		LockSession session = this.current.get();
		if (session != null) {
			session.connectionChanged(state == ConnectionState.RECONNECTED && session == before,
					this.timeoutCheck::refusal);
		}
	}

	@Override
	public void connectionClosing() {
		LockSession session = this.current.get();
		if (session != null) {
			session.end();
		}
	}

	@Override
	public boolean isClosing() {
		return this.handles.areClosing();
	}

	public LockPaths paths() {
		return this.paths;
	}

	public ClientIdentity identity() {
		return this.identity;
	}

	public LongSupplier clock() {
		return this.clock;
	}

	public Timer timer() {
		return this.timer;
	}

	/**
	 * Returns the timer of calls: no lease waits for them, however many there are.
	 * @return a timer with a thread of its own
	 */
	public Timer deadlines() {
		return this.deadlines;
	}

	public SessionCounters counters() {
		return this.counters;
	}

	public StepFailures failures() {
		return this.failures;
	}

	public String servers() {
		return this.handles.servers();
	}

	/**
	 * Returns whether Curator has given up the session that we know.
	 * @return true after LOST, until it is connected again
	 */
	public boolean isLost() {
		return this.handles.isLost();
	}

	public @Nullable LockSession current() {
		LockSession session = this.current.get();
		return (session != null && session.isLive()) ? session : null;
	}

	/**
	 * Takes a lock away from its holder, if it is here.
	 * @param path the path of its node
	 * @param token the node's first fencing token
	 * @return completes when the node is gone; null if nobody here holds it
	 */
	public @Nullable CompletionStage<Void> takeAway(String path, long token) {
		LockSession session = current();
		return (session != null) ? session.held().takeAway(path, token) : null;
	}

	/**
	 * Returns whether a server has confirmed the session lately.
	 * @return whether there is a session with a valid lease
	 */
	public boolean isConfirmed() {
		LockSession session = this.current.get();
		return session != null && session.isConfirmed();
	}

	/**
	 * Reports a session to a waiter, at once if there is one.
	 * @param waiter who waits
	 */
	public void await(SessionWaiter waiter) {
		this.waiting.add(waiter);
		LockSession session = current();
		if (session == null) {
			poll();
			session = current();
		}
		String reason = this.unusable.get();
		if (reason != null) {
			waiter.sessionUnusable(reason);
		}
		if (session != null && this.waiting.remove(waiter)) {
			waiter.sessionBegan(session);
		}
	}

	public void forget(SessionWaiter waiter) {
		this.waiting.remove(waiter);
	}

	private void poll() {
		if (this.polling.compareAndSet(false, true)) {
			try {
				this.search.later(POLL_NANOS, this::pollNow);
			}
			catch (Throwable ex) {
				this.polling.set(false);
				throw ex;
			}
		}
	}

	private void pollNow() {
		this.polling.set(false);
		if (!this.waiting.isEmpty() || this.unusable.get() != null) {
			this.failures.contain(this, () -> {
				if (this.handles.isStopped()) {
					unusable("The CuratorFramework of the lock client is closed");
				}
				takeHandle();
				renewIfRefused();
			});
		}
		if (!this.waiting.isEmpty()) {
			poll();
		}
	}

	private void takeHandle() {
		this.handles.take((handle, madeAfter) -> this.failures.contain(this, () -> adopt(handle, madeAfter)));
	}

	private void renewIfRefused() {
		CuratorHandles.Refusal refusal = this.handles.refusal();
		if (refusal == CuratorHandles.Refusal.NOW && this.handles.wereRenewed()) {
			this.waiting.each((waiter) -> waiter.sessionRefused(Code.AUTHFAILED, this.paths.root()));
		}
		else if (refusal != CuratorHandles.Refusal.NONE) {
			this.waiting.each((waiter) -> waiter.sessionDelayed(Code.AUTHFAILED, this.paths.root()));
		}
		if (refusal == CuratorHandles.Refusal.NOW) {
			this.handles.renew();
		}
	}

	private void adopt(ZooKeeper handle, @Nullable Long madeAfter) {
		LockSession known = this.current.get();
		boolean fresh = known == null || !known.uses(handle);
		if (fresh && handle.getState().isConnected()) {
			LockSession session = new LockSession(handle, this.clock, this.timer, this.counters, this.leases, madeAfter,
					this);
			boolean usable = isUsable(session);
			// First current, then begun: its lease is to miss nothing of its connection
			if (usable && !this.current.compareAndSet(known, session)) {
				return;
			}
			if (known != null) {
				known.end();
			}
			if (!usable) {
				return;
			}
			session.begin();
			this.timeoutCheck.look(session.timeout(), (known != null) ? known.timeout() : null);
			session.checkAlive();
		}
		LockSession session = current();
		if (session != null) {
			this.waiting.begin(session);
		}
	}

	private boolean isUsable(LockSession session) {
		String reason = this.timeoutCheck.refusal(session.timeout());
		if (reason != null) {
			unusable(reason);
			return false;
		}
		this.unusable.set(null);
		return true;
	}

	@Override
	public void unusable(String reason) {
		if (!reason.equals(this.unusable.getAndSet(reason))) {
			log.error("{}", reason);
		}
		this.waiting.each((waiter) -> waiter.sessionUnusable(reason));
	}

	@Override
	public void idle(LockSession session) {
		settle();
	}

	private void settle() {
		LockSession session = current();
		if (this.end.isClear() && (session == null || session.trackedCount() == 0)) {
			this.timer.stop();
			this.deadlines.stop();
			this.search.stop();
			this.end.settled();
		}
	}

	/**
	 * Counts what this client has, or may have, in ZooKeeper, and what it keeps because
	 * of that; zero when nobody holds, waits or is being removed.
	 * @return the number of tracked nodes, shared watches and waiters for a session
	 */
	public int openCount() {
		LockSession session = current();
		return this.waiting.count() + ((session != null) ? session.trackedCount() + session.watches().count() : 0);
	}

	/**
	 * Goes on until a client has left, although this may be closed before; but no longer
	 * than the session time-out, for a strategy's contender may never leave.
	 * @param left completes when nothing of the client is, or can get, in ZooKeeper
	 */
	public void goOnUntil(CompletableFuture<Void> left) {
		this.end.leaves();
		CompletableFuture<Void> over = left.copy();
		over.minimalCompletionStage().whenComplete((nothing, failure) -> {
			this.end.left(left.isDone());
			settle();
		});
		if (!over.isDone()) {
			LockSession session = current();
			long patience = (session != null) ? session.timeoutNanos() : TimeUnit.SECONDS.toNanos(CLOSE_SECONDS);
			this.failures.contain(this, () -> this.timer.later(patience, () -> over.complete(null)));
		}
	}

	/**
	 * Lets go of Curator. Contenders that have not left yet go on until they have; this
	 * waits for them for a short time, which begins when their client is closed.
	 */
	public void close() {
		this.end.close();
		settle();
		this.end.await();
		this.handles.stopListening();
	}

}
