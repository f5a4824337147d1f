package io.github.zklock.zookeeper.contract;

import io.github.zklock.fixture.ZooKeeperFixture;

/**
 * The contract of what goes beyond locks, kept by the strategy {@code sequential} on one
 * server.
 */
class SequentialCapabilityContractTests extends ContractTests implements CapabilityContract {

	SequentialCapabilityContractTests() {
		super("sequential", ZooKeeperFixture.onOneServer());
	}

}
