package io.github.zklock.zookeeper.contract;

import io.github.zklock.fixture.ZooKeeperFixture;

/**
 * What is true after an outage, with the strategy {@code naive} on one server.
 */
class NaiveRecoveryContractTests extends ContractTests implements RecoveryContract {

	NaiveRecoveryContractTests() {
		super("naive", ZooKeeperFixture.onOneServer());
	}

}
