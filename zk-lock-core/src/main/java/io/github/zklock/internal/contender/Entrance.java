package io.github.zklock.internal.contender;

import java.util.List;

import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.contender.TransactionChoice.Kind;
import io.github.zklock.internal.session.Answer;
import io.github.zklock.internal.session.LockSession;

/*
 * How the nodes of a contest come into being, in one session. Part of the contest's state
 * machine, in its mailbox.
 *
 *   PEEKING     (ifFree only) looks before anything is written
 *   ASKING      one transaction is under way, of one of these kinds:
 *                 ALONE       create, and behind it the list of the line
 *                 WITH_PLACE  multi(create place, create node), if the place is not known to
 *                             be there; no list, for nobody can stand before us
 *                 INSTEAD     multi(create node, delete the former seat's node), and the list
 *                 TOGETHER    multi of all nodes of several keys, and their lists
 *               which one is chosen by `TransactionChoice`
 *   FINDING     its answer was lost: our nodes are looked for after a sync
 *   MAKING      the root, or places, are being made
 *   OBSTRUCTED  a node stands where ours should be; nothing of ours is in ZooKeeper
 *   OVER        the contest stands, or has left
 *
 * ALONE and WITH_PLACE follow each other: NoNode tells the one that there is no place,
 * NodeExists the other one that there is. Each turn of that circle needs somebody else who
 * has made or removed the place meanwhile; a client removes one only if it has not used it
 * lately, so that the circle ends after at most one turn for each of the others.
 *
 * I1: the answer to a transaction is always waited for, whatever the caller does, because
 *     only it tells whether there is a node to delete. A lost one is settled by FINDING
 *     before anything else is asked; so what is found was made by the last transaction.
 * I2: the former seat's node is deleted: by the transaction that made ours, or by itself
 *     as soon as that is known not to have been handled.
 * I3: a place that was made and never used is left so that the servers reap it.
 */
/**
 * Makes the nodes of a contest.
 */
final class Entrance implements Obstruction.Host {

	private enum Phase {

		PEEKING, ASKING, FINDING, MAKING, OBSTRUCTED, OVER

	}

	private final Host contest;

	private final LockSession session;

	private final ContenderTerms terms;

	private final ContenderReports reports;

	private final LockNodes nodes;

	private final NodeFacts first;

	private final SeatRequests requests;

	private final Places places;

	private final TransactionChoice choice;

	private Phase phase = Phase.OVER;

	private @Nullable Obstruction obstruction;

	private final Rounds rounds;

	/**
	 * Creates an entrance that has not begun.
	 * @param contest who enters
	 * @param terms what it wants
	 * @param reports what it tells
	 * @param nodes what is made
	 * @param places makes the places for that
	 * @param former what is to be deleted by the same transaction, or null
	 */
	Entrance(Host contest, ContenderTerms terms, ContenderReports reports, LockNodes nodes, Places places,
			@Nullable LockNodes former) {
		this.contest = contest;
		this.terms = terms;
		this.reports = reports;
		this.rounds = new Rounds(terms.steps());
		this.session = nodes.session();
		this.nodes = nodes;
		this.first = nodes.first();
		this.requests = new SeatRequests(this.session, terms, nodes.seats());
		this.places = places;
		this.choice = new TransactionChoice(terms, nodes, former);
	}

	private int enter(Phase next) {
		this.phase = next;
		return this.rounds.next();
	}

	/**
	 * Tells whether it can be given up at once.
	 * @return false if the answer to something must be awaited first
	 */
	boolean isIdle() {
		return this.phase == Phase.PEEKING || this.phase == Phase.OBSTRUCTED || this.phase == Phase.OVER;
	}

	/** The session has ended, and with it all that was made or asked for. */
	void abandon() {
		enter(Phase.OVER);
		this.choice.forgetFormer();
	}

	/** Nothing more is to be made. */
	void close() {
		enter(Phase.OVER);
		if (this.obstruction != null) {
			this.obstruction.stop();
			this.obstruction = null;
		}
		this.choice.removeFormer();
		this.places.leaveUnused(this.session);
	}

	/** Makes the nodes, or looks first whether that is worth while. */
	void begin() {
		if (!this.terms.isIfFree()) {
			ask();
			return;
		}
		enter(Phase.PEEKING);
		new Peek(this.session, this.terms, this.reports, this.rounds, this.nodes.facts()).begin(this::ask);
	}

	// --- asking ---

	private void ask() {
		if (this.reports.areClosed()) {
			this.contest.over();
			return;
		}
		int current = enter(Phase.ASKING);
		SeatRequests.Then then = (code, index) -> this.rounds.step(current, () -> answered(code, index));
		try {
			switch (this.choice.next()) {
				case ALONE -> this.requests.create(then);
				case WITH_PLACE -> this.requests.createWithPlace(then);
				case INSTEAD -> this.requests.createInstead(this.choice.former(), then);
				case TOGETHER -> this.requests.createAll(then);
			}
		}
		catch (RuntimeException ex) {
			this.reports.unsendable(ex);
			return;
		}
		if (this.choice.last() != Kind.WITH_PLACE) {
			this.nodes.look();
		}
	}

	private void answered(Code code, int index) {
		switch (Answer.of(code)) {
			case DEFINITE -> {
				if (code == Code.OK) {
					made();
				}
				else {
					notMade(code, index);
				}
			}
			case LOST -> {
				this.reports.disturbed(code, this.first.place());
				findAfterSync();
			}
			case REFUSED -> {
				if (this.choice.last() == Kind.WITH_PLACE) {
					this.choice.refusePlace();
					ask();
				}
				else if (this.choice.last() == Kind.INSTEAD) {
					this.choice.removeFormer();
					ask();
				}
				else {
					this.reports.refused(code, this.nodes.facts().get(index).place());
				}
			}
			case ENDED -> {
			}
		}
	}

	private void made() {
		enter(Phase.OVER);
		this.choice.formerIsGone();
		this.places.used();
		this.terms.placeSeen(this.first, true);
		this.contest.entered();
	}

	// Nothing was handled. What stood in the way may be gone by now, and is asked for
	// again.
	private void notMade(Code code, int index) {
		switch (this.choice.last()) {
			case WITH_PLACE -> {
				if (code == Code.NODEEXISTS) {
					this.terms.placeSeen(this.first, true);
					ask();
				}
				else if (code == Code.NONODE) {
					makePlaces(List.of());
				}
				else {
					this.reports.refused(code, this.first.place());
				}
			}
			case INSTEAD -> {
				// NoNode: the former node has gone, perhaps with its place.
				if (code == Code.NONODE) {
					this.choice.formerIsGone();
				}
				this.choice.removeFormer();
				ask();
			}
			case ALONE, TOGETHER -> {
				NodeFacts failed = this.nodes.facts().get(index);
				if (code == Code.NOCHILDRENFOREPHEMERALS && failed.isPlain()) {
					this.reports.refused(code, this.terms.root());
				}
				else if (code != Code.NONODE) {
					obstructedAt(failed);
					if (code == Code.NOCHILDRENFOREPHEMERALS) {
						this.reports.blockedBySomebody(failed, true);
					}
				}
				else if (this.choice.needsPlace()) {
					makePlaces(this.nodes.places());
				}
				else {
					this.terms.placeSeen(this.first, false);
					ask();
				}
			}
		}
	}

	// --- finding ---

	@Override
	public void findAfterSync() {
		int current = enter(Phase.FINDING);
		this.session.afterSync(this.rounds
			.bind(() -> this.requests.find((code, count) -> this.rounds.step(current, () -> found(code, count)))));
	}

	private void found(Code code, int count) {
		if (code == Code.OK && count == 0) {
			ask();
		}
		else if (code == Code.OK) {
			if (this.choice.last() == Kind.WITH_PLACE) {
				this.first.madePlace();
			}
			this.nodes.look();
			if (count < this.nodes.facts().size()) {
				this.nodes.miss();
			}
			made();
		}
		else if (Answer.of(code) == Answer.REFUSED) {
			// There may be nodes, which only a later look can tell
			this.reports.fail(code, this.first.place());
			this.session.afterRefusal(this.rounds.bind(this::findAfterSync));
		}
		else {
			findAfterSync();
		}
	}

	// --- making places ---

	private void makePlaces(List<String> places) {
		if (this.reports.areClosed()) {
			this.contest.over();
			return;
		}
		int current = enter(Phase.MAKING);
		try {
			this.places.make(this.session, places, (code) -> this.rounds.step(current, () -> placesMade(code, places)));
		}
		catch (RuntimeException ex) {
			this.reports.unsendable(ex);
		}
	}

	private void placesMade(Code code, List<String> places) {
		if (code == Code.OK || this.reports.areClosed()) {
			ask();
		}
		else if (Answer.of(code) == Answer.LOST) {
			this.reports.disturbed(code, this.terms.root());
			enter(Phase.MAKING);
			this.session.afterSync(this.rounds.bind(() -> makePlaces(places)));
		}
		else {
			this.reports.refused(code, this.terms.root());
		}
	}

	// --- obstructed ---

	private void obstructedAt(NodeFacts node) {
		if (this.reports.areClosed()) {
			this.contest.over();
			return;
		}
		enter(Phase.OBSTRUCTED);
		this.obstruction = new Obstruction(this, this.rounds, this.reports, this.session, node);
		this.obstruction.await();
	}

	@Override
	public void unobstructed(boolean place) {
		this.terms.placeSeen(this.first, place);
		ask();
	}

	@Override
	public void unseen(Code code, NodeFacts node) {
		if (Answer.of(code) == Answer.REFUSED) {
			this.reports.refused(code, node.place());
		}
		else {
			this.reports.disturbed(code, node.place());
			this.session.afterSync(this.rounds.bind(this::ask));
		}
	}

	/** The contender that enters. */
	interface Host {

		/** Our nodes are there, or have been. */
		void entered();

		/** Nothing more is wanted: removes what is there. */
		void over();

	}

}
