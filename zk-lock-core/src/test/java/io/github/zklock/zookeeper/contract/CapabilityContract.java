package io.github.zklock.zookeeper.contract;

/**
 * What callers may rely on of that which is built on locks, or goes beyond them.
 */
interface CapabilityContract
		extends LeadershipContract, ContentionContract, AskingContract, PermitContract, JobContract, SharesContract {

}
