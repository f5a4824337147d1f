package io.github.zklock.zookeeper.contract;

import org.junit.jupiter.api.Tag;

import io.github.zklock.fixture.ZooKeeperFixture;

/**
 * What is true after an outage, with the strategy {@code naive} on one server.
 */
@Tag("slow")
class NaiveRecoveryContractTests extends ContractTests implements RecoveryContract {

	NaiveRecoveryContractTests() {
		super("naive", ZooKeeperFixture.onOneServer());
	}

}
