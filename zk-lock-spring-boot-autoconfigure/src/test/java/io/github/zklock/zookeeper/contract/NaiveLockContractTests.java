package io.github.zklock.zookeeper.contract;

import io.github.zklock.testing.ZooKeeperFixture;

/**
 * The contract, kept by the strategy {@code naive} on one server, which may also go away.
 */
class NaiveLockContractTests extends LockContractTests implements OutageContract {

	NaiveLockContractTests() {
		super("naive", ZooKeeperFixture.onOneServer());
	}

}
