package io.github.zklock.zookeeper;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockMode;
import io.github.zklock.LockRequest;
import io.github.zklock.fixture.ContendingCallers;
import io.github.zklock.fixture.Section;
import io.github.zklock.fixture.ZooKeeperFixture;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A strategy that does not exclude must make the exclusion tests of the contract red.
 */
class BrokenStrategyTests {

	@RegisterExtension
	final ZooKeeperFixture zk = ZooKeeperFixture.onOneServer();

	@Test
	void writersOfTwoClientsAreSeenToOverlap() {
		Section section = ContendingCallers.between(open(), open())
			.threads(2)
			.rounds(15)
			.run((round) -> LockRequest.exclusive("orders"));
		assertThat(section.violations()).anyMatch((line) -> line.contains("2 writers"));
	}

	@Test
	void readersAreSeenToOverlapWithWriters() {
		Section section = ContendingCallers.between(open(), open())
			.threads(2)
			.rounds(15)
			.run((round) -> LockRequest.exclusive("orders").mode((round % 2 == 0) ? LockMode.READ : LockMode.WRITE));
		assertThat(section.violations()).anyMatch((line) -> line.matches(".*[1-9] writers and [1-9] readers.*"));
	}

	@Test
	void theStrategyOfTheUsersOwnIsTheOneThatIsUsed() throws Exception {
		try (LockHandle one = open().acquire(LockRequest.exclusive("orders"));
				LockHandle two = open().acquire(LockRequest.exclusive("orders"))) {
			assertThat(one.isHeld()).isTrue();
			assertThat(two.isHeld()).isTrue();
			assertThat(this.zk.contenders("orders")).isEmpty();
		}
	}

	private LockClient open() {
		return this.zk.client()
			.with((builder) -> builder.strategy("broken", new GrantsAtOnceStrategy()).strategy("broken"))
			.open();
	}

}
