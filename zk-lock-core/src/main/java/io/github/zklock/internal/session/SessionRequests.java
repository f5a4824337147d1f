package io.github.zklock.internal.session;

import java.util.List;
import java.util.concurrent.TimeUnit;
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

import io.github.zklock.internal.concurrent.Timer;

/**
 * The requests of one session. They go straight to its handle, so that ZooKeeper itself
 * keeps them in order, and each answer shows the lease what it can. All are asynchronous;
 * what they call runs on ZooKeeper's event thread and only hands a step to a serial
 * executor. None has an answer that grows with what is held, only with who waits: one
 * that is larger than a packet may be costs the connection, and the next one, too, if it
 * is asked for again.
 */
public final class SessionRequests {

	/*-
	 * I1: where an answer cannot be handled, for want of memory or whatever its handler throws before it
	 *     has brought its step to a serial executor, SYSTEMERROR is handled in its place, an answer that
	 *     says nothing: at once, and if that fails too again after a pause. Only where the pause cannot be
	 *     timed either does the request have no answer, until the session ends.
	 */

	/** Whatever comes of it, it is a transaction, for which a quorum must vote. */
	private static final List<Op> NOTHING = List.of(Op.check("/", -1));

	private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(40);

	private final ZooKeeper zooKeeper;

	private final Lease lease;

	private final LongSupplier clock;

	private final Timer timer;

	private final WriteCost writeCost = new WriteCost();

	private final RoundTrip roundTrip = new RoundTrip();

	private final JointLists jointLists;

	private final Runnable ended;

	private final Runnable evaded;

	/**
	 * Creates the requests of a session.
	 * @param zooKeeper its handle
	 * @param lease its lease
	 * @param clock the monotonic clock
	 * @param timer starts what is due later
	 * @param ended called when an answer says that the session is over
	 * @param evaded called when a server gave an answer that says nothing
	 */
	public SessionRequests(ZooKeeper zooKeeper, Lease lease, LongSupplier clock, Timer timer, Runnable ended,
			Runnable evaded) {
		this.zooKeeper = zooKeeper;
		this.lease = lease;
		this.clock = clock;
		this.timer = timer;
		this.ended = ended;
		this.evaded = evaded;
		this.jointLists = new JointLists(zooKeeper, this, clock);
	}

	/**
	 * Asks the leader for a sign of life: a request that goes there and back, but costs
	 * no quorum and no entry of a log.
	 * @param then called when there is an answer, or none will come
	 */
	public void receipt(Runnable then) {
		long sentAt = this.clock.getAsLong();
		this.zooKeeper.sync("/", (rc, path, context) -> {
			Code code = answered(rc);
			if (ResultKind.of(code) == ResultKind.DEFINITE) {
				this.lease.received(sentAt);
			}
			else {
				accountLoss(code, sentAt);
			}
			then.run();
		}, null);
	}

	/**
	 * Sends a transaction that changes nothing. A `sync` would be cheaper, but a leader
	 * that a quorum has left, and that has not noticed, answers it all alone.
	 * @param then gets OK when a quorum has accepted the transaction; our server has then
	 * applied everything that came before it
	 */
	public void passQuorum(Consumer<Code> then) {
		long sentAt = this.clock.getAsLong();
		Runnable orElse = () -> then.accept(Code.SYSTEMERROR);
		this.zooKeeper.multi(NOTHING, (rc, path, context, results) -> {
			try {
				Code code = answered(rc);
				boolean passed = ResultKind.of(code) == ResultKind.DEFINITE || code == Code.NOAUTH;
				account(code, passed, sentAt);
				then.accept(passed ? Code.OK : code);
			}
			catch (Throwable ex) {
				unhandled(ex, orElse);
			}
		}, null);
	}

	public void create(String path, byte[] content, List<ACL> acl, CreateMode mode, Created then) {
		long sentAt = this.clock.getAsLong();
		Runnable orElse = () -> then.answered(Code.SYSTEMERROR, null, null);
		this.zooKeeper.create(path, content, acl, mode, (rc, given, context, name, stat) -> {
			try {
				then.answered(acceptedByQuorum(rc, sentAt), name, stat);
			}
			catch (Throwable ex) {
				unhandled(ex, orElse);
			}
		}, null);
	}

	public void multi(List<Op> ops, BiConsumer<Code, @Nullable List<OpResult>> then) {
		long sentAt = this.clock.getAsLong();
		Runnable orElse = () -> then.accept(Code.SYSTEMERROR, null);
		this.zooKeeper.multi(ops, (rc, path, context, results) -> {
			try {
				then.accept(acceptedByQuorum(rc, sentAt), results);
			}
			catch (Throwable ex) {
				unhandled(ex, orElse);
			}
		}, null);
	}

	public void delete(String path, Consumer<Code> then) {
		long sentAt = this.clock.getAsLong();
		Runnable orElse = () -> then.accept(Code.SYSTEMERROR);
		this.zooKeeper.delete(path, -1, (rc, given, context) -> {
			try {
				then.accept(acceptedByQuorum(rc, sentAt));
			}
			catch (Throwable ex) {
				unhandled(ex, orElse);
			}
		}, null);
	}

	public void children(String path, @Nullable Watcher watcher, Listed then) {
		long sentAt = this.clock.getAsLong();
		Runnable orElse = () -> then.answered(Code.SYSTEMERROR, null, null);
		this.zooKeeper.getChildren(path, watcher, (rc, given, context, names, stat) -> {
			try {
				then.answered(read(rc, sentAt), names, stat);
			}
			catch (Throwable ex) {
				unhandled(ex, orElse);
			}
		}, null);
	}

	/**
	 * Lists the children of several nodes, a few with each request.
	 * @param paths the nodes
	 * @param then gets the answers, in the order of the paths; no stat with those that
	 * came together
	 */
	public void children(List<String> paths, List<Listed> then) {
		this.jointLists.list(paths, then);
	}

	public void read(String path, @Nullable Watcher watcher, Read then) {
		long sentAt = this.clock.getAsLong();
		Runnable orElse = () -> then.answered(Code.SYSTEMERROR, null, null);
		this.zooKeeper.getData(path, watcher, (rc, given, context, content, stat) -> {
			try {
				then.answered(read(rc, sentAt), content, stat);
			}
			catch (Throwable ex) {
				unhandled(ex, orElse);
			}
		}, null);
	}

	public void exists(String path, BiConsumer<Code, @Nullable Stat> then) {
		long sentAt = this.clock.getAsLong();
		Runnable orElse = () -> then.accept(Code.SYSTEMERROR, null);
		this.zooKeeper.exists(path, null, (rc, given, context, stat) -> {
			try {
				then.accept(read(rc, sentAt), stat);
			}
			catch (Throwable ex) {
				unhandled(ex, orElse);
			}
		}, null);
	}

	/**
	 * An answer, or an event, could not be handled.
	 * @param failure what was thrown
	 * @param orElse what to do in its place, which was made before
	 */
	void unhandled(Throwable failure, Runnable orElse) {
		this.timer.failures().report(this, failure);
		bring(orElse);
	}

	/**
	 * Brings a step to a serial executor, again after a pause as long as it cannot be
	 * brought.
	 * @param step brings it, and was made before
	 */
	void bring(Runnable step) {
		try {
			step.run();
		}
		catch (Throwable ex) {
			this.timer.failures().report(this, ex);
			this.timer.later(PAUSE_NANOS, () -> bring(step));
		}
	}

	/**
	 * Strips this session's watches of one kind from a node, on the server and here.
	 * @param path the node
	 * @param type the kind
	 */
	public void removeWatches(String path, WatcherType type) {
		this.zooKeeper.removeAllWatches(path, type, true, (rc, given, context) -> answered(rc), null);
	}

	/**
	 * Returns what writes cost lately.
	 * @return how long they took to be answered
	 */
	public WriteCost writeCost() {
		return this.writeCost;
	}

	/**
	 * Returns how far the servers are.
	 * @return what reads have shown lately
	 */
	public RoundTrip roundTrip() {
		return this.roundTrip;
	}

	Code read(int rc, long sentAt) {
		Code code = answered(rc);
		if (ResultKind.of(code) == ResultKind.DEFINITE) {
			this.roundTrip.answered(this.clock.getAsLong() - sentAt);
		}
		return code;
	}

	private Code acceptedByQuorum(int rc, long sentAt) {
		Code code = answered(rc);
		account(code, ResultKind.of(code) == ResultKind.DEFINITE, sentAt);
		return code;
	}

	private void account(Code code, boolean passedQuorum, long sentAt) {
		if (passedQuorum) {
			this.writeCost.answered(this.clock.getAsLong() - sentAt);
			this.lease.confirm(sentAt);
		}
		else {
			accountLoss(code, sentAt);
		}
	}

	private void accountLoss(Code code, long sentAt) {
		if (code == Code.CONNECTIONLOSS) {
			this.lease.lost(sentAt);
		}
	}

	private Code answered(int rc) {
		Code code = ResultKind.code(rc);
		if (ResultKind.of(code) == ResultKind.ENDED) {
			this.ended.run();
		}
		if (ResultKind.isEvasive(code)) {
			this.evaded.run();
		}
		return code;
	}

	/**
	 * Returns which operation of a multi failed.
	 * @param results the answer
	 * @return its index; 0 if the answer does not say
	 */
	public static int failedIndex(@Nullable List<OpResult> results) {
		if (results != null) {
			for (int i = 0; i < results.size(); i++) {
				if (results.get(i) instanceof OpResult.ErrorResult error && error.getErr() != Code.OK.intValue()) {
					return i;
				}
			}
		}
		return 0;
	}

	/** Gets the answer to a create. */
	public interface Created {

		void answered(Code code, @Nullable String path, @Nullable Stat stat);

	}

	/** Gets the answer to a list of children. */
	public interface Listed {

		void answered(Code code, @Nullable List<String> names, @Nullable Stat stat);

	}

	/** Gets the answer to a read. */
	public interface Read {

		void answered(Code code, byte @Nullable [] content, @Nullable Stat stat);

	}

}
