package io.github.zklock.autoconfigure.health;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

import io.github.zklock.LeaderElection;
import io.github.zklock.LockSessionStatus;
import io.github.zklock.autoconfigure.ZkLockAutoConfiguration;
import io.github.zklock.health.LockHealthIndicator;

/**
 * Auto-configuration of the health indicator {@code zklock}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = ZkLockAutoConfiguration.class)
@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnBean(LockSessionStatus.class)
@ConditionalOnEnabledHealthIndicator("zklock")
public final class ZkLockHealthContributorAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = { "zklockHealthIndicator", "zklockHealthContributor" })
	LockHealthIndicator zklockHealthContributor(LockSessionStatus session, ObjectProvider<LeaderElection> elections) {
		return new LockHealthIndicator(session, elections::stream);
	}

}
