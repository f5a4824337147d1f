package io.github.zklock.autoconfigure;

import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.expression.ExpressionParser;
import org.springframework.transaction.ConfigurableTransactionManager;

import io.github.zklock.LockClient;
import io.github.zklock.aop.DistributedLockAdvisor;
import io.github.zklock.aop.LockedBeanValidator;
import io.github.zklock.aop.LockedMethods;
import io.github.zklock.memory.MemoryLockClient;
import io.github.zklock.zookeeper.ZooKeeperLockClient;

/**
 * Auto-configuration of {@link io.github.zklock.DistributedLock @DistributedLock}.
 *
 * <p>
 * A method is locked when it is called through its bean. A method that is called by
 * another method of the same object is not, because Spring's proxy does not see that
 * call: move it to another bean, or use {@link LockClient} in it.
 *
 * <p>
 * The lock is outside transactions, so that it is released after the commit, and inside
 * of {@code @Async}, so that it is taken by the thread that works. A transaction inside a
 * lock that was lost is rolled back.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = ZkLockAutoConfiguration.class)
@ConditionalOnClass({ Advisor.class, ExpressionParser.class })
@ConditionalOnBooleanProperty(name = { "zk-lock.enabled", "zk-lock.aop.enabled" }, matchIfMissing = true)
@Import(AutoProxyRegistrar.class)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public final class ZkLockAopAutoConfiguration {

	@Bean
	static BeanFactoryPostProcessor zkLockEarlyBeanGuard() {
		return LockedBeanValidator.earlyBeanGuard();
	}

	// What follows is made while other beans may be, whose proxies need it: it looks for
	// no bean by its type, for which Spring would make each FactoryBean and what that
	// needs. Parameters are named as the beans are
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LockedMethods zkLockedMethods() {
		return new LockedMethods();
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static DistributedLockAdvisor zkLockAdvisor(LockedMethods zkLockedMethods, ObjectProvider<LockClient> client,
			Environment environment) {
		int order = environment.getProperty("zk-lock.aop.order", Integer.class, DistributedLockAdvisor.DEFAULT_ORDER);
		boolean releaseAfterCompletion = environment.getProperty("zk-lock.aop.release-after-completion", Boolean.class,
				false);
		return new DistributedLockAdvisor(zkLockedMethods, new FoundClient(client), order, releaseAfterCompletion);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	LockedBeanValidator zkLockedBeanValidator(LockedMethods zkLockedMethods, ObjectProvider<LockClient> client,
			ObjectProvider<ZkLockProperties> properties) {
		return new LockedBeanValidator(zkLockedMethods, () -> strategies(client.getObject()),
				() -> waits(properties.getIfAvailable()));
	}

	// A rule may give a time-out to just this key
	private static boolean waits(@Nullable ZkLockProperties properties) {
		return properties != null && !properties.getTimeout().isZero()
				&& properties.getKeys().values().stream().allMatch((rule) -> rule.getTimeout() == null);
	}

	private static Optional<Set<String>> strategies(LockClient client) {
		if (client instanceof MemoryLockClient known) {
			return Optional.of(known.strategies());
		}
		return (client instanceof ZooKeeperLockClient known) ? Optional.of(known.strategies()) : Optional.empty();
	}

	/**
	 * Looks for the client until it is there. Under no lock: who makes beans may call a
	 * locked method under Spring's, for which another first call may wait here.
	 */
	private static final class FoundClient implements Supplier<LockClient> {

		private final ObjectProvider<LockClient> client;

		private volatile @Nullable LockClient found;

		FoundClient(ObjectProvider<LockClient> client) {
			this.client = client;
		}

		@Override
		public LockClient get() {
			LockClient known = this.found;
			if (known == null) {
				known = this.client.getObject();
				this.found = known;
			}
			return known;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(ConfigurableTransactionManager.class)
	static class TransactionConfiguration {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static BeanPostProcessor zkLockTransactionGuard() {
			return DistributedLockAdvisor.transactionGuard();
		}

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static BeanFactoryPostProcessor zkLockEarlyTransactionGuard() {
			return DistributedLockAdvisor.earlyTransactionGuard();
		}

	}

}
