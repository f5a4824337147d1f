package io.github.zklock.zookeeper;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.client.ZKClientConfig;

import io.github.zklock.LockUnavailableException;

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

	/**
	 * Takes a Curator client for a model. Its credentials cannot be read from it.
	 * @param model a started client
	 * @return builds connections to its servers, with the configuration of its ZooKeeper
	 * client, but without its credentials; throws {@link LockUnavailableException} as
	 * long as it has never been connected
	 */
	static CuratorBlueprint like(CuratorFramework model) {
		return () -> {
			try {
				ZKClientConfig config = model.getZookeeperClient().getZooKeeper().getClientConfig();
				return CuratorFrameworkFactory.builder()
					.connectString(model.getZookeeperClient().getCurrentConnectionString())
					.ensembleTracker(false)
					.zkClientConfig(config)
					.retryPolicy(new RetryOneTime(100))
					.build();
			}
			catch (Exception ex) {
				throw new LockUnavailableException("The CuratorFramework of the locks is not connected", ex);
			}
		};
	}

}
