package io.github.zklock.internal.contender;

import java.util.concurrent.Executor;

import org.apache.zookeeper.KeeperException.Code;

import io.github.zklock.internal.node.NodeQueue;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.SessionRequests;

/**
 * Looks for a contender's node, by its id.
 *
 * @param session where
 * @param node the node
 * @param steps runs the contender's steps
 */
record NodeSearch(LockSession session, NodeFacts node, Executor steps) {

	/**
	 * Looks whether the node is there; to be called after the commit barrier.
	 * @param then gets, as a step of the contender, OK with the node's path and stat,
	 * NONODE, or a code that says nothing
	 */
	void find(SessionRequests.Created then) {
		if (this.node.isUnnumbered()) {
			findPlain(then);
		}
		else {
			findInQueue(then);
		}
	}

	private void findPlain(SessionRequests.Created then) {
		String keyNode = this.node.keyNode();
		this.session.requests().read(keyNode, null, (code, found, stat) -> this.steps.execute(() -> {
			boolean ours = code == Code.OK && stat != null && this.node.isOurs(found, stat, this.session.id());
			then.answered((code == Code.OK && !ours) ? Code.NONODE : code, keyNode, ours ? stat : null);
		}));
	}

	private void findInQueue(SessionRequests.Created then) {
		String keyNode = this.node.keyNode();
		this.session.requests().children(keyNode, null, (code, names, ignored) -> this.steps.execute(() -> {
			String name = (names != null) ? NodeQueue.of(names).findById(this.node.id()).orElse(null) : null;
			if (name == null) {
				then.answered((code == Code.OK) ? Code.NONODE : code, null, null);
				return;
			}
			String found = keyNode + "/" + name;
			this.session.requests()
				.exists(found, (seen, stat) -> this.steps.execute(() -> then.answered(seen, found, stat)));
		}));
	}

}
