package io.github.zklock.zookeeper.contract;

import io.github.zklock.fixture.ZooKeeperFixture;

/**
 * What becomes of holders and waiters whose session or node ends, with the strategy
 * {@code sequential} on one server.
 */
class SequentialLossContractTests extends ContractTests implements LossContract {

	SequentialLossContractTests() {
		super("sequential", ZooKeeperFixture.onOneServer());
	}

}
