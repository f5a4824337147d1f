package io.github.zklock.zookeeper.contract;

import org.junit.jupiter.api.Tag;

import io.github.zklock.fixture.ZooKeeperFixture;

/**
 * The contract, kept by the strategy {@code sequential} on three servers.
 */
@Tag("slow")
class SequentialOnThreeServersLockContractTests extends LockContractTests {

	SequentialOnThreeServersLockContractTests() {
		super("sequential", ZooKeeperFixture.onThreeServers());
	}

}
