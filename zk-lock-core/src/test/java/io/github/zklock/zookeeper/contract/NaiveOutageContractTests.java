package io.github.zklock.zookeeper.contract;

import io.github.zklock.fixture.ZooKeeperFixture;

/**
 * What callers are told in an outage, with the strategy {@code naive} on one server.
 */
class NaiveOutageContractTests extends ContractTests implements OutageContract {

	NaiveOutageContractTests() {
		super("naive", ZooKeeperFixture.onOneServer());
	}

}
