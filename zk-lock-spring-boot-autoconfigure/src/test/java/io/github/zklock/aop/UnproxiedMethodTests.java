package io.github.zklock.aop;

import java.lang.reflect.Method;
import java.util.List;
import java.util.stream.Stream;

import jakarta.annotation.PostConstruct;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.PriorityOrdered;
import org.springframework.pulsar.annotation.PulsarListener;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.util.ClassUtils;

import io.github.zklock.ClusterJob;
import io.github.zklock.DistributedLock;
import io.github.zklock.aop.elsewhere.PackagePrivateLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Methods that no proxy of Spring's can lock are refused, and only those.
 */
class UnproxiedMethodTests {

	@Test
	void beansOfWhichSpringMakesNoProxyAreRefused() {
		for (Class<?> bean : List.of(LockedAdvice.class, LockedAdvisor.class, LockedPointcut.class)) {
			LockedBeans.assertMistake(bean, "the bean is an aspect or a part of one", "Lock a method of another bean");
		}
	}

	@Test
	void annotationThatAnEarlierProxyByInterfaceHidesIsRefused() {
		InvalidLockDefinitionException mistake = LockedBeans.mistake(BehindAnInterface.class, EarlierProxies.class);
		assertThat(mistake.getProblem()).contains("BehindAnInterface.run()",
				"the bean has a proxy by its interfaces already");
		assertThat(mistake.getRemedy()).contains("@EnableAsync");
	}

	@Test
	void annotationOfTheInterfaceIsNotHidden() {
		try (LockedBeans beans = LockedBeans.of(LockedByInterface.class, EarlierProxies.class)) {
			beans.get(LockedPort.class).run();
			assertThat(beans.client().requests()).hasSize(1);
		}
	}

	@Test
	void jobsOfBeansInACircleAreRefused() {
		InvalidLockDefinitionException mistake = LockedBeans.mistake(Egg.class, Hen.class);
		assertThat(mistake.getProblem()).contains("Egg.run()", "the bean is in a circular reference");
		assertThat(mistake.getRemedy()).contains("@Lazy");
	}

	@Test
	void soAreListenersAlsoOfAnInterface() {
		assertThat(LockedBeans.mistake(Spawn.class, Frog.class).getProblem()).contains("Spawn.run()",
				"the bean is in a circular reference");
	}

	@Test
	void alsoIfAnotherBeanOfTheClassIsInNone() {
		assertThat(LockedBeans.mistake(Nest.class).getProblem()).contains("Job.run()",
				"the bean is in a circular reference");
	}

	@Test
	void othersInACircleAreLocked() {
		try (LockedBeans beans = LockedBeans.of(Chicken.class, Hatch.class)) {
			beans.get(Hatch.class).open();
			assertThat(beans.client().lastRequest().keys()).containsExactly("chicken");
		}
	}

	@Test
	void methodsThatNoProxyCanLockAreRefused() {
		LockedBeans.assertMistake(FinalMethod.class, "the method is final", "Remove 'final'");
		LockedBeans.assertMistake(PrivateMethod.class, "the method is private", "Make it public");
		LockedBeans.assertMistake(StaticMethod.class, "the method is static", "Remove 'static'");
		LockedBeans.assertMistake(FinalMethodOfLockedClass.class, "the method is final", "Remove 'final'");
		LockedBeans.assertMistake(OfAnotherPackage.class,
				"the method is package-private and comes from another package", "Make it public or protected");
		LockedBeans.assertMistake(Callback.class, "the container calls a @PostConstruct method on the bean itself",
				"another bean");
	}

	@Test
	void finalClassIsRefusedWhenProxiesAreMadeByClass() {
		LockedBeans.assertMistake(FinalClass.class, "the class is final", "Remove 'final'");
		LockedBeans.assertMistake(FinalClassWithInterface.class, "the class is final", "Remove 'final'");
	}

	@Test
	void finalClassIsFineWhenProxiesAreMadeByInterface() {
		try (LockedBeans beans = LockedBeans.byInterface(FinalClassWithInterface.class)) {
			beans.get(Runnable.class).run();
			assertThat(beans.client().requests()).hasSize(1);
		}
	}

	@Test
	void finalClassIsFineWhenItsDefinitionAsksForAProxyByInterface() {
		assumeTrue(ClassUtils.isPresent("org.springframework.context.annotation.Proxyable", null),
				"Spring before 7 has no @Proxyable");
		try (LockedBeans beans = LockedBeans.of(FinalClassWithInterface.class, ProxiedByInterfaces.class)) {
			beans.get(Runnable.class).run();
			assertThat(beans.client().requests()).hasSize(1);
		}
	}

	@Test
	void finalMethodIsRefusedWhereAnotherBeanOfItsClassIsProxiedByInterface() {
		assumeTrue(ClassUtils.isPresent("org.springframework.context.annotation.Proxyable", null),
				"Spring before 7 has no @Proxyable");
		assertThat(LockedBeans.mistake(TwoWithFinalMethods.class, ProxiedByInterfaces.class).getProblem())
			.contains("the method is final");
	}

	@Test
	void methodsOfAClassAreFoundOnceHoweverItsBeansAreProxied() {
		assumeTrue(ClassUtils.isPresent("org.springframework.context.annotation.Proxyable", null),
				"Spring before 7 has no @Proxyable");
		try (LockedBeans beans = LockedBeans.of(TwoWithInterfaces.class, ProxiedByInterfaces.class)) {
			assertThat(AopUtils.isJdkDynamicProxy(beans.context().getBean("proxiedByInterface"))).isTrue();
			assertThat(AopUtils.isCglibProxy(beans.context().getBean("proxiedByClass"))).isTrue();
			assertThat(beans.get(LockedBeanValidator.class).lockedMethods()).isOne();
		}
	}

	@Test
	void finalMethodIsFineWhenProxiesAreMadeByInterface() {
		try (LockedBeans beans = LockedBeans.byInterface(FinalMethodWithInterface.class)) {
			beans.get(Runnable.class).run();
			assertThat(beans.client().requests()).hasSize(1);
		}
	}

	@Test
	void methodThatIsOnNoInterfaceIsRefusedWhenProxiesAreMadeByInterface() {
		assertThat(LockedBeans.mistakeByInterface(NotOnInterface.class).getProblem())
			.contains("the bean is proxied by its interfaces, and none of them has the method");
	}

	@Test
	void finalMethodOfAnUnlockedSuperclassIsNoMistakeOfTheSubclass() {
		try (LockedBeans beans = LockedBeans.of(LockedSubclass.class)) {
			beans.get(LockedSubclass.class).run();
			assertThat(beans.client().requests()).hasSize(1);
		}
	}

	@Test
	void beanThatIsCreatedBeforeProxiesCanBeMadeIsRefused() {
		assertThat(LockedBeans.mistake(Early.class, DependsOnEarly.class).getProblem())
			.contains("bean 'early' is created before Spring makes proxies");
	}

	static class LockedAdvice implements MethodInterceptor {

		@DistributedLock(key = "k")
		@Override
		public Object invoke(MethodInvocation invocation) throws Throwable {
			return invocation.proceed();
		}

	}

	static class LockedAdvisor extends DefaultPointcutAdvisor {

		private static final long serialVersionUID = 1L;

		@DistributedLock(key = "k")
		public void reload() {
		}

	}

	static class LockedPointcut extends StaticMethodMatcherPointcut {

		@Override
		public boolean matches(Method method, Class<?> targetClass) {
			return false;
		}

		@DistributedLock(key = "k")
		public void reload() {
		}

	}

	static class Egg {

		@Autowired
		private Hen hen;

		@Scheduled(fixedDelay = 1)
		@ClusterJob
		public void run() {
			assertThat(this.hen).isNotNull();
		}

	}

	static class Hen {

		@Autowired
		void hatchedFrom(Egg egg) {
			assertThat(egg).isNotNull();
		}

	}

	interface Hatching {

		@PulsarListener
		void run();

	}

	static class Spawn implements Hatching {

		@Autowired
		private Frog frog;

		@Override
		@ClusterJob
		public void run() {
			assertThat(this.frog).isNotNull();
		}

	}

	static class Frog {

		@Autowired
		void hatchedFrom(Spawn spawn) {
			assertThat(spawn).isNotNull();
		}

	}

	@Configuration
	static class Nest {

		@Bean
		Job alone() {
			return new Job(false);
		}

		@Bean
		Job between() {
			return new Job(true);
		}

		@Bean
		Neighbour neighbour() {
			return new Neighbour();
		}

	}

	static class Job {

		private final boolean meets;

		Job(boolean meets) {
			this.meets = meets;
		}

		@Autowired
		void meet(BeanFactory beans) {
			if (this.meets) {
				beans.getBean(Neighbour.class);
			}
		}

		@Scheduled(fixedDelay = 1)
		@ClusterJob
		public void run() {
		}

	}

	static class Neighbour {

		@Autowired
		void meet(@Qualifier("between") Job job) {
			assertThat(job).isNotNull();
		}

	}

	static class Chicken {

		@Autowired
		private Hatch hatch;

		@DistributedLock(key = "chicken")
		public void run() {
			assertThat(this.hatch).isNotNull();
		}

	}

	static class Hatch {

		@Autowired
		private Chicken chicken;

		void open() {
			this.chicken.run();
		}

	}

	static class OfAnotherPackage extends PackagePrivateLock {

	}

	static class FinalMethod {

		@DistributedLock
		public final void run() {
		}

	}

	static class PrivateMethod {

		@DistributedLock
		@SuppressWarnings("UnusedMethod")
		private void run() {
		}

	}

	static class StaticMethod {

		@DistributedLock
		public static void run() {
		}

	}

	@DistributedLock
	static class FinalMethodOfLockedClass {

		public final void run() {
		}

	}

	static class Callback {

		@PostConstruct
		@DistributedLock
		public void run() {
		}

	}

	static final class FinalClass {

		@DistributedLock
		public void run() {
		}

	}

	static final class FinalClassWithInterface implements Runnable {

		@Override
		@DistributedLock
		public void run() {
		}

	}

	/**
	 * As {@code @Proxyable(ProxyType.INTERFACES)} does, which not all of Spring's lines
	 * have.
	 */
	static class ProxiedByInterfaces implements BeanFactoryPostProcessor {

		@Override
		public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
			Stream.of("finalClassWithInterface", "proxiedByInterface")
				.filter(beanFactory::containsBeanDefinition)
				.map(beanFactory::getBeanDefinition)
				.forEach((definition) -> definition.setAttribute(
						"org.springframework.aop.framework.autoproxy.AutoProxyUtils.exposedInterfaces",
						new Class<?>[0]));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoWithFinalMethods {

		@Bean
		FinalMethodWithInterface proxiedByInterface() {
			return new FinalMethodWithInterface();
		}

		@Bean
		FinalMethodWithInterface proxiedByClass() {
			return new FinalMethodWithInterface();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoWithInterfaces {

		@Bean
		BehindAnInterface proxiedByInterface() {
			return new BehindAnInterface();
		}

		@Bean
		BehindAnInterface proxiedByClass() {
			return new BehindAnInterface();
		}

	}

	static class FinalMethodWithInterface implements Runnable {

		@Override
		@DistributedLock
		public final void run() {
		}

	}

	static class NotOnInterface implements Runnable {

		@Override
		public void run() {
		}

		@DistributedLock
		public void other() {
		}

	}

	static class UnlockedSuperclass {

		public final void inherited() {
		}

	}

	@DistributedLock
	static class LockedSubclass extends UnlockedSuperclass {

		public void run() {
		}

	}

	static class Early {

		@DistributedLock
		public void run() {
		}

	}

	static class DependsOnEarly implements BeanPostProcessor, BeanFactoryAware, PriorityOrdered {

		@Override
		public void setBeanFactory(BeanFactory beanFactory) {
			beanFactory.getBean(Early.class);
		}

		@Override
		public int getOrder() {
			return 0;
		}

	}

	static class BehindAnInterface implements Runnable {

		@Override
		@DistributedLock
		public void run() {
		}

	}

	interface LockedPort {

		@DistributedLock
		void run();

	}

	static class LockedByInterface implements LockedPort {

		@Override
		public void run() {
		}

	}

	static class EarlierProxies implements BeanPostProcessor, PriorityOrdered {

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			return (bean instanceof BehindAnInterface || bean instanceof LockedByInterface)
					? new ProxyFactory(bean).getProxy() : bean;
		}

		@Override
		public int getOrder() {
			return 0;
		}

	}

}
