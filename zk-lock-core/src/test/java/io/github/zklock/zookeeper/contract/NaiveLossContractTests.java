package io.github.zklock.zookeeper.contract;

import io.github.zklock.fixture.ZooKeeperFixture;

/**
 * What becomes of holders and waiters whose session or node ends, with the strategy
 * {@code naive} on one server.
 */
class NaiveLossContractTests extends ContractTests implements LossContract {

	NaiveLossContractTests() {
		super("naive", ZooKeeperFixture.onOneServer());
	}

}
