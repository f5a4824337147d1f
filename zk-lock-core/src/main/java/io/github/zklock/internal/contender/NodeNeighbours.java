package io.github.zklock.internal.contender;

import io.github.zklock.LockMode;
import io.github.zklock.internal.node.NodeQueue;

/**
 * What was seen of those around a contender's node in the queue. Written in steps of the
 * contender's serial executor; whether most hold the node, and what the others say, is
 * read by any thread.
 */
final class NodeNeighbours {

	private boolean contended;

	private volatile boolean heldByMost;

	private boolean followedByPermit;

	private volatile long writeNanos = Long.MAX_VALUE;

	/**
	 * Looks who is queued behind the node.
	 * @param queue the queue
	 * @param name the node's name
	 * @param mode its mode
	 * @return whether another contender waits for it
	 */
	boolean noteBehind(NodeQueue queue, String name, LockMode mode) {
		boolean now = queue.isContended(name, mode);
		this.contended |= now;
		this.heldByMost = mode.isShared() && queue.isHeldByMost(name);
		return now;
	}

	/**
	 * Looks who is directly behind the node.
	 * @param queue the queue
	 * @param name the node's name
	 */
	void lookBehind(NodeQueue queue, String name) {
		this.followedByPermit = queue.isFollowedByPermit(name);
	}

	/**
	 * Returns whether a look at the queue has shown another contender behind the node.
	 * @return whether one waits for it, or has
	 */
	boolean isContended() {
		return this.contended;
	}

	boolean isHeldByMost() {
		return this.heldByMost;
	}

	/**
	 * Returns whether the last look at the queue has shown one who wants a permit
	 * directly behind the node.
	 * @return whether that one may wait for it
	 */
	boolean isFollowedByPermit() {
		return this.followedByPermit;
	}

	/**
	 * A client in the queue said how long the servers take to answer a write of it.
	 * @param nanos how long
	 */
	void said(long nanos) {
		this.writeNanos = Math.min(this.writeNanos, nanos);
	}

	/**
	 * Returns how long the servers take to answer a write of others in the queue.
	 * @return nanoseconds, the least that was said; {@link Long#MAX_VALUE} if nothing was
	 */
	long writeNanos() {
		return this.writeNanos;
	}

}
