package io.github.zklock.internal.contender;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.zklock.LockMode;
import io.github.zklock.internal.node.ClientIdentity;
import io.github.zklock.internal.node.LockNodeName;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.ResultKind;

/**
 * Makes a WRITE node a READ one at the same position in the queue.
 */
final class NodeDowngrade {

	/*-
	 * One transaction creates the READ node, with the number of the WRITE one, and deletes that. So
	 * there is a node of ours with that number at each moment, and nobody passes it. Who waits for the
	 * WRITE node reads the queue again at its end, and finds the READ one before it: the end of a
	 * WRITE node alone grants nothing (`NodeQueue.Position`), for Curator's own recipe does the same.
	 *
	 *   not begun -> ASKED (the node is `isRenaming`) -> settled
	 *
	 * All steps run in the contender's serial executor. The node's ACL is asked for before anything is sent,
	 * and once: what a user's provider throws then leaves all as it is, as a refusal does. What may happen
	 * while it is ASKED: the answer is lost, and the transaction is sent again after the commit barrier; if it
	 * was done before, its create fails. A refusal says nothing then: it is looked which node is there, and where
	 * that is refused too all begins anew later. Or the node is removed: its removal looks under which name it is, after
	 * that barrier, and no answer matters any more. Or the session ends, and the node with it.
	 *
	 * I1: `settled` completes once, with whether the node is a READ one; at the latest when the
	 *     node is gone.
	 * I2: a node keeps its position only where its number decides about that. Near the end of the
	 *     numbers czxids do, and it stays a WRITE node.
	 * Source: the downgrade of Curator's InterProcessReadWriteLock.
	 */

	private static final Logger log = LoggerFactory.getLogger(NodeDowngrade.class);

	private final ContenderTerms terms;

	private final LockSession session;

	private final NodeFacts node;

	private final CompletableFuture<Boolean> settled = new CompletableFuture<>();

	private List<ACL> acl = List.of();

	private boolean begun;

	private boolean lost;

	private int refusals;

	NodeDowngrade(ContenderTerms terms, LockSession session, NodeFacts node) {
		this.terms = terms;
		this.session = session;
		this.node = node;
	}

	/**
	 * Returns when it is known under which name the node is.
	 * @return completes with whether it is a READ node; null if that is known
	 */
	@Nullable CompletionStage<Boolean> underWay() {
		return this.node.isRenaming() ? this.settled : null;
	}

	/**
	 * Returns whether a node is one that only this makes; by any thread.
	 * @param path the node's path
	 * @return whether it is the READ node
	 */
	boolean makes(String path) {
		return path.startsWith(this.node.pathOf(LockNodeName.prefix(this.node.id(), LockMode.READ, 0)));
	}

	/**
	 * Begins, unless it has begun before.
	 * @return completes with whether it is a READ node from then on
	 */
	CompletionStage<Boolean> begin() {
		if (!this.begun) {
			this.begun = true;
			String present = this.node.path();
			if (present == null || this.node.isLeaving() || this.node.mode() != LockMode.WRITE
					|| !keepsItsPosition(this.node.name())) {
				this.settled.complete(this.node.mode().isShared());
			}
			else {
				begin(present);
			}
		}
		return this.settled;
	}

	private void begin(String present) {
		try {
			this.acl = this.terms.acl(this.node.keyNode());
		}
		catch (RuntimeException ex) {
			log.warn("{} stays a WRITE node until its release: there is no ACL for a READ one", present, ex);
			this.settled.complete(false);
			return;
		}
		this.node.renaming();
		ask(present);
	}

	private static boolean keepsItsPosition(String name) {
		return LockNodeName.parse(name).filter((parsed) -> !parsed.isNearOverflow()).isPresent();
	}

	private void ask(String present) {
		ClientIdentity identity = this.terms.source().identity();
		byte[] content = identity.describe(this.node.id(), LockMode.READ, 0, this.terms.attempt().caller(), false,
				this.session.requests().writeCost().saidNanos());
		String reader = this.node.pathOf(LockNodeName.withMode(this.node.name(), LockMode.READ));
		List<Op> both = List.of(Op.create(reader, content, this.acl, CreateMode.EPHEMERAL), Op.delete(present, -1));
		this.session.requests()
			.multi(both, (code, results) -> this.terms.steps().execute(() -> answered(code, present, reader)));
	}

	private void answered(Code code, String present, String reader) {
		if (this.node.isLeaving()) {
			over();
		}
		else if (ResultKind.of(code) == ResultKind.LOST) {
			this.lost = true;
			this.session.afterCommit(() -> this.terms.steps().execute(() -> askAgain(present)));
		}
		else if (ResultKind.of(code) == ResultKind.REFUSED && this.lost) {
			this.session.requests()
				.exists(reader, (seen, stat) -> this.terms.steps().execute(() -> looked(seen, present, reader)));
		}
		else {
			settle((code == Code.OK || code == Code.NODEEXISTS) ? reader : present);
		}
	}

	private void looked(Code code, String present, String reader) {
		if (this.node.isLeaving() || ResultKind.of(code) == ResultKind.LOST) {
			answered(code, present, reader);
		}
		else if (ResultKind.of(code) == ResultKind.DEFINITE) {
			settle((code == Code.OK) ? reader : present);
		}
		else {
			this.session.afterRefusal(this.refusals++, () -> this.terms.steps().execute(() -> askAgain(present)));
		}
	}

	private void settle(String path) {
		this.node.renamed(path);
		this.settled.complete(this.node.mode().isShared());
	}

	private void askAgain(String present) {
		if (this.node.isLeaving()) {
			over();
		}
		else {
			ask(present);
		}
	}

	/** The node is being removed, or is gone. */
	void over() {
		this.settled.complete(false);
	}

}
