package io.github.zklock.zookeeper.contract;

import io.github.zklock.fixture.ZooKeeperFixture;

/**
 * What is true after an outage, with the strategy {@code sequential} on one server.
 */
class SequentialRecoveryContractTests extends ContractTests implements RecoveryContract {

	SequentialRecoveryContractTests() {
		super("sequential", ZooKeeperFixture.onOneServer());
	}

}
