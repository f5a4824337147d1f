package io.github.zklock.zookeeper.contract;

import io.github.zklock.fixture.ZooKeeperFixture;

/**
 * What ends in an outage that is longer than the lease, with the strategy {@code naive}
 * on one server.
 */
class NaiveLeaseContractTests extends ContractTests implements LeaseContract {

	NaiveLeaseContractTests() {
		super("naive", ZooKeeperFixture.onOneServer());
	}

}
