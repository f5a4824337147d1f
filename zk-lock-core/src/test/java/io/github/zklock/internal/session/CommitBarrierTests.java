package io.github.zklock.internal.session;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.zookeeper.KeeperException.Code;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.concurrent.StepFaults;
import io.github.zklock.internal.concurrent.Timer;
import io.github.zklock.zookeeper.Engines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Which steps run behind which answer.
 */
class CommitBarrierTests {

	private final HandPlayedZooKeeper zooKeeper = HandPlayedZooKeeper.HANDLE;

	private final List<String> ran = new CopyOnWriteArrayList<>();

	private LockSession session;

	@BeforeEach
	void begin() {
		this.zooKeeper.reset();
		this.session = this.zooKeeper.session(() -> 0, Engines.TIMER);
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
	void i2OfSeveralThatAreTimedTheLastOneIsSent() throws Exception {
		StepFailures failures = new StepFailures();
		Timer timer = new Timer("zk-lock-timer", failures);
		this.session = this.zooKeeper.session(() -> 0, timer);
		CompletableFuture<Void> timed = new CompletableFuture<>();
		timer.later(0, timed::join);
		StepFaults.in(failures, 1, false);
		pass("first");
		StepFaults.in(failures, 1, false);
		pass("second");
		assertThat(failures.count()).as("each times a transaction").isEqualTo(2);
		timed.complete(null);
		await().until(() -> timer.count() == 0);
		timer.after(0, () -> {
		}).get();
		assertThat(this.zooKeeper.pendingTransactions()).isOne();
		this.zooKeeper.answerTransaction(Code.OK);
		assertThat(this.ran).containsExactly("first", "second");
		timer.stop();
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

	@Test
	void i4WhoWaitsIsServedWithTheNextWhereNothingCouldBeTimed() {
		AtomicInteger failing = new AtomicInteger(2);
		Timer timer = new Timer((task) -> {
			if (failing.getAndDecrement() > 0) {
				throw new OutOfMemoryError("planted");
			}
			return new Thread(task);
		}, new StepFailures());
		this.session = this.zooKeeper.session(() -> 0, timer);
		pass("first");
		this.zooKeeper.answerTransaction(Code.CONNECTIONLOSS);
		assertThat(failing).as("to time the next one, and once more").hasValue(0);
		pass("second");
		await().until(() -> {
			this.zooKeeper.answerTransaction(Code.OK);
			return this.ran.size() == 2;
		});
		assertThat(this.ran).containsExactly("first", "second");
		timer.stop();
	}

	private void pass(String step) {
		this.session.afterCommit(() -> this.ran.add(step));
	}

}
