package io.github.zklock.internal.contender;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.session.Answer;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.SessionWaiter;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.ContenderListener;

/*
 * One contender, from its entry until nothing of it is left, across sessions.
 *
 *   OUTSIDE     waits for a session
 *   PEEKING     (ifFree only) looks before it writes
 *   ENTERING    our nodes are being made, see `Entrance`
 *   STANDING    our nodes are there; each seat waits for its turn
 *   GRANTED     all seats were clear while the lease was valid
 *   LEAVING     nodes being deleted
 *   OVER        nothing is left; final
 *
 * A new session starts again from OUTSIDE with new seats, unless GRANTED (then the grants
 * are lost) or LEAVING. All steps run in one mailbox, so there are no races inside; the
 * contests of a key share it, so that the delete of one that leaves is sent before the
 * first request of one that this client enters afterwards. What may come late is an answer
 * to something no longer wanted: a round begins with every phase change.
 *
 * A contest may begin instead of another one of its key that is granted: then one
 * transaction creates our node and deletes that one's. From `retire` on the other one is
 * LEAVING and its node is in our care, until its entrance has dealt with it; with its
 * session it goes anyway.
 *
 * I1: the listener is not called after `leave`, nor after it was told of the end; and `lost`
 *     only for grants not yet released. Kept by `ContenderReports`.
 * I2: `granted` is called at most once, and only with the lease valid at that moment.
 * I3: several keys are entered by one transaction: all nodes or none. ZooKeeper orders
 *     transactions totally, so of two contests on shared keys one stands before the other
 *     in every shared line, and none can wait in a circle. While obstructed nothing is held.
 * I4: `gone` completes after every seat is gone.
 * I5: the node of the contest that we begin instead of is deleted, whatever becomes of us.
 */
/**
 * A contender of the built-in strategies.
 */
public final class Contest implements Contender, SessionWaiter, Seat.Host, Entrance.Host, ContenderReports.Host {

	private enum Phase {

		OUTSIDE, PEEKING, ENTERING, STANDING, GRANTED, LEAVING, OVER

	}

	private final CompletableFuture<Void> gone = new CompletableFuture<>();

	private final ContenderTerms terms;

	private final ContenderReports reports;

	private Phase phase = Phase.OUTSIDE;

	private @Nullable LockSession session;

	private List<Seat> seats = List.of();

	private List<Seat> formerSeats = List.of();

	private final Set<String> freshPlaces = new LinkedHashSet<>();

	private boolean vanished;

	private int confirmations;

	private @Nullable Entrance entrance;

	private @Nullable Seat insteadOf;

	private final Rounds rounds;

	public Contest(ContenderTerms terms, ContenderListener listener) {
		this.terms = terms;
		this.reports = new ContenderReports(terms, listener, this);
		this.rounds = new Rounds(terms.steps());
	}

	public Contest start() {
		this.terms.steps().execute(this::seek);
		return this;
	}

	/**
	 * Begins and lets another contest leave, with one request if possible.
	 * @param former who leaves
	 * @return this contest
	 */
	public Contest startInsteadOf(Contest former) {
		if (!this.terms.mayFollow(former.terms)) {
			former.leave();
			return start();
		}
		this.terms.steps().execute(() -> {
			this.insteadOf = former.retire();
			seek();
		});
		return this;
	}

	// Leaves, but hands its node over to the contest that begins; if it cannot, leaves as
	// it would otherwise.
	private @Nullable Seat retire() {
		LockSession live = this.session;
		Seat seat = (this.phase == Phase.GRANTED && this.seats.size() == 1) ? this.seats.get(0) : null;
		if (this.reports.areClosed() || seat == null || seat.node().isPlain() || seat.node().isLeaving() || live == null
				|| live != this.terms.source().current()) {
			leave();
			return null;
		}
		this.reports.close();
		enter(Phase.LEAVING);
		seat.retire();
		return seat;
	}

	private int enter(Phase next) {
		this.phase = next;
		return this.rounds.next();
	}

	// --- a session ---

	private void seek() {
		if (this.reports.areClosed()) {
			over();
			return;
		}
		enter(Phase.OUTSIDE);
		this.session = null;
		this.seats = List.of();
		if (this.entrance != null) {
			this.entrance.abandon();
			this.entrance = null;
		}
		this.terms.source().await(this);
	}

	@Override
	public void sessionBegan(LockSession live) {
		this.terms.steps().execute(() -> {
			if (this.phase == Phase.OUTSIDE && !this.reports.areClosed() && this.session == null) {
				begin(live);
			}
		});
	}

	@Override
	public void sessionRefused(Code code, String path) {
		this.terms.steps().execute(() -> this.reports.refused(code, path));
	}

	@Override
	public void sessionDelayed(Code code, String path) {
		this.terms.steps().execute(() -> this.reports.disturbed(code, path));
	}

	private void begin(LockSession live) {
		this.session = live;
		List<Seat> fresh = new ArrayList<>(this.terms.entry().keys().size());
		for (String key : this.terms.entry().keys()) {
			fresh.add(new Seat(this, this.terms, this.reports, live, this.terms.newNode(key)));
		}
		this.seats = fresh;
		this.vanished = false;
		Entrance way = new Entrance(this, this.terms, this.reports, live, fresh, this.freshPlaces, takeInsteadOf(live));
		this.entrance = way;
		int current = enter(this.terms.isIfFree() ? Phase.PEEKING : Phase.ENTERING);
		fresh.forEach(live::track);
		this.rounds.step(current, this.terms.isIfFree() ? () -> peek(live, way) : way::begin);
	}

	// The node that was left to us, if it is there for our first request to delete.
	private @Nullable Seat takeInsteadOf(LockSession live) {
		Seat former = this.insteadOf;
		this.insteadOf = null;
		return (former != null && former.isIn(live) && !former.isGone()) ? former : null;
	}

	@Override
	public void sessionEnded(LockSession ended) {
		if (this.session != ended || this.phase == Phase.OVER) {
			return;
		}
		if (this.phase == Phase.GRANTED || this.reports.areClosed()) {
			seatGone();
			return;
		}
		this.reports.disturbed(Code.SESSIONEXPIRED, this.terms.root());
		seek();
	}

	// --- peeking ---

	private void peek(LockSession live, Entrance way) {
		int current = this.rounds.current();
		new Peek(live, this.terms, this.seats.stream().map(Seat::node).toList())
			.begin((code, obstacle) -> this.rounds.step(current, () -> {
				if (obstacle != null) {
					this.reports.blocked(obstacle);
				}
				else if (Answer.of(code) == Answer.REFUSED) {
					this.reports.refused(code, this.terms.root());
				}
				else if (code == Code.OK) {
					enter(Phase.ENTERING);
					way.begin();
				}
				else {
					this.reports.disturbed(code, this.terms.root());
					live.afterSync(this.rounds.bind(() -> peek(live, way)));
				}
			}));
	}

	// --- standing ---

	@Override
	public void entered(boolean incomplete) {
		enter(Phase.STANDING);
		this.confirmations = 0;
		this.vanished = this.vanished || incomplete;
		if (this.reports.areClosed()) {
			over();
		}
		else if (this.vanished) {
			vanished();
		}
		else {
			seatClear();
		}
	}

	@Override
	public void seatClear() {
		LockSession live = this.session;
		if (this.phase != Phase.STANDING || live == null) {
			return;
		}
		for (Seat seat : this.seats) {
			if (!seat.queueing().isClear() || !seat.grant().isStamped()) {
				return;
			}
		}
		if (live.isConfirmed()) {
			enter(Phase.GRANTED);
			this.seats.forEach((seat) -> live.hold(seat.grant()));
			this.reports.granted(List.copyOf(this.seats.stream().map(Seat::grant).toList()));
			this.seats.stream()
				.filter((seat) -> seat.queueing().isClearByEvent())
				.forEach((seat) -> seat.grant().checkNode());
		}
		else {
			long pause = (this.confirmations++ == 0) ? 0 : live.leasePause();
			this.seats.forEach((seat) -> seat.queueing().confirm(pause));
		}
	}

	@Override
	public void vanished() {
		LockSession live = this.session;
		this.vanished = true;
		if (this.phase == Phase.STANDING && live != null) {
			this.seats.forEach((seat) -> seat.node().doubt());
			this.formerSeats = Stream.concat(this.formerSeats.stream(), this.seats.stream())
				.filter((seat) -> !seat.isGone())
				.toList();
			begin(live);
			this.formerSeats.forEach(Seat::remove);
		}
	}

	// --- leaving ---

	@Override
	public CompletionStage<Void> leave() {
		this.terms.steps().execute(() -> {
			if (!this.reports.areClosed()) {
				this.reports.close();
				leaveNow();
			}
		});
		return this.gone;
	}

	@Override
	public void leaveNow() {
		switch (this.phase) {
			case OUTSIDE, PEEKING, STANDING, GRANTED -> over();
			case ENTERING -> {
				// Otherwise the answer leads to the end.
				if (this.entrance != null && this.entrance.isIdle()) {
					over();
				}
			}
			case LEAVING, OVER -> {
				// The last seat leads to the end.
			}
		}
	}

	@Override
	public void over() {
		if (this.phase != Phase.LEAVING && this.phase != Phase.OVER) {
			if (this.phase == Phase.OUTSIDE) {
				this.terms.source().forget(this);
			}
			enter(Phase.LEAVING);
			if (this.insteadOf != null) {
				this.insteadOf.removeAfterAll();
				this.insteadOf = null;
			}
			if (this.entrance != null) {
				this.entrance.close();
			}
			List.copyOf(this.seats).forEach(Seat::remove);
			seatGone();
		}
	}

	@Override
	public void seatGone() {
		boolean leaving = this.phase == Phase.GRANTED || this.phase == Phase.LEAVING || this.reports.areClosed();
		if (leaving && this.phase != Phase.OVER && this.seats.stream().allMatch(Seat::isGone)
				&& this.formerSeats.stream().allMatch(Seat::isGone)) {
			enter(Phase.OVER);
			this.reports.close();
			this.gone.complete(null);
		}
	}

}
