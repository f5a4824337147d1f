package io.github.zklock.autoconfigure;

import org.apache.curator.framework.CuratorFrameworkFactory;

/**
 * Changes the Curator client that is built from the {@code zk-lock} properties. Not asked
 * when there is a {@code CuratorFramework} bean.
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
