package io.github.zklock.zookeeper.contract;

/**
 * What callers may rely on while sessions and servers last.
 */
interface CallerContract extends ClientContract, RequestsContract {

}
