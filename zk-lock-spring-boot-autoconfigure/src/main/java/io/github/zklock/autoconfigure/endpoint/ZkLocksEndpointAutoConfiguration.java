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
 * Auto-configuration of the actuator's endpoint {@code zklocks}, when it is exposed.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = ZkLockAutoConfiguration.class)
@ConditionalOnClass({ Endpoint.class, ConditionalOnAvailableEndpoint.class })
@ConditionalOnBean(ZooKeeperLockClient.class)
@ConditionalOnAvailableEndpoint(ZkLocksEndpoint.class)
@EnableConfigurationProperties(ZkLockProperties.class)
public final class ZkLocksEndpointAutoConfiguration {

	private static final Duration IDLE = Duration.ofMinutes(1);

	@Bean(destroyMethod = "close")
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

	@Bean
	@ConditionalOnMissingBean
	ZkLocksEndpoint zkLocksEndpoint(LockInspector inspector, ZkLockProperties properties) {
		return properties.getEndpoint().isForceRelease() ? new ReleasingZkLocksEndpoint(inspector)
				: new ZkLocksEndpoint(inspector);
	}

}
