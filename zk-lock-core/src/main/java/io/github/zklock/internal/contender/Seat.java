package io.github.zklock.internal.contender;

import java.util.concurrent.CompletableFuture;

import org.apache.zookeeper.data.Stat;

import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.SessionMember;
import io.github.zklock.internal.session.SessionRequests;

/*
 * ABSENT -> PRESENT (its create was answered, or it was found) -> REMOVING -> GONE.
 * ABSENT -> GONE. `Entrance` makes it, `Queueing` waits for its turn, `SeatGrant` is what it
 * becomes, `NodeRemoval` deletes it; none of them knows the seat, but all read and write what
 * is known of the node, `NodeFacts`. All steps run in the contest's mailbox. While REMOVING a
 * delete is under way, alone, together with the place's, or together with the create of the
 * seat that follows.
 *
 * I1: a node of a line may be deleted again and again, for its name is unique. A plain node
 *     is deleted without a look only once, and only while its own watch shows that it is
 *     there, or it is younger than a moment; otherwise, and again after every lost answer,
 *     it is first read whose node it is.
 * I2: `gone` completes when the node cannot be there any more: the server said so, or the
 *     session has ended.
 * I3: a place is deleted only by multi(delete our node, delete place), never by its path
 *     alone, for at that path another client's plain node may stand. The first delete
 *     succeeds only for our own child, whose name is unique: so at that moment, inside the
 *     transaction, what stands at the path has a child and is therefore a place and no
 *     ephemeral node; and it is the one that we made, because a node with a child is not
 *     deleted. The second succeeds only if nobody else is in it (and, by its version, if
 *     nobody has put data there). So nobody who stands in line loses anything, and who
 *     comes later finds no place and makes one. The same transaction may be sent again
 *     after its answer was lost: if it was handled our node is gone and the first delete
 *     fails, whatever stands at the path by then.
 */
/**
 * A contender's node for one key in one session: in the key's line
 * ({@code <place>/_c_<id>-lock-<n>}), or plain (the place's own path).
 */
public final class Seat implements SessionMember {

	private final Host contest;

	private final ContenderTerms terms;

	private final LockSession session;

	private final NodeFacts node;

	private final NodeSearch search;

	private final Queueing queueing;

	private final SeatGrant grant;

	private final NodeRemoval removal;

	private final CompletableFuture<Void> gone = new CompletableFuture<>();

	Seat(Host contest, ContenderTerms terms, ContenderReports reports, LockSession session, NodeFacts node) {
		this.contest = contest;
		this.terms = terms;
		this.session = session;
		this.node = node;
		this.search = new NodeSearch(session, node, terms.steps());
		this.queueing = new Queueing(contest, terms, reports, session, node, this.search);
		this.grant = new SeatGrant(terms, reports, session, node, this::remove, this.gone);
		this.removal = new NodeRemoval(terms, session, node, this.search, this.grant, this::gone);
	}

	@Override
	public String id() {
		return this.node.id();
	}

	NodeFacts node() {
		return this.node;
	}

	Queueing queueing() {
		return this.queueing;
	}

	public SeatGrant grant() {
		return this.grant;
	}

	boolean isIn(LockSession some) {
		return this.session == some;
	}

	public boolean isGone() {
		return this.gone.isDone();
	}

	/** Its create is being sent. */
	void entering() {
		this.node.entering(this.session.clock().getAsLong());
	}

	void created(String path) {
		this.node.created(path);
		this.queueing.begin(this.node.isPlain());
	}

	/**
	 * Its node was created together with its place, so it is the first in line.
	 * @param path the node's path
	 */
	void createdWithPlace(String path) {
		this.node.created(path);
		this.node.madePlace();
		this.queueing.begin(true);
	}

	void stamped(Stat stat) {
		this.grant.stamped(stat.getCzxid());
		this.node.stamped(stat.getCtime());
	}

	/**
	 * Looks whether our create was handled although no answer came; to be called after a
	 * sync.
	 * @param then gets OK with the node's path and stat, NONODE, or a code that says
	 * nothing
	 */
	void find(SessionRequests.Created then) {
		this.search.find(then);
	}

	/** Deletes the node, if there is one, and forgets the seat. */
	void remove() {
		if (!this.node.isLeaving()) {
			retire();
			this.removal.begin();
		}
	}

	/** Nothing is wanted of it any more; somebody else sees to its node. */
	void retire() {
		this.node.retire();
		this.queueing.stop();
		this.grant.end();
	}

	/** The request of the seat that follows has shown that the node is gone. */
	void replaced() {
		if (!this.node.isGone()) {
			gone();
		}
	}

	/** The request of the seat that follows will not delete the node. */
	void removeAfterAll() {
		this.removal.beginAlone();
	}

	private void gone() {
		this.grant.unwatch();
		this.session.unhold(this.grant);
		this.session.untrack(this);
		ended();
		this.contest.seatGone();
	}

	private void ended() {
		this.node.gone();
		this.gone.complete(null);
	}

	@Override
	public void sessionEnded() {
		this.grant.sessionEnded();
		this.terms.steps().execute(() -> {
			this.queueing.stop();
			ended();
			this.contest.sessionEnded(this.session);
		});
	}

	/** The contender whose node it is. */
	interface Host extends Queueing.Host {

		/** A seat is gone: perhaps it was the last one. */
		void seatGone();

		/**
		 * A session has ended, and with it a seat.
		 * @param ended the session
		 */
		void sessionEnded(LockSession ended);

	}

}
