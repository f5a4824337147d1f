package io.github.zklock.internal.contender;

import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.concurrent.GrowingPause;
import io.github.zklock.internal.node.NodeQueue;
import io.github.zklock.internal.node.NodeQueue.Position;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.ResultKind;

/**
 * A lock node's wait in the key's queue.
 */
final class QueueWait implements QueueWatch.Host {

	/*-
	 *   WAITING         looks at the queue, or waits for who is in the way (`QueueWatch`)
	 *   CLEAR           nobody is in the way
	 *   CLEAR_BY_EVENT  the last one in the way has gone; nobody has looked at the queue since
	 *   STOPPED         final
	 *
	 * WAITING <-> CLEAR, CLEAR_BY_EVENT: what was clear is looked at again when the lease was not valid. A lock node without
	 * sequence number, and one that was created together with its key node, is clear as soon as it is there. All steps run
	 * in the contender's serial executor.
	 *
	 * I1: a round begins with every new intention, and an answer or event of a former one is
	 *     dropped; so at most one path through the states is alive.
	 * I2: `clear` was true of the queue in a list that already had our node, or became true by the end of all who were in
	 *     the way; nobody can enter before us later. Whether the session was alive at that moment is the contender's
	 *     question.
	 * I3: when our node is missing from a list, or an answer was lost, the next look comes after the commit barrier, from
	 *     the second time on after a pause that grows until what was asked of those in the way was answered, too.
	 * I4: a try waits for one node only, and only for a moment: for the one that was alone in the queue when we looked before
	 *     we entered, and whose client may retain it (`AvailabilityCheck`); for a permit, one of those who held them all. If
	 *     anybody else is in the way, or waits, it is busy; so nobody who waits is overtaken.
	 * I5: who waits for a permit behind others who wait is woken by the one directly before, which notes in its
	 *     node that it holds now (`HolderMark`). If that note does not come, because its process stands still,
	 *     the second waiter looks by itself after a third of the session time-out, the third one after two
	 *     thirds, and so on: a list for each, however rarely, so that nobody depends on another's process.
	 *
	 * What may happen in that moment: the client that retains the node sees ours behind it and deletes it, as for any
	 * other contender (`CohortGrant`). If one of its callers has taken it meanwhile it is held, and stays: then it is
	 * busy, which is remembered for a while (`HeldNodes`), because each such try writes, and ends the handoffs there. Of
	 * two who try at once the second one finds the first one in its way, and is busy. A contender that comes behind
	 * waits for us. When our session ends all starts again, with a look.
	 * Source: ZooKeeper recipes, "Locks" and "Shared Locks".
	 */

	// Two thirds of what a try has for its answers, unless it asks for more: this is no
	// answer but another holder's step
	private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	// So many writes
	private static final int LONG_WAIT = 4;

	private enum State {

		WAITING, CLEAR, CLEAR_BY_EVENT, STOPPED

	}

	private final Host contender;

	private final ContenderTerms terms;

	private final ContenderReports reports;

	private final LockSession session;

	private final NodeFacts node;

	private final NodeSearch search;

	private final QueueWatch watch;

	private final Rounds rounds;

	private final GrowingPause pause = GrowingPause.afterLosses();

	private final HolderMark mark;

	private State state = State.WAITING;

	private int before;

	private long waitsSince;

	private boolean patient;

	private boolean hasWaited;

	private @Nullable Future<?> nextLook;

	QueueWait(Host contender, ContenderTerms terms, ContenderReports reports, LockSession session, NodeFacts node,
			NodeSearch search) {
		this.contender = contender;
		this.terms = terms;
		this.reports = reports;
		this.session = session;
		this.node = node;
		this.search = search;
		this.watch = new QueueWatch(this, terms.steps(), reports, session, node);
		this.mark = new HolderMark(terms, session, node);
		this.rounds = new Rounds(terms.steps());
	}

	boolean isClear() {
		return this.state == State.CLEAR || this.state == State.CLEAR_BY_EVENT;
	}

	/**
	 * Returns whether the way became free by an event.
	 * @return whether our own node should be looked for
	 */
	boolean isClearByEvent() {
		return this.state == State.CLEAR_BY_EVENT;
	}

	/**
	 * Returns whether others were in the way, or the first list did not show that they
	 * were not.
	 * @return whether some time may have passed since the node was made
	 */
	boolean hasWaited() {
		return this.hasWaited;
	}

	private void enter(State next) {
		if (this.state != State.STOPPED) {
			this.state = next;
		}
	}

	/**
	 * The node is there.
	 * @param first whether it is known that nobody can be in its way
	 */
	void begin(boolean first) {
		enter(first ? State.CLEAR : State.WAITING);
	}

	/** Nothing is waited for any more. */
	void stop() {
		enter(State.STOPPED);
		this.rounds.next();
		this.watch.stop();
		this.mark.stop();
		lookNoMore();
	}

	/**
	 * Lists the queue. May be sent right after the create: ZooKeeper answers a session's
	 * requests in order, so the list has our node.
	 */
	@Override
	public void look() {
		this.pause.reset();
		look(false);
	}

	private void look(boolean afterCommit) {
		int current = looking();
		this.session.requests()
			.children(this.node.keyNode(), null,
					(code, names, stat) -> this.rounds.step(current, () -> listed(code, names, stat, afterCommit)));
	}

	/**
	 * The queue is being listed together with others.
	 * @return the round in which {@link #listed} is awaited
	 */
	int looking() {
		return this.rounds.next();
	}

	void listed(int round, Code code, @Nullable List<String> names) {
		this.rounds.step(round, () -> listed(code, names, null, false));
	}

	private void listed(Code code, @Nullable List<String> names, @Nullable Stat keyNode, boolean afterCommit) {
		if (this.node.path() != null && (names != null || code == Code.NONODE)) {
			looked((names != null) ? names : List.of(), keyNode, afterCommit);
		}
		else if (this.node.path() != null) {
			unseen(code);
		}
	}

	/**
	 * Looks again whether the way is free, after the commit barrier, because the lease
	 * was over when it seemed so.
	 * @param pause in how many nanoseconds
	 */
	void confirm(long pause) {
		enter(State.WAITING);
		if (pause > 0) {
			this.rounds.next();
			this.session.later(pause, this.rounds.bind(this::confirm));
		}
		else {
			confirm();
		}
	}

	private void confirm() {
		if (this.node.isUnnumbered()) {
			int current = this.rounds.next();
			this.session.afterCommit(this.rounds
				.bind(() -> this.search.find((code, path, stat) -> this.rounds.step(current, () -> found(code)))));
		}
		else {
			lookAfterCommit();
		}
	}

	private void found(Code code) {
		switch (ResultKind.of(code)) {
			case DEFINITE -> {
				if (code == Code.OK) {
					clear(State.CLEAR);
				}
				else {
					this.contender.vanished();
				}
			}
			case REFUSED -> this.reports.refused(code, this.node.keyNode());
			case LOST, ENDED -> this.session.afterPause(this.pause, this.rounds.bind(this::confirm));
		}
	}

	private void clear(State how) {
		this.pause.reset();
		this.patient = false;
		noteWait();
		lookNoMore();
		this.mark.holds(how == State.CLEAR_BY_EVENT);
		this.node.notes().first(this.node.mode(), this.node.keyNode(), this.session, this.terms.steps());
		enter(how);
		this.contender.nodeClear();
	}

	private void noteWait() {
		if (this.before > 0) {
			this.terms.keyNodeCache()
				.waited(this.node.key(), (this.session.clock().getAsLong() - this.waitsSince) / this.before);
			this.before = 0;
		}
	}

	@Override
	public boolean isWaitLong() {
		return this.terms.keyNodeCache().waitNanos(this.node.key()) >= LONG_WAIT
				* this.session.requests().writeCost().nanos();
	}

	@Override
	public void unseen(Code code) {
		switch (ResultKind.of(code)) {
			case REFUSED -> this.reports.refused(code, this.node.keyNode());
			case LOST -> {
				this.reports.disturbed(code, this.node.keyNode());
				lookAgain();
			}
			case DEFINITE, ENDED -> lookAfterCommit();
		}
	}

	// A list or data too large for a packet cost the connection each time.
	private void lookAgain() {
		this.hasWaited = true;
		this.rounds.next();
		this.session.afterPause(this.pause, this.rounds.bind(this::lookAfterCommit));
	}

	private void lookAfterCommit() {
		this.hasWaited = true;
		this.rounds.next();
		this.session.afterCommit(this.rounds.bind(() -> look(true)));
	}

	@Override
	public void looked(List<String> names) {
		this.pause.reset();
		looked(names, null, false);
	}

	private void looked(List<String> names, @Nullable Stat keyNode, boolean afterCommit) {
		NodeQueue queue = NodeQueue.of(names);
		this.node.saw(queue, keyNode);
		this.hasWaited |= queue.needsCzxids();
		int current = queue.needsCzxids() ? this.rounds.next() : this.rounds.current();
		CzxidOrder.of(queue, this.node.keyNode(), this.session, (step) -> this.rounds.step(current, step),
				(code, ordered) -> {
					if (ordered != null) {
						this.terms.clientCosts().seen(ordered, this.node, this.session, this.terms.steps());
						positioned(this.node.lookAt(ordered), afterCommit);
					}
					else {
						unseen(code);
					}
				});
	}

	private void positioned(@Nullable Position position, boolean afterCommit) {
		if (position == null && afterCommit) {
			this.contender.vanished();
		}
		else if (position == null) {
			this.watch.stop();
			lookAfterCommit();
		}
		else if (position.isFree()) {
			this.watch.stop();
			clear(State.CLEAR);
		}
		else if (this.terms.isTryOnce() && !this.node.mayAwait(position)) {
			this.reports.blocked(this.node.unknownBlocker(position.blockerHolds()));
		}
		else {
			await(position);
		}
	}

	private void await(Position position) {
		this.hasWaited = true;
		if (this.terms.isTryOnce() && !this.patient) {
			this.patient = true;
			this.session.later(PATIENCE_NANOS, () -> this.terms.steps().execute(() -> losePatience(position)));
		}
		if (this.before == 0) {
			this.before = position.blockers();
			this.waitsSince = this.session.clock().getAsLong();
		}
		lookNoMore();
		if (this.terms.isHerd(this.node) || isFirstOfMany(position)) {
			this.watch.awaitAnyChange(position);
		}
		else {
			this.rounds.next();
			this.watch.awaitBlockers(position);
			lookLater(position);
		}
	}

	private boolean isFirstOfMany(Position position) {
		return this.node.isPermit() && position.waiting() == 0 && position.all().isEmpty();
	}

	private void lookLater(Position position) {
		if (position.waiting() > 0 && position.blocker() != null && position.blocker().isPermit()) {
			this.nextLook = this.session.after(this.session.timeoutNanos() / 3 * position.waiting(),
					this.rounds.bind(this::look));
		}
	}

	private void lookNoMore() {
		if (this.nextLook != null) {
			this.nextLook.cancel(false);
			this.nextLook = null;
		}
	}

	/**
	 * A caller that tries once has waited for long enough.
	 * @param position where the node was
	 */
	void losePatience(Position position) {
		String awaited = this.node.awaited();
		if (this.patient && this.state == State.WAITING && position.blocker() != null && awaited != null) {
			this.terms.heldNodes().held(awaited);
			this.reports.blocked(this.node.unknownBlocker(true));
		}
	}

	@Override
	public void lastBlockerGone() {
		clear(State.CLEAR_BY_EVENT);
	}

	/** The contender that waits. */
	interface Host {

		/**
		 * A lock node has become clear, or its token is known: perhaps it was the last.
		 */
		void nodeClear();

		/** Another client deleted a node of ours. */
		void vanished();

	}

}
