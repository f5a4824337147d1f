/**
 * What every strategy must do, on whatever servers: each interface is one chapter of the
 * contract, and {@link io.github.zklock.zookeeper.contract.ContractTests} puts them
 * together.
 */
package io.github.zklock.zookeeper.contract;
