package io.github.zklock.zookeeper.contract;

import io.github.zklock.fixture.ZooKeeperFixture;

/**
 * The contract of locks while sessions and servers last, kept by the strategy
 * {@code sequential} on one server.
 */
class SequentialLockContractTests extends ContractTests implements LockingContract, RequestsContract {

	SequentialLockContractTests() {
		super("sequential", ZooKeeperFixture.onOneServer());
	}

}
