package io.github.zklock.zookeeper.contract;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.fixture.ZooKeeperFixture;

/**
 * One or more chapters of the contract. A subclass says which, for which strategy and on
 * which servers; most tests run in mode EXCLUSIVE and in the modes READ and WRITE.
 */
@Timeout(60)
abstract class ContractTests implements ServerContract {

	@RegisterExtension
	final ZooKeeperFixture zk;

	private final String strategy;

	ContractTests(String strategy, ZooKeeperFixture zk) {
		this.strategy = strategy;
		this.zk = zk;
	}

	@Override
	public ZooKeeperFixture zk() {
		return this.zk;
	}

	@Override
	public String strategy() {
		return this.strategy;
	}

}
