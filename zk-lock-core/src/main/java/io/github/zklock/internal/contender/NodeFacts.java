package io.github.zklock.internal.contender;

import java.time.Duration;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.github.zklock.LockMode;
import io.github.zklock.internal.node.Identity;
import io.github.zklock.internal.node.Line;
import io.github.zklock.internal.node.LineName;
import io.github.zklock.spi.Obstacle;

/*
 * ABSENT -> PRESENT (its create was answered, or it was found) -> REMOVING -> GONE.
 * ABSENT -> REMOVING; each -> GONE, with the session. Whoever learns something of the node
 * writes it here, and whoever decides something about it reads it here, in steps of the
 * contender's mailbox; what never changes is read by any thread.
 */
/**
 * What is known of a contender's node for one key in one session.
 */
final class NodeFacts {

	private enum State {

		ABSENT, PRESENT, REMOVING, GONE

	}

	/**
	 * What is known of the place: FOUND there, MADE with our node, SHARED with others.
	 */
	private enum Place {

		FOUND, MADE, SHARED

	}

	private final String key;

	private final String place;

	private final String id;

	private final LockMode mode;

	private final byte[] content;

	private State state = State.ABSENT;

	private Place placeIs = Place.FOUND;

	private boolean plain;

	private @Nullable String path;

	private long createdAt;

	private long ctime;

	private boolean doubted;

	NodeFacts(String key, String place, String id, LockMode mode, byte[] content, boolean plain) {
		this.key = key;
		this.place = place;
		this.id = id;
		this.mode = mode;
		this.content = content;
		this.plain = plain;
	}

	String key() {
		return this.key;
	}

	String place() {
		return this.place;
	}

	String id() {
		return this.id;
	}

	LockMode mode() {
		return this.mode;
	}

	byte[] content() {
		return this.content;
	}

	/**
	 * Tells whether it is to stand, or stands, at the key's place itself.
	 * @return false if it is for the key's line
	 */
	boolean isPlain() {
		return this.plain;
	}

	/** The place's own name is taken by a place, so the node will be in its line. */
	void joinLine() {
		this.plain = false;
	}

	String entryPath() {
		return this.plain ? this.place : this.place + "/" + LineName.prefix(this.id, this.mode);
	}

	CreateMode entryMode() {
		return this.plain ? CreateMode.EPHEMERAL : CreateMode.EPHEMERAL_SEQUENTIAL;
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
		this.path = givenPath;
		if (this.state == State.ABSENT) {
			this.state = State.PRESENT;
		}
	}

	void stamped(long createdTime) {
		this.ctime = createdTime;
	}

	/** It was created together with its place. */
	void madePlace() {
		if (this.placeIs == Place.FOUND) {
			this.placeIs = Place.MADE;
		}
	}

	/**
	 * The line was seen.
	 * @param line the line
	 */
	void saw(Line line) {
		if (line.names().size() > 1) {
			this.placeIs = Place.SHARED;
		}
	}

	/**
	 * Tells whether the place may be removed with it.
	 * @return whether it made the place, and nobody else was seen in line
	 */
	boolean isAloneInItsPlace() {
		return this.placeIs == Place.MADE;
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
	 * Tells whether it is gone or is to go.
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
	 * Returns its name in the line.
	 * @return the last segment of its path; empty if it is not there
	 */
	String name() {
		return (this.path != null) ? this.path.substring(this.place.length() + 1) : "";
	}

	/**
	 * Tells whether it has been there for long.
	 * @param then nanoseconds of the clock
	 * @return true if it was created before then
	 */
	boolean isOlderThan(long then) {
		return this.path != null && this.createdAt - then < 0;
	}

	/**
	 * Tells whether a node that was found is this one.
	 * @param found the data that was found
	 * @param stat the stat that was found
	 * @param session the id of our session
	 * @return whether it has our id, and our session made it
	 */
	boolean isOurs(byte @Nullable [] found, Stat stat, long session) {
		return stat.getEphemeralOwner() == session && this.id.equals(Identity.idIn(found));
	}

	/**
	 * Looks at the line from where it stands.
	 * @param line the line
	 * @return what is in its way, or null if it is not in the line
	 */
	Line.@Nullable Position positionIn(Line line) {
		return line.positionOf(name(), this.mode);
	}

	/**
	 * Describes whoever is in its way.
	 * @param holds whether it holds the key
	 * @return an obstacle without a name
	 */
	Obstacle somebody(boolean holds) {
		return new Obstacle(this.key, "another contender", holds, null);
	}

	/**
	 * Describes who stands at the key's place itself.
	 * @param found the data of the node there
	 * @return the obstacle, which holds the key
	 */
	Obstacle holder(byte @Nullable [] found) {
		return new Obstacle(this.key, Identity.who(found, this.place), true, null);
	}

	/**
	 * Describes who stands before it in the line, for how long by the servers' clock and
	 * our monotonic one.
	 * @param other the other node's path
	 * @param found its data
	 * @param stat its stat
	 * @param holds whether it holds the key
	 * @param now nanoseconds of the clock
	 * @return the obstacle
	 */
	Obstacle predecessor(String other, byte @Nullable [] found, Stat stat, boolean holds, long now) {
		Duration age = Duration.ofMillis(Math.max(this.ctime - stat.getCtime(), 0)).plusNanos(now - this.createdAt);
		return new Obstacle(this.key, Identity.who(found, other), holds, age);
	}

}
