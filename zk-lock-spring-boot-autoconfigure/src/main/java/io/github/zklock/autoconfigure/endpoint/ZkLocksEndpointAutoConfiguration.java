package io.github.zklock.autoconfigure.endpoint;

import java.time.Duration;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

import io.github.zklock.actuate.endpoint.ReleasingZkLocksEndpoint;
import io.github.zklock.actuate.endpoint.ZkLocksEndpoint;
import io.github.zklock.autoconfigure.ZkLockAutoConfiguration;
import io.github.zklock.autoconfigure.ZkLockProperties;
import io.github.zklock.inspect.LockInspector;
import io.github.zklock.zookeeper.CuratorBlueprint;
import io.github.zklock.zookeeper.LockSessions;
import io.github.zklock.zookeeper.ZooKeeperLockClient;
import io.github.zklock.zookeeper.ZooKeeperLockInspector;

/**
 * Auto-configuration of the inspector, and of the actuator's endpoint {@code zklocks},
 * when that is exposed.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = ZkLockAutoConfiguration.class)
@ConditionalOnBean(ZooKeeperLockClient.class)
public final class ZkLocksEndpointAutoConfiguration {

	private static final Duration IDLE = Duration.ofMinutes(1);

	// Not before it is needed: a test may have a client of another class
	@Bean(destroyMethod = "close")
	@Lazy
	@ConditionalOnMissingBean
	LockInspector zkLockInspector(ZooKeeperLockClient client, ObjectProvider<CuratorBlueprint> blueprint,
			ObjectProvider<LockSessions> sessions, BeanFactory beans) {
		LockSessions used = sessions.getIfUnique();
		// A connection that sessions of the user's do not use is not made
		boolean known = used != null && ZkLockAutoConfiguration.isConnectionABean(used, beans);
		CuratorBlueprint ours = known ? blueprint.getIfAvailable() : null;
		if (ours != null) {
			return new ZooKeeperLockInspector(client, ours::build, IDLE);
		}
		return new ZooKeeperLockInspector(client, IDLE);
	}

	/** The endpoint, which needs the actuator. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ Endpoint.class, ConditionalOnAvailableEndpoint.class })
	@ConditionalOnAvailableEndpoint(ZkLocksEndpoint.class)
	@EnableConfigurationProperties(ZkLockProperties.class)
	static class EndpointConfiguration {

		@Bean
		@ConditionalOnMissingBean
		ZkLocksEndpoint zkLocksEndpoint(LockInspector inspector, ZkLockProperties properties) {
			return properties.getEndpoint().isForceRelease() ? new ReleasingZkLocksEndpoint(inspector)
					: new ZkLocksEndpoint(inspector);
		}

	}

}
