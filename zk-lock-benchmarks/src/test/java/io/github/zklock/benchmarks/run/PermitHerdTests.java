package io.github.zklock.benchmarks.run;

import org.junit.jupiter.api.Test;

import io.github.zklock.benchmarks.peer.Contestant;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whom a permit that is released wakes. It takes long, so other tests run beside it.
 */
class PermitHerdTests extends CrewFixture {

	@Test
	void oneReleasedPermitWakesTheFrontOfAQueueAndAllInAHerd() {
		PermitHerd herd = new PermitHerd(site);
		assertThat(herd.measure(Contestant.SEQUENTIAL, 6).releases()).hasSize(2)
			.allMatch((release) -> release.watchEvents() >= 1 && release.watchEvents() <= 2);
		assertThat(herd.measure(Contestant.CURATOR_SEMAPHORE, 6).releases()).hasSize(2)
			.allMatch((release) -> release.watchEvents() >= 1);
		assertThat(herd.measure(Contestant.NAIVE, 6).releases()).hasSize(2)
			.allMatch((release) -> release.watchEvents() >= 6);
	}

}
