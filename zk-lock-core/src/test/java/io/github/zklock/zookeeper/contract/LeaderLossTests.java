package io.github.zklock.zookeeper.contract;

import io.github.zklock.fixture.ZooKeeperFixture;

/**
 * What becomes of leaders and candidates whose session ends, on one server.
 */
class LeaderLossTests extends ContractTests implements LeaderLossContract {

	LeaderLossTests() {
		super("sequential", ZooKeeperFixture.onOneServer());
	}

}
