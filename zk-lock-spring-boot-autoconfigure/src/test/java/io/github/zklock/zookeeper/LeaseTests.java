package io.github.zklock.zookeeper;

import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The lease counts from when a request was sent.
 */
class LeaseTests {

	private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 100);

	private final Lease lease = new Lease(this.now::get);

	@Test
	void isNotValidBeforeTheFirstAnswer() {
		assertThat(this.lease.isValid()).isFalse();
	}

	@Test
	void lastsTwoThirdsOfTheSessionFromTheSendTimeAcrossTheOverflowOfTheClock() {
		long sentAt = this.now.get();
		this.now.addAndGet(100);
		this.lease.confirm(sentAt, 900);
		assertThat(this.lease.remaining()).isEqualTo(500);
		this.now.addAndGet(499);
		assertThat(this.lease.isValid()).isTrue();
		this.now.addAndGet(1);
		assertThat(this.lease.isValid()).isFalse();
	}

	@Test
	void anOlderAnswerThatComesLateDoesNotShortenIt() {
		long sentAt = this.now.get();
		this.lease.confirm(sentAt + 50, 900);
		this.lease.confirm(sentAt, 900);
		assertThat(this.lease.remaining()).isEqualTo(650);
	}

}
