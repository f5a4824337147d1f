package io.github.zklock.zookeeper.contract;

import io.github.zklock.fixture.ZooKeeperFixture;

/**
 * The whole contract except outages, which need a server that can be stopped.
 */
abstract class LockContractTests extends ContractTests implements ClientContract, RequestsContract, LossContract {

	LockContractTests(String strategy, ZooKeeperFixture zk) {
		super(strategy, zk);
	}

}
