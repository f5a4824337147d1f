package io.github.zklock.zookeeper.contract;

import io.github.zklock.testing.ZooKeeperFixture;

/**
 * The contract, kept by the strategy {@code sequential} on one server, which may also go
 * away.
 */
class SequentialLockContractTests extends LockContractTests implements OutageContract {

	SequentialLockContractTests() {
		super("sequential", ZooKeeperFixture.onOneServer());
	}

}
