package io.github.zklock.autoconfigure.integration;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.LockRegistry;

import io.github.zklock.LockClient;
import io.github.zklock.autoconfigure.ZkLockAutoConfiguration;
import io.github.zklock.integration.ZkLockRegistry;

/**
 * Auto-configuration of a {@link LockRegistry} for Spring Integration, from version 7 on.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = ZkLockAutoConfiguration.class)
@ConditionalOnClass({ LockRegistry.class, DistributedLock.class })
@ConditionalOnSingleCandidate(LockClient.class)
public final class ZkLockIntegrationAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(LockRegistry.class)
	ZkLockRegistry zkLockRegistry(LockClient client) {
		return new ZkLockRegistry(client);
	}

}
