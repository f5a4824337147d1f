package io.github.zklock.internal.client;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;

import org.junit.jupiter.api.Test;

import io.github.zklock.Handoff;
import io.github.zklock.LockListener;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.MemoryStrategy;
import io.github.zklock.internal.cohort.Cohorts;
import io.github.zklock.internal.concurrent.Deadline;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.zookeeper.Engines;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An acquisition that is decided before it has entered.
 */
class AcquisitionTests {

	@Test
	void i2WhatWasGivenUpBeforeItEnteredLeaves() {
		MemoryStrategy strategy = new MemoryStrategy(false);
		Cohorts cohorts = new Cohorts((nanos, step) -> {
		}, () -> 0, (key) -> Handoff.DEFAULT, () -> true, new StepFailures());
		LockRequest request = LockRequest.exclusive("key").owner("owner");
		Acquisition acquisition = new Acquisition(Engines.host(Engines.client(strategy, new LockListener() {
		})), new ResolvedRequest(request, "memory", strategy, "owner", Deadline.in(Duration.ofMinutes(1), () -> 0)),
				List.of());
		acquisition.fail(new CancellationException());
		acquisition.entered(cohorts.enter(acquisition.attempt(), strategy, acquisition));
		assertThat(strategy.length()).isZero();
		assertThat(cohorts.count()).isZero();
	}

}
