package io.github.zklock.internal.contender;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.node.LockNodeName;
import io.github.zklock.internal.node.NodeContent;
import io.github.zklock.internal.node.NodeQueue;
import io.github.zklock.internal.node.NodeQueue.Position;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.NodeWatch;
import io.github.zklock.internal.session.NodeWatches.Registration;
import io.github.zklock.spi.Blocker;

/**
 * Waits for something to happen in the queue of a key.
 */
final class QueueWatch {

	/*-
	 * Nothing is watched; or those in the way are, until something happens to them; or the whole queue is, and again
	 * after each change. What was seen of who is in the way is reported. After `stop` nothing that comes is heeded. All
	 * steps run in the contender's serial executor; a listener is registered within one of them, so it cannot be notified
	 * of anything before that has ended.
	 *
	 * One alone is watched, and its end makes the way clear without another list. Of several only the one directly
	 * before is, so that a release wakes one, however many wait; when it has gone the queue is listed again, unless it
	 * is long and a note makes that unnecessary (`ReleaseNotes`). But if they are few and the servers far, all are
	 * watched, until the last one has gone: that spares the list, which would be waited for. If they are few and take
	 * long, the last two are, and the list is read when the first of these has gone, while the other one holds.
	 *
	 * Who waits for a permit may be the first one who does, behind those who hold. Then any of these may make
	 * room, so all are watched if they are few, and otherwise the queue for any change. All others watch the one
	 * directly before. Its end, or that its data say it holds now, leads to another look: so a release wakes the
	 * first waiter, and that one the second. What the data say may have been written before the watch was set.
	 *
	 * I1: of those that are watched all, the set only shrinks: who was before us is in the list that already had our node,
	 *     a name is never used again, and who comes later gets a larger number. An event NodeDeleted, or NoNode for the
	 *     read that was to set the watch, says that one has gone for good; anything else says nothing: it is listed again.
	 */

	private final Host host;

	private final Rounds rounds;

	private final ContenderReports reports;

	private final LockSession session;

	private final NodeFacts node;

	private final List<BlockerListener> blockers = new ArrayList<>(NodeQueue.MOST_WATCHED);

	private @Nullable Registration waiting;

	private boolean complete;

	private int others;

	private int remaining;

	private @Nullable String seenHolding;

	private boolean described;

	/**
	 * Creates a watch that waits for nothing.
	 * @param host who waits
	 * @param steps runs the contender's steps
	 * @param reports what the contender reports to
	 * @param session where the queue is
	 * @param node our node in it
	 */
	QueueWatch(Host host, Executor steps, ContenderReports reports, LockSession session, NodeFacts node) {
		this.host = host;
		this.rounds = new Rounds(steps);
		this.reports = reports;
		this.session = session;
		this.node = node;
	}

	/** Waits for nothing any more, and reports nothing. */
	void stop() {
		this.rounds.next();
		leave();
	}

	/** Leaves the watches that it waits with, if there are any. */
	void leave() {
		List<BlockerListener> left = List.copyOf(this.blockers);
		this.blockers.clear();
		left.forEach(BlockerListener::leave);
		Registration registration = this.waiting;
		if (registration != null) {
			this.waiting = null;
			registration.leave();
		}
	}

	/**
	 * Waits for the contenders that are in the way: for all if they are few, otherwise
	 * for the one directly before us.
	 * @param position where we are
	 */
	void awaitBlockers(Position position) {
		int current = this.rounds.next();
		List<BlockerListener> former = List.copyOf(this.blockers);
		this.blockers.clear();
		leave();
		List<LockNodeName> watched = watched(position);
		this.complete = watched.size() == position.all().size();
		this.others = position.others();
		this.remaining = position.remaining();
		watched.forEach((name) -> this.blockers.add(new BlockerListener(current, name, position.blockerHolds())));
		report();
		List.copyOf(this.blockers).forEach(BlockerListener::join);
		// After that, so that the watch of one that is awaited further is not set again
		former.forEach(BlockerListener::leave);
	}

	private List<LockNodeName> watched(Position position) {
		List<LockNodeName> all = position.all();
		if (mayWatchAll(position)) {
			return all;
		}
		return (all.size() > 1 && this.host.isWaitLong()) ? all.subList(all.size() - 2, all.size())
				: List.of(Objects.requireNonNull(position.blocker()));
	}

	// Each watch is a request, which costs more than it spares if the servers are near
	private boolean mayWatchAll(Position position) {
		int all = position.all().size();
		return all == 1 || (all > 1 && (position.remaining() > 0 || this.session.requests().roundTrip().isLong()));
	}

	// What was learnt of one that goes first is of no use, so only the last is reported
	private void report() {
		BlockerListener last = this.blockers.get(this.blockers.size() - 1);
		this.reports.waits(last.blocker());
	}

	// Whether readers before it have left is not watched by who need not wait for them
	private boolean isHeldByLast() {
		return (this.blockers.size() == 1 && this.others == 0) || this.remaining > 0
				|| this.blockers.stream().allMatch((blocker) -> blocker.name.mode().isShared());
	}

	private void gone(BlockerListener blocker) {
		this.blockers.remove(blocker);
		if (!this.complete && !this.blockers.isEmpty()) {
			this.host.look();
		}
		else if (!this.complete) {
			stop();
			goneAlone(blocker.name);
		}
		else if (this.blockers.size() <= this.remaining) {
			stop();
			this.host.lastBlockerGone();
		}
		else {
			report();
		}
	}

	private void goneAlone(LockNodeName blocker) {
		if (this.node.isPermit()) {
			this.host.look();
			return;
		}
		int current = this.rounds.current();
		Executor steps = (step) -> this.rounds.step(current, step);
		this.node.notes().find(blocker, this.node.keyNode(), this.session, steps, (clear) -> {
			if (clear) {
				this.host.lastBlockerGone();
			}
			else {
				this.host.look();
			}
		});
	}

	private void lookAgain() {
		stop();
		this.host.look();
	}

	/**
	 * Waits for any change of the queue, as all the others do: the herd.
	 * @param position where we are
	 */
	void awaitAnyChange(Position position) {
		if (!this.blockers.isEmpty()) {
			stop();
		}
		if (this.waiting == null) {
			joinHerd();
		}
		if (!this.described) {
			this.described = true;
			this.reports.waits(this.node.unknownBlocker(position.blockerHolds()));
			LockNodeName blocker = Objects.requireNonNull(position.blocker());
			int current = this.rounds.current();
			this.session.requests()
				.read(this.node.pathOf(blocker.name()), null, (code, content, stat) -> this.rounds.step(current, () -> {
					if (stat != null) {
						this.reports.waits(describe(blocker, content, stat, position.blockerHolds()));
					}
				}));
		}
	}

	private void joinHerd() {
		this.waiting = this.session.watches()
			.watchChildren(this.node.keyNode(), new HerdListener(this.rounds.current()));
	}

	private Blocker describe(LockNodeName other, byte @Nullable [] content, Stat stat, boolean holds) {
		return this.node.predecessor(other, content, stat, holds, this.session.clock().getAsLong());
	}

	/** Is notified of one contender that is in the way. */
	private final class BlockerListener implements NodeWatch.Listener {

		private final int round;

		private final LockNodeName name;

		private final String path;

		private final boolean holds;

		private byte @Nullable [] content;

		private @Nullable Stat stat;

		private @Nullable Registration registration;

		BlockerListener(int round, LockNodeName name, boolean holds) {
			this.round = round;
			this.name = name;
			this.path = QueueWatch.this.node.pathOf(name.name());
			this.holds = holds;
		}

		void join() {
			this.registration = QueueWatch.this.session.watches().watchNode(this.path, this);
		}

		void leave() {
			if (this.registration != null) {
				this.registration.leave();
			}
		}

		Blocker blocker() {
			boolean holdsNow = QueueWatch.this.complete ? isHeldByLast() : this.holds;
			return (this.stat != null) ? describe(this.name, this.content, this.stat, holdsNow)
					: QueueWatch.this.node.unknownBlocker(holdsNow);
		}

		@Override
		public void watching(byte @Nullable [] read, @Nullable Stat readStat, @Nullable List<String> names) {
			step(() -> {
				this.content = read;
				this.stat = readStat;
				if (isNewHolder()) {
					QueueWatch.this.seenHolding = this.path;
					lookAgain();
					return;
				}
				List<BlockerListener> present = QueueWatch.this.blockers;
				if (present.indexOf(this) == present.size() - 1) {
					report();
				}
			});
		}

		// It was waiting in our list. It is looked for once: then the list says so too.
		private boolean isNewHolder() {
			return this.name.isPermit() && !this.holds && NodeContent.holdsPermit(this.content)
					&& !this.path.equals(QueueWatch.this.seenHolding);
		}

		@Override
		public void notWatching(Code code) {
			step(() -> {
				if (code == Code.NONODE) {
					gone(this);
				}
				else {
					QueueWatch.this.stop();
					QueueWatch.this.host.unseen(code);
				}
			});
		}

		@Override
		public void changed(EventType type) {
			step(() -> {
				if (type == EventType.NodeDeleted) {
					gone(this);
				}
				else {
					lookAgain();
				}
			});
		}

		private void step(Runnable step) {
			QueueWatch.this.rounds.step(this.round, step);
		}

	}

	/** Is notified of any change of the queue. */
	private final class HerdListener implements NodeWatch.Listener {

		private final int round;

		HerdListener(int round) {
			this.round = round;
		}

		@Override
		public void watching(byte @Nullable [] content, @Nullable Stat stat, @Nullable List<String> names) {
			step(() -> {
				if (names != null) {
					QueueWatch.this.host.looked(names);
				}
				else {
					QueueWatch.this.host.look();
				}
			});
		}

		@Override
		public void notWatching(Code code) {
			step(() -> {
				QueueWatch.this.waiting = null;
				QueueWatch.this.host.unseen(code);
			});
		}

		@Override
		public void changed(EventType type) {
			step(() -> {
				QueueWatch.this.waiting = null;
				joinHerd();
			});
		}

		private void step(Runnable step) {
			QueueWatch.this.rounds.step(this.round, step);
		}

	}

	/** Who waits. */
	interface Host {

		/** Something has happened: the queue is to be listed again. */
		void look();

		/**
		 * The queue was listed.
		 * @param names the children of the key node
		 */
		void looked(List<String> names);

		/**
		 * The watch could not be set.
		 * @param code why
		 */
		void unseen(Code code);

		/** All who were in the way have gone. */
		void lastBlockerGone();

		/**
		 * Returns whether requests that are sent while those in the way hold keep nobody
		 * waiting.
		 * @return whether each holds for much longer than a write takes
		 */
		boolean isWaitLong();

	}

}
