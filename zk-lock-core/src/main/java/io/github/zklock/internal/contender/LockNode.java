package io.github.zklock.internal.contender;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import org.apache.zookeeper.Op;
import org.apache.zookeeper.data.Stat;

import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.SessionMember;
import io.github.zklock.internal.session.SessionRequests;

/**
 * A contender's node for one key in one session: in the key's queue
 * ({@code <key node>/_c_<id>-lock-<n>}), or without sequence number, at the key node's
 * own path.
 */
public final class LockNode implements SessionMember {

	/*-
	 * `NodeCreation` makes it, `QueueWait` waits in the queue, `NodeGrant` is what it becomes,
	 * `NodeRemoval` deletes it; none of them knows the lock node, but all read and write what is
	 * known of the node, and its state: `NodeFacts`. All steps run in the contender's serial
	 * executor. A delete is under way alone, together with the key node's, or together with the
	 * create of the lock node that follows.
	 *
	 * I1: a numbered node may be deleted again and again, for its name is unique. A node without
	 *     sequence number is deleted without a look only once, and only while it is younger than a
	 *     moment; otherwise, and again after every lost answer, it is first read whose node it is.
	 * I2: `gone` completes when the node cannot be there any more: the server said so, or the
	 *     session has ended.
	 * I3: a key node is deleted only by multi(delete our node, delete key node), never by its path
	 *     alone, for another client's node may be at that path. The first delete
	 *     succeeds only for our own child, whose name is unique: so at that moment, inside the
	 *     transaction, what is at the path has a child and is therefore a key node and
	 *     no ephemeral node; and it is the one that we made, because a node with a child is not
	 *     deleted. The second succeeds only if nobody else is in it (and, by its version, if
	 *     nobody has put data there). So nobody in the queue loses anything, and who comes
	 *     later finds no key node and makes one. The same transaction may be sent again
	 *     after its answer was lost: if it was handled our node is gone and the first delete
	 *     fails, whatever is at the path by then.
	 */

	private final Host contender;

	private final ContenderTerms terms;

	private final LockSession session;

	private final NodeFacts node;

	private final NodeSearch search;

	private final QueueWait queueWait;

	private final NodeGrant grant;

	private final NodeRemoval removal;

	private final CompletableFuture<Void> gone = new CompletableFuture<>();

	LockNode(Host contender, ContenderTerms terms, ContenderReports reports, LockSession session, NodeFacts node) {
		this.contender = contender;
		this.terms = terms;
		this.session = session;
		this.node = node;
		this.search = new NodeSearch(session, node, terms.steps());
		this.queueWait = new QueueWait(contender, terms, reports, session, node, this.search);
		this.grant = new NodeGrant(terms, reports, session, node, this::remove, this.gone);
		this.removal = new NodeRemoval(terms, session, node, this.search, this.grant, this::gone);
	}

	@Override
	public String id() {
		return this.node.id();
	}

	NodeFacts node() {
		return this.node;
	}

	QueueWait queueWait() {
		return this.queueWait;
	}

	public NodeGrant grant() {
		return this.grant;
	}

	public boolean isGone() {
		return this.gone.isDone();
	}

	/**
	 * Returns whether it is in a queue, and nobody has begun to delete it.
	 * @return whether {@link #deletion} deletes it and no other node
	 */
	boolean isQueued() {
		return !this.node.isUnnumbered() && !this.node.isLeaving() && !this.node.isRenaming()
				&& this.node.path() != null;
	}

	/**
	 * Returns what deletes it, as a part of a transaction.
	 * @return the operation
	 */
	Op deletion() {
		return Op.delete(Objects.requireNonNull(this.node.path()), -1);
	}

	/** Its create is being sent. */
	void entering() {
		this.node.entering(this.session.clock().getAsLong());
	}

	/**
	 * It is there.
	 * @param path its path
	 * @param withKeyNode whether the key node was created with it, so that it is the
	 * first in the queue
	 */
	void created(String path, boolean withKeyNode) {
		this.node.created(path);
		if (withKeyNode) {
			this.node.madeKeyNode();
		}
		this.queueWait.begin(withKeyNode || this.node.isUnnumbered());
	}

	void stamped(Stat stat) {
		this.node.stamped(stat);
	}

	/**
	 * Looks whether our create was handled although no answer came; to be called after
	 * the commit barrier.
	 * @param then gets OK with the node's path and stat, NONODE, or a code that says
	 * nothing
	 */
	void find(SessionRequests.Created then) {
		this.search.find(then);
	}

	/** Deletes the node, if there is one, and forgets the lock node. */
	void remove() {
		if (!this.node.isLeaving()) {
			retire();
			this.removal.begin();
		}
	}

	/**
	 * Deletes the node once more, after something has failed: nobody knows what was done
	 * already.
	 */
	void removeAgain() {
		if (isGone()) {
			return;
		}
		retire();
		if (this.session.isLive()) {
			this.node.doubt();
			this.removal.begin();
		}
		else {
			ended();
		}
	}

	/** Nothing is wanted of it any more; another request deletes its node. */
	void retire() {
		this.node.retire();
		this.queueWait.stop();
		this.grant.end();
	}

	/** The request of the lock node that follows has shown that the node is gone. */
	void replaced() {
		gone();
	}

	/** The request of the lock node that follows will not delete the node. */
	void removeAfterAll() {
		this.removal.beginAlone();
	}

	private void gone() {
		this.grant.unwatch();
		this.session.held().remove(this.grant);
		this.session.untrack(this);
		ended();
		this.contender.nodeGone();
	}

	private void ended() {
		this.node.gone();
		this.gone.complete(null);
	}

	@Override
	public void sessionEnded() {
		this.grant.sessionEnded();
		this.terms.steps().execute(() -> {
			this.queueWait.stop();
			ended();
			this.contender.sessionEnded(this.session);
		});
	}

	/** The contender whose node it is. */
	interface Host extends QueueWait.Host {

		/** A lock node is gone: perhaps it was the last one. */
		void nodeGone();

		/**
		 * A session has ended, and with it a lock node.
		 * @param ended the session
		 */
		void sessionEnded(LockSession ended);

	}

}
