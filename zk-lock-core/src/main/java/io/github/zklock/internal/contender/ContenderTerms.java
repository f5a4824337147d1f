package io.github.zklock.internal.contender;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import org.apache.zookeeper.data.ACL;

import io.github.zklock.LockMode;
import io.github.zklock.internal.concurrent.OwnedSteps;
import io.github.zklock.internal.node.ClientIdentity;
import io.github.zklock.internal.session.LockPaths;
import io.github.zklock.internal.session.SessionSource;
import io.github.zklock.spi.LockAttempt;

/**
 * What a contender wants, and what it works with; fixed for its whole life.
 *
 * @param source gives the sessions
 * @param shard what it shares with the other contenders of its keys
 * @param attempt which keys, in which modes
 * @param naive whether it waits as all the others do, and not for the one in its way;
 * EXCLUSIVE then needs no queue
 * @param steps runs the contender's steps, after those that were brought before
 */
public record ContenderTerms(SessionSource source, KeyShard shard, LockAttempt attempt, boolean naive,
		OwnedSteps steps) {

	/**
	 * Builds terms.
	 * @param source gives the sessions
	 * @param shards those of all keys
	 * @param attempt which keys, in which mode
	 * @param naive whether it waits as all the others do
	 * @return the terms
	 */
	public static ContenderTerms of(SessionSource source, KeyShards shards, LockAttempt attempt, boolean naive) {
		KeyShard shard = shards.of(attempt.keys().get(0));
		OwnedSteps nobodys = shard.serialExecutor().of(attempt, (failure) -> {
		});
		return new ContenderTerms(source, shard, attempt, naive, nobodys);
	}

	/**
	 * Builds the terms of a contender whose steps may fail.
	 * @param contender whose steps
	 * @param failed leads it to its failed end
	 * @return the terms
	 */
	ContenderTerms of(Object contender, Consumer<Throwable> failed) {
		return new ContenderTerms(this.source, this.shard, this.attempt, this.naive,
				this.shard.serialExecutor().of(contender, failed));
	}

	/**
	 * Returns whether it wants the lock only if nobody is in the way.
	 * @return whether to leave instead of waiting
	 */
	boolean isTryOnce() {
		return this.attempt.tryOnce();
	}

	/**
	 * Returns whether a node in the queue waits for any change of it.
	 * @param node the node
	 * @return false if it waits for the one in its way
	 */
	boolean isHerd(NodeFacts node) {
		return this.naive && (node.isPermit() || node.mode() != LockMode.EXCLUSIVE);
	}

	/**
	 * Returns whether the node of another contender may be deleted by the request that
	 * makes ours.
	 * @param other the other one's terms
	 * @return whether both have the same keys, and nothing is to be looked at before
	 */
	boolean mayFollow(ContenderTerms other) {
		return this.shard.equals(other.shard) && this.attempt.keys().equals(other.attempt.keys()) && !isTryOnce();
	}

	List<ACL> acl(String path) {
		return this.source.paths().acl(path);
	}

	/**
	 * Returns where all locks are.
	 * @return the root's path
	 */
	String root() {
		return this.source.paths().root();
	}

	/**
	 * Returns the path at the end of the connect string, which nobody but its owner
	 * makes.
	 * @return the path; empty if there is none
	 */
	String chroot() {
		return LockPaths.chroot(this.source.servers());
	}

	/**
	 * Returns the nodes between the root and the key nodes.
	 * @return their paths, each behind those above it; none unless keys are paths
	 */
	List<String> between() {
		LockPaths paths = this.source.paths();
		return this.attempt.keys()
			.stream()
			.flatMap((key) -> paths.between(paths.keyNode(key)).stream())
			.distinct()
			.toList();
	}

	/**
	 * Returns the nodes above the key nodes, which can have no children while others hold
	 * them as ephemeral nodes.
	 * @return their paths, each behind those above it
	 */
	List<String> above() {
		List<String> above = new ArrayList<>();
		for (int slash = root().indexOf('/', 1); slash > 0; slash = root().indexOf('/', slash + 1)) {
			above.add(root().substring(0, slash));
		}
		above.add(root());
		above.addAll(between());
		return above;
	}

	/**
	 * Returns what was seen lately of key nodes.
	 * @return the cache of the contender's serial executor
	 */
	KeyNodeCache keyNodeCache() {
		return this.shard.keyNodeCache();
	}

	/**
	 * Returns what is known of who holds keys.
	 * @return the cache of the contender's serial executor
	 */
	HeldNodes heldNodes() {
		return this.shard.heldNodes();
	}

	ClientCosts clientCosts() {
		return this.shard.clientCosts();
	}

	/**
	 * Notes whether the key node of a node is there; of several keys, and of a node that
	 * is to have no key node, nothing is noted.
	 * @param node the node
	 * @param there what an answer said
	 */
	void keyNodeSeen(NodeFacts node, boolean there) {
		if (this.attempt.keys().size() == 1 && !node.isUnnumbered()) {
			keyNodeCache().seen(node.key(), there);
		}
	}

	/**
	 * Describes nodes that are not there yet.
	 * @param writeNanos how long the servers take to answer a write of ours
	 * @return what is known of them, in the order of the keys; naive EXCLUSIVE begins
	 * with a node at the key node itself, all others in the queue
	 */
	List<NodeFacts> newNodes(long writeNanos) {
		List<String> keys = this.attempt.keys();
		List<LockMode> modes = this.attempt.modes();
		List<Integer> permits = this.attempt.permits();
		if (keys.size() == 1) {
			return List.of(newNode(keys.get(0), modes.get(0), permits.get(0), writeNanos));
		}
		List<NodeFacts> nodes = new ArrayList<>(keys.size());
		for (int i = 0; i < keys.size(); i++) {
			nodes.add(newNode(keys.get(i), modes.get(i), permits.get(i), writeNanos));
		}
		return nodes;
	}

	private NodeFacts newNode(String key, LockMode mode, int permits, long writeNanos) {
		ClientIdentity identity = this.source.identity();
		String id = identity.nextId();
		return new NodeFacts(key, this.source.paths().keyNode(key), id, mode, permits,
				identity.describe(id, mode, permits, this.attempt.caller(), this.attempt.mayBeRetained(), writeNanos),
				this.naive && mode == LockMode.EXCLUSIVE && permits == 0);
	}

}
