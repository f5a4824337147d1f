package io.github.zklock.internal.session;

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
	void aTransactionCannotConfirmWhatIsOverByThen() {
		pass(FULL - 101);
		assertThat(this.lease.canBeConfirmed()).isTrue();
		pass(1);
		assertThat(this.lease.canBeConfirmed()).isFalse();
		transact();
		assertThat(this.lease.isValid()).isFalse();
	}

	@Test
	void isLongUntilAChainTakesLongerThanItLasts() {
		transact();
		assertThat(this.lease.isLong()).isTrue();
		pass(FULL - 100 - GAP);
		assertThat(this.lease.isLong()).isTrue();
		pass(1);
		assertThat(this.lease.isLong()).isFalse();
		assertThat(this.lease.isValid()).isTrue();
	}

	@Test
	void aSessionThatIsCutLastsForLessByTheDifference() {
		transact();
		this.lease.shorten(SESSION / 2);
		assertThat(this.lease.remaining()).isEqualTo(FULL - 100 - SESSION / 2);
		transact();
		assertThat(this.lease.remaining()).isEqualTo(FULL - 100 - SESSION / 2);
		for (int i = 0; i < 10; i++) {
			pass(BEAT / 2);
			beat();
		}
		assertThat(this.lease.remaining()).isEqualTo(SESSION / 2 / 3 * 2);
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
		transact();
		long until = until();
		receive();
		assertThat(this.lease.gapLeft()).isEqualTo(GAP);
		pass(GAP - 1);
		assertThat(this.lease.gapLeft()).isOne();
		receive();
		transact();
		assertThat(until()).isEqualTo(until);
	}

	@Test
	void theGapIsCountedFromTheAnswerToWhenTheNextIsSent() {
		transact();
		long until = until();
		pass(GAP - 1);
		long sentAt = this.now.get();
		pass(50);
		this.lease.received(sentAt);
		transact();
		assertThat(until()).isEqualTo(until);
		pass(GAP);
		receive();
		transact();
		assertThat(until()).isGreaterThan(until);
	}

	@Test
	void i3ATransactionThatWasSentBeforeTheSecondReceiptWasAnsweredShowsWhatWasKnownBefore() {
		idle();
		transact();
		long before = until();
		pass(BEAT);
		long sentAt = this.now.get();
		pass(1);
		receive();
		this.lease.confirm(sentAt);
		assertThat(until()).isEqualTo(before);
		transact();
		assertThat(this.lease.remaining()).isEqualTo(SESSION / 3 * 2 - 1);
	}

	@Test
	void theFirstTransactionAfterAnIdleTimeIsGoodAlthoughAReceiptOvertakesIt() {
		idle();
		pass(BEAT);
		long sentAt = this.now.get();
		pass(1);
		receive();
		this.lease.confirm(sentAt);
		assertThat(this.lease.remaining()).isEqualTo(SESSION / 2 - 1);
	}

	@Test
	void aTransactionCompletesAChainButNotForItself() {
		transact();
		long until = until();
		pass(GAP);
		transact();
		assertThat(until()).isEqualTo(until);
		transact();
		assertThat(until()).isGreaterThan(until);
	}

	@Test
	void oneChainIsGoodForNoLongerThanTheOneBeforeIt() {
		idle();
		transact();
		long last = this.now.get();
		pass(SESSION / 2);
		receive();
		pass(GAP);
		receive();
		transact();
		assertThat(until()).isEqualTo(last + SESSION);
	}

	// The leader stands still from the answer to the first until the second is sent, and
	// then handles
	// it before its ping, so the first moment is none. What it hears of the next two
	// comes when
	// it has found the session overdue, and is about to close it.
	@Test
	void i5TwoMomentsThatWereInVainAndOneThatALeaderHasSpoiledBeginNoLease() {
		long unit = SESSION / 12;
		long begin = this.now.get();
		Lease lease = new Lease(this.now::get, SESSION, begin);
		long[] sent = { 1, 8, 10, 12, 12 };
		long[] answered = { 6, 8, 10, 12, 12 };
		for (int i = 0; i < sent.length; i++) {
			this.now.set(begin + answered[i] * unit);
			lease.confirm(begin + sent[i] * unit);
		}
		assertThat(lease.remaining()).isEqualTo(-unit);
	}

	@Test
	void i5ALeaseThatIsOverBeginsAgainWithFourMomentsYoungerThanASession() {
		idle();
		transact();
		pass(SESSION);
		for (int i = 0; i < 4; i++) {
			beat();
			assertThat(this.lease.isValid()).isFalse();
			pass(BEAT);
		}
		beat();
		assertThat(this.lease.remaining()).isEqualTo(SESSION / 3 * 2);
	}

	@Test
	void aTransactionThatIsAnsweredWhileTheLeaseIsValidNeedsNoFourMoments() {
		transact();
		pass(SESSION / 2);
		this.lease.lost(this.now.get());
		pass(50);
		transact();
		assertThat(this.lease.remaining()).isEqualTo(FULL - 50);
	}

	@Test
	void i5AfterALostConnectionALeaseThatIsOverNeedsOneChainMore() {
		idle();
		pass(BEAT);
		this.lease.lost(this.now.get());
		long lost = this.now.get();
		pass(50);
		transact();
		assertThat(this.lease.isValid()).isFalse();
		pass(GAP);
		transact();
		assertThat(this.lease.isValid()).isFalse();
		transact();
		assertThat(until()).isEqualTo(lost + 50 + FULL);
	}

	@Test
	void i5WhatWasTouchedOnAFormerConnectionIsNotOneOfFour() {
		idle();
		this.lease.disconnected(this.lease.lastReceipt());
		transact();
		assertThat(this.lease.isValid()).isFalse();
	}

	@Test
	void aLossThatIsReportedBehindTheNextReceiptSaysNothingOfThatOne() {
		transact();
		long known = this.lease.lastReceipt();
		this.lease.lost(known);
		pass(2 * BEAT);
		this.lease.received(this.now.get());
		this.lease.disconnected(known);
		transact();
		assertThat(this.lease.isValid()).isTrue();
		assertThat(until()).isLessThanOrEqualTo(known + FULL);
	}

	@Test
	void i5WhatMayHaveBeenTouchedOnAFormerConnectionIsNotOneOfFour() {
		idle();
		this.lease.replaced();
		transact();
		assertThat(this.lease.isValid()).isFalse();
		pass(BEAT);
		beat();
		assertThat(this.lease.isValid()).isFalse();
	}

	@Test
	void aConnectionThatWasReplacedTakesNothingFromALeaseThatIsValid() {
		transact();
		long until = until();
		pass(50);
		this.lease.replaced();
		assertThat(until()).isEqualTo(until);
		transact();
		assertThat(until()).isEqualTo(until);
	}

	@Test
	void aConnectionThatTookNothingAlongWasLostAfterItsLastReceipt() {
		transact();
		pass(BEAT);
		receive();
		long last = this.now.get();
		pass(BEAT);
		this.lease.disconnected(this.lease.lastReceipt());
		transact();
		assertThat(until()).isEqualTo(last + FULL);
	}

	@Test
	void aLostConnectionShowsNothingWithoutATransactionBehindIt() {
		transact();
		long until = until();
		pass(50);
		this.lease.lost(this.now.get());
		receive();
		assertThat(until()).isEqualTo(until);
	}

	@Test
	void ofWhatIsLostWithOneConnectionTheLastThatWasSentCounts() {
		transact();
		pass(BEAT);
		this.lease.lost(this.now.get());
		pass(10);
		this.lease.lost(this.now.get());
		long last = this.now.get();
		pass(50);
		transact();
		assertThat(until()).isEqualTo(last + FULL);
	}

	@Test
	void i3WhatWasKnownOfALostConnectionDoesNotServeATransactionThatWasSentBeforeTheLoss() {
		transact();
		long until = until();
		for (int i = 0; i < 3; i++) {
			pass(BEAT);
			receive();
		}
		long sentAt = this.now.get();
		pass(10);
		this.lease.lost(this.now.get());
		pass(50);
		this.lease.confirm(sentAt);
		assertThat(until()).isEqualTo(until);
	}

	@Test
	void whatWasKnownBeforeASessionIsCutDoesNotServeATransactionThatWasSentBefore() {
		transact();
		long until = until();
		pass(BEAT);
		receive();
		pass(BEAT);
		receive();
		pass(BEAT);
		long sentAt = this.now.get();
		pass(1);
		receive();
		this.lease.shorten(SESSION - 10);
		this.lease.confirm(sentAt);
		assertThat(until()).isEqualTo(until - 10);
	}

	@Test
	void i5EachConnectionThatIsLostBeginsTheFourMomentsAnew() {
		for (int i = 0; i < 2; i++) {
			idle();
			this.lease.disconnected(this.lease.lastReceipt());
		}
		transact();
		assertThat(this.lease.isValid()).isFalse();
	}

	@Test
	void i4WhatIsLostWithOneConnectionIsOnePieceOfEvidence() {
		idle();
		for (int i = 0; i < 10; i++) {
			this.lease.lost(this.now.get());
			this.lease.disconnected(this.lease.lastReceipt());
			pass(10);
		}
		transact();
		assertThat(this.lease.isValid()).isFalse();
	}

	@Test
	void i1AnOlderAnswerThatComesLateDoesNotShortenIt() {
		idle();
		transact();
		long until = until();
		this.lease.confirm(this.now.get() - 100);
		assertThat(until()).isEqualTo(until);
	}

	// Ends with the last of many receipts
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

	private long until() {
		return this.now.get() + this.lease.remaining();
	}

}
