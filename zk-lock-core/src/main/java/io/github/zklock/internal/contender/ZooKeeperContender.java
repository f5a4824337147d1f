package io.github.zklock.internal.contender;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.SessionWaiter;
import io.github.zklock.spi.Contender;
import io.github.zklock.spi.ContenderListener;

/**
 * A contender of the built-in strategies.
 */
public final class ZooKeeperContender
		implements Contender, SessionWaiter, LockNode.Host, NodeCreation.Host, ContenderReports.Host {

	/*-
	 * One contender, from its first request until nothing of it is left, across sessions.
	 *
	 *   OUTSIDE     waits for a session
	 *   ENTERING    our nodes are being made, see `NodeCreation`
	 *   QUEUED      our nodes are there; each waits until nobody is in its way
	 *   GRANTED     all lock nodes were clear while the lease was valid
	 *   LEAVING     nodes being deleted
	 *   OVER        nothing is left; final
	 *
	 * A new session starts again from OUTSIDE with new nodes, unless GRANTED (then the grants
	 * are lost) or LEAVING. All steps run in one serial executor, so there are no races inside; the
	 * contenders of a key share it, so that the delete of one that leaves is sent before the
	 * first request of one that this client enters afterwards. What may come late is an answer
	 * to something no longer wanted: the step that has asked ignores it, see `Rounds`.
	 *
	 * A contender may begin instead of another one of its key that is granted: then one
	 * transaction creates our node and deletes that one's. From `retire` on the other one is
	 * LEAVING and its node is in our care, until its node creation has dealt with it; with its
	 * session it goes anyway.
	 *
	 * I1: the listener is not called after `leave`, nor after it was notified of the end; and
	 *     `lost` only for grants not yet released. Kept by `ContenderReports`.
	 * I2: `granted` is called at most once, and only with the lease valid at that moment; and if
	 *     it is about to end only when it does not get any better.
	 * I3: several keys are entered by one transaction: all nodes or none. ZooKeeper orders
	 *     transactions totally, so of two contenders for shared keys one is queued before the
	 *     other on each of them, and none can wait in a circle. While a foreign node is waited for
	 *     nothing is held.
	 * I4: `gone` completes after every lock node is gone.
	 * I5: the node of the contender that we begin instead of is deleted, whatever becomes of us.
	 * I6: a step that throws anything ends the contender: first its grants are not valid any more,
	 *     then its listener is notified, and only then are its nodes deleted; that begins again,
	 *     after a pause, until it has been done or the session has ended. An answer that is still
	 *     to come is not waited for, but looked for after the commit barrier.
	 */

	private enum Phase {

		OUTSIDE, ENTERING, QUEUED, GRANTED, LEAVING, OVER

	}

	private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(20);

	private static final int MOST_DOUBLINGS = 6;

	private final CompletableFuture<Void> gone = new CompletableFuture<>();

	private final ContenderTerms terms;

	private final ContenderReports reports;

	private final KeyNodes keyNodes;

	private Phase phase = Phase.OUTSIDE;

	private @Nullable LockNodes nodes;

	private @Nullable NodeCreation nodeCreation;

	private List<LockNodes> formerNodes = List.of();

	private @Nullable LockNodes insteadOf;

	private @Nullable LockNodes retired;

	private int failures;

	public ZooKeeperContender(ContenderTerms terms, ContenderListener listener) {
		this.terms = terms.of(this, this::failed);
		this.reports = new ContenderReports(this.terms, listener, this);
		this.keyNodes = new KeyNodes(this.terms);
	}

	public ZooKeeperContender start() {
		this.terms.steps().execute(this::seek);
		return this;
	}

	/**
	 * Begins and lets another contender leave, with one request if possible.
	 * @param former who leaves
	 * @return this contender
	 */
	public ZooKeeperContender startInsteadOf(ZooKeeperContender former) {
		if (!this.terms.mayFollow(former.terms)) {
			former.leave();
			return start();
		}
		this.terms.steps().execute(() -> {
			former.terms.steps().inside(() -> this.retired = former.retire());
			this.insteadOf = this.retired;
			seek();
		});
		return this;
	}

	// Leaves, but hands its node to the contender that begins; if it cannot, leaves as
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
		if (this.nodeCreation != null) {
			this.nodeCreation.abandon();
			this.nodeCreation = null;
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
		whileOutside(() -> begin(live));
	}

	@Override
	public void sessionRefused(Code code, String path) {
		whileOutside(() -> this.reports.refused(code, path));
	}

	@Override
	public void sessionDelayed(Code code, String path) {
		whileOutside(() -> this.reports.disturbed(code, path));
	}

	@Override
	public void sessionUnusable(String reason) {
		whileOutside(() -> this.reports.unusable(reason));
	}

	// What is reported may be overtaken by a session: then there are nodes, or even a
	// grant.
	private void whileOutside(Runnable step) {
		this.terms.steps().execute(() -> {
			if (this.phase == Phase.OUTSIDE) {
				step.run();
			}
		});
	}

	// The deletes of what is left of former nodes are sent before the creates.
	private void begin(LockSession live) {
		LockNodes fresh = new LockNodes(this, this.terms, this.reports, live);
		NodeCreation way = new NodeCreation(this, this.terms, this.reports, fresh, this.keyNodes, takeInsteadOf(live));
		this.nodes = fresh;
		this.nodeCreation = way;
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
			// It may be the last of the former nodes
			if (this.phase == Phase.LEAVING) {
				nodeGone();
			}
			return;
		}
		if (this.phase == Phase.GRANTED || this.reports.areClosed()) {
			nodeGone();
			return;
		}
		this.reports.disturbed(ended.isRefused() ? Code.AUTHFAILED : Code.SESSIONEXPIRED, this.terms.root());
		seek();
	}

	// --- queued ---

	@Override
	public void entered() {
		this.phase = Phase.QUEUED;
		this.retired = null;
		if (this.reports.areClosed()) {
			over();
		}
		else if (this.nodes != null && this.nodes.isIncomplete()) {
			vanished();
		}
		else {
			nodeClear();
		}
	}

	@Override
	public void nodeClear() {
		LockNodes present = this.nodes;
		if (this.phase != Phase.QUEUED || present == null || !present.areClear()) {
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
		if (this.phase == Phase.QUEUED) {
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
		// If an answer is still to come, it leads to the end.
		if (this.phase != Phase.ENTERING || (this.nodeCreation != null && this.nodeCreation.isIdle())) {
			over();
		}
	}

	@Override
	public void over() {
		// The last lock node leads to the end.
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
		if (this.nodeCreation != null) {
			this.nodeCreation.close();
		}
		if (this.nodes != null) {
			this.nodes.remove();
		}
		nodeGone();
	}

	// --- the failed end ---

	// What was lost is reported by steps that are brought here, so the end comes after
	// them.
	private void failed(Throwable cause) {
		if (this.nodes != null) {
			this.nodes.lose();
		}
		int before = this.failures++;
		if (before == 0 && this.phase == Phase.GRANTED) {
			this.terms.steps().execute(() -> end(cause));
		}
		else if (before == 0) {
			this.terms.steps().inside(() -> end(cause));
		}
		else {
			this.terms.source()
				.timer()
				.later(FIRST_PAUSE << Math.min(before, MOST_DOUBLINGS),
						() -> this.terms.steps().execute(() -> end(cause)));
		}
	}

	private void end(Throwable cause) {
		this.reports.engineFailed(cause);
		if (this.retired != null) {
			this.retired.removeAfterAll();
		}
		if (this.phase == Phase.GRANTED || (this.nodes != null && !this.nodes.session().isLive())) {
			// Its grants may have been released one by one, so nobody knows what is left.
			this.phase = Phase.LEAVING;
			removeAgain();
		}
		else if (this.nodeCreation != null && !this.nodeCreation.isIdle()) {
			this.nodeCreation.findAfterCommit();
		}
		else if (this.phase == Phase.LEAVING || this.phase == Phase.OVER) {
			removeAgain();
		}
		else {
			over();
		}
	}

	private void removeAgain() {
		if (this.nodes != null) {
			this.nodes.removeAgain();
		}
		this.formerNodes.forEach(LockNodes::removeAgain);
		nodeGone();
	}

	@Override
	public void nodeGone() {
		boolean leaving = this.phase == Phase.GRANTED || this.phase == Phase.LEAVING || this.reports.areClosed();
		if (leaving && this.phase != Phase.OVER && (this.nodes == null || this.nodes.areGone())
				&& this.formerNodes.stream().allMatch(LockNodes::areGone)) {
			// A loss that another thread has found may still be on its way here
			if (this.phase != Phase.GRANTED) {
				this.reports.close();
			}
			this.phase = Phase.OVER;
			this.gone.complete(null);
		}
	}

}
