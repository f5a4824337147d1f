package io.github.zklock.internal.session;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RoundTripTests {

	private static final int MANY = 2_000;

	private final RoundTrip way = new RoundTrip();

	@Test
	void i2AtFirstTheServersAreTakenToBeNear() {
		assertThat(this.way.isLong()).isFalse();
		answered(10 * RoundTrip.FAR_NANOS, RoundTrip.SOME - 1);
		assertThat(this.way.isLong()).isFalse();
	}

	@Test
	void i2SomeAnswersShowALongWay() {
		answered(2 * RoundTrip.FAR_NANOS, RoundTrip.SOME);
		assertThat(this.way.isLong()).isTrue();
	}

	@Test
	void i2OneEarlyAnswerAmongTheFirstShowsThatTheWayIsShort() {
		this.way.answered(RoundTrip.FAR_NANOS / 5);
		answered(2 * RoundTrip.FAR_NANOS, RoundTrip.SOME);
		assertThat(this.way.isLong()).isFalse();
	}

	@Test
	void i1ALongWayIsBelievedInTheEnd() {
		answered(RoundTrip.FAR_NANOS / 5, MANY);
		answered(2 * RoundTrip.FAR_NANOS, MANY);
		assertThat(this.way.isLong()).isTrue();
	}

	@Test
	void i1OneEarlyAnswerInAWhileShowsThatTheWayIsShort() {
		for (int i = 0; i < 20; i++) {
			answered(20 * RoundTrip.FAR_NANOS, MANY / 4);
			this.way.answered(RoundTrip.FAR_NANOS / 5);
			assertThat(this.way.isLong()).isFalse();
		}
	}

	@Test
	void i1LateAnswersOnALongWayChangeNothing() {
		answered(2 * RoundTrip.FAR_NANOS, MANY);
		answered(Long.MAX_VALUE, 10 * MANY);
		answered(RoundTrip.FAR_NANOS, 1);
		assertThat(this.way.isLong()).isFalse();
	}

	@Test
	void i2BehindALostConnectionSomeAnswersShowTheWayAnew() {
		answered(RoundTrip.FAR_NANOS / 5, MANY);
		this.way.connectionLost();
		answered(2 * RoundTrip.FAR_NANOS, RoundTrip.SOME - 1);
		assertThat(this.way.isLong()).isFalse();
		answered(2 * RoundTrip.FAR_NANOS, 1);
		assertThat(this.way.isLong()).isTrue();
	}

	@Test
	void i2BehindALostConnectionOneEarlyAnswerShowsThatTheWayIsShort() {
		answered(2 * RoundTrip.FAR_NANOS, MANY);
		this.way.connectionLost();
		answered(3 * RoundTrip.FAR_NANOS, RoundTrip.SOME - 2);
		assertThat(this.way.isLong()).isTrue();
		this.way.answered(RoundTrip.FAR_NANOS / 5);
		assertThat(this.way.isLong()).isFalse();
		answered(3 * RoundTrip.FAR_NANOS, 1);
		assertThat(this.way.isLong()).isFalse();
	}

	private void answered(long nanos, int times) {
		for (int i = 0; i < times; i++) {
			this.way.answered(nanos);
		}
	}

}
