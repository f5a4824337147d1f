package io.github.zklock.internal.contender;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.node.NodeQueue.Position;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.NodeWatch;
import io.github.zklock.internal.session.NodeWatches.Registration;

/*
 * Nothing is watched; or the one in the way is, until something happens to it; or the whole
 * queue is, and again after each change. What was seen of who is in the way is reported. After
 * `stop` nothing that comes is heeded. All steps run in the contender's serial executor; a
 * listener is registered within one of them, so it cannot be notified of anything before that
 * has ended.
 */
/**
 * Waits for something to happen in the queue of a key.
 */
final class QueueWatch {

	private final Host host;

	private final Rounds rounds;

	private final ContenderReports reports;

	private final LockSession session;

	private final NodeFacts node;

	private @Nullable Registration waiting;

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

	/** Leaves the watch that it waits with, if there is one. */
	void leave() {
		Registration registration = this.waiting;
		if (registration != null) {
			this.waiting = null;
			registration.leave();
		}
	}

	/**
	 * Waits for the one contender that is in the way.
	 * @param position where we are
	 */
	void awaitPredecessor(Position position) {
		int current = this.rounds.next();
		this.reports.waits(this.node.unknownBlocker(position.blockerHolds()));
		String path = blocker(position);
		this.waiting = this.session.watches().watchNode(path, new PredecessorListener(current, position, path));
	}

	/**
	 * Waits for any change of the queue, as all the others do: the herd.
	 * @param position where we are
	 */
	void awaitAnyChange(Position position) {
		if (this.waiting == null) {
			joinHerd();
		}
		if (!this.described) {
			this.described = true;
			this.reports.waits(this.node.unknownBlocker(position.blockerHolds()));
			String path = blocker(position);
			int current = this.rounds.current();
			this.session.requests().read(path, null, (code, content, stat) -> this.rounds.step(current, () -> {
				if (stat != null) {
					describe(path, content, stat, position);
				}
			}));
		}
	}

	private void joinHerd() {
		this.waiting = this.session.watches()
			.watchChildren(this.node.keyNode(), new HerdListener(this.rounds.current()));
	}

	private String blocker(Position position) {
		return this.node.pathOf(Objects.requireNonNull(position.blocker()).name());
	}

	private void describe(String path, byte @Nullable [] content, Stat stat, Position position) {
		this.reports.waits(
				this.node.predecessor(path, content, stat, position.blockerHolds(), this.session.clock().getAsLong()));
	}

	/** Is notified of the one contender that is in the way. */
	private final class PredecessorListener implements NodeWatch.Listener {

		private final int round;

		private final Position position;

		private final String path;

		PredecessorListener(int round, Position position, String path) {
			this.round = round;
			this.position = position;
			this.path = path;
		}

		@Override
		public void watching(byte @Nullable [] content, @Nullable Stat stat, @Nullable List<String> names) {
			if (stat != null) {
				step(() -> describe(this.path, content, stat, this.position));
			}
		}

		@Override
		public void notWatching(Code code) {
			step(() -> {
				QueueWatch.this.waiting = null;
				if (code == Code.NONODE) {
					QueueWatch.this.host.look();
				}
				else {
					QueueWatch.this.host.unseen(code);
				}
			});
		}

		@Override
		public void changed(EventType type) {
			step(() -> {
				QueueWatch.this.waiting = null;
				if (type == EventType.NodeDeleted && this.position.isLastBlocker()) {
					QueueWatch.this.host.lastBlockerGone();
				}
				else {
					QueueWatch.this.host.look();
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
				if (!QueueWatch.this.host.isClear()) {
					joinHerd();
				}
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

		/** The only one in the way has gone. */
		void lastBlockerGone();

		/**
		 * Returns whether nobody is in the way any more.
		 * @return whether to wait no longer
		 */
		boolean isClear();

	}

}
