package io.github.zklock.zookeeper.contract;

/**
 * What callers may rely on of any lock client, also of one without a server.
 */
public interface ClientContract extends LockingContract, CapabilityContract {

}
