package io.github.zklock.internal.contender;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;

import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.SessionRequests;

/**
 * The requests by which the lock nodes of a contender come into being, each of them one
 * transaction, and the looks by which they are found after the answer to one was lost.
 *
 * @param session where
 * @param terms what the contender works with
 * @param lockNodes which are created
 */
record NodeTransactions(LockSession session, ContenderTerms terms, List<LockNode> lockNodes) {

	private static final byte[] EMPTY = {};

	/**
	 * Creates the only lock node.
	 * @param then gets OK when the node is there and stamped, or the code of the failure
	 */
	void create(Then then) {
		LockNode lockNode = this.lockNodes.get(0);
		NodeFacts node = lockNode.node();
		lockNode.entering();
		this.session.requests()
			.create(node.createPath(), node.content(), acl(lockNode), node.createMode(),
					(code, path, stat) -> step(() -> {
						if (code == Code.OK && path != null && stat != null) {
							lockNode.created(path);
							lockNode.stamped(stat);
						}
						then.answered(code, 0);
					}));
	}

	/**
	 * Creates a key node and the only lock node in it. Nobody can be queued before it:
	 * there was no queue.
	 * @param then gets OK when both are there, or the code of the failure, with 0 if it
	 * was the key node's
	 */
	void createWithKeyNode(Then then) {
		LockNode lockNode = this.lockNodes.get(0);
		lockNode.entering();
		List<Op> ops = List.of(Op.create(lockNode.node().keyNode(), EMPTY, acl(lockNode), CreateMode.CONTAINER),
				createOp(lockNode));
		this.session.requests().multi(ops, (code, results) -> step(() -> {
			if (code == Code.OK && results != null) {
				lockNode.createdWithKeyNode(pathOf(lockNode, results.get(1)));
				stamp(results.get(0));
			}
			then.answered(code, SessionRequests.failedIndex(results));
		}));
	}

	/**
	 * Creates several lock nodes.
	 * @param then gets OK when all nodes are there and stamped, or the code of the lock
	 * node that failed
	 */
	void createAll(Then then) {
		this.lockNodes.forEach(LockNode::entering);
		List<Op> ops = new ArrayList<>(this.lockNodes.stream().map(this::createOp).toList());
		addStamp(ops);
		this.session.requests().multi(ops, (code, results) -> step(() -> {
			if (code == Code.OK && results != null) {
				for (int i = 0; i < this.lockNodes.size(); i++) {
					this.lockNodes.get(i).created(pathOf(this.lockNodes.get(i), results.get(i)));
				}
				stamp(results.get(this.lockNodes.size()));
			}
			then.answered(code, Math.min(SessionRequests.failedIndex(results), this.lockNodes.size() - 1));
		}));
	}

	/**
	 * Creates the only lock node and deletes another in the same queue.
	 * @param former which is deleted
	 * @param then gets OK when both are done, or the code of the failure
	 */
	void createInstead(NodeFacts former, Then then) {
		LockNode lockNode = this.lockNodes.get(0);
		lockNode.entering();
		List<Op> ops = new ArrayList<>(4);
		ops.add(createOp(lockNode));
		ops.add(Op.delete(Objects.requireNonNull(former.path()), -1));
		addStamp(ops);
		this.session.requests().multi(ops, (code, results) -> step(() -> {
			if (code == Code.OK && results != null) {
				lockNode.created(pathOf(lockNode, results.get(0)));
				stamp(results.get(2));
			}
			then.answered(code, SessionRequests.failedIndex(results));
		}));
	}

	private void step(Runnable step) {
		this.terms.steps().execute(step);
	}

	private Op createOp(LockNode lockNode) {
		NodeFacts node = lockNode.node();
		return Op.create(node.createPath(), node.content(), acl(lockNode), node.createMode());
	}

	private List<ACL> acl(LockNode lockNode) {
		return this.terms.acl(lockNode.node().keyNode());
	}

	// The answer to a create of an ephemeral node in a multi does not say the
	// transaction's number, that of a container does. So a container comes and goes in
	// the same transaction, beside the first node, where nobody can ever see it. Its name
	// is a new one each time, so that nobody can have made it before.
	private void addStamp(List<Op> ops) {
		LockNode lockNode = this.lockNodes.get(0);
		String path = lockNode.node().createPath();
		String stamp = path.substring(0, path.lastIndexOf('/')) + "/stamp-" + UUID.randomUUID();
		ops.add(Op.create(stamp, EMPTY, acl(lockNode), CreateMode.CONTAINER));
		ops.add(Op.delete(stamp, -1));
	}

	private void stamp(OpResult container) {
		Stat stat = Objects.requireNonNull(((OpResult.CreateResult) container).getStat());
		this.lockNodes.forEach((lockNode) -> lockNode.stamped(stat));
	}

	// The paths in a multi's answer still have the chroot of the connection string.
	private static String pathOf(LockNode lockNode, OpResult result) {
		String path = ((OpResult.CreateResult) result).getPath();
		String keyNode = lockNode.node().keyNode();
		return lockNode.node().isUnnumbered() ? keyNode : keyNode + path.substring(path.lastIndexOf('/'));
	}

	/**
	 * Looks for all lock nodes; to be called after the commit barrier.
	 * @param then gets how many are there, each stamped, with OK; or the code of the look
	 * that failed
	 */
	void find(Then then) {
		find(0, 0, then);
	}

	private void find(int index, int found, Then then) {
		if (index == this.lockNodes.size()) {
			then.answered(Code.OK, found);
			return;
		}
		LockNode lockNode = this.lockNodes.get(index);
		lockNode.find((code, path, stat) -> {
			if (code == Code.OK && path != null && stat != null) {
				lockNode.created(path);
				lockNode.stamped(stat);
				find(index + 1, found + 1, then);
			}
			else if (code == Code.NONODE) {
				find(index + 1, found, then);
			}
			else {
				then.answered(code, found);
			}
		});
	}

	/**
	 * Gets the outcome: a code, with the index of what failed or the number of lock
	 * nodes.
	 */
	interface Then {

		void answered(Code code, int number);

	}

}
