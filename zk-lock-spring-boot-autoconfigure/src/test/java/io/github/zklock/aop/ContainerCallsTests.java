package io.github.zklock.aop;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;

import io.github.zklock.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Methods that the container calls on the bean itself are refused before they have run.
 */
class ContainerCallsTests {

	private static boolean hasRun;

	private static void assertRefused(Class<?> bean, String callback) {
		hasRun = false;
		InvalidLockDefinitionException mistake = LockedBeans.mistake(bean);
		assertThat(mistake.getProblem()).contains("the container calls " + callback + " on the bean itself");
		assertThat(mistake.getRemedy()).contains("use LockClient in the method");
		assertThat(hasRun).as("the method has run without its lock").isFalse();
	}

	@Test
	void postConstructIsRefusedBeforeItHasRun() {
		assertRefused(Initialized.class, "a @PostConstruct method");
	}

	@Test
	void preDestroyIsRefused() {
		assertRefused(PreDestroyed.class, "a @PreDestroy method");
	}

	@ParameterizedTest
	@ValueSource(
			classes = { Overriding.class, Implementing.class, OverridingDefault.class, InheritingForDefault.class })
	void aMethodThatOverridesOneWithTheAnnotationIsRefused(Class<?> bean) {
		assertRefused(bean, "a @PostConstruct method");
	}

	@Test
	void aMethodThatOverridesAPreDestroyIsRefused() {
		assertRefused(OverridingEnd.class, "a @PreDestroy method");
	}

	@ParameterizedTest
	@ValueSource(classes = { Hiding.class, ImplementingAbstract.class })
	void whatOverridesNoMethodThatTheContainerCallsIsLocked(Class<? extends Runnable> bean) {
		try (LockedBeans beans = LockedBeans.of(bean)) {
			beans.get(Runnable.class).run();
			assertThat(beans.client().requests()).hasSize(1);
		}
	}

	@Test
	void whatOverloadsAMethodThatTheContainerCallsIsLocked() {
		try (LockedBeans beans = LockedBeans.of(Overloading.class)) {
			beans.get(Overloading.class).start(1);
			assertThat(beans.client().requests()).hasSize(1);
		}
	}

	@Test
	void afterPropertiesSetIsRefused() {
		assertRefused(Initializing.class, "InitializingBean's afterPropertiesSet");
	}

	@Test
	void destroyOfADisposableBeanIsRefused() {
		assertRefused(Disposable.class, "DisposableBean's destroy");
	}

	@Test
	void closeOfACloseableBeanIsRefused() {
		assertRefused(Closeable.class, "the destroy method");
	}

	@Test
	void aCallbackOfALockedClassIsRefused() {
		assertRefused(LockedClass.class, "InitializingBean's afterPropertiesSet");
	}

	@Test
	void theInitMethodOfADefinitionIsRefused() {
		assertRefused(WithInitMethod.class, "the init method");
	}

	@Test
	void theDestroyMethodOfADefinitionIsRefused() {
		assertRefused(WithDestroyMethod.class, "the destroy method");
	}

	@ParameterizedTest
	@ValueSource(classes = { WithInferredClose.class, WithInferredShutdown.class })
	void theDestroyMethodThatSpringInfersIsRefused(Class<?> configuration) {
		assertRefused(configuration, "the destroy method");
	}

	@Test
	void aCloseThatSpringDoesNotCallIsLocked() {
		try (LockedBeans beans = LockedBeans.of(WithoutDestroyMethod.class)) {
			beans.get(Period.class).close();
			assertThat(beans.client().requests()).hasSize(1);
		}
	}

	@Test
	void aCloseOfAPrototypeIsLocked() {
		try (LockedBeans beans = LockedBeans.of(ClosedByItsUser.class)) {
			beans.get(ClosedByItsUser.class).close();
			assertThat(beans.client().requests()).hasSize(1);
		}
	}

	@Test
	void aPreDestroyOfAPrototypeIsLocked() {
		try (LockedBeans beans = LockedBeans.of(EndedByItsUser.class)) {
			beans.get(EndedByItsUser.class).end();
			assertThat(beans.client().requests()).hasSize(1);
		}
	}

	@Test
	void aPostConstructOfAPrototypeIsRefused() {
		try (LockedBeans beans = LockedBeans.of(BegunForItsUser.class)) {
			assertThatThrownBy(() -> beans.get(BegunForItsUser.class))
				.hasStackTraceContaining("the container calls a @PostConstruct method on the bean itself");
		}
	}

	@Test
	void aShutdownBesideACloseIsLocked() {
		try (LockedBeans beans = LockedBeans.of(WithBoth.class)) {
			beans.get(Both.class).shutdown();
			assertThat(beans.client().requests()).hasSize(1);
		}
	}

	@Test
	void whatHasTheNameOfACallbackAndAParameterIsLocked() {
		try (LockedBeans beans = LockedBeans.of(WithOverloads.class)) {
			Overloads bean = beans.get(Overloads.class);
			bean.start(1);
			bean.afterPropertiesSet(1);
			bean.close(1);
			assertThat(beans.client().requests()).hasSize(3);
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { LockedBeanMethod.class, LockedConfiguration.class })
	void aBeanMethodIsRefused(Class<?> configuration) {
		InvalidLockDefinitionException mistake = LockedBeans.mistake(configuration);
		assertThat(mistake.getProblem()).contains(configuration.getName() + ".work()")
			.contains("a @Bean method runs while its bean is made");
		assertThat(mistake.getRemedy()).contains("methods of the bean's class");
	}

	@Test
	void aConfigurationMayHaveLockedMethodsThatAreNoBeanMethods() {
		try (LockedBeans beans = LockedBeans.of(ConfigurationWithAJob.class)) {
			beans.get(ConfigurationWithAJob.class).job();
			assertThat(beans.client().requests()).hasSize(1);
		}
	}

	static class Initialized {

		@PostConstruct
		@DistributedLock
		public void run() {
			hasRun = true;
		}

	}

	static class PreDestroyed {

		@PreDestroy
		@DistributedLock
		public void run() {
			hasRun = true;
		}

	}

	static class Base {

		@PostConstruct
		public void start() {
		}

		@PostConstruct
		private void run() {
		}

		@PreDestroy
		protected void end() {
		}

	}

	static class Overriding extends Base {

		@Override
		@DistributedLock
		public void start() {
			hasRun = true;
		}

	}

	static class OverridingEnd extends Base {

		@Override
		@DistributedLock
		public void end() {
			hasRun = true;
		}

	}

	@Scope("prototype")
	static class EndedByItsUser extends OverridingEnd {

	}

	@Scope("prototype")
	static class BegunForItsUser extends Overriding {

	}

	static class Hiding extends Base implements Runnable {

		@Override
		@DistributedLock
		public void run() {
		}

	}

	abstract static class AbstractBase {

		@PostConstruct
		abstract void start();

	}

	static class Implementing extends AbstractBase {

		@Override
		@DistributedLock
		void start() {
			hasRun = true;
		}

	}

	interface Starting {

		@PostConstruct
		default void start() {
		}

	}

	static class OverridingDefault implements Starting {

		@Override
		@DistributedLock
		public void start() {
			hasRun = true;
		}

	}

	@DistributedLock
	static class Plain {

		public void start() {
			hasRun = true;
		}

	}

	static class InheritingForDefault extends Plain implements Starting {

	}

	interface AbstractRun extends Runnable {

		@Override
		@PostConstruct
		void run();

	}

	static class ImplementingAbstract implements AbstractRun {

		@Override
		@DistributedLock
		public void run() {
		}

	}

	static class Overloading extends Base {

		@DistributedLock
		public void start(int number) {
		}

	}

	static class Initializing implements InitializingBean {

		@Override
		@DistributedLock
		public void afterPropertiesSet() {
			hasRun = true;
		}

	}

	static class Disposable implements DisposableBean {

		@Override
		@DistributedLock
		public void destroy() {
			hasRun = true;
		}

	}

	static class Closeable implements AutoCloseable {

		@Override
		@DistributedLock
		public void close() {
			hasRun = true;
		}

	}

	@Scope("prototype")
	static class ClosedByItsUser extends Closeable {

	}

	@DistributedLock
	static class LockedClass implements InitializingBean {

		@Override
		public void afterPropertiesSet() {
			hasRun = true;
		}

	}

	static class Overloads implements InitializingBean, AutoCloseable {

		public void start() {
		}

		@DistributedLock
		public void start(int number) {
		}

		@Override
		public void afterPropertiesSet() {
		}

		@DistributedLock
		public void afterPropertiesSet(int number) {
		}

		@Override
		public void close() {
		}

		@DistributedLock
		public void close(int number) {
		}

	}

	@Configuration
	static class WithOverloads {

		@Bean(initMethod = "start")
		Overloads overloads() {
			return new Overloads();
		}

	}

	static class Job {

		@DistributedLock
		public void run() {
			hasRun = true;
		}

	}

	static class Period {

		@DistributedLock
		public void close() {
			hasRun = true;
		}

	}

	static class Pool {

		@DistributedLock
		public void shutdown() {
			hasRun = true;
		}

	}

	static class Both extends Pool {

		public void close() {
			hasRun = true;
		}

	}

	@Configuration
	static class WithInitMethod {

		@Bean(initMethod = "run")
		Job job() {
			return new Job();
		}

	}

	@Configuration
	static class WithDestroyMethod {

		@Bean(destroyMethod = "run")
		Job job() {
			return new Job();
		}

	}

	@Configuration
	static class WithInferredClose {

		@Bean
		Period period() {
			return new Period();
		}

	}

	@Configuration
	static class WithInferredShutdown {

		@Bean
		Pool pool() {
			return new Pool();
		}

	}

	@Configuration
	static class WithoutDestroyMethod {

		@Bean(destroyMethod = "")
		Period period() {
			return new Period();
		}

	}

	@Configuration
	static class WithBoth {

		@Bean
		Both both() {
			return new Both();
		}

	}

	@Configuration
	static class LockedBeanMethod {

		@Bean
		@DistributedLock
		public String work() {
			return "";
		}

	}

	@Configuration
	@DistributedLock
	static class LockedConfiguration {

		@Bean
		public String work() {
			return "";
		}

	}

	@Configuration
	static class ConfigurationWithAJob {

		@DistributedLock
		public void job() {
		}

	}

}
