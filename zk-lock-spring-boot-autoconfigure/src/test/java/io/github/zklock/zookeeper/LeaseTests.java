package io.github.zklock.zookeeper;

import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The lease counts from when a request was sent, and from when the leader must have heard
 * of an earlier one.
 */
class LeaseTests {

	private static final long SESSION = 2400;

	private static final long BEAT = SESSION / 6;

	private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 300);

	private final Lease lease = new Lease(this.now::get);

	@Test
	void isNotValidBeforeTheFirstAnswer() {
		assertThat(this.lease.isValid()).isFalse();
	}

	@Test
	void theFirstAnswerGivesHalfTheSessionFromItsSendTimeAcrossTheOverflowOfTheClock() {
		long sentAt = this.now.get();
		this.now.addAndGet(400);
		this.lease.confirm(sentAt, SESSION);
		assertThat(this.lease.remaining()).isEqualTo(SESSION / 2 - 400);
		this.now.addAndGet(SESSION / 2 - 401);
		assertThat(this.lease.isValid()).isTrue();
		this.now.addAndGet(1);
		assertThat(this.lease.isValid()).isFalse();
	}

	@Test
	void aSyncEverySixthOfTheSessionGivesTwoThirds() {
		for (int i = 0; i < 5; i++) {
			answerAtOnce();
			this.now.addAndGet(BEAT);
		}
		assertThat(this.lease.remaining()).isEqualTo(SESSION / 3 * 2 - BEAT);
	}

	@Test
	void manyAnswersInARowGiveNoMoreThanTwoThirds() {
		for (int i = 0; i < 500; i++) {
			answerAtOnce();
			this.now.addAndGet(10);
		}
		assertThat(this.lease.remaining()).isBetween(SESSION / 2 - 10, SESSION / 3 * 2 - 10);
	}

	@Test
	void afterAFreezeOneAnswerDoesNotCountInFull() {
		for (int i = 0; i < 3; i++) {
			answerAtOnce();
			this.now.addAndGet(BEAT);
		}
		this.now.addAndGet(SESSION / 3);
		answerAtOnce();
		assertThat(this.lease.remaining()).isEqualTo(SESSION / 2);
	}

	@Test
	void anOlderAnswerThatComesLateDoesNotShortenIt() {
		long sentAt = this.now.get();
		this.lease.confirm(sentAt + 50, SESSION);
		this.lease.confirm(sentAt, SESSION);
		assertThat(this.lease.remaining()).isEqualTo(SESSION / 2 + 50);
	}

	private void answerAtOnce() {
		this.lease.confirm(this.now.get(), SESSION);
	}

}
