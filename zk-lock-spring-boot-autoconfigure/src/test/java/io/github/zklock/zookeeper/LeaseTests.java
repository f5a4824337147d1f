package io.github.zklock.zookeeper;

import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The lease counts from when the leader must have heard of the session, by two receipts
 * and a transaction in a row.
 */
class LeaseTests {

	private static final long SESSION = 2400;

	private static final long BEAT = SESSION / 6;

	private static final long GAP = SESSION / 8;

	private static final long FULL = SESSION / 6 * 5;

	private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 300);

	private final long made = this.now.get() - 100;

	private final Lease lease = new Lease(this.now::get, SESSION, this.made);

	@Test
	void i2IsNotValidBeforeTheFirstTransaction() {
		assertThat(this.lease.isValid()).isFalse();
		for (int i = 0; i < 20; i++) {
			receive();
			pass(BEAT);
		}
		assertThat(this.lease.isValid()).isFalse();
	}

	@Test
	void theFirstTransactionLastsFromWhenTheSessionWasNotMadeYetAcrossTheOverflowOfTheClock() {
		pass(200);
		transact();
		assertThat(this.lease.remaining()).isEqualTo(FULL - 300);
		pass(FULL - 301);
		assertThat(this.lease.isValid()).isTrue();
		pass(1);
		assertThat(this.lease.isValid()).isFalse();
	}

	@Test
	void aBeatEverySixthOfTheSessionGivesTwoThirds() {
		pass(BEAT);
		beat();
		pass(BEAT);
		beat();
		for (int i = 0; i < 5; i++) {
			pass(BEAT);
			beat();
			assertThat(this.lease.remaining()).isEqualTo(SESSION / 3 * 2);
		}
	}

	@Test
	void theFirstTransactionAfterAnIdleTimeLastsTwoThirdsFromTheLastReceipt() {
		idle();
		assertThat(this.lease.isValid()).isFalse();
		pass(BEAT - 1);
		transact();
		assertThat(this.lease.remaining()).isEqualTo(SESSION / 3 * 2 - BEAT + 1);
	}

	@Test
	void manyTransactionsInARowGiveWhatIsLeftSinceAGapBeforeTheLastReceipt() {
		idle();
		for (int i = 0; i < 500; i++) {
			transact();
			assertThat(this.lease.remaining()).isBetween(FULL - BEAT - GAP, FULL - GAP);
			pass(10);
		}
	}

	@Test
	void aReceiptThatIsSentTooSoonAfterTheOneBeforeCompletesNothing() {
		forgetTheFirst();
		receive();
		pass(GAP - 1);
		receive();
		transact();
		assertThat(this.lease.isValid()).isFalse();
	}

	@Test
	void theGapIsCountedFromTheAnswerToWhenTheNextIsSent() {
		forgetTheFirst();
		long sentAt = this.now.get();
		pass(50);
		this.lease.received(sentAt);
		pass(GAP - 1);
		sentAt = this.now.get();
		pass(500);
		this.lease.received(sentAt);
		transact();
		assertThat(this.lease.isValid()).isFalse();
	}

	@Test
	void i3ATransactionThatWasSentBeforeTheSecondReceiptWasAnsweredShowsWhatWasKnownBefore() {
		idle();
		transact();
		long before = this.lease.remaining();
		pass(BEAT);
		long sentAt = this.now.get();
		pass(1);
		receive();
		this.lease.confirm(sentAt);
		assertThat(this.lease.remaining()).isEqualTo(before - BEAT - 1);
		transact();
		assertThat(this.lease.remaining()).isEqualTo(SESSION / 3 * 2 - 1);
	}

	@Test
	void theFirstTransactionAfterAnIdleTimeCountsAlthoughAReceiptOvertakesIt() {
		idle();
		pass(BEAT);
		long sentAt = this.now.get();
		pass(1);
		receive();
		this.lease.confirm(sentAt);
		assertThat(this.lease.remaining()).isEqualTo(SESSION / 2 - 1);
	}

	@Test
	void theReceiptsThemselvesAreNoTransactionOfTheirs() {
		forgetTheFirst();
		transact();
		pass(GAP);
		transact();
		assertThat(this.lease.isValid()).isFalse();
	}

	@Test
	void oneChainAloneIsGoodForNoLongerThanTheOneBeforeIt() {
		pass(SESSION - 500);
		receive();
		pass(GAP);
		receive();
		transact();
		assertThat(this.lease.remaining()).isEqualTo(400 - GAP);
	}

	@Test
	void afterALongFreezeTheLeaseComesBackWithTheSecondChain() {
		for (int i = 0; i < 5; i++) {
			beat();
			pass(BEAT);
		}
		pass(SESSION - BEAT);
		beat();
		assertThat(this.lease.isValid()).isFalse();
		pass(BEAT);
		beat();
		assertThat(this.lease.isValid()).isFalse();
		pass(BEAT);
		beat();
		assertThat(this.lease.remaining()).isEqualTo(SESSION / 3 * 2);
	}

	@Test
	void aLostConnectionShowsThatTheLeaderHeardOfTheNextOne() {
		transact();
		pass(SESSION / 2);
		this.lease.disconnected(this.now.get());
		pass(50);
		transact();
		assertThat(this.lease.remaining()).isEqualTo(SESSION / 2 - 50 - 100);
	}

	@Test
	void aLostConnectionShowsNothingWithoutATransactionBehindIt() {
		forgetTheFirst();
		this.lease.disconnected(this.now.get());
		pass(50);
		receive();
		assertThat(this.lease.isValid()).isFalse();
	}

	@Test
	void i4WhatIsLostWithOneConnectionIsOnePieceOfEvidence() {
		transact();
		pass(SESSION / 2);
		for (int i = 0; i < 10; i++) {
			this.lease.disconnected(this.now.get());
			pass(BEAT / 2);
		}
		transact();
		assertThat(this.lease.isValid()).isFalse();
	}

	@Test
	void afterALostConnectionTheLastChainThatNothingCameThroughBehindDoesNotCount() {
		idle();
		// Its second receipt was the last that was heard of the leader
		long last = this.now.get() - BEAT;
		pass(SESSION / 2);
		this.lease.disconnected(this.now.get());
		transact();
		assertThat(this.lease.remaining()).isEqualTo(last - BEAT + SESSION - this.now.get());
	}

	@Test
	void i1AnOlderAnswerThatComesLateDoesNotShortenIt() {
		beat();
		pass(BEAT);
		beat();
		long remaining = this.lease.remaining();
		this.lease.confirm(this.now.get() - 100);
		assertThat(this.lease.remaining()).isEqualTo(remaining);
	}

	// So that nothing is known but what comes now, and the chain before it is no bound
	private void forgetTheFirst() {
		pass(FULL);
		this.lease.disconnected(this.now.get() - FULL - 50);
	}

	// Ends one beat after the last receipt
	private void idle() {
		for (int i = 0; i < 50; i++) {
			receive();
			pass(BEAT);
		}
		receive();
	}

	private void pass(long nanos) {
		this.now.addAndGet(nanos);
	}

	private void receive() {
		this.lease.received(this.now.get());
	}

	private void transact() {
		this.lease.confirm(this.now.get());
	}

	private void beat() {
		receive();
		transact();
	}

}
