package io.github.zklock.autoconfigure.shedlock;

import net.javacrumbs.shedlock.core.LockProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

import io.github.zklock.LockClient;
import io.github.zklock.autoconfigure.ZkLockAutoConfiguration;
import io.github.zklock.shedlock.ZkLockProvider;

/**
 * Auto-configuration of a {@link LockProvider} for ShedLock.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = ZkLockAutoConfiguration.class)
@ConditionalOnClass(LockProvider.class)
@ConditionalOnSingleCandidate(LockClient.class)
public final class ZkLockShedLockAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(LockProvider.class)
	ZkLockProvider zkLockProvider(LockClient client) {
		return new ZkLockProvider(client);
	}

}
