package io.github.zklock.autoconfigure;

import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;

/**
 * Where the ZooKeeper servers are. A bean of this type wins over
 * {@code zk-lock.connect-string}.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface ZkLockConnectionDetails extends ConnectionDetails {

	/**
	 * Returns where the servers are.
	 * @return {@code host:port} pairs with commas between them, optionally followed by a
	 * path
	 */
	String connectString();

}
