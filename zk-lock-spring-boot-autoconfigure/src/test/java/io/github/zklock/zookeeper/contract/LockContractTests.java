package io.github.zklock.zookeeper.contract;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.zklock.testing.ZooKeeperFixture;

/**
 * The whole contract. A subclass says for which strategy and on which servers; most tests
 * run in mode EXCLUSIVE and in the modes READ and WRITE.
 */
@Timeout(60)
abstract class LockContractTests implements ExclusionContract, SharingContract, TimeoutContract, GivingUpContract,
		ClosingContract, ReentrancyContract, HandleContract, TokenContract, SeveralKeysContract, LossContract,
		ThreadLockContract, ThreadReadWriteLockContract {

	@RegisterExtension
	final ZooKeeperFixture zk;

	private final String strategy;

	LockContractTests(String strategy, ZooKeeperFixture zk) {
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
