package io.github.zklock.zookeeper.contract;

import io.github.zklock.fixture.ZooKeeperFixture;

/**
 * What callers are told in an outage, with the strategy {@code sequential} on one server.
 */
class SequentialOutageContractTests extends ContractTests implements OutageContract {

	SequentialOutageContractTests() {
		super("sequential", ZooKeeperFixture.onOneServer());
	}

}
