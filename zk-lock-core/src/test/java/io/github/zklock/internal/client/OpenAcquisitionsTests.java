package io.github.zklock.internal.client;

import java.util.List;

import org.junit.jupiter.api.Test;

import io.github.zklock.LockMode;
import io.github.zklock.LostReason;
import io.github.zklock.internal.client.HoldInterleavingTests.MemoryLocalGrant;
import io.github.zklock.internal.concurrent.StepFailures;
import io.github.zklock.zookeeper.Engines;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What comes after the end.
 */
class OpenAcquisitionsTests {

	@Test
	void i2AHoldThatIsMadeAfterTheEndIsGivenUp() {
		OpenAcquisitions open = new OpenAcquisitions(
				new ListenerDispatcher(List.of(), Runnable::run, () -> 0, new StepFailures()), Engines.TIMER,
				() -> "servers");
		assertThat(open.close()).isDone();
		MemoryLocalGrant localGrant = new MemoryLocalGrant(LockMode.EXCLUSIVE);
		Hold hold = open.newHold("owner", localGrant);
		assertThat(hold.lostReason()).isEqualTo(LostReason.CLIENT_CLOSED);
		assertThat(localGrant.releases()).isOne();
		assertThat(open.count()).isZero();
	}

}
