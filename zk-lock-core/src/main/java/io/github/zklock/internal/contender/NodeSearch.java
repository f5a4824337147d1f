package io.github.zklock.internal.contender;

import java.util.concurrent.Executor;

import org.apache.zookeeper.KeeperException.Code;

import io.github.zklock.internal.node.Line;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.SessionRequests;

/**
 * Looks for a contender's node, by its id.
 *
 * @param session where
 * @param node the node
 * @param steps runs the contender's steps
 */
record NodeSearch(LockSession session, NodeFacts node, Executor steps) {

	/**
	 * Looks whether the node is there; to be called after a sync.
	 * @param then gets, as a step of the contender, OK with the node's path and stat,
	 * NONODE, or a code that says nothing
	 */
	void find(SessionRequests.Created then) {
		if (this.node.isPlain()) {
			findPlain(then);
		}
		else {
			findInLine(then);
		}
	}

	private void findPlain(SessionRequests.Created then) {
		String place = this.node.place();
		this.session.requests().read(place, null, (code, found, stat) -> this.steps.execute(() -> {
			boolean ours = code == Code.OK && stat != null && this.node.isOurs(found, stat, this.session.id());
			then.answered((code == Code.OK && !ours) ? Code.NONODE : code, place, ours ? stat : null);
		}));
	}

	private void findInLine(SessionRequests.Created then) {
		String place = this.node.place();
		this.session.requests().children(place, null, (code, names, ignored) -> this.steps.execute(() -> {
			String name = (names != null) ? Line.of(names).findById(this.node.id()).orElse(null) : null;
			if (name == null) {
				then.answered((code == Code.OK) ? Code.NONODE : code, null, null);
				return;
			}
			String found = place + "/" + name;
			this.session.requests()
				.exists(found, (seen, stat) -> this.steps.execute(() -> then.answered(seen, found, stat)));
		}));
	}

}
