package io.github.zklock.zookeeper.contract;

import io.github.zklock.fixture.ZooKeeperFixture;

/**
 * The contract while sessions and servers last, kept by the strategy {@code naive} on one
 * server.
 */
class NaiveLockContractTests extends ContractTests implements CallerContract {

	NaiveLockContractTests() {
		super("naive", ZooKeeperFixture.onOneServer());
	}

}
