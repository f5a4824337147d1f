package io.github.zklock.internal.session;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.concurrent.Timer;

/**
 * A delete of a session that waits a moment for the create that comes next, so that both
 * are one transaction.
 */
public final class DelayedDelete {

	/*-
	 * Who releases one lock and asks for the next at once sends a delete and, right behind it, a create.
	 * Servers force the delete to their disks before they look at the create, so that the caller waits
	 * for two forced writes. As one transaction both cost one.
	 *
	 * Where callers were seen to come back within L = min(400 us, c/2), where c is what a write takes, a delete waits
	 * for 0.5 to 1.5 L: the timer looks that often as long as locks follow each other. So much longer others may
	 * wait for the lock. Therefore none waits where another client was seen to want it, and for each that waited in vain
	 * three must be seen that would not have. Nor does one behind a create that is yet to be answered: its caller
	 * asks for nothing before that, and the create does not wait for a delete that comes behind it.
	 *
	 * I1: what waits is sent before everything that the session is asked for later: each request sends it
	 *     first, and nobody finds nothing waiting before it was sent. Where two send it at once it is sent
	 *     twice; the nodes have sequence numbers, so that the second delete finds nothing.
	 * I2: it is sent, soon and whatever fails: a step of the timer is due as long as one waits:
	 *     `lookIfNeeded` comes behind it, and behind the end of `looking`. It has one answer.
	 * I3: of a transaction for both that is refused nothing was done. The delete is sent again by itself; who
	 *     creates asks again, because it has sent a list behind the create that was to show its node.
	 * All state is one atomic each. What is learnt is read and written without regard to others: it only
	 * decides whether one waits.
	 */

	private static final long MOST_NANOS = TimeUnit.MICROSECONDS.toNanos(400);

	private static final int ENOUGH = 3;

	private static final int MOST = 2 * ENOUGH;

	private final SessionRequests requests;

	private final Timer timer;

	private final AtomicReference<@Nullable Waiting> waiting = new AtomicReference<>();

	private final AtomicBoolean looking = new AtomicBoolean();

	private final AtomicReference<@Nullable Object> creating = new AtomicReference<>();

	private volatile int seen;

	private volatile boolean followed;

	private volatile @Nullable Waiting unanswered;

	/**
	 * Creates what has nothing to send.
	 * @param requests the session's requests
	 * @param timer sends what nothing else was sent behind
	 */
	DelayedDelete(SessionRequests requests, Timer timer) {
		this.requests = requests;
		this.timer = timer;
	}

	/**
	 * Returns whether a delete waits.
	 * @return whether one does, unless it is sent meanwhile
	 */
	public boolean isWaiting() {
		return this.waiting.get() != null;
	}

	/**
	 * Deletes nodes, now or in a moment.
	 * @param deletes the deletes
	 * @param mayWait whether they may wait; only for nodes with sequence numbers
	 * @param then gets the answer; no results to a single delete
	 */
	public void delete(List<Op> deletes, boolean mayWait, BiConsumer<Code, @Nullable List<OpResult>> then) {
		flush();
		if (!mayWait || this.creating.get() != null) {
			this.requests.send(deletes, then);
			return;
		}
		Waiting one = new Waiting(deletes, then, this.requests.now());
		if (this.seen >= ENOUGH && this.waiting.compareAndSet(null, one)) {
			lookIfNeeded();
		}
		else {
			this.unanswered = one;
			sendAlone(one);
		}
	}

	// Who releases does not wake the timer's thread as long as locks follow each other
	private void lookLater() {
		try {
			this.timer.run(nanos(), this::look);
		}
		catch (Throwable ex) {
			this.looking.set(false);
			flush();
			this.timer.failures().report(this, ex);
		}
	}

	private void look() {
		Waiting one = this.waiting.get();
		if (one != null && this.requests.now() - one.since() >= nanos() / 2 && one.claim()) {
			this.seen = Math.max(0, this.seen - ENOUGH);
			send(one);
		}
		if (this.followed || this.waiting.get() != null) {
			this.followed = false;
			lookLater();
		}
		else {
			this.looking.set(false);
			lookIfNeeded();
		}
	}

	private void lookIfNeeded() {
		if (this.waiting.get() != null && this.looking.compareAndSet(false, true)) {
			lookLater();
		}
	}

	/** Sends what waits. */
	void flush() {
		Waiting one = this.waiting.get();
		if (one != null) {
			one.claim();
			send(one);
		}
	}

	private void send(Waiting one) {
		sendAlone(one);
		this.waiting.compareAndSet(one, null);
	}

	private void sendAlone(Waiting one) {
		try {
			this.requests.send(one.deletes(), one::answered);
		}
		catch (Throwable ex) {
			this.requests.unhandled(ex, () -> one.answered(Code.SYSTEMERROR, null));
		}
	}

	/**
	 * Sends a transaction that creates nodes, and with it what waits.
	 * @param ops the transaction
	 * @param then gets its own part of the answer
	 * @param again called in its place if nothing was done because of what waited
	 */
	public void create(List<Op> ops, BiConsumer<Code, @Nullable List<OpResult>> then, Runnable again) {
		Waiting one = this.waiting.get();
		if (one == null || !one.claim()) {
			flush();
			Object create = begun();
			this.requests.send(ops, (code, results) -> {
				ended(create);
				then.accept(code, results);
			});
			return;
		}
		try {
			together(one, ops, then, again);
		}
		catch (Throwable ex) {
			sendAlone(one);
			throw ex;
		}
		finally {
			this.waiting.compareAndSet(one, null);
		}
	}

	private void together(Waiting one, List<Op> ops, BiConsumer<Code, @Nullable List<OpResult>> then, Runnable again) {
		int deletes = one.deletes().size();
		List<Op> both = new ArrayList<>(deletes + ops.size());
		both.addAll(one.deletes());
		both.addAll(ops);
		this.followed = true;
		count();
		Object create = creates();
		this.requests.send(both, (code, results) -> {
			ended(create);
			boolean refused = code != Code.OK && isRefused(code);
			if (refused) {
				sendAlone(one);
			}
			else {
				one.answered(code, null);
			}
			if (refused && SessionRequests.failedIndex(results) < deletes) {
				again.run();
			}
			else {
				boolean whole = results != null && results.size() == both.size();
				then.accept(code, whole ? results.subList(deletes, both.size()) : null);
			}
		});
	}

	/**
	 * A create is about to be sent, alone.
	 * @return to be given to {@link #ended}
	 */
	Object begun() {
		Waiting last = this.unanswered;
		if (last != null) {
			this.unanswered = null;
			if (!last.isAnswered() && this.requests.now() - last.since() < nanos()) {
				count();
			}
		}
		return creates();
	}

	private void count() {
		this.seen = Math.min(this.seen + 1, MOST);
	}

	private Object creates() {
		Object create = new Object();
		this.creating.set(create);
		return create;
	}

	/**
	 * A create was answered.
	 * @param create which
	 */
	void ended(Object create) {
		this.creating.compareAndSet(create, null);
	}

	private long nanos() {
		return Math.min(MOST_NANOS, this.requests.writeCost().nanos() / 2);
	}

	private static boolean isRefused(Code code) {
		ResultKind kind = ResultKind.of(code);
		return kind == ResultKind.DEFINITE || kind == ResultKind.REFUSED;
	}

	/** What is to be deleted. */
	private static final class Waiting {

		private final List<Op> deletes;

		private final BiConsumer<Code, @Nullable List<OpResult>> then;

		private final long since;

		private final AtomicBoolean claimed = new AtomicBoolean();

		private volatile boolean answered;

		Waiting(List<Op> deletes, BiConsumer<Code, @Nullable List<OpResult>> then, long since) {
			this.deletes = deletes;
			this.then = then;
			this.since = since;
		}

		List<Op> deletes() {
			return this.deletes;
		}

		long since() {
			return this.since;
		}

		boolean claim() {
			return this.claimed.compareAndSet(false, true);
		}

		boolean isAnswered() {
			return this.answered;
		}

		// Only the first answer counts that can be handled
		void answered(Code code, @Nullable List<OpResult> results) {
			if (!this.answered) {
				this.then.accept(code, results);
				this.answered = true;
			}
		}

	}

}
