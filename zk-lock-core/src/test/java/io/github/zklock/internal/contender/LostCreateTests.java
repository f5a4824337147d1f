package io.github.zklock.internal.contender;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

import org.apache.zookeeper.KeeperException.Code;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.github.zklock.LockMode;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.session.HandPlayedZooKeeper;
import io.github.zklock.internal.session.Lease;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.internal.session.SessionCounters;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.zookeeper.Engines;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What becomes of a node whose create was not answered, or whose answer could not be
 * handled, in a session whose answers come by hand.
 */
class LostCreateTests {

	private final HandPlayedZooKeeper zooKeeper = HandPlayedZooKeeper.HANDLE;

	private final NotingListener listener = new NotingListener();

	private final SessionCounters counters = new SessionCounters();

	private LockSession session;

	private ZooKeeperContender contender;

	private String name;

	private boolean failing;

	@BeforeEach
	void enter() {
		enter("key");
	}

	private void enter(String... keys) {
		this.zooKeeper.reset();
		this.session = new LockSession(this.zooKeeper, this::now, Engines.TIMER, this.counters, ValidLease::new, null,
				(idle) -> {
				});
		LockAttempt attempt = new LockAttempt(List.of(keys), LockMode.EXCLUSIVE, false, "caller");
		ContenderTerms terms = ContenderTerms.of(Engines.source(), new KeyShards(() -> 0, new StepFailures()), attempt,
				false);
		this.contender = new ZooKeeperContender(terms, this.listener);
		this.contender.start();
		Engines.source().forget(this.contender);
		this.contender.sessionBegan(this.session);
		UUID next = UUID.fromString(Engines.source().identity().nextId());
		UUID entered = new UUID(next.getMostSignificantBits(), next.getLeastSignificantBits() - 1);
		this.name = "_c_" + entered + "-lock-0000000007";
	}

	private long now() {
		if (this.failing) {
			this.failing = false;
			throw new NoClassDefFoundError("planted");
		}
		return 0;
	}

	private void loseAnswer(Loss loss) {
		this.failing = loss == Loss.HANDLING;
		Code answer = this.failing ? Code.OK : Code.CONNECTIONLOSS;
		assertThat(this.zooKeeper.answerTransaction(answer)).as("a create").isTrue();
		assertThat(this.failing).isFalse();
	}

	@AfterEach
	void end() {
		this.session.end();
		this.contender.leave();
	}

	@ParameterizedTest
	@EnumSource(Loss.class)
	void whoStillWantsItsNodeGoesOnWithIt(Loss loss) {
		loseAnswer(loss);
		find();
		assertThat(this.zooKeeper.answerChildren(Code.OK, this.name)).as("a look at the queue").isTrue();
		assertThat(this.listener.notes()).containsExactly("disturbed", "granted");
		assertThat(this.counters.orphans().sum()).isZero();
	}

	@ParameterizedTest
	@EnumSource(Loss.class)
	void whatIsFoundWhenNobodyWantsItAnyMoreIsDeletedAndCounted(Loss loss) {
		loseAnswer(loss);
		CompletionStage<Void> gone = this.contender.leave();
		find();
		assertThat(gone).isNotCompleted();
		assertThat(this.zooKeeper.answerTransaction(Code.OK)).as("a delete, with the key node").isTrue();
		assertThat(gone).isCompleted();
		assertThat(this.counters.orphans().sum()).isOne();
	}

	@ParameterizedTest
	@EnumSource(Loss.class)
	void whereTheKeyNodeIsGoneNothingIsLeft(Loss loss) {
		loseAnswer(loss);
		CompletionStage<Void> gone = this.contender.leave();
		assertThat(this.zooKeeper.answerTransaction(Code.OK)).as("the commit barrier").isTrue();
		assertThat(this.zooKeeper.answerChildren(Code.NONODE)).isTrue();
		assertThat(gone).isCompleted();
		assertThat(this.zooKeeper.pendingTransactions()).isZero();
		assertThat(this.counters.orphans().sum()).isZero();
	}

	@ParameterizedTest
	@EnumSource(Loss.class)
	void aLookThatIsLostIsRepeatedAlthoughNobodyWantsTheNode(Loss loss) {
		loseAnswer(loss);
		CompletionStage<Void> gone = this.contender.leave();
		assertThat(this.zooKeeper.answerTransaction(Code.OK)).as("the commit barrier").isTrue();
		assertThat(this.zooKeeper.answerChildren(Code.CONNECTIONLOSS)).isTrue();
		assertThat(gone).isNotCompleted();
		find();
		assertThat(this.zooKeeper.answerTransaction(Code.OK)).as("a delete, with the key node").isTrue();
		assertThat(gone).isCompleted();
	}

	@Test
	void ofSeveralOneThatIsMissingIsMadeAnewWithAllOthers() {
		end();
		enter("another", "key");
		assertThat(this.zooKeeper.answerTransaction(Code.CONNECTIONLOSS)).as("the creates").isTrue();
		assertThat(this.zooKeeper.answerTransaction(Code.CONNECTIONLOSS)).as("the lists").isTrue();
		assertThat(this.zooKeeper.answerTransaction(Code.OK)).as("the commit barrier").isTrue();
		assertThat(this.zooKeeper.answerChildren(Code.OK)).as("an empty queue").isTrue();
		assertThat(this.zooKeeper.answerChildren(Code.OK, this.name)).isTrue();
		assertThat(this.zooKeeper.answerExists(Code.OK)).isTrue();
		assertThat(this.zooKeeper.answerDelete(Code.OK)).as("of the one that is there").isTrue();
		assertThat(this.zooKeeper.pendingTransactions()).as("all are created").isOne();
	}

	private void find() {
		assertThat(this.zooKeeper.answerTransaction(Code.OK)).as("the commit barrier").isTrue();
		assertThat(this.zooKeeper.answerChildren(Code.OK, "_c_other-lock-0000000006", this.name)).isTrue();
		assertThat(this.zooKeeper.answerExists(Code.OK)).isTrue();
	}

	private enum Loss {

		CONNECTION, HANDLING

	}

	private static final class ValidLease extends Lease {

		private ValidLease(LongSupplier clock, long session, long touchedSince) {
			super(clock, session, touchedSince);
		}

		@Override
		public long remaining() {
			return Long.MAX_VALUE;
		}

	}

}
