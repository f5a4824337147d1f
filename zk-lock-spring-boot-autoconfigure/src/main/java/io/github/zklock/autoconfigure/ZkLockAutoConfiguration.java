package io.github.zklock.autoconfigure;

import java.util.stream.Stream;

import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

import io.github.zklock.aop.LockedBeanValidator;
import io.github.zklock.zookeeper.LockSessions;

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

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	ResolvedProperties zkLockResolvedProperties(Environment environment) {
		return new ResolvedProperties(environment);
	}

	@Bean
	@Lazy(false)
	SmartInitializingSingleton zkLockExecutorOrder(BeanFactory beanFactory) {
		return LockedBeanValidator.executorOrder(beanFactory);
	}

	/**
	 * Returns whether sessions have their connection from a bean. Makes none: a bean that
	 * is lazy, as ours is, may not be used by them.
	 * @param sessions the sessions
	 * @param beans has what they may use, itself or in a parent
	 * @return whether one of the clients that were made is theirs
	 */
	public static boolean isConnectionABean(LockSessions sessions, @Nullable BeanFactory beans) {
		return beans instanceof ConfigurableListableBeanFactory here
				&& (Stream.of(here.getBeanNamesForType(CuratorFramework.class))
					.filter(here::containsSingleton)
					.anyMatch((name) -> sessions.uses(here.getBean(name, CuratorFramework.class)))
						|| isConnectionABean(sessions, here.getParentBeanFactory()));
	}

}
