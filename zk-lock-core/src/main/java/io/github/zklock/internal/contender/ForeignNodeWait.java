package io.github.zklock.internal.contender;

import java.util.List;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.NodeWatch;
import io.github.zklock.internal.session.NodeWatches.Registration;
import io.github.zklock.internal.session.ResultKind;

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

	private final LockNodes nodes;

	private final List<String> above;

	private final String root;

	private NodeFacts node;

	private String path;

	private @Nullable Registration registration;

	/**
	 * Creates a wait that has not begun.
	 * @param host who waits
	 * @param rounds those of the host
	 * @param reports what the contender reports to
	 * @param nodes the contender's nodes
	 * @param node which of them cannot be made
	 * @param above where the foreign node may be, from above; none if it is at the key
	 * node's own path
	 * @param root where all locks are
	 */
	ForeignNodeWait(Host host, Rounds rounds, ContenderReports reports, LockNodes nodes, NodeFacts node,
			List<String> above, String root) {
		this.host = host;
		this.rounds = rounds;
		this.round = rounds.current();
		this.reports = reports;
		this.session = nodes.session();
		this.nodes = nodes;
		this.node = node;
		this.above = above;
		this.root = root;
		this.path = node.keyNode();
	}

	/**
	 * Waits, or after a refusal looks once: the right to make a node is checked before
	 * whether there is one, and of a key node at the path only the queue is needed.
	 * @param code why the node could not be made
	 */
	void await(Code code) {
		if (ResultKind.of(code) == ResultKind.REFUSED) {
			lookAtKeyNode(code);
		}
		else if (this.above.isEmpty()) {
			this.registration = this.session.watches().watchNode(this.path, this);
		}
		else {
			lookAt(0);
		}
	}

	private void lookAtKeyNode(Code refusal) {
		this.session.requests().exists(this.path, (code, stat) -> this.rounds.step(this.round, () -> {
			if (stat != null && stat.getEphemeralOwner() == 0) {
				this.node.joinQueue();
				this.host.foreignNodeGone(true);
			}
			else {
				this.host.unseen((stat != null || code == Code.NONODE) ? refusal : code, this.node);
			}
		}));
	}

	// Without watches: most nodes there are other people's, who may watch them in our
	// session
	private void lookAt(int index) {
		String looked = this.above.get(index);
		this.session.requests().exists(looked, (code, stat) -> this.rounds.step(this.round, () -> {
			if (stat != null && stat.getEphemeralOwner() != 0) {
				ephemeral(looked);
			}
			else if (stat != null && index + 1 < this.above.size()) {
				lookAt(index + 1);
			}
			else if (stat != null || code == Code.NONODE) {
				this.host.nothingAbove();
			}
			else {
				this.host.unseen(code, this.node);
			}
		}));
	}

	private void ephemeral(String found) {
		if (found.length() > this.root.length()) {
			this.path = found;
			this.node = this.nodes.below(found);
			this.registration = this.session.watches().watchNode(found, this);
		}
		else {
			// Not a key that would be released
			this.reports.refused(Code.NOCHILDRENFOREPHEMERALS, found);
		}
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
		boolean own = this.above.isEmpty();
		if (stat.getEphemeralOwner() == 0) {
			if (own) {
				this.node.joinQueue();
			}
			stop();
			this.host.foreignNodeGone(own);
		}
		else if (own && this.node.isUnnumbered() && this.node.isOurs(content, stat, this.session.id())) {
			stop();
			this.host.findAfterCommit();
		}
		else {
			this.reports.blocked(this.node.holder(content, this.path));
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

		/** No node above can have no children, or one is missing. */
		void nothingAbove();

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
