package io.github.zklock.zookeeper;

import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The lease counts from when a transaction was sent, as far as the leader must have heard
 * of the session lately.
 */
class LeaseTests {

	private static final long SESSION = 2400;

	private static final long BEAT = SESSION / 6;

	private static final long MATURE = SESSION / 8;

	private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 300);

	private final Lease lease = new Lease(this.now::get, SESSION);

	@Test
	void isNotValidBeforeTheFirstTransaction() {
		assertThat(this.lease.isValid()).isFalse();
		this.lease.answered(this.now.get());
		pass(MATURE);
		this.lease.answered(this.now.get());
		assertThat(this.lease.isValid()).isFalse();
	}

	@Test
	void theFirstTransactionsLastUntilAThirdOfTheSessionAfterTheTakeOverAcrossTheOverflowOfTheClock() {
		long takenOver = this.now.get();
		pass(200);
		transact();
		pass(MATURE - 200);
		transact();
		assertThat(this.lease.remaining()).isEqualTo(takenOver + SESSION / 3 - this.now.get());
		pass(this.lease.remaining() - 1);
		assertThat(this.lease.isValid()).isTrue();
		pass(1);
		assertThat(this.lease.isValid()).isFalse();
	}

	@Test
	void aTransactionEverySixthOfTheSessionGivesTwoThirds() {
		for (int i = 0; i < 5; i++) {
			transact();
			pass(BEAT);
		}
		assertThat(this.lease.remaining()).isEqualTo(SESSION / 3 * 2 - BEAT);
	}

	@Test
	void theFirstTransactionAfterAnIdleTimeWithReadsGivesTwoThirds() {
		for (int i = 0; i < 50; i++) {
			this.lease.answered(this.now.get());
			pass(BEAT);
		}
		assertThat(this.lease.isValid()).isFalse();
		transact();
		assertThat(this.lease.remaining()).isEqualTo(SESSION / 3 * 2);
	}

	@Test
	void manyTransactionsInARowGiveNoMoreThanTwoThirds() {
		pass(SESSION);
		this.lease.answered(this.now.get());
		pass(MATURE);
		for (int i = 0; i < 500; i++) {
			transact();
			assertThat(this.lease.remaining()).isBetween(SESSION / 2, SESSION / 3 * 2);
			pass(10);
		}
	}

	@Test
	void afterAFreezeATransactionCountsOnlyFromTheRequestBeforeIt() {
		for (int i = 0; i < 5; i++) {
			transact();
			pass(BEAT);
		}
		pass(SESSION / 2 - BEAT);
		transact();
		assertThat(this.lease.remaining()).isEqualTo(SESSION / 6 * 5 - SESSION / 2);
	}

	@Test
	void afterALongFreezeALoneTransactionCountsForNothing() {
		transact();
		pass(SESSION - 100);
		transact();
		assertThat(this.lease.isValid()).isFalse();
		pass(MATURE);
		transact();
		assertThat(this.lease.remaining()).isEqualTo(SESSION / 3 * 2);
	}

	@Test
	void aRequestThatWasAnsweredTooLatelyDoesNotCount() {
		pass(SESSION);
		long sentAt = this.now.get();
		pass(BEAT);
		this.lease.answered(sentAt);
		pass(MATURE - 1);
		transact();
		assertThat(this.lease.isValid()).isFalse();
		pass(1);
		transact();
		assertThat(this.lease.remaining()).isEqualTo(SESSION / 6 * 5 - BEAT - MATURE);
	}

	@Test
	void aLostConnectionShowsThatTheLeaderHeardOfTheNextOne() {
		pass(SESSION);
		this.lease.disconnected(this.now.get());
		assertThat(this.lease.isValid()).isFalse();
		pass(50);
		transact();
		assertThat(this.lease.remaining()).isEqualTo(SESSION / 3 * 2);
	}

	@Test
	void anOlderAnswerThatComesLateDoesNotShortenIt() {
		transact();
		pass(BEAT);
		long sentAt = this.now.get();
		this.lease.confirm(sentAt);
		long remaining = this.lease.remaining();
		this.lease.confirm(sentAt - 100);
		assertThat(this.lease.remaining()).isEqualTo(remaining);
	}

	private void pass(long nanos) {
		this.now.addAndGet(nanos);
	}

	private void transact() {
		this.lease.confirm(this.now.get());
	}

}
