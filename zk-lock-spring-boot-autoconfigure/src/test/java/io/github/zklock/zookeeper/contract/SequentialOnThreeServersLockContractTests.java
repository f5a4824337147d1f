package io.github.zklock.zookeeper.contract;

import io.github.zklock.testing.ZooKeeperFixture;

/**
 * The contract, kept by the strategy {@code sequential} on three servers.
 */
class SequentialOnThreeServersLockContractTests extends LockContractTests {

	SequentialOnThreeServersLockContractTests() {
		super("sequential", ZooKeeperFixture.onThreeServers());
	}

}
