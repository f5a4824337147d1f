package io.github.zklock.internal.contender;

import java.util.List;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.github.zklock.internal.node.Line;
import io.github.zklock.internal.session.Answer;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.spi.Obstacle;

/**
 * Looks whether keys seem free before anything is written. It may find a key busy that no
 * longer is, behind a server that lags; that a key is free is then shown by entering.
 *
 * @param session where
 * @param terms what the contender wants
 * @param reports what it tells
 * @param rounds those of who asks
 * @param nodes the nodes to be
 */
record Peek(LockSession session, ContenderTerms terms, ContenderReports reports, Rounds rounds, List<NodeFacts> nodes) {

	/**
	 * Looks at the keys one after the other until one is busy, which is reported. Looks
	 * again when there was no answer.
	 * @param free what to do, in the present round, if all seem free
	 */
	void begin(Runnable free) {
		int current = this.rounds.current();
		at(0, (code, obstacle) -> this.rounds.step(current, () -> seen(code, obstacle, free)));
	}

	private void seen(Code code, @Nullable Obstacle obstacle, Runnable free) {
		if (obstacle != null) {
			this.reports.blocked(obstacle);
		}
		else if (Answer.of(code) == Answer.REFUSED) {
			this.reports.refused(code, this.terms.root());
		}
		else if (code == Code.OK) {
			free.run();
		}
		else {
			this.reports.disturbed(code, this.terms.root());
			this.session.afterSync(this.rounds.bind(() -> begin(free)));
		}
	}

	// Tells OK and the first obstacle or null, or the code of a look that failed.
	private void at(int index, Then then) {
		if (index == this.nodes.size()) {
			then.answered(Code.OK, null);
			return;
		}
		NodeFacts node = this.nodes.get(index);
		Then next = (code, obstacle) -> {
			if (code == Code.OK && obstacle == null) {
				at(index + 1, then);
			}
			else {
				then.answered(code, obstacle);
			}
		};
		if (node.isPlain()) {
			atName(node, next);
		}
		else {
			atLine(node, next);
		}
	}

	private void atName(NodeFacts node, Then then) {
		this.session.requests().read(node.place(), null, (code, content, stat) -> this.terms.steps().execute(() -> {
			if (stat == null) {
				then.answered((code == Code.NONODE) ? Code.OK : code, null);
			}
			else if (stat.getEphemeralOwner() == 0) {
				node.joinLine();
				atLine(node, then);
			}
			else {
				then.answered(Code.OK, node.holder(content));
			}
		}));
	}

	private void atLine(NodeFacts node, Then then) {
		this.session.requests().children(node.place(), null, (code, names, stat) -> this.terms.steps().execute(() -> {
			if (code == Code.OK || code == Code.NONODE) {
				this.terms.placeSeen(node, code == Code.OK);
			}
			if (names == null || stat == null) {
				then.answered((code == Code.NONODE) ? Code.OK : code, null);
			}
			else {
				then.answered(Code.OK, obstacleIn(node, names, stat));
			}
		}));
	}

	private static @Nullable Obstacle obstacleIn(NodeFacts node, List<String> names, Stat stat) {
		if (stat.getEphemeralOwner() != 0) {
			return node.somebody(true);
		}
		Line.Position position = Line.of(names).positionAtEnd(node.mode());
		return (position.obstacle() != null) ? node.somebody(position.obstacleHolds()) : null;
	}

	/** Gets the outcome. */
	private interface Then {

		void answered(Code code, @Nullable Obstacle obstacle);

	}

}
