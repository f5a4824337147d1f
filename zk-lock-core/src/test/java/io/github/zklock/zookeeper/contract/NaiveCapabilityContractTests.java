package io.github.zklock.zookeeper.contract;

import io.github.zklock.fixture.ZooKeeperFixture;

/**
 * The contract of what goes beyond locks, kept by the strategy {@code naive} on one
 * server.
 */
class NaiveCapabilityContractTests extends ContractTests implements CapabilityContract {

	NaiveCapabilityContractTests() {
		super("naive", ZooKeeperFixture.onOneServer());
	}

}
