package io.github.zklock.internal.contender;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.zklock.LockMode;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.zookeeper.Engines;

/**
 * A grant in a session whose answers come by hand.
 */
public final class HandPlayedGrant {

	private HandPlayedGrant() {
	}

	/**
	 * Makes the grant of a node that is there.
	 * @param session the session
	 * @return the grant
	 */
	public static NodeGrant in(LockSession session) {
		LockAttempt attempt = new LockAttempt(List.of("key"), LockMode.EXCLUSIVE, false, "caller");
		ContenderTerms terms = ContenderTerms.of(Engines.source(), Engines.shards(), attempt, false);
		NodeFacts node = terms.newNodes(0).get(0);
		node.created(node.createPath() + "0000000007");
		return new NodeGrant(terms, null, session, node, () -> {
		}, new CompletableFuture<>());
	}

}
