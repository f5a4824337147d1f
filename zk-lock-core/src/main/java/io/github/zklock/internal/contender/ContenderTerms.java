package io.github.zklock.internal.contender;

import java.util.List;
import java.util.concurrent.Executor;

import org.apache.zookeeper.data.ACL;

import io.github.zklock.LockMode;
import io.github.zklock.internal.node.Identity;
import io.github.zklock.internal.session.SessionSource;
import io.github.zklock.spi.LockEntry;

/**
 * What a contender wants, and what it works with; fixed for its whole life.
 *
 * @param source gives the sessions
 * @param shard what it shares with the other contenders of its keys
 * @param entry which keys, in which mode
 * @param naive whether it waits as all the others do, and not for the one in its way;
 * EXCLUSIVE then needs no line
 */
public record ContenderTerms(SessionSource source, KeyShard shard, LockEntry entry, boolean naive) {

	/**
	 * Builds terms.
	 * @param source gives the sessions
	 * @param shards those of all keys
	 * @param entry which keys, in which mode
	 * @param naive whether it waits as all the others do
	 * @return the terms
	 */
	public static ContenderTerms of(SessionSource source, KeyShards shards, LockEntry entry, boolean naive) {
		return new ContenderTerms(source, shards.of(entry.keys().get(0)), entry, naive);
	}

	LockMode mode() {
		return this.entry.mode();
	}

	/**
	 * Tells whether it wants the lock only if nobody is in the way.
	 * @return whether to leave instead of waiting
	 */
	boolean isIfFree() {
		return this.entry.ifFree();
	}

	/**
	 * Tells whether it begins with a node at the key's place itself.
	 * @return false if it begins in the line
	 */
	boolean isPlain() {
		return this.naive && mode() == LockMode.EXCLUSIVE;
	}

	/**
	 * Tells whether it waits for any change of the line.
	 * @return false if it waits for the one in its way
	 */
	boolean isHerd() {
		return this.naive && mode() != LockMode.EXCLUSIVE;
	}

	/**
	 * Tells whether the node of another contender may be deleted by the request that
	 * makes ours.
	 * @param other the other one's terms
	 * @return whether both have the same keys, and nothing is to be looked at before
	 */
	boolean mayFollow(ContenderTerms other) {
		return this.shard.equals(other.shard) && this.entry.keys().equals(other.entry.keys()) && !isIfFree();
	}

	/**
	 * Returns what runs the contender's steps, after those that were brought before.
	 * @return the mailbox of its keys
	 */
	Executor steps() {
		return this.shard.mailbox();
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
	 * Returns what was seen lately of the places of keys.
	 * @return the memory of the contender's mailbox
	 */
	RecentPlaces recentPlaces() {
		return this.shard.recentPlaces();
	}

	/**
	 * Notes whether the place of a node is there; of several keys, and of a node that is
	 * to have no place, nothing is noted.
	 * @param node the node
	 * @param there what an answer said
	 */
	void placeSeen(NodeFacts node, boolean there) {
		if (this.entry.keys().size() == 1 && !node.isPlain()) {
			recentPlaces().seen(node.key(), there);
		}
	}

	/**
	 * Describes a node that is not there yet.
	 * @param key the key that it is for
	 * @return what is known of it
	 */
	NodeFacts newNode(String key) {
		Identity identity = this.source.identity();
		String id = identity.nextId();
		return new NodeFacts(key, this.source.paths().place(key), id, mode(),
				identity.describe(id, mode(), this.entry.caller()), isPlain());
	}

}
