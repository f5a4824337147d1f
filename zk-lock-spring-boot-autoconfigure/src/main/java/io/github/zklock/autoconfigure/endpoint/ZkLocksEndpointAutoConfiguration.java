package io.github.zklock.autoconfigure.endpoint;

import java.time.Duration;
import java.util.function.Supplier;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.client.ZKClientConfig;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.util.StringUtils;

import io.github.zklock.LockUnavailableException;
import io.github.zklock.actuate.endpoint.ReleasingZkLocksEndpoint;
import io.github.zklock.actuate.endpoint.ZkLocksEndpoint;
import io.github.zklock.autoconfigure.ZkLockAutoConfiguration;
import io.github.zklock.autoconfigure.ZkLockProperties;
import io.github.zklock.inspect.LockInspector;
import io.github.zklock.zookeeper.CuratorBlueprint;
import io.github.zklock.zookeeper.ZooKeeperLockClient;
import io.github.zklock.zookeeper.ZooKeeperLockInspector;

/**
 * Auto-configuration of the actuator's endpoint {@code zklocks}, when it is exposed.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = ZkLockAutoConfiguration.class)
@ConditionalOnClass({ Endpoint.class, ConditionalOnAvailableEndpoint.class })
@ConditionalOnBean(ZooKeeperLockClient.class)
@ConditionalOnAvailableEndpoint(ZkLocksEndpoint.class)
public final class ZkLocksEndpointAutoConfiguration {

	private static final Duration IDLE = Duration.ofMinutes(1);

	@Bean(destroyMethod = "close")
	@ConditionalOnMissingBean
	LockInspector zkLockInspector(ZooKeeperLockClient client, BeanFactory beans, ZkLockProperties properties,
			ObjectProvider<CuratorBlueprint> blueprint) {
		CuratorBlueprint ours = blueprint.getIfAvailable();
		Supplier<CuratorFramework> connections = (ours != null) ? ours::build
				: () -> another(curator(beans, properties));
		return new ZooKeeperLockInspector(client, connections, IDLE);
	}

	private static CuratorFramework curator(BeanFactory beans, ZkLockProperties properties) {
		String name = properties.getCuratorBean();
		return StringUtils.hasText(name) ? beans.getBean(name, CuratorFramework.class)
				: beans.getBean(CuratorFramework.class);
	}

	// The credentials of a CuratorFramework that is not ours cannot be read from it.
	private static CuratorFramework another(CuratorFramework curator) {
		try {
			ZKClientConfig config = curator.getZookeeperClient().getZooKeeper().getClientConfig();
			return CuratorFrameworkFactory.builder()
				.connectString(curator.getZookeeperClient().getCurrentConnectionString())
				.zkClientConfig(config)
				.retryPolicy(new RetryOneTime(100))
				.build();
		}
		catch (Exception ex) {
			throw new LockUnavailableException("The CuratorFramework bean is not connected", ex);
		}
	}

	@Bean
	@ConditionalOnMissingBean
	ZkLocksEndpoint zkLocksEndpoint(LockInspector inspector, ZkLockProperties properties) {
		return properties.getEndpoint().isForceRelease() ? new ReleasingZkLocksEndpoint(inspector)
				: new ZkLocksEndpoint(inspector);
	}

}
