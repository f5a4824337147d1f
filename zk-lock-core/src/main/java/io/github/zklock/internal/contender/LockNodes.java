package io.github.zklock.internal.contender;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.session.LockSession;
import io.github.zklock.spi.Grant;

/**
 * The nodes of a contender in one session: a seat for each of its keys. What is wanted of
 * one is wanted of all. Confined to the contender's mailbox.
 */
final class LockNodes {

	private final LockSession session;

	private final List<Seat> seats;

	private int confirmations;

	private boolean incomplete;

	/**
	 * Creates nodes that are not there yet.
	 * @param contender whose nodes
	 * @param terms what it wants
	 * @param reports what it tells
	 * @param session where they will be
	 */
	LockNodes(Seat.Host contender, ContenderTerms terms, ContenderReports reports, LockSession session) {
		this.session = session;
		this.seats = terms.entry()
			.keys()
			.stream()
			.map((key) -> new Seat(contender, terms, reports, session, terms.newNode(key)))
			.toList();
	}

	LockSession session() {
		return this.session;
	}

	List<Seat> seats() {
		return this.seats;
	}

	boolean isOne() {
		return this.seats.size() == 1;
	}

	NodeFacts first() {
		return this.seats.get(0).node();
	}

	/**
	 * Returns what is known of the nodes.
	 * @return in the order of the keys
	 */
	List<NodeFacts> facts() {
		return this.seats.stream().map(Seat::node).toList();
	}

	/**
	 * Returns the places of all that are to stand in a line.
	 * @return their paths
	 */
	List<String> places() {
		return facts().stream().filter((node) -> !node.isPlain()).map(NodeFacts::place).toList();
	}

	/** They are about to be in ZooKeeper. */
	void track() {
		this.seats.forEach(this.session::track);
	}

	/** Lists the lines of all that are to stand in one. */
	void look() {
		this.seats.stream().filter((seat) -> !seat.node().isPlain()).forEach((seat) -> seat.queueing().look());
	}

	/** Somebody else has deleted one of them. */
	void miss() {
		this.incomplete = true;
	}

	boolean isIncomplete() {
		return this.incomplete;
	}

	/**
	 * Tells whether nobody is in the way of any.
	 * @return whether they were clear at a moment when all were there
	 */
	boolean areClear() {
		return this.seats.stream().allMatch((seat) -> seat.queueing().isClear() && seat.grant().isStamped());
	}

	/**
	 * Tells whether they can have been there all that time.
	 * @return whether the lease of the session is valid
	 */
	boolean areConfirmed() {
		return this.session.isConfirmed();
	}

	/** Looks again at all: at once the first time, later after a pause. */
	void confirm() {
		long pause = (this.confirmations++ == 0) ? 0 : this.session.leasePause();
		this.seats.forEach((seat) -> seat.queueing().confirm(pause));
	}

	/**
	 * The contender holds what they stand for.
	 * @return the grants, in the order of the keys
	 */
	List<Grant> hold() {
		this.seats.forEach((seat) -> this.session.hold(seat.grant()));
		return this.seats.stream().map((seat) -> (Grant) seat.grant()).toList();
	}

	/** Looks whether those are there that nobody has looked for. */
	void checkUnseen() {
		this.seats.stream()
			.filter((seat) -> seat.queueing().isClearByEvent())
			.forEach((seat) -> seat.grant().checkNode());
	}

	/** None of them is deleted any more without a look. */
	void doubt() {
		this.seats.forEach((seat) -> seat.node().doubt());
	}

	void remove() {
		this.seats.forEach(Seat::remove);
	}

	boolean areGone() {
		return this.seats.stream().allMatch(Seat::isGone);
	}

	/**
	 * Tells whether the request of a contender that follows can delete them.
	 * @param current the session that such a contender would use
	 * @return whether there is one, in a line of that session, and it is not being
	 * removed
	 */
	boolean areReplaceable(@Nullable LockSession current) {
		return this.session == current && isOne() && !first().isPlain() && !first().isLeaving();
	}

	/** Nothing is wanted of them any more; the contender that follows sees to them. */
	void retire() {
		this.seats.forEach(Seat::retire);
	}

	/** The request of the contender that follows has shown that they are gone. */
	void replaced() {
		this.seats.forEach(Seat::replaced);
	}

	/** The request of the contender that follows will not delete them. */
	void removeAfterAll() {
		this.seats.forEach(Seat::removeAfterAll);
	}

}
