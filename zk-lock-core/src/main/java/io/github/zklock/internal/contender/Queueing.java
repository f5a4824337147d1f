package io.github.zklock.internal.contender;

import java.util.List;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.node.Line;
import io.github.zklock.internal.node.Line.Position;
import io.github.zklock.internal.node.LineName;
import io.github.zklock.internal.session.Answer;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.NodeWatch;
import io.github.zklock.internal.session.NodeWatches.Registration;

/*
 * LOOKING (list sent) -> CLEAR, or WAITING for who is in the way -> LOOKING ... -> STOPPED.
 * A plain seat, and one that was created together with its place, is clear as soon as it is
 * there. All steps run in the contest's mailbox.
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
final class Queueing {

	private final Host contest;

	private final ContenderTerms terms;

	private final ContenderReports reports;

	private final LockSession session;

	private final NodeFacts node;

	private final NodeSearch search;

	private final Rounds rounds;

	private boolean clear;

	private boolean stopped;

	private boolean described;

	private boolean unseenSince;

	private @Nullable Registration waiting;

	Queueing(Host contest, ContenderTerms terms, ContenderReports reports, LockSession session, NodeFacts node,
			NodeSearch search) {
		this.contest = contest;
		this.terms = terms;
		this.reports = reports;
		this.rounds = new Rounds(terms.steps());
		this.session = session;
		this.node = node;
		this.search = search;
	}

	public boolean isClear() {
		return this.clear;
	}

	/**
	 * Tells whether the way became free by an event, so that nobody has looked whether
	 * our own node is still in the line.
	 * @return whether the node should be looked for
	 */
	public boolean isClearByEvent() {
		return this.unseenSince;
	}

	/**
	 * The seat's node is there.
	 * @param first whether it is known that nobody can be in its way
	 */
	public void begin(boolean first) {
		this.clear = first;
	}

	/** Nothing is waited for any more. */
	public void stop() {
		this.stopped = true;
		this.rounds.next();
		stopWaiting();
	}

	private void stopWaiting() {
		Registration registration = this.waiting;
		if (registration != null) {
			this.waiting = null;
			registration.leave();
		}
	}

	/**
	 * Lists the line. May be sent right behind the create: ZooKeeper answers a session's
	 * requests in order, so the list has our node.
	 */
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
	public void confirm(long pause) {
		this.clear = false;
		if (pause > 0) {
			this.rounds.next();
			this.session.timer().run(pause, this.rounds.bind(this::confirm));
		}
		else {
			confirm();
		}
	}

	private void confirm() {
		if (this.node.isPlain()) {
			this.rounds.next();
			this.session.afterSync(this.rounds.bind(() -> this.search.find((code, path, stat) -> found(code))));
		}
		else {
			lookAfterSync();
		}
	}

	private void found(Code code) {
		if (this.stopped) {
			return;
		}
		switch (Answer.of(code)) {
			case DEFINITE -> {
				this.clear = code == Code.OK;
				if (this.clear) {
					this.contest.seatClear();
				}
				else {
					this.contest.vanished();
				}
			}
			case REFUSED -> this.reports.refused(code, this.node.place());
			case LOST, ENDED -> confirm();
		}
	}

	private void unseen(Code code) {
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

	private void looked(List<String> names, boolean afterSync) {
		Line line = Line.of(names);
		this.node.saw(line);
		int current = line.needsCzxids() ? this.rounds.next() : this.rounds.current();
		CzxidOrder.of(line, this.node.place(), this.session, (step) -> this.rounds.step(current, step),
				(code, ordered) -> {
					if (ordered != null) {
						placed(ordered.positionOf(this.node.name(), this.node.mode()), afterSync);
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
		else if (position.obstacle() == null) {
			stopWaiting();
			this.clear = true;
			this.unseenSince = false;
			this.contest.seatClear();
		}
		else if (this.terms.isIfFree()) {
			this.reports.blocked(this.node.somebody(position.obstacleHolds()));
		}
		else if (this.terms.isHerd()) {
			awaitAnyChange(position, position.obstacle());
		}
		else {
			awaitPredecessor(position, position.obstacle());
		}
	}

	private void awaitPredecessor(Position position, LineName obstacle) {
		int current = this.rounds.next();
		this.reports.blocked(this.node.somebody(position.obstacleHolds()));
		String path = this.node.place() + "/" + obstacle.name();
		this.waiting = this.session.watches().watchNode(path, new PredecessorListener(current, position, path));
	}

	private void awaitAnyChange(Position position, LineName obstacle) {
		if (this.waiting == null) {
			joinHerd();
		}
		if (!this.described) {
			this.described = true;
			this.reports.blocked(this.node.somebody(position.obstacleHolds()));
			String path = this.node.place() + "/" + obstacle.name();
			this.session.requests().read(path, null, (code, content, stat) -> this.terms.steps().execute(() -> {
				if (stat != null && !this.stopped) {
					blockedBy(path, content, stat, position);
				}
			}));
		}
	}

	private void joinHerd() {
		this.waiting = this.session.watches().watchChildren(this.node.place(), new HerdListener());
	}

	private void blockedBy(String path, byte @Nullable [] content, Stat stat, Position position) {
		this.reports.blocked(
				this.node.predecessor(path, content, stat, position.obstacleHolds(), this.session.clock().getAsLong()));
	}

	/** Waits for the one contender that stands in the way. */
	private final class PredecessorListener implements NodeWatch.Listener {

		private final int current;

		private final Position position;

		private final String path;

		PredecessorListener(int current, Position position, String path) {
			this.current = current;
			this.position = position;
			this.path = path;
		}

		@Override
		public void watching(byte @Nullable [] content, @Nullable Stat stat, @Nullable List<String> names) {
			if (stat != null) {
				Queueing.this.rounds.step(this.current, () -> blockedBy(this.path, content, stat, this.position));
			}
		}

		@Override
		public void notWatching(Code code) {
			Queueing.this.rounds.step(this.current, () -> {
				Queueing.this.waiting = null;
				if (code == Code.NONODE) {
					look();
				}
				else {
					unseen(code);
				}
			});
		}

		@Override
		public void changed(EventType type) {
			Queueing.this.rounds.step(this.current, () -> {
				Queueing.this.waiting = null;
				if (type == EventType.NodeDeleted && this.position.isLastObstacle()) {
					Queueing.this.clear = true;
					Queueing.this.unseenSince = true;
					Queueing.this.contest.seatClear();
				}
				else {
					look();
				}
			});
		}

	}

	/** Waits for any change of the line, as all the others do: the herd. */
	private final class HerdListener implements NodeWatch.Listener {

		@Override
		public void watching(byte @Nullable [] content, @Nullable Stat stat, @Nullable List<String> names) {
			step(() -> {
				if (names != null) {
					looked(names, false);
				}
				else {
					look();
				}
			});
		}

		@Override
		public void notWatching(Code code) {
			step(() -> {
				Queueing.this.waiting = null;
				unseen(code);
			});
		}

		@Override
		public void changed(EventType type) {
			step(() -> {
				Queueing.this.waiting = null;
				if (!Queueing.this.clear) {
					joinHerd();
				}
			});
		}

		private void step(Runnable step) {
			Queueing.this.terms.steps().execute(() -> {
				if (!Queueing.this.stopped) {
					step.run();
				}
			});
		}

	}

	/** The contender whose turn it is to be. */
	interface Host {

		/** A seat has become clear, or its token is known: perhaps it was the last. */
		void seatClear();

		/** A node of ours was deleted by somebody else. */
		void vanished();

	}

}
