package io.github.zklock.zookeeper.contract;

import io.github.zklock.testing.ZooKeeperFixture;

/**
 * The contract, kept by the strategy {@code naive} on three servers.
 */
class NaiveOnThreeServersLockContractTests extends LockContractTests {

	NaiveOnThreeServersLockContractTests() {
		super("naive", ZooKeeperFixture.onThreeServers());
	}

}
