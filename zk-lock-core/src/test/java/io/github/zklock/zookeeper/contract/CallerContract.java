package io.github.zklock.zookeeper.contract;

/**
 * What callers may rely on while sessions and servers last.
 */
interface CallerContract extends ExclusionContract, SharingContract, TimeoutContract, GivingUpContract, ClosingContract,
		ReentrancyContract, HandleContract, TokenContract, SeveralKeysContract, ThreadOwnedLockContract,
		ThreadReadWriteLockContract, WorkContract {

}
