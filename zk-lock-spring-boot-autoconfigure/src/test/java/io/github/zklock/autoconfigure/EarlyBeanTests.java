package io.github.zklock.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.InstantiationAwareBeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Scope;
import org.springframework.core.PriorityOrdered;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockContext;
import io.github.zklock.LockHandle;
import io.github.zklock.aop.DistributedLockAdvisor;
import io.github.zklock.aop.InvalidLockDefinitionException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Beans with locked methods that something needs before all post-processors are there:
 * they are locked, or the start is refused.
 */
class EarlyBeanTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class, ZkLockAopAutoConfiguration.class,
				AopAutoConfiguration.class))
		.withPropertyValues("zk-lock.in-memory=true");

	static Stream<Class<?>> locksWhatAFactoryOfUnknownTypeNeeds() {
		return Stream.of(RawFirst.class, RawLast.class, ObjectFirst.class, ObjectLast.class, ByMethod.class);
	}

	@ParameterizedTest
	@MethodSource
	void locksWhatAFactoryOfUnknownTypeNeeds(Class<?> application) {
		assertLocked(this.runner.withUserConfiguration(application));
	}

	@ParameterizedTest
	@MethodSource("locksWhatAFactoryOfUnknownTypeNeeds")
	void locksWhatAFactoryOfUnknownTypeNeedsWithoutAspectJ(Class<?> application) {
		assertLocked(
				this.runner.withUserConfiguration(application).withClassLoader(new FilteredClassLoader("org.aspectj")));
	}

	@ParameterizedTest
	@MethodSource("locksWhatAFactoryOfUnknownTypeNeeds")
	void locksWhatAFactoryOfUnknownTypeNeedsBesideTransactions(Class<?> application) {
		assertLocked(this.runner.withUserConfiguration(application, Transactions.class));
	}

	@ParameterizedTest
	@MethodSource("locksWhatAFactoryOfUnknownTypeNeeds")
	void locksWhatAFactoryOfUnknownTypeNeedsBesideAPostProcessor(Class<?> application) {
		assertLocked(this.runner.withUserConfiguration(PostProcessor.class, application));
	}

	@ParameterizedTest
	@MethodSource("locksWhatAFactoryOfUnknownTypeNeeds")
	void makesNoFactoryOfUnknownTypeBeforeAllPostProcessorsAreThere(Class<?> application) {
		this.runner.withUserConfiguration(application)
			.withBean(Observer.class)
			.run((context) -> assertThat(context.getBean(Observer.class).seen).hasAtLeastOneElementOfType(Stock.class));
	}

	private static void assertLocked(ApplicationContextRunner runner) {
		runner.run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(Stock.class).isLocked()).isTrue();
		});
	}

	static Stream<Class<?>> refusesWhatIsMadeWhileItsLockIs() {
		return Stream.of(OneStock.class, EachStock.class, MadeStock.class, StockInTransactions.class,
				StockInACircle.class);
	}

	@ParameterizedTest
	@MethodSource
	void refusesWhatIsMadeWhileItsLockIs(Class<?> application) {
		this.runner.withUserConfiguration(application, Planted.class)
			.withAllowCircularReferences(true)
			.run((context) -> {
				InvalidLockDefinitionException mistake = mistake(context);
				assertThat(mistake.getProblem()).contains(EarlyBeanTests.class.getName() + "$Stock",
						".isLocked(): bean 'stock' is created before Spring makes proxies", "'counter'");
				assertThat(mistake.getRemedy()).startsWith("Break that dependency");
			});
	}

	static Stream<Arguments> refusesTheMistakesOfWhatAPostProcessorNeeds() {
		return Stream.of(Arguments.of(UnknownStrategy.class, "names no lock strategy"),
				Arguments.of(StaticMethod.class, "the method is static"),
				Arguments.of(Callback.class, "the container calls"));
	}

	@ParameterizedTest
	@MethodSource
	void refusesTheMistakesOfWhatAPostProcessorNeeds(Class<?> bean, String problem) {
		this.runner.withUserConfiguration(PostProcessorWithAny.class)
			.withBean("any", bean)
			.run((context) -> assertThat(mistake(context).getProblem()).contains(problem));
	}

	private static InvalidLockDefinitionException mistake(AssertableApplicationContext context) {
		assertThat(context).hasFailed();
		Throwable cause = context.getStartupFailure();
		while (cause != null && !(cause instanceof InvalidLockDefinitionException)) {
			cause = cause.getCause();
		}
		assertThat(cause).as("a mistake in " + context.getStartupFailure()).isNotNull();
		return (InvalidLockDefinitionException) cause;
	}

	public static class Stock {

		@DistributedLock
		public boolean isLocked() {
			return LockContext.find().map(LockHandle::isHeld).orElse(false);
		}

	}

	public static class StockWithTransactions extends Stock {

		@Transactional
		public void count() {
		}

	}

	@SuppressWarnings("rawtypes")
	static class RawFactory implements FactoryBean {

		RawFactory(Stock stock) {
		}

		@Override
		public Object getObject() {
			return new Object();
		}

		@Override
		public Class getObjectType() {
			return Object.class;
		}

	}

	static class ObjectFactory implements FactoryBean<Object> {

		ObjectFactory(Stock stock) {
		}

		@Override
		public Object getObject() {
			return new Object();
		}

		@Override
		public @Nullable Class<?> getObjectType() {
			return null;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ RawFactory.class, Stock.class })
	static class RawFirst {

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Stock.class, RawFactory.class })
	static class RawLast {

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ ObjectFactory.class, Stock.class })
	static class ObjectFirst {

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Stock.class, ObjectFactory.class })
	static class ObjectLast {

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Stock.class)
	static class ByMethod {

		@Bean
		FactoryBean<?> made(Stock stock) {
			return new ObjectFactory(stock);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class Transactions {

		@Bean
		PlatformTransactionManager transactionManager() {
			return new JdbcTransactionManager(new DriverManagerDataSource("jdbc:h2:mem:early"));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PostProcessor {

		@Bean
		static BeanPostProcessor postProcessor(Stock stock) {
			return new BeanPostProcessor() {
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PostProcessorWithAny {

		@Bean
		static BeanPostProcessor postProcessor(@Qualifier("any") Object any) {
			return new BeanPostProcessor() {
			};
		}

	}

	static class Observer implements BeanPostProcessor {

		private final List<Object> seen = new ArrayList<>();

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			this.seen.add(bean);
			return bean;
		}

	}

	static class UnknownStrategy {

		@DistributedLock(strategy = "fairest")
		public void run() {
		}

	}

	static class StaticMethod {

		@DistributedLock
		public static void run() {
		}

	}

	static class Callback implements InitializingBean {

		@Override
		@DistributedLock
		public void afterPropertiesSet() {
		}

	}

	/** Has the bean 'counter' made while the lock's advice is, and what it needs. */
	@Configuration(proxyBeanMethods = false)
	static class Planted {

		@Bean
		Object counter(Stock stock) {
			return "counter";
		}

		@Bean
		static Planter planter() {
			return new Planter();
		}

	}

	static class Planter implements InstantiationAwareBeanPostProcessor, PriorityOrdered, BeanFactoryAware {

		private @Nullable BeanFactory beanFactory;

		@Override
		public void setBeanFactory(BeanFactory beanFactory) {
			this.beanFactory = beanFactory;
		}

		@Override
		public @Nullable Object postProcessBeforeInstantiation(Class<?> type, String name) {
			if (type == DistributedLockAdvisor.class) {
				Objects.requireNonNull(this.beanFactory).getBean("counter");
			}
			return null;
		}

		@Override
		public int getOrder() {
			return 0;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OneStock {

		@Bean
		Stock stock() {
			return new Stock();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EachStock {

		@Bean
		@Scope("prototype")
		Stock stock() {
			return new Stock();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class MadeStock {

		@Bean
		static FactoryBean<Stock> stock() {
			return new FactoryBean<>() {

				@Override
				public Stock getObject() {
					return new Stock();
				}

				@Override
				public Class<?> getObjectType() {
					return Stock.class;
				}

			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Transactions.class)
	static class StockInTransactions {

		@Bean
		StockWithTransactions stock() {
			return new StockWithTransactions();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class StockInACircle {

		@Bean
		StockOfAShelf stock() {
			return new StockOfAShelf();
		}

		@Bean
		Shelf shelf() {
			return new Shelf();
		}

	}

	static class Shelf {

		@Autowired
		void setStock(Stock stock) {
		}

	}

	public static class StockOfAShelf extends Stock {

		@Autowired
		void setShelf(Shelf shelf) {
		}

	}

}
