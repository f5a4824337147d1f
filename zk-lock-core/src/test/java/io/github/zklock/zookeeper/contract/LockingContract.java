package io.github.zklock.zookeeper.contract;

/**
 * What callers may rely on of the locks themselves.
 */
interface LockingContract extends ExclusionContract, SharingContract, TimeoutContract, GivingUpContract,
		ClosingContract, ReentrancyContract, HandleContract, TokenContract, SeveralKeysContract,
		ThreadOwnedLockContract, ThreadReadWriteLockContract, WorkContract, DowngradeContract {

}
