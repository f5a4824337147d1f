package io.github.zklock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import jakarta.annotation.PreDestroy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.EnableScheduling;

import io.github.zklock.DistributedLock;
import io.github.zklock.LeaderElection;
import io.github.zklock.LeaderOnly;
import io.github.zklock.LockClient;
import io.github.zklock.LockContext;
import io.github.zklock.LockHandle;
import io.github.zklock.LockListener;
import io.github.zklock.LockRequest;
import io.github.zklock.memory.MemoryLockClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What uses locked methods is destroyed before the lock client is, whatever was created
 * first.
 */
class DestructionOrderTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class, ZkLockAopAutoConfiguration.class))
		.withPropertyValues("zk-lock.in-memory=true", "zk-lock.root=/" + DestructionOrderTests.class.getName());

	private static List<String> dependents(ConfigurableApplicationContext context, String name) {
		return List.of(context.getBeanFactory().getDependentBeans(name));
	}

	@ParameterizedTest
	@ValueSource(strings = { "zk-lock.in-memory=true", "zk-lock.embedded.enabled=true" })
	void workThatEndsWhenItsBeanIsDestroyedHasItsLock(String property) {
		AtomicReference<CompletableFuture<Boolean>> work = new AtomicReference<>();
		this.runner.withPropertyValues("zk-lock.in-memory=false", property)
			.withBean(Orders.class)
			.withBean(Poller.class)
			.run((context) -> work.set(context.getBean(Poller.class).poll()));
		assertThat(work.get()).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(true);
	}

	@ParameterizedTest
	@ValueSource(strings = { "applicationTaskExecutor", "taskScheduler" })
	void workThatAnExecutorOfSpringBootWaitsForHasItsLock(String executor) {
		assertWorkHasItsLockAtTheEnd(executor, this.runner.withBean(Orders.class), Orders.class, Orders::ship);
	}

	@ParameterizedTest
	@ValueSource(strings = { "applicationTaskExecutor", "taskScheduler" })
	void workUnderALockOfTheClientHasItTooWhileItsExecutorIsWaitedFor(String executor) {
		assertWorkHasItsLockAtTheEnd(executor, this.runner.withUserConfiguration(UsesTheClient.class), Stock.class,
				Stock::count);
	}

	// The work goes on for a moment when the application is already ending
	private static <T> void assertWorkHasItsLockAtTheEnd(String executor, ApplicationContextRunner application,
			Class<T> worker, Work<T> work) {
		AtomicReference<CompletableFuture<Boolean>> locked = new AtomicReference<>();
		application
			.withConfiguration(
					AutoConfigurations.of(TaskExecutionAutoConfiguration.class, TaskSchedulingAutoConfiguration.class))
			.withPropertyValues("spring.task.execution.shutdown.await-termination=true",
					"spring.task.execution.shutdown.await-termination-period=10s",
					"spring.task.scheduling.shutdown.await-termination=true",
					"spring.task.scheduling.shutdown.await-termination-period=10s")
			.withUserConfiguration(UsesTheScheduler.class)
			.run((context) -> {
				CountDownLatch begun = new CountDownLatch(1);
				CountDownLatch stopped = new CountDownLatch(1);
				T bean = context.getBean(worker);
				locked.set(context.getBean(executor, AsyncTaskExecutor.class)
					.submitCompletable(() -> work.isLocked(bean, begun, stopped)));
				assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
				CompletableFuture.delayedExecutor(500, TimeUnit.MILLISECONDS).execute(stopped::countDown);
			});
		assertThat(locked.get()).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(true);
	}

	@Test
	void executorThatTheClientDependsOnIsClosedBehindIt() {
		this.runner.withConfiguration(AutoConfigurations.of(TaskExecutionAutoConfiguration.class))
			.withUserConfiguration(ClientUsesTheExecutor.class)
			.run((context) -> {
				assertThat(dependents(context, "applicationTaskExecutor")).contains("client");
				assertThat(dependents(context, "client")).contains("orders").doesNotContain("applicationTaskExecutor");
			});
	}

	@Test
	void executorsAreClosedBeforeTheClientAndItsElectionsAlsoWithoutLockedMethods() {
		this.runner.withConfiguration(AutoConfigurations.of(TaskExecutionAutoConfiguration.class))
			.withPropertyValues("zk-lock.leader.names=billing")
			.run((context) -> {
				assertThat(dependents(context, "lockClient")).contains("applicationTaskExecutor");
				assertThat(dependents(context, "billingLeaderElection")).contains("applicationTaskExecutor");
			});
	}

	@Test
	void executorsAreClosedBeforeTheClientAlsoWhereNoMethodIsLocked() {
		this.runner.withConfiguration(AutoConfigurations.of(TaskExecutionAutoConfiguration.class))
			.withPropertyValues("zk-lock.aop.enabled=false")
			.run((context) -> assertThat(dependents(context, "lockClient")).contains("applicationTaskExecutor"));
	}

	@Test
	void everyBeanWithLockedMethodsIsDestroyedBeforeTheClient() {
		this.runner.withUserConfiguration(TwoOfOneClass.class)
			.run((context) -> assertThat(dependents(context, "lockClient")).contains("one", "two")
				.doesNotContain("plain"));
	}

	@Test
	void beanThatIsCreatedLaterIsDestroyedBeforeTheClient() {
		this.runner.withUserConfiguration(LazyOrders.class).run((context) -> {
			assertThat(dependents(context, "lockClient")).doesNotContain("lazy");
			assertThat(context.getBean("lazy")).isNotNull();
			assertThat(dependents(context, "lockClient")).contains("lazy");
		});
	}

	@Test
	void whatUsesTheProxyOfAScopedBeanIsDestroyedBeforeTheClient() {
		this.runner.withUserConfiguration(ScopedOrders.class).run((context) -> {
			context.getBean("scoped", Orders.class).touch();
			assertThat(dependents(context, "lockClient")).contains("scoped");
		});
	}

	@Test
	void beansOfAPrototypeAreRegisteredOnce() {
		this.runner.withUserConfiguration(ScopedOrders.class).run((context) -> {
			int before = dependents(context, "lockClient").size();
			for (int i = 0; i < 10; i++) {
				context.getBean("scoped", Orders.class).touch();
				context.getAutowireCapableBeanFactory().initializeBean(new Orders(), "without definition " + i);
			}
			assertThat(dependents(context, "lockClient")).hasSize(before + 1);
		});
	}

	@Test
	void beanWithMethodsOfALeaderIsDestroyedBeforeTheElection() {
		this.runner.withPropertyValues("zk-lock.leader.names=billing")
			.withBean("billing", Billing.class)
			.run((context) -> {
				assertThat(context.getBeanNamesForType(LeaderElection.class)).containsExactly("billingLeaderElection");
				assertThat(dependents(context, "billingLeaderElection")).contains("billing");
			});
	}

	@Test
	void clientOfAFactoryBeanIsKnown() {
		this.runner.withUserConfiguration(MadeByAFactory.class)
			.withBean("orders", Orders.class)
			.run((context) -> assertThat(dependents(context, "factory")).contains("orders"));
	}

	@Test
	void clientOfAParentIsClosedByTheParent() {
		this.runner.run((parent) -> new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(ZkLockAopAutoConfiguration.class))
			.withParent(parent)
			.withBean("orders", Orders.class)
			.run((context) -> {
				context.getBean(Orders.class).touch();
				assertThat(dependents(parent, "lockClient")).doesNotContain("orders");
			}));
	}

	@Test
	void beanThatTheClientDependsOnIsDestroyedBehindIt() {
		this.runner.withUserConfiguration(ListenerIsLocked.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(dependents(context, "listener")).contains("client");
			assertThat(dependents(context, "client")).doesNotContain("listener").contains("orders");
		});
	}

	static class Orders {

		@DistributedLock(key = "orders")
		public boolean ship(CountDownLatch begun, CountDownLatch stopped) throws InterruptedException {
			begun.countDown();
			assertThat(stopped.await(10, TimeUnit.SECONDS)).isTrue();
			return LockContext.current().isHeld();
		}

		@DistributedLock(key = "orders")
		public void touch() {
		}

	}

	@FunctionalInterface
	private interface Work<T> {

		boolean isLocked(T worker, CountDownLatch begun, CountDownLatch stopped) throws InterruptedException;

	}

	static class Stock {

		private final LockClient client;

		Stock(LockClient client) {
			this.client = client;
		}

		boolean count(CountDownLatch begun, CountDownLatch stopped) throws InterruptedException {
			try (LockHandle handle = this.client.acquire(LockRequest.exclusive("stock"))) {
				begun.countDown();
				assertThat(stopped.await(10, TimeUnit.SECONDS)).isTrue();
				return handle.isHeld();
			}
		}

	}

	static class Poller {

		private final ExecutorService pool = Executors.newSingleThreadExecutor();

		private final CountDownLatch begun = new CountDownLatch(1);

		private final CountDownLatch stopped = new CountDownLatch(1);

		private final Orders orders;

		Poller(Orders orders) {
			this.orders = orders;
		}

		CompletableFuture<Boolean> poll() throws InterruptedException {
			CompletableFuture<Boolean> work = CompletableFuture.supplyAsync(this::ship, this.pool);
			assertThat(this.begun.await(10, TimeUnit.SECONDS)).isTrue();
			return work;
		}

		private boolean ship() {
			try {
				return this.orders.ship(this.begun, this.stopped);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

		@PreDestroy
		void stop() throws InterruptedException {
			this.stopped.countDown();
			this.pool.shutdown();
			assertThat(this.pool.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
		}

	}

	static class Billing {

		@LeaderOnly("billing")
		public void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class UsesTheScheduler {

		@Bean
		Object early(TaskScheduler scheduler) {
			return new Object();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class UsesTheClient {

		@Bean
		Stock stock(LockClient client) {
			return new Stock(client);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ClientUsesTheExecutor {

		@Bean(destroyMethod = "close")
		MemoryLockClient client(AsyncTaskExecutor executor) {
			return MemoryLockClient.builder().root("/with-an-executor").build();
		}

		@Bean
		Orders orders() {
			return new Orders();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoOfOneClass {

		@Bean
		Orders one() {
			return new Orders();
		}

		@Bean
		Orders two() {
			return new Orders();
		}

		@Bean
		Object plain() {
			return new Object();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyOrders {

		@Bean
		@Lazy
		Orders lazy() {
			return new Orders();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ScopedOrders {

		@Bean
		@Scope(value = BeanDefinition.SCOPE_PROTOTYPE, proxyMode = ScopedProxyMode.TARGET_CLASS)
		Orders scoped() {
			return new Orders();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class MadeByAFactory {

		@Bean
		FactoryBean<LockClient> factory() {
			return new FactoryBean<>() {

				private final LockClient client = MemoryLockClient.builder().root("/of-a-factory").build();

				@Override
				public LockClient getObject() {
					return this.client;
				}

				@Override
				public Class<?> getObjectType() {
					return LockClient.class;
				}

			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ListenerIsLocked {

		@Bean
		LockedListener listener() {
			return new LockedListener();
		}

		@Bean(destroyMethod = "close")
		@DependsOn("listener")
		MemoryLockClient client(LockListener listener) {
			return MemoryLockClient.builder().root("/with-a-listener").listener(listener).build();
		}

		@Bean
		Orders orders() {
			return new Orders();
		}

	}

	static class LockedListener implements LockListener {

		@DistributedLock(key = "listener")
		public void report() {
		}

	}

}
