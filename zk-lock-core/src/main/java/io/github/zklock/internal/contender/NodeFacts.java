package io.github.zklock.internal.contender;

import java.time.Duration;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.github.zklock.LockMode;
import io.github.zklock.internal.node.LockNodeName;
import io.github.zklock.internal.node.NodeContent;
import io.github.zklock.internal.node.NodeQueue;
import io.github.zklock.internal.node.Permits;
import io.github.zklock.spi.Blocker;

/**
 * What is known of a contender's node for one key in one session.
 */
final class NodeFacts {

	/*-
	 * ABSENT -> PRESENT (its create was answered, or it was found) -> REMOVING -> GONE.
	 * ABSENT -> REMOVING; each -> GONE, with the session. A step that learns something of
	 * the node writes it here, and one that decides something about it reads it here, in steps of
	 * the contender's serial executor; its mode, its czxid and what never changes are read by any thread.
	 */

	private enum State {

		ABSENT, PRESENT, REMOVING, GONE

	}

	/**
	 * What is known of the key node: FOUND there, MADE with our node, SHARED with others.
	 */
	private enum KeyNode {

		FOUND, MADE, SHARED

	}

	private final String key;

	private final String keyNode;

	private final String id;

	private volatile LockMode mode;

	private final int permits;

	private final byte[] content;

	private final ReleaseNotes notes = new ReleaseNotes();

	private final NodeNeighbours neighbours = new NodeNeighbours();

	private State state = State.ABSENT;

	private KeyNode keyNodeIs = KeyNode.FOUND;

	private boolean unnumbered;

	private @Nullable String path;

	private String name = "";

	private long createdAt;

	private volatile long czxid;

	private long ctime;

	private boolean doubted;

	private boolean renaming;

	private @Nullable String awaited;

	NodeFacts(String key, String keyNode, String id, LockMode mode, int permits, byte[] content, boolean unnumbered) {
		this.key = key;
		this.keyNode = keyNode;
		this.id = id;
		this.mode = mode;
		this.permits = permits;
		this.content = content;
		this.unnumbered = unnumbered;
	}

	String key() {
		return this.key;
	}

	String keyNode() {
		return this.keyNode;
	}

	String id() {
		return this.id;
	}

	LockMode mode() {
		return this.mode;
	}

	/**
	 * Returns how many may hold the key together with it.
	 * @return 0 if it is a lock's
	 */
	int permits() {
		return this.permits;
	}

	boolean isPermit() {
		return this.permits > 0;
	}

	byte[] content() {
		return this.content;
	}

	/**
	 * Returns whether it is to be, or is, at the key node's own path.
	 * @return false if it is for the key's queue
	 */
	boolean isUnnumbered() {
		return this.unnumbered;
	}

	/** There is a key node at its path, so the node will be in the queue there. */
	void joinQueue() {
		this.unnumbered = false;
	}

	String createPath() {
		return this.unnumbered ? this.keyNode
				: this.keyNode + "/" + LockNodeName.prefix(this.id, this.mode, this.permits);
	}

	CreateMode createMode() {
		return this.unnumbered ? CreateMode.EPHEMERAL : CreateMode.EPHEMERAL_SEQUENTIAL;
	}

	/**
	 * Its create is being sent.
	 * @param now nanoseconds of the clock
	 */
	void entering(long now) {
		this.createdAt = now;
	}

	/**
	 * It is there.
	 * @param givenPath its path
	 */
	void created(String givenPath) {
		isAt(givenPath);
		if (this.state == State.ABSENT) {
			this.state = State.PRESENT;
		}
	}

	private void isAt(String givenPath) {
		this.path = givenPath;
		this.name = this.unnumbered ? "" : givenPath.substring(this.keyNode.length() + 1);
	}

	/**
	 * It is known when it was made.
	 * @param stat says so
	 */
	void stamped(Stat stat) {
		this.czxid = stat.getCzxid();
		this.ctime = stat.getCtime();
	}

	// 0 until it is known
	long czxid() {
		return this.czxid;
	}

	/** It was created together with its key node. */
	void madeKeyNode() {
		if (this.keyNodeIs == KeyNode.FOUND) {
			this.keyNodeIs = KeyNode.MADE;
		}
	}

	/**
	 * The queue was seen.
	 * @param queue the queue
	 * @param keyNodeStat its key node, or null if that is not known
	 */
	void saw(NodeQueue queue, @Nullable Stat keyNodeStat) {
		if (queue.names().size() > 1) {
			this.keyNodeIs = KeyNode.SHARED;
		}
		this.notes.saw(queue, keyNodeStat);
	}

	ReleaseNotes notes() {
		return this.notes;
	}

	NodeNeighbours neighbours() {
		return this.neighbours;
	}

	/**
	 * Returns whether the key node may be removed with it.
	 * @return whether it made the key node, and nobody else was seen in the queue
	 */
	boolean isAloneInItsKeyNode() {
		return this.keyNodeIs == KeyNode.MADE;
	}

	/** A request gives it another name; until that is answered nobody knows which. */
	void renaming() {
		this.renaming = true;
	}

	/**
	 * It is known under which name it is.
	 * @param givenPath its path
	 */
	void renamed(String givenPath) {
		this.renaming = false;
		isAt(givenPath);
		this.mode = LockNodeName.parse(this.name).map(LockNodeName::mode).orElse(this.mode);
	}

	boolean isRenaming() {
		return this.renaming;
	}

	/** It was not there when it was looked for; another may be at its path. */
	void doubt() {
		this.doubted = true;
	}

	boolean isDoubted() {
		return this.doubted;
	}

	/** It is to be removed. */
	void retire() {
		if (this.state != State.GONE) {
			this.state = State.REMOVING;
		}
	}

	/** It cannot be there any more. */
	void gone() {
		this.state = State.GONE;
	}

	/**
	 * Returns whether it is gone or is to go.
	 * @return whether nothing more is wanted of it
	 */
	boolean isLeaving() {
		return this.state == State.REMOVING || this.state == State.GONE;
	}

	boolean isGone() {
		return this.state == State.GONE;
	}

	@Nullable String path() {
		return this.path;
	}

	/**
	 * Returns its name in the queue.
	 * @return the last segment of its path; empty if it is not there
	 */
	String name() {
		return this.name;
	}

	/**
	 * Returns whether it has been there for long.
	 * @param then nanoseconds of the clock
	 * @return true if it was created before then
	 */
	boolean isOlderThan(long then) {
		return this.path != null && this.createdAt - then < 0;
	}

	/**
	 * Returns whether a node that was found at the path of one without sequence number is
	 * this one.
	 * @param found the data that was found
	 * @param stat the stat that was found
	 * @param session the id of our session
	 * @return whether our session made it, in the transaction that made this one, or, as
	 * long as that is not known, with our id
	 */
	boolean isOurs(byte @Nullable [] found, Stat stat, long session) {
		return stat.getEphemeralOwner() == session
				&& ((this.czxid != 0) ? stat.getCzxid() == this.czxid : this.id.equals(NodeContent.idIn(found)));
	}

	/**
	 * Looks at the queue from where it is.
	 * @param queue the queue
	 * @return what is in its way, or null if it is not in the queue
	 */
	NodeQueue.@Nullable Position lookAt(NodeQueue queue) {
		noteBehind(queue);
		this.neighbours.lookBehind(queue, name());
		this.awaited = (this.awaited != null && queue.indexOf(this.awaited) >= 0) ? this.awaited : null;
		return queue.positionOf(name(), this.mode);
	}

	/**
	 * Returns the path of a node in the same queue.
	 * @param other the node's name
	 * @return its path
	 */
	String pathOf(String other) {
		return this.keyNode + "/" + other;
	}

	/**
	 * Another node in the queue may be waited for, although it was asked for once only.
	 * @param other the other node's name, or null if there is none
	 */
	void awaits(@Nullable String other) {
		this.awaited = other;
	}

	/**
	 * Returns whether the one in its way may be waited for, although it was asked for
	 * once only.
	 * @param position where it is
	 * @return whether nobody else is in its way
	 */
	boolean mayAwait(NodeQueue.Position position) {
		boolean behindPermits = isPermit() && this.awaited != null && position.waiting() == 0;
		return behindPermits || (position.blockers() == 1 && position.blocker() != null
				&& position.blocker().name().equals(this.awaited));
	}

	/**
	 * Returns who may be waited for, although it was asked for once only.
	 * @return the other node's path, or null
	 */
	@Nullable String awaited() {
		return (this.awaited != null) ? pathOf(this.awaited) : null;
	}

	/**
	 * Looks who is queued behind it.
	 * @param queue the queue
	 * @return whether another contender waits for it
	 */
	boolean noteBehind(NodeQueue queue) {
		return this.neighbours.noteBehind(queue, name(), this.mode);
	}

	/**
	 * Describes the contender in its way. Who that is takes another answer, which may
	 * never come.
	 * @param holds whether it holds the key
	 * @return a blocker without a name
	 */
	Blocker unknownBlocker(boolean holds) {
		return new Blocker(this.key, "another contender", holds, null);
	}

	/**
	 * Describes who is at the path of a key node, of this key or of one above it.
	 * @param found the data of the node there
	 * @param at its path
	 * @return the blocker, which holds that key
	 */
	Blocker holder(byte @Nullable [] found, String at) {
		return new Blocker(this.key, NodeContent.who(found, at), true, null);
	}

	/**
	 * Describes who is before it in the queue, for how long by the servers' clock and our
	 * monotonic one, and which number of permits it asks for if that is another one.
	 * @param other the other node's name
	 * @param found its data
	 * @param stat its stat
	 * @param holds whether it holds the key
	 * @param now nanoseconds of the clock
	 * @return the blocker
	 */
	Blocker predecessor(LockNodeName other, byte @Nullable [] found, Stat stat, boolean holds, long now) {
		Duration age = Duration.ofMillis(Math.max(this.ctime - stat.getCtime(), 0)).plusNanos(now - this.createdAt);
		String who = NodeContent.who(found, pathOf(other.name()));
		return new Blocker(this.key, Permits.describe(who, other.permits(), permits()), holds, age);
	}

}
