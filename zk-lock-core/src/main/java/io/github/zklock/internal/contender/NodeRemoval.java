package io.github.zklock.internal.contender;

import java.util.List;
import java.util.concurrent.TimeUnit;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.zklock.internal.concurrent.GrowingPause;
import io.github.zklock.internal.node.ReleaseNote;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.ResultKind;
import io.github.zklock.internal.session.SessionRequests;

/**
 * Deletes a contender's node.
 */
final class NodeRemoval {

	/*-
	 * A delete is repeated until the server says that the node is gone, or the session ends: at
	 * once after the commit barrier if the answer was lost, after a growing pause if it was refused, or if that
	 * was the answer to a look for the node: the list, or the data, may cost the connection. The
	 * node is deleted alone, or in one transaction with its key node. All steps run in the
	 * contender's serial executor. It may begin again, when a step of the contender has failed. A node
	 * that was being renamed is looked for, after the commit barrier and so after that request.
	 *
	 * I1: what a former beginning has asked for leads nowhere, so that no delete of a node without
	 *     sequence number is sent after the read that has shown it, and another delete of it.
	 * Kept here are I1 and I3 of `LockNode`.
	 */

	private static final Logger log = LoggerFactory.getLogger(NodeRemoval.class);

	private static final long TRUSTED_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final ContenderTerms terms;

	private final LockSession session;

	private final NodeFacts node;

	private final NodeSearch search;

	private final NodeGrant grant;

	private final Runnable gone;

	private final Rounds rounds;

	private final GrowingPause pause = GrowingPause.afterLosses();

	private int refusals;

	/**
	 * Creates a removal that has not begun.
	 * @param terms what the contender works with
	 * @param session where
	 * @param node the node
	 * @param search looks for it
	 * @param grant what the node became
	 * @param gone called when the node is known to be gone
	 */
	NodeRemoval(ContenderTerms terms, LockSession session, NodeFacts node, NodeSearch search, NodeGrant grant,
			Runnable gone) {
		this.terms = terms;
		this.session = session;
		this.node = node;
		this.search = search;
		this.grant = grant;
		this.gone = gone;
		this.rounds = new Rounds(terms.steps());
	}

	/** Deletes the node in the way that it allows. */
	void begin() {
		this.rounds.next();
		String present = this.node.path();
		if (present == null) {
			this.gone.run();
		}
		else if (this.node.isRenaming()) {
			afterCommit(() -> verifyThenDelete(present));
		}
		else if (this.node.isUnnumbered() && mayHaveBeenReplaced()) {
			verifyThenDelete(present);
		}
		else if (this.node.isAloneInItsKeyNode() && !this.terms.keyNodeCache().isUsedOften(this.node.key())) {
			deleteWithKeyNode(present);
		}
		else if (leavesNote()) {
			deleteWithNote(present);
		}
		else {
			delete(present);
		}
	}

	/** Deletes a numbered node alone, if it is there. */
	void beginAlone() {
		String present = this.node.path();
		if (!this.node.isGone() && present != null) {
			this.rounds.next();
			deleteAgain(present);
		}
	}

	// A moment is taken on trust, but not that of a reconnection. That its own watch has
	// shown nothing says little: its event is late where the link was lost, and where
	// others keep the event thread.
	private boolean mayHaveBeenReplaced() {
		return !this.session.isConnected() || this.node.isDoubted() || this.grant.isNodeDeleted()
				|| this.node.isOlderThan(this.session.clock().getAsLong() - TRUSTED_NANOS);
	}

	private void delete(String present) {
		int current = this.rounds.current();
		this.session.requests().delete(present, (code) -> this.rounds.step(current, () -> deleted(code, present)));
	}

	private boolean leavesNote() {
		return this.node.notes().isLeft(this.node.mode()) && !this.node.isUnnumbered() && !this.node.isPermit()
				&& !this.terms.isHerd(this.node) && !this.terms.keyNodeCache().isRefused(this.node.key());
	}

	// If the server refuses the note, or others have written there, the node is deleted
	// without
	private void deleteWithNote(String present) {
		byte[] note = ReleaseNote.of(this.node.name());
		List<Op> both = List.of(Op.delete(present, -1),
				Op.setData(this.node.keyNode(), note, this.node.notes().version()));
		int current = this.rounds.current();
		this.session.requests().multi(both, (code, results) -> this.rounds.step(current, () -> {
			if (SessionRequests.failedIndex(results) == 1) {
				if (ResultKind.of(code) == ResultKind.REFUSED) {
					this.terms.keyNodeCache().refused(this.node.key());
				}
				delete(present);
			}
			else {
				deleted(code, present);
			}
		}));
	}

	// Who enters next need not wait for the answer to know that there will be no key
	// node.
	private void deleteWithKeyNode(String present) {
		this.terms.keyNodeSeen(this.node, false);
		List<Op> both = List.of(Op.delete(present, -1), Op.delete(this.node.keyNode(), 0));
		int current = this.rounds.current();
		this.session.requests()
			.multi(both, (code, results) -> this.rounds.step(current,
					() -> deletedWithKeyNode(code, SessionRequests.failedIndex(results), present)));
	}

	private void deletedWithKeyNode(Code code, int failed, String present) {
		ResultKind kind = ResultKind.of(code);
		if (code == Code.OK || (code == Code.NONODE && failed == 0) || kind == ResultKind.ENDED) {
			deleted(code, present);
		}
		else if (kind == ResultKind.LOST) {
			afterCommit(() -> deleteWithKeyNode(present));
		}
		else {
			this.terms.keyNodeSeen(this.node, true);
			delete(present);
		}
	}

	private void deleted(Code code, String present) {
		switch (ResultKind.of(code)) {
			case DEFINITE -> this.gone.run();
			case LOST -> afterCommit(() -> deleteAgain(present));
			case REFUSED -> {
				if (this.refusals == 0) {
					log.warn("The server refuses to delete the lock node {} ({}); that is tried again until {} ends",
							present, code, this.session);
				}
				this.session.afterRefusal(this.refusals++, this.rounds.bind(() -> deleteAgain(present)));
			}
			case ENDED -> log.debug("{} ended with {} in it", this.session, present);
		}
	}

	private void afterCommit(Runnable step) {
		this.session.afterCommit(this.rounds.bind(step));
	}

	private void deleteAgain(String present) {
		if (this.node.isGone()) {
			return;
		}
		if (this.node.isUnnumbered() || this.node.isRenaming()) {
			verifyThenDelete(present);
		}
		else {
			delete(present);
		}
	}

	private void verifyThenDelete(String present) {
		int current = this.rounds.current();
		this.search.find((code, found, stat) -> {
			if (current != this.rounds.current()) {
				return;
			}
			if (code == Code.OK && found != null) {
				if (this.node.isRenaming()) {
					this.node.renamed(found);
				}
				delete(found);
			}
			else if (ResultKind.of(code) == ResultKind.LOST) {
				this.session.afterPause(this.pause,
						this.rounds.bind(() -> afterCommit(() -> verifyThenDelete(present))));
			}
			else {
				deleted(code, present);
			}
		});
	}

}
