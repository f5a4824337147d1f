package io.github.zklock.autoconfigure;

import org.apache.curator.framework.CuratorFramework;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of the lock client. A {@link CuratorFramework} bean is used if there
 * is one, and left open; otherwise one is built from the {@code zk-lock} properties and
 * closed with the context. With {@code zk-lock.in-memory} there is no connection.
 *
 * @since 0.1.0
 */
@AutoConfiguration(afterName = "org.springframework.cloud.zookeeper.ZookeeperAutoConfiguration")
@ConditionalOnClass(CuratorFramework.class)
@ConditionalOnBooleanProperty(name = "zk-lock.enabled", matchIfMissing = true)
@EnableConfigurationProperties(ZkLockProperties.class)
@Import({ MemoryConfiguration.class, ConnectionConfiguration.class, ClientConfiguration.class,
		LeaderConfiguration.class })
public final class ZkLockAutoConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	DurationUnits zkLockDurationUnits(Environment environment) {
		return new DurationUnits(environment);
	}

}
