package io.github.zklock.internal.contender;

import java.util.List;
import java.util.concurrent.CompletionStage;

import org.apache.zookeeper.KeeperException.Code;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.zklock.LockMode;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.internal.concurrent.Timer;
import io.github.zklock.internal.session.HandPlayedZooKeeper;
import io.github.zklock.internal.session.LockSession;
import io.github.zklock.spi.LockAttempt;
import io.github.zklock.zookeeper.Engines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A WRITE node that becomes a READ one, in a session whose answers come by hand.
 */
class NodeDowngradeTests {

	private final HandPlayedZooKeeper zooKeeper = HandPlayedZooKeeper.HANDLE;

	private NodeFacts node;

	private NodeDowngrade downgrade;

	private CompletionStage<Boolean> begin(LockMode mode, long number) {
		return begin(mode, number, Engines.TIMER);
	}

	private CompletionStage<Boolean> begin(LockMode mode, long number, Timer timer) {
		this.zooKeeper.reset();
		LockSession session = this.zooKeeper.session(() -> 0, timer);
		LockAttempt attempt = new LockAttempt(List.of("key"), mode, false, "caller");
		ContenderTerms terms = ContenderTerms.of(Engines.source(), Engines.shards(), attempt, false);
		this.node = terms.newNodes(0).get(0);
		this.node.created(this.node.createPath() + "%010d".formatted(number));
		this.downgrade = new NodeDowngrade(terms, session, this.node);
		return this.downgrade.begin();
	}

	private boolean isReadWith(String number) {
		return this.node.name().endsWith("__READ__" + number) && this.node.mode() == LockMode.READ
				&& !this.node.isRenaming();
	}

	private boolean isWriteWith(String number) {
		return this.node.name().endsWith("__WRIT__" + number) && this.node.mode() == LockMode.WRITE
				&& !this.node.isRenaming();
	}

	@Test
	void theNodeKeepsItsNumber() {
		CompletionStage<Boolean> settled = begin(LockMode.WRITE, 7);
		assertThat(this.node.isRenaming()).isTrue();
		assertThat(this.downgrade.underWay()).isSameAs(settled);
		assertThat(this.zooKeeper.answerTransaction(Code.OK)).isTrue();
		assertThat(settled).isCompletedWithValue(true);
		assertThat(isReadWith("0000000007")).isTrue();
		assertThat(this.downgrade.underWay()).isNull();
		assertThat(this.downgrade.begin()).isSameAs(settled);
		assertThat(this.zooKeeper.pendingTransactions()).isZero();
	}

	@ParameterizedTest
	@EnumSource(value = Code.class, names = { "OK", "NODEEXISTS" })
	void i1WhatWasNotAnsweredIsAskedForAgainBehindTheCommitBarrier(Code second) {
		CompletionStage<Boolean> settled = begin(LockMode.WRITE, 7);
		this.zooKeeper.answerTransaction(Code.CONNECTIONLOSS);
		assertThat(settled).isNotCompleted();
		assertThat(this.zooKeeper.answerTransaction(Code.OK)).as("the commit barrier").isTrue();
		assertThat(this.zooKeeper.answerTransaction(second)).isTrue();
		assertThat(settled).isCompletedWithValue(true);
		assertThat(isReadWith("0000000007")).isTrue();
	}

	@ParameterizedTest
	@EnumSource(value = Code.class, names = { "NOAUTH", "NONODE" })
	void i1WhatIsRefusedOrMissingStaysAsItIs(Code code) {
		CompletionStage<Boolean> settled = begin(LockMode.WRITE, 7);
		this.zooKeeper.answerTransaction(code);
		assertThat(settled).isCompletedWithValue(false);
		assertThat(isWriteWith("0000000007")).isTrue();
	}

	@ParameterizedTest
	@EnumSource(value = Code.class, names = { "NOAUTH", "INVALIDACL" })
	void i1ARefusalBehindALostAnswerSaysNothing(Code code) {
		Timer timer = new Timer("downgrade", new StepFailures());
		try {
			CompletionStage<Boolean> settled = begin(LockMode.WRITE, 7, timer);
			this.zooKeeper.answerTransaction(Code.CONNECTIONLOSS);
			assertThat(this.zooKeeper.answerTransaction(Code.OK)).as("the commit barrier").isTrue();
			assertThat(this.zooKeeper.answerTransaction(code)).isTrue();
			assertThat(settled).isNotCompleted();
			assertThat(this.node.isRenaming()).isTrue();
			assertThat(this.zooKeeper.answerExists(code)).as("the look for the READ node").isTrue();
			assertThat(settled).isNotCompleted();
			await().until(() -> this.zooKeeper.answerTransaction(Code.NODEEXISTS));
			assertThat(settled).isCompletedWithValue(true);
			assertThat(isReadWith("0000000007")).isTrue();
		}
		finally {
			timer.stop();
		}
	}

	@ParameterizedTest
	@EnumSource(value = Code.class, names = { "OK", "NONODE" })
	void i1BehindThatALookSettlesIt(Code code) {
		CompletionStage<Boolean> settled = begin(LockMode.WRITE, 7);
		this.zooKeeper.answerTransaction(Code.CONNECTIONLOSS);
		this.zooKeeper.answerTransaction(Code.OK);
		this.zooKeeper.answerTransaction(Code.NOAUTH);
		assertThat(this.zooKeeper.answerExists(code)).isTrue();
		assertThat(settled).isCompletedWithValue(code == Code.OK);
		assertThat(this.node.isRenaming()).isFalse();
	}

	@Test
	void i1AnAnswerThatComesWhenTheNodeIsBeingRemovedSaysNothing() {
		CompletionStage<Boolean> settled = begin(LockMode.WRITE, 7);
		this.node.retire();
		this.zooKeeper.answerTransaction(Code.OK);
		assertThat(settled).isCompletedWithValue(false);
		assertThat(this.node.isRenaming()).as("whether the removal must look").isTrue();
	}

	@Test
	void i1NothingIsAskedForAgainWhenTheNodeIsBeingRemoved() {
		CompletionStage<Boolean> settled = begin(LockMode.WRITE, 7);
		this.zooKeeper.answerTransaction(Code.CONNECTIONLOSS);
		this.node.retire();
		this.zooKeeper.answerTransaction(Code.OK);
		assertThat(settled).isCompletedWithValue(false);
		assertThat(this.zooKeeper.pendingTransactions()).isZero();
	}

	@Test
	void i1TheEndOfTheNodeSettlesIt() {
		CompletionStage<Boolean> settled = begin(LockMode.WRITE, 7);
		this.downgrade.over();
		assertThat(settled).isCompletedWithValue(false);
	}

	@ParameterizedTest
	@ValueSource(longs = { Integer.MAX_VALUE - (1 << 16), Integer.MAX_VALUE })
	void i2NearTheLastNumberItStaysAWrite(long number) {
		assertThat(begin(LockMode.WRITE, number)).isCompletedWithValue(false);
		assertThat(isWriteWith("%010d".formatted(number))).isTrue();
		assertThat(this.zooKeeper.pendingTransactions()).isZero();
	}

	@Test
	void i2BelowThatItBecomesARead() {
		begin(LockMode.WRITE, Integer.MAX_VALUE - (1 << 16) - 1);
		assertThat(this.zooKeeper.pendingTransactions()).isOne();
	}

	@Test
	void aReadIsOneAlready() {
		assertThat(begin(LockMode.READ, 7)).isCompletedWithValue(true);
		assertThat(this.zooKeeper.pendingTransactions()).isZero();
	}

}
