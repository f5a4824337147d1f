package io.github.zklock.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import io.github.zklock.LockClient;

/**
 * Makes the elections that the properties name, and lets all elections that are beans
 * begin and end with the application.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBean(LockClient.class)
@Import(LeaderElectionRegistrar.class)
class LeaderConfiguration {

	@Bean
	LeaderLifecycle zkLockLeaderLifecycle(ApplicationContext context, ZkLockProperties properties) {
		return new LeaderLifecycle(context, properties.getLeader().isYieldWhenUnavailable());
	}

}
