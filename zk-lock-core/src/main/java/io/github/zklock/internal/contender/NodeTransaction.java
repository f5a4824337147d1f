package io.github.zklock.internal.contender;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.session.SessionRequests;

/**
 * A multi that makes the nodes of a contender: what is asked for, and what the answer to
 * it says. Sends nothing, and changes nothing.
 *
 * @param nodes which are created
 * @param makesKeyNode whether it creates the key node first, and then the only node
 * @param ops what is asked for
 */
record NodeTransaction(List<NodeFacts> nodes, boolean makesKeyNode, List<Op> ops) {

	/*-
	 * The answer to a create of an ephemeral node in a multi does not say the transaction's number,
	 * that of a container does. Where the key node is not made by the same transaction, another
	 * container therefore comes and goes in it, beside the first node, where nobody can ever see
	 * it. Its name is a new one each time, so that nobody can have made it before.
	 */

	private static final byte[] EMPTY = {};

	/**
	 * Creates a key node and the only node in it. Nobody can be queued before it: there
	 * was no queue.
	 * @param terms what the contender wants
	 * @param node which is created
	 * @return the transaction
	 */
	static NodeTransaction withKeyNode(ContenderTerms terms, NodeFacts node) {
		List<Op> ops = List.of(Op.create(node.keyNode(), EMPTY, acl(terms, node), CreateMode.CONTAINER),
				create(terms, node));
		return new NodeTransaction(List.of(node), true, ops);
	}

	/**
	 * Creates a node and deletes another in the same queue.
	 * @param terms what the contender wants
	 * @param node which is created
	 * @param former which is deleted
	 * @return the transaction
	 */
	static NodeTransaction instead(ContenderTerms terms, NodeFacts node, NodeFacts former) {
		List<Op> ops = new ArrayList<>(4);
		ops.add(create(terms, node));
		ops.add(Op.delete(Objects.requireNonNull(former.path()), -1));
		return stamped(terms, List.of(node), ops);
	}

	/**
	 * Creates several nodes.
	 * @param terms what the contender wants
	 * @param nodes which are created
	 * @return the transaction
	 */
	static NodeTransaction together(ContenderTerms terms, List<NodeFacts> nodes) {
		List<Op> ops = new ArrayList<>(nodes.size() + 2);
		nodes.forEach((node) -> ops.add(create(terms, node)));
		return stamped(terms, nodes, ops);
	}

	private static NodeTransaction stamped(ContenderTerms terms, List<NodeFacts> nodes, List<Op> ops) {
		NodeFacts first = nodes.get(0);
		String path = first.createPath();
		String stamp = path.substring(0, path.lastIndexOf('/')) + "/stamp-" + UUID.randomUUID();
		ops.add(Op.create(stamp, EMPTY, acl(terms, first), CreateMode.CONTAINER));
		ops.add(Op.delete(stamp, -1));
		return new NodeTransaction(nodes, false, ops);
	}

	private static Op create(ContenderTerms terms, NodeFacts node) {
		return Op.create(node.createPath(), node.content(), acl(terms, node), node.createMode());
	}

	private static List<ACL> acl(ContenderTerms terms, NodeFacts node) {
		return terms.acl(node.keyNode());
	}

	private int firstNode() {
		return this.makesKeyNode ? 1 : 0;
	}

	private int container() {
		return this.makesKeyNode ? 0 : this.ops.size() - 2;
	}

	/**
	 * Reads where the nodes are.
	 * @param results the answer of one that was done
	 * @return their paths, in the order of the nodes
	 */
	List<String> paths(List<OpResult> results) {
		List<String> paths = new ArrayList<>(this.nodes.size());
		for (int i = 0; i < this.nodes.size(); i++) {
			paths.add(path(this.nodes.get(i), results.get(firstNode() + i)));
		}
		return paths;
	}

	// The paths in a multi's answer still have the chroot of the connection string.
	private static String path(NodeFacts node, OpResult result) {
		String path = ((OpResult.CreateResult) result).getPath();
		return node.isUnnumbered() ? node.keyNode() : node.pathOf(path.substring(path.lastIndexOf('/') + 1));
	}

	/**
	 * Reads the number and the time that all nodes got.
	 * @param results the answer of one that was done
	 * @return the stat of what was made with them
	 */
	Stat stat(List<OpResult> results) {
		return Objects.requireNonNull(((OpResult.CreateResult) results.get(container())).getStat());
	}

	/**
	 * Reads which node could not be created.
	 * @param results the answer of one that was not done
	 * @return the node, or the first one if it was no node
	 */
	NodeFacts failed(@Nullable List<OpResult> results) {
		int index = SessionRequests.failedIndex(results) - firstNode();
		return this.nodes.get(Math.max(0, Math.min(index, this.nodes.size() - 1)));
	}

}
