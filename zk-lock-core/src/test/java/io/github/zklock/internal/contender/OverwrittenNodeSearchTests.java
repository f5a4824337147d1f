package io.github.zklock.internal.contender;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

import org.apache.zookeeper.KeeperException.Code;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

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
 * Whose a node without sequence number is when somebody has written into it, in a session
 * whose answers come by hand.
 */
class OverwrittenNodeSearchTests {

	private static final byte[] NOTE = "note".getBytes(StandardCharsets.UTF_8);

	private final HandPlayedZooKeeper zooKeeper = HandPlayedZooKeeper.HANDLE;

	private final NotingListener listener = new NotingListener();

	private LockSession session;

	private ZooKeeperContender contender;

	private long leaseLeft = Long.MAX_VALUE;

	@BeforeEach
	void enter() {
		this.zooKeeper.reset();
		this.session = new LockSession(this.zooKeeper, () -> 0, Engines.TIMER, new SessionCounters(), GivenLease::new,
				null, (idle) -> {
				});
		LockAttempt attempt = new LockAttempt(List.of("key"), LockMode.EXCLUSIVE, false, "caller");
		ContenderTerms terms = ContenderTerms.of(Engines.source(), new KeyShards(() -> 0, new StepFailures()), attempt,
				true);
		this.contender = new ZooKeeperContender(terms, this.listener);
		this.contender.start();
		Engines.source().forget(this.contender);
		this.contender.sessionBegan(this.session);
	}

	@AfterEach
	void end() {
		this.session.end();
		this.contender.leave();
	}

	@Test
	void aNodeWhoseCreateWasAnsweredIsOurs() {
		this.leaseLeft = 0;
		assertThat(this.zooKeeper.answerCreate(Code.OK)).isTrue();
		assertThat(this.listener.notes()).doesNotContain("granted");
		this.leaseLeft = Long.MAX_VALUE;
		assertThat(this.zooKeeper.answerTransaction(Code.OK)).as("the commit barrier").isTrue();
		assertThat(this.zooKeeper.answerRead(NOTE)).isTrue();
		assertThat(this.listener.notes()).contains("granted");
	}

	@Test
	void aNodeWhoseCreateWasNotAnsweredMayBeAnothersOfOurSession() {
		assertThat(this.zooKeeper.answerCreate(Code.CONNECTIONLOSS)).isTrue();
		CompletionStage<Void> gone = this.contender.leave();
		assertThat(this.zooKeeper.answerTransaction(Code.OK)).as("the commit barrier").isTrue();
		assertThat(this.zooKeeper.answerRead(NOTE)).isTrue();
		assertThat(gone).isCompleted();
		assertThat(this.zooKeeper.answerDelete(Code.OK)).isFalse();
	}

	private final class GivenLease extends Lease {

		private GivenLease(LongSupplier clock, long session, long touchedSince) {
			super(clock, session, touchedSince);
		}

		@Override
		public long remaining() {
			return OverwrittenNodeSearchTests.this.leaseLeft;
		}

	}

}
