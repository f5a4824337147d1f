package io.github.zklock.aop;

import java.util.concurrent.atomic.AtomicInteger;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.junit.jupiter.api.Test;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import reactor.core.publisher.Mono;

import io.github.zklock.ClusterJob;
import io.github.zklock.DistributedLock;
import io.github.zklock.inspect.JobRun;
import io.github.zklock.memory.MemoryLockClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Beans with more than one proxy.
 */
class InnerProxyTests {

	private static void nothing() {
	}

	private static Account alias(LockedBeans beans) {
		Account alias = beans.context().getBean("alias", Account.class);
		assertThat(AopUtils.isCglibProxy(alias)).isTrue();
		return alias;
	}

	private static String[] keys(LockedBeans beans) {
		return beans.client().requests().stream().flatMap((request) -> request.keys().stream()).toArray(String[]::new);
	}

	@Test
	void aBeanOfTwoProxyCreatorsIsLockedOnce() {
		try (LockedBeans beans = LockedBeans.of(MoreProxies.class, Account.class)) {
			beans.get(Account.class).lock("a", InnerProxyTests::nothing);
			assertThat(keys(beans)).containsExactly("a");
		}
	}

	@Test
	void soIsOneWithMoreOfThem() {
		try (LockedBeans beans = LockedBeans.of(MoreProxies.class, Account.class, Aliases.class)) {
			alias(beans).lock("a", InnerProxyTests::nothing);
			assertThat(keys(beans)).containsExactly("a");
		}
	}

	@Test
	void aPublisherOfABeanWithTwoProxiesIsLockedOnce() {
		try (LockedBeans beans = LockedBeans.of(Account.class, Aliases.class)) {
			assertThat(alias(beans).publish("a").block()).isEqualTo("a");
			assertThat(keys(beans)).containsExactly("a");
		}
	}

	@Test
	void aCallThatTheMethodMakesOfTheInnerProxyIsLocked() {
		try (LockedBeans beans = LockedBeans.of(Account.class, Aliases.class)) {
			Account inner = beans.context().getBean("account", Account.class);
			alias(beans).lock("a", () -> inner.lock("b", InnerProxyTests::nothing));
			assertThat(keys(beans)).containsExactly("a", "b");
			inner.lock("c", InnerProxyTests::nothing);
			assertThat(keys(beans)).containsExactly("a", "b", "c");
		}
	}

	@Test
	void otherCallsThatAnAdviceMakesOfTheInnerProxyAreLockedAndTheSameOneIsNot() {
		try (LockedBeans beans = LockedBeans.of(Nosy.class, Account.class, Aliases.class)) {
			alias(beans).lock("a", InnerProxyTests::nothing);
			assertThat(keys(beans)).containsExactly("a", "other", "b");
		}
	}

	@Test
	void aBeanWithAProxyByItsInterfacesAroundAnotherIsLockedOnce() {
		try (LockedBeans beans = LockedBeans.of(ProxiesByInterfaces.class, Ledger.class)) {
			Book book = beans.get(Book.class);
			assertThat(AopUtils.isJdkDynamicProxy(book)).isTrue();
			book.write("a");
			assertThat(keys(beans)).containsExactly("a");
		}
	}

	@Test
	void aKeyMayHaveAFieldOfTheBean() {
		try (LockedBeans beans = LockedBeans.of(Account.class, Aliases.class)) {
			alias(beans).byField();
			assertThat(keys(beans)).containsExactly("iban");
		}
	}

	@Test
	void aJobOfABeanWithTwoProxiesRuns() {
		try (MemoryLockClient client = MemoryLockClient.builder().root("/inner-proxy").build();
				LockedBeans beans = LockedBeans.on(client, MoreProxies.class, Account.class)) {
			Account account = beans.get(Account.class);
			account.daily(1000);
			account.daily(1000);
			assertThat(account.runs()).isOne();
			assertThat(client.inspector().jobs()).extracting(JobRun::outcome).containsExactly("ok");
		}
	}

	static class Account {

		public final String name = "iban";

		private final AtomicInteger runs = new AtomicInteger();

		@DistributedLock(key = "#key")
		public void lock(String key, Runnable then) {
			then.run();
		}

		@DistributedLock(key = "other")
		public void other() {
			// Nothing
		}

		@DistributedLock(key = "#root.target.name")
		public void byField() {
			// Nothing
		}

		@DistributedLock(key = "#key")
		public Mono<String> publish(String key) {
			return Mono.just(key);
		}

		@ClusterJob(key = "daily", notAgainWithin = "1d")
		public void daily(long number) {
			this.runs.incrementAndGet();
		}

		public int runs() {
			return this.runs.get();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class MoreProxies {

		@Bean
		static DefaultAdvisorAutoProxyCreator secondCreator() {
			DefaultAdvisorAutoProxyCreator creator = new DefaultAdvisorAutoProxyCreator();
			creator.setProxyTargetClass(true);
			return creator;
		}

	}

	interface Book {

		@DistributedLock(key = "#key")
		void write(String key);

	}

	static class Ledger implements Book {

		@Override
		public void write(String key) {
			// Nothing
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ProxiesByInterfaces {

		@Bean
		static DefaultAdvisorAutoProxyCreator creatorOfProxiesByInterfaces() {
			DefaultAdvisorAutoProxyCreator creator = new DefaultAdvisorAutoProxyCreator();
			creator.setProxyTargetClass(false);
			return creator;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Aliases {

		@Bean("alias")
		Object alias(Account account) {
			return account;
		}

	}

	/** Calls the bean inside the lock of the outer proxy. */
	@Configuration(proxyBeanMethods = false)
	static class Nosy implements MethodInterceptor {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static DefaultPointcutAdvisor nosyAdvisor() {
			NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
			pointcut.setMappedName("lock");
			return new DefaultPointcutAdvisor(pointcut, new Nosy());
		}

		@Override
		public Object invoke(MethodInvocation invocation) throws Throwable {
			if (AopUtils.isAopProxy(invocation.getThis())) {
				Account inner = (Account) invocation.getThis();
				inner.other();
				inner.lock("b", InnerProxyTests::nothing);
				((ProxyMethodInvocation) invocation).invocableClone().proceed();
			}
			return invocation.proceed();
		}

	}

}
