package io.github.zklock.zookeeper.contract;

import org.junit.jupiter.api.Tag;

import io.github.zklock.fixture.ZooKeeperFixture;

/**
 * What callers are told in an outage, with the strategy {@code naive} on one server.
 */
@Tag("slow")
class NaiveOutageContractTests extends ContractTests implements OutageContract {

	NaiveOutageContractTests() {
		super("naive", ZooKeeperFixture.onOneServer());
	}

}
