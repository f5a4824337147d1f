package io.github.zklock.zookeeper.contract;

import io.github.zklock.fixture.ZooKeeperFixture;

/**
 * What ends in an outage that is longer than the lease, with the strategy
 * {@code sequential} on one server.
 */
class SequentialLeaseContractTests extends ContractTests implements LeaseContract {

	SequentialLeaseContractTests() {
		super("sequential", ZooKeeperFixture.onOneServer());
	}

}
