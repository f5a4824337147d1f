package io.github.zklock.zookeeper;

import org.apache.curator.framework.CuratorFramework;

/**
 * Builds connections that are all alike: the same servers, credentials and settings.
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
