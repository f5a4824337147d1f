package io.github.zklock.internal.contender;

import java.util.List;

import io.github.zklock.LockMode;
import io.github.zklock.fixture.NobodyListens;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.spi.ContenderListener;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.zookeeper.Engines;

/**
 * Lock nodes that no contender has entered with.
 */
public final class UnenteredLockNodes {

	private UnenteredLockNodes() {
	}

	/**
	 * Makes a lock node that is not there yet.
	 * @param session the session that it would live in
	 * @return the lock node, of the key {@code key}
	 */
	public static LockNode in(LockSession session) {
		return in(session, LockMode.EXCLUSIVE, false);
	}

	static LockNode in(LockSession session, LockMode mode, boolean naive) {
		LockAttempt attempt = new LockAttempt(List.of("key"), mode, false, "caller");
		ContenderTerms terms = ContenderTerms.of(Engines.source(), Engines.shards(), attempt, naive);
		ContenderListener listener = new NobodyListens();
		ZooKeeperContender contender = new ZooKeeperContender(terms, listener);
		return new LockNode(contender, terms, new ContenderReports(terms, listener, contender), session,
				terms.newNodes(0).get(0));
	}

}
