package io.github.zklock.internal.session;

import java.util.ArrayList;
import java.util.List;

import org.apache.zookeeper.KeeperException.Code;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.zklock.zookeeper.Engines;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which steps run behind which answer.
 */
class CommitBarrierTests {

	private final HandPlayedZooKeeper zooKeeper = HandPlayedZooKeeper.HANDLE;

	private final List<String> ran = new ArrayList<>();

	private LockSession session;

	@BeforeEach
	void begin() {
		this.zooKeeper.reset();
		this.session = new LockSession(this.zooKeeper, () -> 0, Engines.TIMER, new SessionCounters(), Lease::new, null,
				(idle) -> {
				});
	}

	@Test
	void i1TheAnswerToATransactionThatWasSentBeforeRunsNothing() {
		this.session.requests().passQuorum((code) -> {
		});
		pass("step");
		this.zooKeeper.answerTransaction(Code.OK);
		assertThat(this.ran).isEmpty();
		this.zooKeeper.answerTransaction(Code.OK);
		assertThat(this.ran).containsExactly("step");
	}

	@Test
	void i1i2WhoComesWhileATransactionIsUnderWaySharesTheNextOne() {
		pass("first");
		pass("second");
		pass("third");
		assertThat(this.zooKeeper.pendingTransactions()).isOne();
		this.zooKeeper.answerTransaction(Code.OK);
		assertThat(this.ran).containsExactly("first");
		assertThat(this.zooKeeper.pendingTransactions()).isOne();
		this.zooKeeper.answerTransaction(Code.OK);
		assertThat(this.ran).containsExactly("first", "second", "third");
		assertThat(this.zooKeeper.pendingTransactions()).isZero();
	}

	@Test
	void i3NothingRunsWhenTheSessionHasEnded() {
		pass("step");
		this.session.end();
		this.zooKeeper.answerTransaction(Code.OK);
		assertThat(this.ran).isEmpty();
	}

	@Test
	void i4AStepThatFailsDoesNotTakeThoseBehindItAlong() {
		pass("first");
		this.session.afterCommit(() -> {
			throw new IllegalStateException("planted");
		});
		pass("third");
		this.zooKeeper.answerTransaction(Code.OK);
		this.zooKeeper.answerTransaction(Code.OK);
		pass("fourth");
		this.zooKeeper.answerTransaction(Code.OK);
		assertThat(this.ran).containsExactly("first", "third", "fourth");
	}

	private void pass(String step) {
		this.session.afterCommit(() -> this.ran.add(step));
	}

}
