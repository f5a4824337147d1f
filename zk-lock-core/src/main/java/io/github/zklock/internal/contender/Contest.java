package io.github.zklock.internal.contender;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.SessionWaiter;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.ContenderListener;

/*
 * One contender, from its entry until nothing of it is left, across sessions.
 *
 *   OUTSIDE     waits for a session
 *   ENTERING    our nodes are being made, see `Entrance`
 *   STANDING    our nodes are there; each seat waits for its turn
 *   GRANTED     all seats were clear while the lease was valid
 *   LEAVING     nodes being deleted
 *   OVER        nothing is left; final
 *
 * A new session starts again from OUTSIDE with new nodes, unless GRANTED (then the grants
 * are lost) or LEAVING. All steps run in one mailbox, so there are no races inside; the
 * contests of a key share it, so that the delete of one that leaves is sent before the
 * first request of one that this client enters afterwards. What may come late is an answer
 * to something no longer wanted: whoever has asked ignores it, see `Rounds`.
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

		OUTSIDE, ENTERING, STANDING, GRANTED, LEAVING, OVER

	}

	private final CompletableFuture<Void> gone = new CompletableFuture<>();

	private final ContenderTerms terms;

	private final ContenderReports reports;

	private final Places places;

	private Phase phase = Phase.OUTSIDE;

	private @Nullable LockNodes nodes;

	private @Nullable Entrance entrance;

	private List<LockNodes> formerNodes = List.of();

	private @Nullable LockNodes insteadOf;

	public Contest(ContenderTerms terms, ContenderListener listener) {
		this.terms = terms;
		this.reports = new ContenderReports(terms, listener, this);
		this.places = new Places(terms);
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
	private @Nullable LockNodes retire() {
		LockNodes held = (this.phase == Phase.GRANTED) ? this.nodes : null;
		if (this.reports.areClosed() || held == null || !held.areReplaceable(this.terms.source().current())) {
			leave();
			return null;
		}
		this.reports.close();
		this.phase = Phase.LEAVING;
		held.retire();
		return held;
	}

	// --- a session ---

	private void seek() {
		if (this.reports.areClosed()) {
			over();
			return;
		}
		this.phase = Phase.OUTSIDE;
		this.nodes = null;
		if (this.entrance != null) {
			this.entrance.abandon();
			this.entrance = null;
		}
		LockSession live = this.terms.source().current();
		if (live != null) {
			begin(live);
		}
		else {
			this.terms.source().await(this);
		}
	}

	@Override
	public void sessionBegan(LockSession live) {
		this.terms.steps().execute(() -> {
			if (this.phase == Phase.OUTSIDE) {
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

	// The deletes of what is left of former nodes are sent before the creates.
	private void begin(LockSession live) {
		LockNodes fresh = new LockNodes(this, this.terms, this.reports, live);
		Entrance way = new Entrance(this, this.terms, this.reports, fresh, this.places, takeInsteadOf(live));
		this.nodes = fresh;
		this.entrance = way;
		this.phase = Phase.ENTERING;
		fresh.track();
		this.formerNodes.forEach(LockNodes::remove);
		way.begin();
	}

	// The node that was left to us, if it is there for our first request to delete.
	private @Nullable LockNodes takeInsteadOf(LockSession live) {
		LockNodes former = this.insteadOf;
		this.insteadOf = null;
		return (former != null && former.session() == live && !former.areGone()) ? former : null;
	}

	@Override
	public void sessionEnded(LockSession ended) {
		if (this.nodes == null || this.nodes.session() != ended || this.phase == Phase.OVER) {
			return;
		}
		if (this.phase == Phase.GRANTED || this.reports.areClosed()) {
			seatGone();
			return;
		}
		this.reports.disturbed(Code.SESSIONEXPIRED, this.terms.root());
		seek();
	}

	// --- standing ---

	@Override
	public void entered() {
		this.phase = Phase.STANDING;
		if (this.reports.areClosed()) {
			over();
		}
		else if (this.nodes != null && this.nodes.isIncomplete()) {
			vanished();
		}
		else {
			seatClear();
		}
	}

	@Override
	public void seatClear() {
		LockNodes present = this.nodes;
		if (this.phase != Phase.STANDING || present == null || !present.areClear()) {
			return;
		}
		if (present.areConfirmed()) {
			this.phase = Phase.GRANTED;
			this.reports.granted(present.hold());
			present.checkUnseen();
		}
		else {
			present.confirm();
		}
	}

	@Override
	public void vanished() {
		LockNodes left = this.nodes;
		if (left == null) {
			return;
		}
		left.miss();
		if (this.phase == Phase.STANDING) {
			left.doubt();
			this.formerNodes = Stream.concat(this.formerNodes.stream(), Stream.of(left))
				.filter((former) -> !former.areGone())
				.toList();
			begin(left.session());
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
			case OUTSIDE, STANDING, GRANTED -> over();
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
		if (this.phase == Phase.LEAVING || this.phase == Phase.OVER) {
			return;
		}
		if (this.phase == Phase.OUTSIDE) {
			this.terms.source().forget(this);
		}
		this.phase = Phase.LEAVING;
		if (this.insteadOf != null) {
			this.insteadOf.removeAfterAll();
			this.insteadOf = null;
		}
		if (this.entrance != null) {
			this.entrance.close();
		}
		if (this.nodes != null) {
			this.nodes.remove();
		}
		seatGone();
	}

	@Override
	public void seatGone() {
		boolean leaving = this.phase == Phase.GRANTED || this.phase == Phase.LEAVING || this.reports.areClosed();
		if (leaving && this.phase != Phase.OVER && (this.nodes == null || this.nodes.areGone())
				&& this.formerNodes.stream().allMatch(LockNodes::areGone)) {
			this.phase = Phase.OVER;
			this.reports.close();
			this.gone.complete(null);
		}
	}

}
