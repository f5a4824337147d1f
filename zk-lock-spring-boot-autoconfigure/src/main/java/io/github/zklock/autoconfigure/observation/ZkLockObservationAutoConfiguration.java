package io.github.zklock.autoconfigure.observation;

import io.micrometer.observation.ObservationRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

import io.github.zklock.LockSessionStatus;
import io.github.zklock.autoconfigure.ZkLockAutoConfiguration;
import io.github.zklock.observation.LockObservations;

/**
 * Auto-configuration of the observations of locks, when there is an observation registry.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = ZkLockAutoConfiguration.class,
		afterName = { "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
				"org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration" })
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean({ ObservationRegistry.class, LockSessionStatus.class })
public final class ZkLockObservationAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LockObservations zkLockObservations(ObservationRegistry registry) {
		return new LockObservations(registry);
	}

}
