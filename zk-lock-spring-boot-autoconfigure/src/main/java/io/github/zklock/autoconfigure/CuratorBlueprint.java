package io.github.zklock.autoconfigure;

import org.apache.curator.framework.CuratorFramework;

/**
 * Builds connections as the {@code zk-lock} properties describe them.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface CuratorBlueprint {

	/**
	 * Builds a connection.
	 * @return a new Curator client that is not started
	 */
	CuratorFramework build();

}
