package io.github.zklock.internal.contender;

import java.util.ArrayList;
import java.util.List;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.Test;

import io.github.zklock.LockMode;
import io.github.zklock.internal.session.HandPlayedZooKeeper;
import io.github.zklock.internal.session.Lease;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.SessionCounters;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.zookeeper.Engines;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is left of a wait for a foreign node, in a session whose answers come by hand.
 */
class ForeignNodeWaitTests implements ForeignNodeWait.Host {

	private final List<String> reported = new ArrayList<>();

	@Test
	void whoFindsAKeyNodeLeavesNoWatch() {
		HandPlayedZooKeeper.HANDLE.reset();
		LockSession session = new LockSession(HandPlayedZooKeeper.HANDLE, () -> 0, Engines.TIMER, new SessionCounters(),
				Lease::new, null, (idle) -> {
				});
		LockAttempt attempt = new LockAttempt(List.of("key"), LockMode.EXCLUSIVE, false, "caller");
		ContenderTerms terms = ContenderTerms.of(Engines.source(), Engines.shards(), attempt, true);
		LockNodes nodes = new LockNodes(null, terms, null, session);
		ForeignNodeWait wait = new ForeignNodeWait(this, new Rounds(Runnable::run), null, nodes, nodes.first(),
				List.of(), terms.root());
		wait.await(Code.NODEEXISTS);
		assertThat(session.watches().count()).isOne();
		wait.watching(new byte[0], new Stat(), null);
		assertThat(this.reported).containsExactly("gone, with a key node");
		assertThat(session.watches().count()).isZero();
	}

	@Override
	public void foreignNodeGone(boolean keyNode) {
		this.reported.add(keyNode ? "gone, with a key node" : "gone");
	}

	@Override
	public void nothingAbove() {
		this.reported.add("nothing above");
	}

	@Override
	public void findAfterCommit() {
		this.reported.add("our own");
	}

	@Override
	public void unseen(Code code, NodeFacts node) {
		this.reported.add("unseen");
	}

}
