package io.github.zklock.benchmarks.process;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CountingServerTests {

	private static final String HOLDER_AND_WAITER = """
			SessionTracker dump:
			Session Sets (1)/(2):
			2 expire at Thu Nov 26 15:00:00 UTC 2026:
			\t0x10000a
			\t0x10000b
			ephemeral nodes dump:
			Sessions with Ephemerals (2):
			0x10000a:
			\t/locks/k/_c_1-lock-0000000000
			0x10000b:
			\t/locks/k/_c_2-lock-0000000001
			""";

	@Test
	void whoWatchesTheNodeOfAnotherWaits() {
		assertThat(CountingServer.waiting("0x10000b\n\t/locks/k/_c_1-lock-0000000000\n", HOLDER_AND_WAITER)).isOne();
	}

	@Test
	void whoHoldsForLongAndWatchesItsOwnNodeDoesNot() {
		assertThat(CountingServer.waiting("0x10000a\n\t/locks/k/_c_1-lock-0000000000\n", HOLDER_AND_WAITER)).isZero();
	}

	@Test
	void whoseWatchesHaveFiredDoesNot() {
		assertThat(CountingServer.waiting("0x10000b\n", HOLDER_AND_WAITER)).isZero();
	}

	@Test
	void oneThatWatchesMuchIsCountedOnce() {
		assertThat(CountingServer.waiting(
				"0x10000b\n\t/locks/k\n\t/locks/k/_c_1-lock-0000000000\n\t/locks/k/_c_2-lock-0000000001\n",
				HOLDER_AND_WAITER))
			.isOne();
	}

}
