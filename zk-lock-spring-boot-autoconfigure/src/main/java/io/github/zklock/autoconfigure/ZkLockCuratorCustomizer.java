package io.github.zklock.autoconfigure;

import org.apache.curator.framework.CuratorFrameworkFactory;

/**
 * Changes the Curator client that is built from the {@code zk-lock} properties. Not asked
 * when there is a {@code CuratorFramework} bean. Several are asked in the order of their
 * beans. What ZooKeeper's own client is to know is in
 * {@code builder.getZkClientConfig()}.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface ZkLockCuratorCustomizer {

	/**
	 * Changes the builder.
	 * @param builder all properties have been set
	 */
	void customize(CuratorFrameworkFactory.Builder builder);

}
