package io.github.zklock.internal.contender;

import java.util.List;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.github.zklock.internal.concurrent.GrowingPause;
import io.github.zklock.internal.node.NodeContent;
import io.github.zklock.internal.node.NodeQueue;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.ResultKind;

/**
 * Notes in a permit's node that it holds, for the one that waits directly behind it.
 */
final class HolderMark {

	/*-
	 * NONE -> WRITING -> DONE; each -> STOPPED. All steps run in the contender's serial executor.
	 *
	 * The mark decides nothing: who reads it looks at the queue, and only the queue says who holds. So a mark that
	 * comes late, or twice, does no harm, and none is needed if nobody waits directly behind: who enters later
	 * finds in its own list that this node holds. Nor is one needed if there is one permit only: then who waits
	 * directly behind is first with the end of this node, which it watches.
	 *
	 * I1: it is sent in the step that finds that the permit is held, before anybody looks at the lease or calls the
	 *     caller, if the last look has shown a permit's node directly behind. Where an event has shown it, and not
	 *     a look, the queue is looked at then: another contender may have come since the last look.
	 * I2: it is sent again after a lost answer, until there is one or the node is to go.
	 */

	private static final Logger log = LoggerFactory.getLogger(HolderMark.class);

	private enum State {

		NONE, WRITING, DONE, STOPPED

	}

	private final ContenderTerms terms;

	private final LockSession session;

	private final NodeFacts node;

	private final GrowingPause pause = GrowingPause.afterLosses();

	private State state = State.NONE;

	HolderMark(ContenderTerms terms, LockSession session, NodeFacts node) {
		this.terms = terms;
		this.session = session;
		this.node = node;
	}

	/**
	 * Nobody is in the node's way any more.
	 * @param byEvent whether that was learnt without a look at the queue
	 */
	void holds(boolean byEvent) {
		if (this.node.permits() < 2 || this.state != State.NONE) {
			return;
		}
		if (this.node.neighbours().isFollowedByPermit()) {
			write();
		}
		else if (byEvent) {
			look();
		}
	}

	void stop() {
		this.state = State.STOPPED;
	}

	private void look() {
		this.session.requests().children(this.node.keyNode(), null, (code, names, stat) -> step(State.NONE, () -> {
			if (names != null) {
				NodeQueue queue = NodeQueue.of(names);
				if (queue.needsCzxids() || queue.isFollowedByPermit(this.node.name())) {
					write();
				}
			}
			else if (ResultKind.of(code) == ResultKind.LOST) {
				// Perhaps it is the list that costs the connection
				this.session.afterPause(this.pause, () -> this.session.afterCommit(() -> step(State.NONE, this::look)));
			}
		}));
	}

	private void write() {
		String path = this.node.path();
		if (path == null) {
			return;
		}
		this.state = State.WRITING;
		Op mark = Op.setData(path, NodeContent.held(this.node.content()), -1);
		this.session.requests().multi(List.of(mark), (code, results) -> step(State.WRITING, () -> written(code)));
	}

	private void written(Code code) {
		if (ResultKind.of(code) == ResultKind.LOST) {
			this.session.afterCommit(() -> step(State.WRITING, this::write));
			return;
		}
		this.state = State.DONE;
		if (ResultKind.of(code) == ResultKind.REFUSED && this.terms.keyNodeCache().refused(this.node.key())) {
			log.warn(
					"{} may not be written ({}): who waits behind it for a permit finds out later. Its ACL has to allow WRITE",
					this.node.path(), code);
		}
	}

	private void step(State expected, Runnable step) {
		this.terms.steps().execute(() -> {
			if (this.state == expected) {
				step.run();
			}
		});
	}

}
