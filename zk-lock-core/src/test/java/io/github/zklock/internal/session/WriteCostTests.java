package io.github.zklock.internal.session;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class WriteCostTests {

	private final WriteCost cost = new WriteCost();

	@Test
	void followsTheAnswers() {
		assertThat(this.cost.nanos()).isEqualTo(WriteCost.START_NANOS);
		for (int i = 0; i < 100; i++) {
			this.cost.answered(200_000);
		}
		assertThat(this.cost.nanos()).isBetween(200_000L, 201_000L);
	}

	@Test
	void i1ALateAnswerChangesNothing() {
		for (int i = 0; i < 3 * WriteCost.BELIEVED; i++) {
			this.cost.answered(WriteCost.START_NANOS);
			this.cost.answered(1000 * WriteCost.START_NANOS);
		}
		assertThat(this.cost.nanos()).isEqualTo(WriteCost.START_NANOS);
	}

	@Test
	void i1WhatStaysLateIsBelieved() {
		long slow = 50 * WriteCost.START_NANOS;
		for (int i = 1; i < WriteCost.BELIEVED; i++) {
			this.cost.answered(slow);
			assertThat(this.cost.nanos()).isEqualTo(WriteCost.START_NANOS);
		}
		for (int i = 0; i < 100; i++) {
			this.cost.answered(slow);
		}
		assertThat(this.cost.nanos()).isBetween(slow * 9 / 10, slow);
	}

	@Test
	void isToldOnceSomeWritesWereAnswered() {
		for (int i = 1; i < WriteCost.SOME; i++) {
			this.cost.answered(WriteCost.START_NANOS);
			assertThat(this.cost.saidNanos()).isZero();
		}
		this.cost.answered(WriteCost.START_NANOS);
		assertThat(this.cost.saidNanos()).isEqualTo(WriteCost.START_NANOS);
	}

	@Test
	void isNeverZero() {
		for (int i = 0; i < 1000; i++) {
			this.cost.answered(0);
		}
		assertThat(this.cost.nanos()).isPositive();
	}

}
