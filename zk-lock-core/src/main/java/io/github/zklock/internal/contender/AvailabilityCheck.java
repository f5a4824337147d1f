package io.github.zklock.internal.contender;

import java.util.List;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.node.NodeQueue;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.ResultKind;
import io.github.zklock.spi.Blocker;

/**
 * Looks whether keys seem free before anything is written. It may find a key busy that no
 * longer is, behind a server that lags; that a key is free is then shown by entering.
 *
 * @param session where
 * @param terms what the contender wants
 * @param reports what it reports to
 * @param rounds those of who asks
 * @param nodes the nodes to be
 */
record AvailabilityCheck(LockSession session, ContenderTerms terms, ContenderReports reports, Rounds rounds,
		List<NodeFacts> nodes) {

	/**
	 * Looks at the keys one after the other until one is busy, which is reported. Looks
	 * again when there was no answer.
	 * @param free what to do, in the present round, if all seem free
	 */
	void begin(Runnable free) {
		int current = this.rounds.current();
		at(0, (code, blocker) -> this.rounds.step(current, () -> seen(code, blocker, free)));
	}

	private void seen(Code code, @Nullable Blocker blocker, Runnable free) {
		if (blocker != null) {
			this.reports.blocked(blocker);
		}
		else if (ResultKind.of(code) == ResultKind.REFUSED) {
			this.reports.refused(code, this.terms.root());
		}
		else if (code == Code.OK) {
			free.run();
		}
		else {
			this.reports.disturbed(code, this.terms.root());
			this.session.afterCommit(this.rounds.bind(() -> begin(free)));
		}
	}

	// Reports OK and the first blocker or null, or the code of a look that failed.
	private void at(int index, Then then) {
		if (index == this.nodes.size()) {
			then.answered(Code.OK, null);
			return;
		}
		NodeFacts node = this.nodes.get(index);
		Then next = (code, blocker) -> {
			if (code == Code.OK && blocker == null) {
				at(index + 1, then);
			}
			else {
				then.answered(code, blocker);
			}
		};
		if (node.isUnnumbered()) {
			atName(node, next);
		}
		else {
			atQueue(node, next);
		}
	}

	private void atName(NodeFacts node, Then then) {
		this.session.requests().read(node.keyNode(), null, (code, content, stat) -> this.terms.steps().execute(() -> {
			if (stat == null) {
				then.answered((code == Code.NONODE) ? Code.OK : code, null);
			}
			else if (stat.getEphemeralOwner() == 0) {
				node.joinQueue();
				atQueue(node, then);
			}
			else {
				then.answered(Code.OK, node.holder(content));
			}
		}));
	}

	private void atQueue(NodeFacts node, Then then) {
		this.session.requests().children(node.keyNode(), null, (code, names, stat) -> this.terms.steps().execute(() -> {
			if (code == Code.OK || code == Code.NONODE) {
				this.terms.keyNodeSeen(node, code == Code.OK);
			}
			if (names == null || stat == null) {
				then.answered((code == Code.NONODE) ? Code.OK : code, null);
			}
			else {
				then.answered(Code.OK, blockerIn(node, names, stat));
			}
		}));
	}

	private static @Nullable Blocker blockerIn(NodeFacts node, List<String> names, Stat stat) {
		if (stat.getEphemeralOwner() != 0) {
			return node.unknownBlocker(true);
		}
		NodeQueue.Position position = NodeQueue.of(names).positionAtEnd(node.mode());
		return (position.blocker() != null) ? node.unknownBlocker(position.blockerHolds()) : null;
	}

	/** Gets the outcome. */
	private interface Then {

		void answered(Code code, @Nullable Blocker blocker);

	}

}
