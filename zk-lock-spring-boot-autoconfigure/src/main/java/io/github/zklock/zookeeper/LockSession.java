package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.WatcherType;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/*
 * One ZooKeeper session: its one raw handle, its lease, and what of ours lives in it.
 * Requests go straight to the handle, so that ZooKeeper itself keeps them in order.
 *
 * LIVE -> ENDED, final. Ended by the first of: an answer SESSION_EXPIRED, an Expired or
 * Closed event, the handle found dead, a new handle in Curator's hands.
 *
 * I1: whoever is tracked when the session ends, or is tracked later, is told exactly once
 *     or more, never not at all: `track` looks at `ended` after it has added, `end` reads
 *     the set after it has set `ended`.
 * I2: every sixth of the session time-out a sync is sent, so that the leader is known to
 *     hear of us when the first lock after an idle time is taken; and behind its answer,
 *     while anything is tracked, a transaction that makes a lease of it.
 * I3: while anything is held a timer waits for the end of the lease; the lease may have
 *     been renewed by then, so it looks again. When the lease is over all holds are lost.
 * I4: no lock is held while anyone is called.
 */
/**
 * A ZooKeeper session, its raw handle and its lease. All requests are asynchronous; their
 * callbacks run on ZooKeeper's event thread and only hand a step to somebody's mailbox.
 */
final class LockSession {

	/** Whatever comes of it, it is a transaction, for which a quorum must vote. */
	private static final List<Op> NOTHING = List.of(Op.check("/", -1));

	private final ZooKeeper zooKeeper;

	private final LongSupplier clock;

	private final Timer timer;

	private final long sessionNanos;

	private final Lease lease;

	private final SyncBarrier barrier;

	private final NodeWatches watches;

	private final Consumer<LockSession> onIdle;

	private final SignalCounts counts;

	private final Map<String, SessionMember> tracked = new ConcurrentHashMap<>();

	private final Set<LeaseHolder> held = ConcurrentHashMap.newKeySet();

	private final AtomicBoolean ended = new AtomicBoolean();

	private final AtomicBoolean expiring = new AtomicBoolean();

	/**
	 * Wraps the handle of a session.
	 * @param zooKeeper the handle, connected
	 * @param clock the monotonic clock
	 * @param timer starts what is due later
	 * @param counts what is counted for the metrics
	 * @param unconnectedAt a moment when there was no connection, so that the session was
	 * made, or confirmed by the leader, after it; null if none is known
	 * @param onIdle told when nothing is tracked any more
	 */
	LockSession(ZooKeeper zooKeeper, LongSupplier clock, Timer timer, SignalCounts counts, @Nullable Long unconnectedAt,
			Consumer<LockSession> onIdle) {
		this.zooKeeper = zooKeeper;
		this.clock = clock;
		this.timer = timer;
		this.counts = counts;
		this.onIdle = onIdle;
		this.sessionNanos = TimeUnit.MILLISECONDS.toNanos(zooKeeper.getSessionTimeout());
		this.lease = new Lease(clock, this.sessionNanos, heardSince(clock.getAsLong(), unconnectedAt));
		this.barrier = new SyncBarrier(this, timer);
		this.watches = new NodeWatches(this);
	}

	private long heardSince(long now, @Nullable Long unconnectedAt) {
		long assumed = now - this.sessionNanos / 2;
		return (unconnectedAt != null && unconnectedAt - assumed > 0) ? unconnectedAt : assumed;
	}

	/** Begins to send its regular requests. */
	void begin() {
		beat();
		scheduleBeat();
	}

	boolean uses(ZooKeeper handle) {
		return this.zooKeeper == handle;
	}

	long id() {
		return this.zooKeeper.getSessionId();
	}

	LongSupplier clock() {
		return this.clock;
	}

	Timer timer() {
		return this.timer;
	}

	SignalCounts counts() {
		return this.counts;
	}

	Duration timeout() {
		return Duration.ofNanos(this.sessionNanos);
	}

	/**
	 * Tells whether a server is connected that takes writes.
	 * @return false while there is none, and once the handle is dead
	 */
	boolean isConnected() {
		return this.zooKeeper.getState() == ZooKeeper.States.CONNECTED;
	}

	NodeWatches watches() {
		return this.watches;
	}

	/**
	 * Returns how long to wait before the lease is asked for again that a transaction did
	 * not renew, because the leader is not known to have heard of us lately.
	 * @return nanoseconds, a small part of the session time-out
	 */
	long leasePause() {
		return this.sessionNanos / 64;
	}

	long timeoutNanos() {
		return this.sessionNanos;
	}

	boolean isLive() {
		return !this.ended.get();
	}

	/**
	 * Tells whether no server can have expired this session.
	 * @return false once the session has ended, its handle was closed or the lease is
	 * over
	 */
	boolean isConfirmed() {
		return !isOver() && this.lease.isValid();
	}

	/**
	 * Tells whether the session is over, whether or not that was handled already.
	 * @return true once it has ended or its handle is dead
	 */
	boolean isOver() {
		return !isLive() || !this.zooKeeper.getState().isAlive();
	}

	/**
	 * Ends the session if its handle is dead.
	 */
	void checkAlive() {
		if (!this.zooKeeper.getState().isAlive()) {
			end();
		}
	}

	/**
	 * Ends the session: tells all that is tracked. Further calls do nothing.
	 */
	void end() {
		if (this.ended.compareAndSet(false, true)) {
			this.tracked.values().forEach((member) -> member.sessionEnded(this));
			this.tracked.clear();
			this.held.clear();
			this.onIdle.accept(this);
		}
	}

	/**
	 * Notes that something of ours is, or is about to be, in ZooKeeper.
	 * @param member who is told of the session's end
	 */
	void track(SessionMember member) {
		this.tracked.put(member.id(), member);
		if (!isLive()) {
			this.tracked.remove(member.id());
			member.sessionEnded(this);
		}
	}

	void untrack(SessionMember member) {
		if (this.tracked.remove(member.id()) != null && this.tracked.isEmpty()) {
			this.onIdle.accept(this);
		}
	}

	boolean isTracked(String id) {
		return this.tracked.containsKey(id);
	}

	Set<String> trackedIds() {
		return Set.copyOf(this.tracked.keySet());
	}

	int trackedCount() {
		return this.tracked.size();
	}

	/**
	 * Notes that a lock is held, so that it hears of the lease's end.
	 * @param holder what is held
	 */
	void hold(LeaseHolder holder) {
		this.held.add(holder);
		awaitLeaseEnd();
	}

	/**
	 * Notes that a lock is not held any more, so that nothing more is done for it.
	 * @param holder what was held
	 */
	void unhold(LeaseHolder holder) {
		this.held.remove(holder);
	}

	private void scheduleBeat() {
		long pause = this.sessionNanos / 6;
		this.timer.run(pause, () -> {
			checkAlive();
			if (!isLive()) {
				return;
			}
			beat();
			long watchFrom = this.clock.getAsLong() - pause;
			this.held.forEach((holder) -> holder.watchItself(watchFrom));
			scheduleBeat();
		});
	}

	// A sync goes to the leader and back, but costs no quorum and no entry of a log. A
	// read-only server has no leader to ask.
	private void beat() {
		if (this.zooKeeper.getState() == ZooKeeper.States.CONNECTEDREADONLY) {
			return;
		}
		long sentAt = this.clock.getAsLong();
		this.zooKeeper.sync("/", (rc, path, context) -> {
			Code code = answered(rc);
			if (Answer.of(code) == Answer.DEFINITE) {
				this.lease.received(sentAt);
			}
			else {
				accountLoss(code, sentAt);
			}
			if (!this.tracked.isEmpty()) {
				passQuorum((ignored) -> {
				});
			}
		}, null);
	}

	private void awaitLeaseEnd() {
		if (this.expiring.compareAndSet(false, true)) {
			scheduleLeaseEnd();
		}
	}

	private void scheduleLeaseEnd() {
		this.timer.run(this.lease.remaining(), () -> {
			this.held.removeIf((holder) -> !holder.isValid());
			if (!this.held.isEmpty()) {
				scheduleLeaseEnd();
				return;
			}
			this.expiring.set(false);
			if (!this.held.isEmpty()) {
				awaitLeaseEnd();
			}
		});
	}

	/**
	 * Runs a step after a transaction that is sent from now on has been answered.
	 * @param step what to do; never runs if the session ends before
	 */
	void afterSync(Runnable step) {
		this.barrier.pass(step);
	}

	/**
	 * Sends a transaction that changes nothing. A `sync` would be cheaper, but a leader
	 * that a quorum has left, and that has not noticed, answers it all alone.
	 * @param then gets OK when a quorum has accepted the transaction; our server has then
	 * applied everything that came before it
	 */
	void passQuorum(Consumer<Code> then) {
		long sentAt = this.clock.getAsLong();
		this.zooKeeper.multi(NOTHING, (rc, path, context, results) -> {
			Code code = answered(rc);
			boolean passed = Answer.of(code) == Answer.DEFINITE || code == Code.NOAUTH;
			account(code, passed, sentAt);
			then.accept(passed ? Code.OK : code);
		}, null);
	}

	void create(String path, byte[] content, List<ACL> acl, CreateMode mode, Created then) {
		long sentAt = this.clock.getAsLong();
		this.zooKeeper.create(path, content, acl, mode,
				(rc, given, context, name, stat) -> then.answered(acceptedByQuorum(rc, sentAt), name, stat), null);
	}

	void multi(List<Op> ops, BiConsumer<Code, @Nullable List<OpResult>> then) {
		long sentAt = this.clock.getAsLong();
		this.zooKeeper.multi(ops, (rc, path, context, results) -> then.accept(acceptedByQuorum(rc, sentAt), results),
				null);
	}

	void delete(String path, Consumer<Code> then) {
		long sentAt = this.clock.getAsLong();
		this.zooKeeper.delete(path, -1, (rc, given, context) -> then.accept(acceptedByQuorum(rc, sentAt)), null);
	}

	void children(String path, @Nullable Watcher watcher, Listed then) {
		this.zooKeeper.getChildren(path, watcher,
				(rc, given, context, names, stat) -> then.answered(answered(rc), names, stat), null);
	}

	void read(String path, @Nullable Watcher watcher, Read then) {
		this.zooKeeper.getData(path, watcher,
				(rc, given, context, content, stat) -> then.answered(answered(rc), content, stat), null);
	}

	void exists(String path, BiConsumer<Code, @Nullable Stat> then) {
		this.zooKeeper.exists(path, null, (rc, given, context, stat) -> then.accept(answered(rc), stat), null);
	}

	/**
	 * Strips this session's watches of one kind from a node, on the server and here.
	 * @param path the node
	 * @param type the kind
	 */
	void removeWatches(String path, WatcherType type) {
		this.zooKeeper.removeAllWatches(path, type, true, (rc, given, context) -> answered(rc), null);
	}

	/**
	 * Lists all ephemeral nodes of this session, ours or not. A prefix is of no use: the
	 * server compares it with paths that still have the chroot.
	 * @param then gets the paths, with the chroot
	 */
	void ephemerals(BiConsumer<Code, @Nullable List<String>> then) {
		this.zooKeeper.getEphemerals("/", (rc, context, paths) -> then.accept(answered(rc), paths), null);
	}

	private Code acceptedByQuorum(int rc, long sentAt) {
		Code code = answered(rc);
		account(code, Answer.of(code) == Answer.DEFINITE, sentAt);
		return code;
	}

	private void account(Code code, boolean passedQuorum, long sentAt) {
		if (passedQuorum) {
			this.lease.confirm(sentAt);
		}
		else {
			accountLoss(code, sentAt);
		}
	}

	private void accountLoss(Code code, long sentAt) {
		if (code == Code.CONNECTIONLOSS) {
			this.lease.disconnected(sentAt);
		}
	}

	private Code answered(int rc) {
		Code code = Code.get(rc);
		if (code == Code.SESSIONEXPIRED) {
			end();
		}
		Code known = (code != null) ? code : Code.SYSTEMERROR;
		if (Answer.isEvasive(known)) {
			this.barrier.pause();
		}
		return known;
	}

	@Override
	public String toString() {
		return "session 0x" + Long.toHexString(id());
	}

	/** Gets the answer to a create. */
	interface Created {

		void answered(Code code, @Nullable String path, @Nullable Stat stat);

	}

	/** Gets the answer to a list of children. */
	interface Listed {

		void answered(Code code, @Nullable List<String> names, @Nullable Stat stat);

	}

	/** Gets the answer to a read. */
	interface Read {

		void answered(Code code, byte @Nullable [] content, @Nullable Stat stat);

	}

}
