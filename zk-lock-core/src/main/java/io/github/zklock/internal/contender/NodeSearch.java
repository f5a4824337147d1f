package io.github.zklock.internal.contender;

import java.util.concurrent.Executor;

import org.apache.zookeeper.KeeperException.Code;

import io.github.zklock.internal.node.NodeQueue;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.SessionRequests;

/**
 * Looks for a contender's node: by its id, or, if it has no sequence number, as soon as
 * it is known when it was made, by that.
 *
 * @param session where
 * @param node the node
 * @param steps runs the contender's steps
 */
record NodeSearch(LockSession session, NodeFacts node, Executor steps) {

	/*-
	 * A node in a queue has its id in its name. One without sequence number has it in its data, and
	 * others may write there. But no two nodes at one path have the same czxid, so as soon as that
	 * is known it alone says whether a node of our session is this one, whatever it says itself.
	 *
	 * While the create's answer is missing only the id can say so. If there is none in the data of a node of our
	 * session, others have written into it, and it may be ours; but also that of an earlier contender of
	 * the key, whose delete is under way, or that of another client in the same session, which may hold the
	 * lock. So it is neither adopted nor deleted, but waited for like a stranger's: nobody loses a lock by
	 * that. If it was ours it is in the way until its session ends, or an operator deletes it.
	 */

	/**
	 * Looks whether the node is there; to be called after the commit barrier.
	 * @param then gets, as a step of the contender, OK with the node's path and stat,
	 * NONODE, or a code that says nothing
	 */
	void find(SessionRequests.Created then) {
		if (this.node.isUnnumbered()) {
			findUnnumbered(then);
		}
		else {
			findInQueue(then);
		}
	}

	private void findUnnumbered(SessionRequests.Created then) {
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
