package io.github.zklock.zookeeper.contract;

/**
 * What callers may rely on of any lock client, also of one without a server.
 */
public interface ClientContract extends ExclusionContract, SharingContract, TimeoutContract, GivingUpContract,
		ClosingContract, ReentrancyContract, HandleContract, TokenContract, SeveralKeysContract,
		ThreadOwnedLockContract, ThreadReadWriteLockContract, WorkContract, LeadershipContract, DowngradeContract,
		ContentionContract, AskingContract, PermitContract, JobContract, SharesContract {

}
