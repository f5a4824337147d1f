package io.github.zklock.zookeeper.contract;

import io.github.zklock.fixture.ZooKeeperFixture;

/**
 * The contract of locks while sessions and servers last, kept by the strategy
 * {@code naive} on one server.
 */
class NaiveLockContractTests extends ContractTests implements LockingContract, RequestsContract {

	NaiveLockContractTests() {
		super("naive", ZooKeeperFixture.onOneServer());
	}

}
