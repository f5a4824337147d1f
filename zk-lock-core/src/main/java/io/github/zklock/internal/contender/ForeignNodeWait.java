package io.github.zklock.internal.contender;

import java.util.List;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.NodeWatch;
import io.github.zklock.internal.session.NodeWatches.Registration;

/**
 * Waits for a foreign node at a key node's path: in the way of an ephemeral lock node
 * without sequence number, or, because an ephemeral node can have no children, in the way
 * of a queue, and of all keys below that one where keys are paths. Belongs to the round
 * in which it was made: later nothing that it gets is heeded.
 */
final class ForeignNodeWait implements NodeWatch.Listener {

	private final Host host;

	private final Rounds rounds;

	private final int round;

	private final ContenderReports reports;

	private final LockSession session;

	private final NodeFacts node;

	private final List<String> above;

	private final String root;

	private @Nullable Registration registration;

	/**
	 * Creates a wait that has not begun.
	 * @param host who waits
	 * @param rounds those of the host
	 * @param reports what the contender reports to
	 * @param session where
	 * @param node which of its nodes cannot be made
	 * @param above where the foreign node may be, from above; none if it is at the key
	 * node's own path
	 * @param root where all locks are
	 */
	ForeignNodeWait(Host host, Rounds rounds, ContenderReports reports, LockSession session, NodeFacts node,
			List<String> above, String root) {
		this.host = host;
		this.rounds = rounds;
		this.round = rounds.current();
		this.reports = reports;
		this.session = session;
		this.node = node;
		this.above = above;
		this.root = root;
	}

	private String path() {
		return this.above.isEmpty() ? this.node.keyNode() : this.above.get(0);
	}

	void await() {
		this.registration = this.session.watches().watchNode(path(), this);
	}

	void stop() {
		if (this.registration != null) {
			this.registration.leave();
		}
	}

	@Override
	public void watching(byte @Nullable [] content, @Nullable Stat stat, @Nullable List<String> names) {
		if (stat != null) {
			this.rounds.step(this.round, () -> seen(content, stat));
		}
	}

	private void seen(byte @Nullable [] content, Stat stat) {
		boolean foreign = stat.getEphemeralOwner() != 0;
		if (!this.above.isEmpty()) {
			seenAbove(foreign, content);
		}
		else if (!foreign) {
			this.node.joinQueue();
			stop();
			this.host.foreignNodeGone(true);
		}
		else if (this.node.isUnnumbered() && this.node.isOurs(content, stat, this.session.id())) {
			stop();
			this.host.findAfterCommit();
		}
		else {
			this.reports.blocked(this.node.holder(content, path()));
		}
	}

	private void seenAbove(boolean foreign, byte @Nullable [] content) {
		if (!foreign) {
			stop();
			if (this.above.size() > 1) {
				this.host.foreignNodeAt(this.node, this.above.subList(1, this.above.size()));
			}
			else {
				this.host.foreignNodeGone(false);
			}
		}
		else if (path().length() > this.root.length()) {
			this.reports.blocked(this.node.holder(content, path()));
		}
		else {
			// Not a key that would be released
			stop();
			this.reports.refused(Code.NOCHILDRENFOREPHEMERALS, path());
		}
	}

	@Override
	public void notWatching(Code code) {
		this.rounds.step(this.round, () -> {
			if (code == Code.NONODE) {
				this.host.foreignNodeGone(false);
			}
			else {
				this.host.unseen(code, this.node);
			}
		});
	}

	@Override
	public void changed(EventType type) {
		this.rounds.step(this.round, () -> this.host.foreignNodeGone(false));
	}

	/** Who waits. */
	interface Host {

		/**
		 * Nothing is in the way any more.
		 * @param keyNode whether a key node is there
		 */
		void foreignNodeGone(boolean keyNode);

		/**
		 * The foreign node may be further below.
		 * @param node which node of ours cannot be made
		 * @param above where it may be, from above
		 */
		void foreignNodeAt(NodeFacts node, List<String> above);

		/** It is our own node, whose create's answer was lost. */
		void findAfterCommit();

		/**
		 * There was no answer.
		 * @param code what came instead
		 * @param node which node of ours cannot be made
		 */
		void unseen(Code code, NodeFacts node);

	}

}
