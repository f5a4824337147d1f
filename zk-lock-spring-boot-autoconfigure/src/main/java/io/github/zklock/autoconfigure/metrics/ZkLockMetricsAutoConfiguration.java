package io.github.zklock.autoconfigure.metrics;

import java.util.List;
import java.util.Set;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.SingletonBeanRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.util.function.SingletonSupplier;

import io.github.zklock.LeaderElection;
import io.github.zklock.LockSessionStatus;
import io.github.zklock.autoconfigure.ZkLockAutoConfiguration;
import io.github.zklock.autoconfigure.ZkLockProperties;
import io.github.zklock.metrics.LockMetrics;

/**
 * Auto-configuration of the metrics of locks, when there is a Micrometer registry.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = ZkLockAutoConfiguration.class,
		afterName = {
				"org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
				"org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration" })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({ MeterRegistry.class, LockSessionStatus.class })
public final class ZkLockMetricsAutoConfiguration {

	// What Micrometer makes of an observation: a timer, one for those that run, and the
	// event of a loss
	private static final Set<String> OBSERVATIONS = Set.of("zk.lock.wait", "zk.lock.wait.active", "zk.lock.hold",
			"zk.lock.hold.active", "zk.lock.hold.lost");

	@Bean
	@Lazy(false)
	LeaderMeters zkLockLeaderMeters(MeterRegistry registry, ObjectProvider<LeaderElection> elections,
			ObjectProvider<ZkLockProperties> properties) {
		ZkLockProperties configured = properties.getIfAvailable();
		return new LeaderMeters(registry, elections.stream(),
				(configured != null) ? configured.getLeader().getNames() : List.of());
	}

	// LockMetrics counts and times the same waits and holds, also without an observation
	// registry.
	@Bean
	@ConditionalOnMissingBean(name = "zkLockObservationMeterFilter")
	static MeterFilter zkLockObservationMeterFilter() {
		return MeterFilter.deny((meter) -> OBSERVATIONS.contains(meter.getName()));
	}

	/** The metrics of the session that there is, unless the user has others. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnMissingBean(LockMetrics.class)
	static class SessionConfiguration {

		// In memory the client is the session, and needs its listeners, of which the
		// metrics are one
		private final SingletonSupplier<LockSessionStatus> session;

		SessionConfiguration(ObjectProvider<LockSessionStatus> session) {
			this.session = SingletonSupplier.of(session::getObject);
		}

		@Bean
		LockMetrics zkLockMetrics(MeterRegistry registry) {
			return new LockMetrics(registry, this.session);
		}

		// Several sessions, of which none is the one to be measured, stop the start
		@Bean
		SmartInitializingSingleton zkLockMetricsCheck(BeanFactory beans) {
			return () -> {
				if (beans instanceof SingletonBeanRegistry made && made.containsSingleton("zkLockMetrics")) {
					this.session.get();
				}
			};
		}

	}

}
