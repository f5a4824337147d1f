package io.github.zklock.internal.contender;

import java.util.List;
import java.util.Objects;
import java.util.Set;

import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.session.Answer;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.spi.Obstacle;

/*
 * How the nodes of a contest come into being, in one session. Part of the contest's state
 * machine, in its mailbox.
 *
 *   ASKING      one transaction is under way, of one of these kinds:
 *                 ALONE       create, and behind it the list of the line
 *                 WITH_PLACE  multi(create place, create node), if the place is not known to
 *                             be there; no list, for nobody can stand before us
 *                 INSTEAD     multi(create node, delete the former seat's node), and the list
 *                 TOGETHER    multi of all nodes of several keys, and their lists
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
final class Entrance {

	private enum Phase {

		ASKING, FINDING, MAKING, OBSTRUCTED, OVER

	}

	private enum Kind {

		ALONE, WITH_PLACE, INSTEAD, TOGETHER

	}

	private final Host contest;

	private final LockSession session;

	private final ContenderTerms terms;

	private final ContenderReports reports;

	private final List<Seat> seats;

	private final NodeFacts first;

	private final SeatRequests requests;

	private final Set<String> freshPlaces;

	private @Nullable Seat former;

	private Phase phase = Phase.OVER;

	private Kind kind = Kind.ALONE;

	private boolean used;

	private boolean placeRefused;

	private @Nullable Obstruction obstruction;

	private final Rounds rounds;

	/**
	 * Creates an entrance that has not begun.
	 * @param contest who enters
	 * @param terms what it wants
	 * @param reports what it tells
	 * @param session where
	 * @param seats whose nodes are made
	 * @param freshPlaces the places that the contest made before and has not used
	 * @param former whose node is to be deleted by the same transaction, or null
	 */
	Entrance(Host contest, ContenderTerms terms, ContenderReports reports, LockSession session, List<Seat> seats,
			Set<String> freshPlaces, @Nullable Seat former) {
		this.contest = contest;
		this.terms = terms;
		this.reports = reports;
		this.rounds = new Rounds(terms.steps());
		this.session = session;
		this.seats = seats;
		this.first = seats.get(0).node();
		this.requests = new SeatRequests(session, terms, seats);
		this.freshPlaces = freshPlaces;
		this.former = former;
	}

	private int enter(Phase next) {
		this.phase = next;
		return this.rounds.next();
	}

	/**
	 * Tells whether it can be given up at once.
	 * @return false if the answer to something must be awaited first
	 */
	public boolean isIdle() {
		return this.phase == Phase.OBSTRUCTED || this.phase == Phase.OVER;
	}

	/** The session has ended, and with it all that was made or asked for. */
	public void abandon() {
		enter(Phase.OVER);
		this.former = null;
	}

	/** Nothing more is to be made. */
	public void close() {
		enter(Phase.OVER);
		if (this.obstruction != null) {
			this.obstruction.stop();
			this.obstruction = null;
		}
		removeFormer();
		this.freshPlaces.forEach((place) -> Places.leaveUnused(this.session, this.terms.source().paths(), place));
		this.freshPlaces.clear();
	}

	private void removeFormer() {
		if (this.former != null) {
			this.former.removeAfterAll();
			this.former = null;
		}
	}

	private void formerIsGone() {
		if (this.former != null) {
			this.former.replaced();
			this.former = null;
		}
	}

	// --- asking ---

	/** Asks for the nodes. */
	public void begin() {
		if (this.reports.areClosed()) {
			this.contest.over();
			return;
		}
		int current = enter(Phase.ASKING);
		SeatRequests.Then then = (code, index) -> this.rounds.step(current, () -> answered(code, index));
		try {
			this.kind = nextKind();
			switch (this.kind) {
				case ALONE -> this.requests.create(then);
				case WITH_PLACE -> this.requests.createWithPlace(then);
				case INSTEAD -> this.requests.createInstead(Objects.requireNonNull(this.former), then);
				case TOGETHER -> this.requests.createAll(then);
			}
		}
		catch (RuntimeException ex) {
			this.reports.unsendable(ex);
			return;
		}
		if (this.kind != Kind.WITH_PLACE) {
			look();
		}
	}

	private Kind nextKind() {
		if (this.seats.size() > 1) {
			return Kind.TOGETHER;
		}
		if (this.first.isPlain()) {
			return Kind.ALONE;
		}
		if (!this.used) {
			this.used = true;
			this.terms.recentPlaces().use(this.first.key());
		}
		if (this.former != null) {
			return Kind.INSTEAD;
		}
		boolean there = this.placeRefused || this.terms.recentPlaces().isThere(this.first.key());
		return there ? Kind.ALONE : Kind.WITH_PLACE;
	}

	private void look() {
		this.seats.stream().filter((seat) -> !seat.node().isPlain()).forEach((seat) -> seat.queueing().look());
	}

	private void answered(Code code, int index) {
		switch (Answer.of(code)) {
			case DEFINITE -> {
				if (code == Code.OK) {
					made(false);
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
				if (this.kind == Kind.WITH_PLACE) {
					this.placeRefused = true;
					begin();
				}
				else if (this.kind == Kind.INSTEAD) {
					removeFormer();
					begin();
				}
				else {
					this.reports.refused(code, this.seats.get(index).node().place());
				}
			}
			case ENDED -> {
			}
		}
	}

	private void made(boolean vanished) {
		enter(Phase.OVER);
		formerIsGone();
		this.freshPlaces.clear();
		this.terms.placeSeen(this.first, true);
		this.contest.entered(vanished);
	}

	// Nothing was handled. What stood in the way may be gone by now, and is asked for
	// again.
	private void notMade(Code code, int index) {
		switch (this.kind) {
			case WITH_PLACE -> {
				if (code == Code.NODEEXISTS) {
					this.terms.placeSeen(this.first, true);
					begin();
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
					formerIsGone();
				}
				removeFormer();
				begin();
			}
			case ALONE, TOGETHER -> {
				NodeFacts failed = this.seats.get(index).node();
				if (code == Code.NOCHILDRENFOREPHEMERALS && failed.isPlain()) {
					this.reports.refused(code, this.terms.root());
				}
				else if (code != Code.NONODE) {
					obstructedAt(failed);
					if (code == Code.NOCHILDRENFOREPHEMERALS) {
						this.reports.blocked(failed.somebody(true));
					}
				}
				else if (this.kind == Kind.TOGETHER || this.placeRefused || this.first.isPlain()) {
					makePlaces(this.seats.stream()
						.map(Seat::node)
						.filter((node) -> !node.isPlain())
						.map(NodeFacts::place)
						.toList());
				}
				else {
					this.terms.placeSeen(this.first, false);
					begin();
				}
			}
		}
	}

	// --- finding ---

	private void findAfterSync() {
		int current = enter(Phase.FINDING);
		this.session.afterSync(this.rounds
			.bind(() -> this.requests.find((code, count) -> this.rounds.step(current, () -> found(code, count)))));
	}

	private void found(Code code, int count) {
		if (code == Code.OK && count == 0) {
			begin();
		}
		else if (code == Code.OK) {
			if (this.kind == Kind.WITH_PLACE) {
				this.first.madePlace();
			}
			look();
			made(count < this.seats.size());
		}
		else if (Answer.of(code) == Answer.REFUSED) {
			// There may be nodes, which only a later look can tell
			this.reports.fail(code, this.first.place());
			this.session.timer().run(NodeRemoval.REFUSED_PAUSE, this.rounds.bind(this::findAfterSync));
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
			Places.make(this.session, this.terms.source().paths(), places,
					(place) -> this.terms.steps().execute(() -> this.freshPlaces.add(place)),
					(code) -> this.rounds.step(current, () -> placesMade(code, places)));
		}
		catch (RuntimeException ex) {
			this.reports.unsendable(ex);
		}
	}

	private void placesMade(Code code, List<String> places) {
		if (code == Code.OK || this.reports.areClosed()) {
			begin();
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
		int current = enter(Phase.OBSTRUCTED);
		this.obstruction = new Obstruction(this.session, node, this.terms.steps(), new Obstruction.Outcome() {

			@Override
			public void gone() {
				Entrance.this.rounds.step(current, () -> unobstructed(false));
			}

			@Override
			public void place() {
				Entrance.this.rounds.step(current, () -> unobstructed(true));
			}

			@Override
			public void ours() {
				Entrance.this.rounds.step(current, Entrance.this::findAfterSync);
			}

			@Override
			public void blocked(Obstacle obstacle) {
				Entrance.this.rounds.step(current, () -> Entrance.this.reports.blocked(obstacle));
			}

			@Override
			public void unseen(Code code) {
				Entrance.this.rounds.step(current, () -> Entrance.this.unseen(code, node));
			}

		});
		this.obstruction.await();
	}

	private void unobstructed(boolean place) {
		this.terms.placeSeen(this.first, place);
		begin();
	}

	private void unseen(Code code, NodeFacts node) {
		if (Answer.of(code) == Answer.REFUSED) {
			this.reports.refused(code, node.place());
		}
		else {
			this.reports.disturbed(code, node.place());
			this.session.afterSync(this.rounds.bind(this::begin));
		}
	}

	/** The contender that enters. */
	interface Host {

		/**
		 * Our nodes are there.
		 * @param incomplete whether some have been deleted already
		 */
		void entered(boolean incomplete);

		/** Nothing more is wanted: removes what is there. */
		void over();

	}

}
