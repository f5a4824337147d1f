package io.github.zklock.internal.contender;

import java.util.List;

import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.node.Line;
import io.github.zklock.internal.node.Line.Position;
import io.github.zklock.internal.session.Answer;
import io.github.zklock.internal.session.LockSession;

/*
 *   WAITING         looks at the line, or waits for who is in the way (`QueueWatch`)
 *   CLEAR           nobody is in the way
 *   CLEAR_BY_EVENT  the only one in the way has gone; nobody has looked at the line since
 *   STOPPED         final
 *
 * WAITING <-> CLEAR, CLEAR_BY_EVENT: what was clear is looked at again when the lease was not
 * valid. A plain seat, and one that was created together with its place, is clear as soon as
 * it is there. All steps run in the contest's mailbox.
 *
 * I1: a round begins with every new intention, and an answer or event of a former one is
 *     dropped; so at most one path through the states is alive.
 * I2: `clear` was true of the line in a list that already had our node, or became true by
 *     the end of the only one in the way; nobody can enter before us later. Whether the
 *     session was alive at that moment is the contest's question.
 * I3: when our node is missing from a list, or an answer was lost, the next look comes
 *     after a sync.
 * Source: ZooKeeper recipes, "Locks" and "Shared Locks".
 */
/**
 * A seat's wait for its turn in the key's line.
 */
final class Queueing implements QueueWatch.Host {

	private enum State {

		WAITING, CLEAR, CLEAR_BY_EVENT, STOPPED

	}

	private final Host contest;

	private final ContenderTerms terms;

	private final ContenderReports reports;

	private final LockSession session;

	private final NodeFacts node;

	private final NodeSearch search;

	private final QueueWatch watch;

	private final Rounds rounds;

	private State state = State.WAITING;

	Queueing(Host contest, ContenderTerms terms, ContenderReports reports, LockSession session, NodeFacts node,
			NodeSearch search) {
		this.contest = contest;
		this.terms = terms;
		this.reports = reports;
		this.session = session;
		this.node = node;
		this.search = search;
		this.watch = new QueueWatch(this, terms.steps(), reports, session, node);
		this.rounds = new Rounds(terms.steps());
	}

	@Override
	public boolean isClear() {
		return this.state == State.CLEAR || this.state == State.CLEAR_BY_EVENT;
	}

	/**
	 * Tells whether the way became free by an event, so that nobody has looked whether
	 * our own node is still in the line.
	 * @return whether the node should be looked for
	 */
	boolean isClearByEvent() {
		return this.state == State.CLEAR_BY_EVENT;
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
	}

	/**
	 * Lists the line. May be sent right behind the create: ZooKeeper answers a session's
	 * requests in order, so the list has our node.
	 */
	@Override
	public void look() {
		look(false);
	}

	private void look(boolean afterSync) {
		int current = this.rounds.next();
		this.session.requests()
			.children(this.node.place(), null, (code, names, stat) -> this.rounds.step(current, () -> {
				if (this.node.path() == null) {
					return;
				}
				if (code == Code.OK && names != null) {
					looked(names, afterSync);
				}
				else if (code == Code.NONODE) {
					looked(List.of(), afterSync);
				}
				else {
					unseen(code);
				}
			}));
	}

	/**
	 * Looks again whether the way is free, after a sync, because the lease was over when
	 * it seemed so.
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
		if (this.node.isPlain()) {
			int current = this.rounds.next();
			this.session.afterSync(this.rounds
				.bind(() -> this.search.find((code, path, stat) -> this.rounds.step(current, () -> found(code)))));
		}
		else {
			lookAfterSync();
		}
	}

	private void found(Code code) {
		switch (Answer.of(code)) {
			case DEFINITE -> {
				if (code == Code.OK) {
					clear(State.CLEAR);
				}
				else {
					this.contest.vanished();
				}
			}
			case REFUSED -> this.reports.refused(code, this.node.place());
			case LOST, ENDED -> confirm();
		}
	}

	private void clear(State how) {
		enter(how);
		this.contest.seatClear();
	}

	@Override
	public void unseen(Code code) {
		switch (Answer.of(code)) {
			case REFUSED -> this.reports.refused(code, this.node.place());
			case LOST -> {
				this.reports.disturbed(code, this.node.place());
				lookAfterSync();
			}
			case DEFINITE, ENDED -> lookAfterSync();
		}
	}

	private void lookAfterSync() {
		this.rounds.next();
		this.session.afterSync(this.rounds.bind(() -> look(true)));
	}

	@Override
	public void looked(List<String> names) {
		looked(names, false);
	}

	private void looked(List<String> names, boolean afterSync) {
		Line line = Line.of(names);
		this.node.saw(line);
		int current = line.needsCzxids() ? this.rounds.next() : this.rounds.current();
		CzxidOrder.of(line, this.node.place(), this.session, (step) -> this.rounds.step(current, step),
				(code, ordered) -> {
					if (ordered != null) {
						placed(this.node.positionIn(ordered), afterSync);
					}
					else {
						unseen(code);
					}
				});
	}

	private void placed(@Nullable Position position, boolean afterSync) {
		if (position == null && afterSync) {
			this.contest.vanished();
		}
		else if (position == null) {
			lookAfterSync();
		}
		else if (position.isFree()) {
			this.watch.leave();
			clear(State.CLEAR);
		}
		else if (this.terms.isIfFree()) {
			this.reports.blockedBySomebody(this.node, position.obstacleHolds());
		}
		else if (this.terms.isHerd()) {
			this.watch.awaitAnyChange(position);
		}
		else {
			this.rounds.next();
			this.watch.awaitPredecessor(position);
		}
	}

	@Override
	public void lastObstacleGone() {
		clear(State.CLEAR_BY_EVENT);
	}

	/** The contender whose turn it is to be. */
	interface Host {

		/** A seat has become clear, or its token is known: perhaps it was the last. */
		void seatClear();

		/** A node of ours was deleted by somebody else. */
		void vanished();

	}

}
