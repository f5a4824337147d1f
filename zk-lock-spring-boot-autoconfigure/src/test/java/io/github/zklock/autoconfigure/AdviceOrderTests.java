package io.github.zklock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import jakarta.validation.ConstraintViolationException;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Size;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.validation.annotation.Validated;
import org.springframework.validation.beanvalidation.MethodValidationPostProcessor;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockClient;
import io.github.zklock.LockContext;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.aop.DistributedLockAdvisor;
import io.github.zklock.aop.InvalidLockDefinitionException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Where the lock stands among a real transaction manager with a real database, and a real
 * executor.
 */
class AdviceOrderTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withUserConfiguration(Application.class)
		.withPropertyValues("zk-lock.embedded.enabled=true", "spring.datasource.generate-unique-name=true",
				"spring.task.execution.thread-name-prefix=worker-");

	private static int stock(ApplicationContext context) {
		return context.getBean(JdbcClient.class).sql("select amount from stock").query(Integer.class).single();
	}

	@Test
	void lockIsReleasedAfterTheCommit() {
		this.runner.run((context) -> {
			assertThat(context.getBean(PlatformTransactionManager.class)).isInstanceOf(JdbcTransactionManager.class);
			context.getBean(Stock.class).sell(1);
			assertThat(context.getBean(Probe.class).seen).containsExactly("key evaluated outside a transaction",
					"in the transaction", "committed with the lock held");
			assertThat(stock(context)).isEqualTo(9);
			assertFree(context);
		});
	}

	@Test
	void lockIsOutsideOfTransactionsByItsOrderAndNotByChance() {
		this.runner.run((context) -> assertThat(context.getBean(DistributedLockAdvisor.class).getOrder())
			.isLessThan(context.getBean(BeanFactoryTransactionAttributeSourceAdvisor.class).getOrder()));
	}

	@Test
	void lockIsReleasedAfterTheRollback() {
		this.runner.run((context) -> {
			assertThatIllegalStateException().isThrownBy(() -> context.getBean(Stock.class).sell(100));
			assertThat(context.getBean(Probe.class).seen).containsExactly("key evaluated outside a transaction",
					"in the transaction", "rolled back with the lock held");
			assertThat(stock(context)).isEqualTo(10);
			assertFree(context);
		});
	}

	@Test
	void lockInsideOfItsTransactionIsRefused() {
		this.runner.withUserConfiguration(TransactionOutside.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidLockDefinitionException.class)
				.hasMessageContaining("the lock is inside the method's own transaction")
				.hasMessageContaining("Set zk-lock.aop.order, which is 2147482647, to less"));
		this.runner.withPropertyValues("zk-lock.aop.order=" + Ordered.LOWEST_PRECEDENCE)
			.withUserConfiguration(TransactionOutside.class)
			.run((context) -> assertThat(context).hasFailed());
	}

	@Test
	void lockInsideOfItsTransactionMayBeKeptUntilTheCommit() {
		this.runner.withUserConfiguration(TransactionOutside.class)
			.withPropertyValues("zk-lock.aop.release-after-completion=true")
			.run((context) -> {
				context.getBean(Stock.class).sell(1);
				assertThat(context.getBean(Probe.class).seen).containsExactly("key evaluated in the transaction",
						"in the transaction", "committed with the lock held");
			});
	}

	@Test
	void lockIsMovedOutsideOfTransactionsByItsOrder() {
		this.runner.withPropertyValues("zk-lock.aop.order=" + Ordered.HIGHEST_PRECEDENCE)
			.withUserConfiguration(TransactionOutside.class)
			.run((context) -> {
				context.getBean(Stock.class).sell(1);
				assertThat(context.getBean(Probe.class).seen).contains("committed with the lock held");
			});
	}

	@Test
	void concurrentSalesNeverSellTooMuch() {
		this.runner.run((context) -> {
			Stock stock = context.getBean(Stock.class);
			List<CompletableFuture<Boolean>> sales = new CopyOnWriteArrayList<>();
			for (int i = 0; i < 16; i++) {
				sales.add(CompletableFuture.supplyAsync(() -> stock.sellIfAvailable(1)));
			}
			assertThat(sales.stream().filter(CompletableFuture::join)).hasSize(10);
			assertThat(stock(context)).isZero();
		});
	}

	@Test
	void asyncMethodTakesTheLockInTheWorker() {
		this.runner.run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			try (LockHandle held = context.getBean(LockClient.class).acquire(LockRequest.exclusive("job"))) {
				jobs.run();
				assertThat(held.isHeld()).isTrue();
				assertThat(jobs.done().getCount()).as("the caller did not wait for the lock").isOne();
			}
			assertThat(jobs.done().await(10, TimeUnit.SECONDS)).isTrue();
			assertThat(jobs.seen()).singleElement().asString().startsWith("worker-").endsWith("holds true");
		});
	}

	@Test
	void asyncFutureHoldsTheLockUntilItIsComplete() {
		this.runner.run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			CompletableFuture<String> work = new CompletableFuture<>();
			CompletableFuture<String> result = jobs.future(work);
			assertThat(jobs.done().await(10, TimeUnit.SECONDS)).isTrue();
			assertBusy(context, "job");
			work.complete("done");
			assertThat(result.get(10, TimeUnit.SECONDS)).isEqualTo("done");
			assertFree(context, "job");
		});
	}

	@Test
	void lockOutsideOfAsyncIsRefused() {
		new ApplicationContextRunner().withUserConfiguration(AsyncInside.class)
			.withPropertyValues("zk-lock.in-memory=true")
			.withBean(Jobs.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidLockDefinitionException.class)
				.hasMessageContaining("Jobs.run(): the lock is outside of the method's @Async")
				.hasMessageContaining("Leave out the order of @EnableAsync"));
	}

	@ParameterizedTest
	@ValueSource(classes = { WovenJob.class, WovenJobs.class, InheritingWovenJob.class })
	void lockOutsideOfAsyncThatIsWovenIntoTheClassIsRefused(Class<?> jobs) {
		woven(jobs).run((context) -> assertThat(context).getFailure()
			.rootCause()
			.isInstanceOf(InvalidLockDefinitionException.class)
			.hasMessageContaining(".run(): the lock is outside of the method's @Async")
			.hasMessageContaining("mode = AdviceMode.PROXY"));
	}

	@ParameterizedTest
	@ValueSource(classes = { FutureJobs.class, WovenValues.class, OverridingWovenJob.class })
	void lockIsFineWhereNothingThatIsWovenRunsElsewhereWithoutIt(Class<?> jobs) {
		woven(jobs).run((context) -> assertThat(context).hasNotFailed());
	}

	// The aspect itself would need a weaver
	private static ApplicationContextRunner woven(Class<?> jobs) {
		return new ApplicationContextRunner().withUserConfiguration(Locks.class)
			.withPropertyValues("zk-lock.in-memory=true")
			.withBean("org.springframework.scheduling.config.internalAsyncExecutionAspect", Object.class)
			.withBean(jobs);
	}

	@Test
	void lockOutsideOfAsyncIsFineWhereItIsHeldUntilTheFutureIsComplete() {
		new ApplicationContextRunner().withUserConfiguration(AsyncInside.class)
			.withPropertyValues("zk-lock.in-memory=true")
			.withBean(FutureJobs.class)
			.run((context) -> {
				CompletableFuture<String> work = new CompletableFuture<>();
				CompletableFuture<String> result = context.getBean(FutureJobs.class).future(work);
				context.getBean(FutureJobs.class).plain();
				assertBusy(context, "future-job");
				work.complete("done");
				assertThat(result.get(10, TimeUnit.SECONDS)).isEqualTo("done");
				assertFree(context, "future-job");
			});
	}

	@Test
	void argumentsAreValidatedInsideOfTheLock() {
		validated(false).run((context) -> {
			Orders orders = context.getBean(Orders.class);
			assertThatIllegalArgumentException().isThrownBy(() -> orders.place(null))
				.withMessageContaining("gave null");
			assertThatExceptionOfType(ConstraintViolationException.class).isThrownBy(() -> orders.place("long"));
			try (LockHandle held = holdByAnother(context, "order-long")) {
				assertThatExceptionOfType(LockTimeoutException.class).isThrownBy(() -> orders.place("long"));
				assertThat(held.isHeld()).isTrue();
			}
		});
	}

	@Test
	void argumentsAreValidatedOutsideOfTheLockByAPostProcessorThatSaysSo() {
		validated(true).run((context) -> {
			Orders orders = context.getBean(Orders.class);
			assertThatExceptionOfType(ConstraintViolationException.class).isThrownBy(() -> orders.place(null));
			try (LockHandle held = holdByAnother(context, "order-long")) {
				assertThatExceptionOfType(ConstraintViolationException.class).isThrownBy(() -> orders.place("long"));
				assertThat(held.isHeld()).isTrue();
			}
			try (LockHandle held = holdByAnother(context, "order-new")) {
				assertThatExceptionOfType(LockTimeoutException.class).isThrownBy(() -> orders.place("new"));
				assertThat(held.isHeld()).isTrue();
			}
		});
	}

	private static ApplicationContextRunner validated(boolean beforeExistingAdvisors) {
		return new ApplicationContextRunner().withUserConfiguration(Locks.class)
			.withPropertyValues("zk-lock.in-memory=true")
			.withBean(Orders.class)
			.withBean(MethodValidationPostProcessor.class, () -> {
				MethodValidationPostProcessor validation = new MethodValidationPostProcessor();
				validation.setBeforeExistingAdvisors(beforeExistingAdvisors);
				return validation;
			});
	}

	private static LockHandle holdByAnother(ApplicationContext context, String key) throws InterruptedException {
		return context.getBean(LockClient.class).acquire(LockRequest.exclusive(key).owner(new Object()));
	}

	@Test
	@Tag("slow")
	void asyncFutureFailsWhenTheLockIsBusy() {
		this.runner.run((context) -> {
			try (LockHandle held = context.getBean(LockClient.class).acquire(LockRequest.exclusive("job"))) {
				assertThat(context.getBean(Jobs.class).future(new CompletableFuture<>()))
					.failsWithin(Duration.ofSeconds(10))
					.withThrowableThat()
					.withCauseInstanceOf(LockTimeoutException.class);
				assertThat(held.isHeld()).isTrue();
			}
		});
	}

	private static void assertFree(ApplicationContext context) throws InterruptedException {
		assertFree(context, "stock");
	}

	private static void assertFree(ApplicationContext context, String key) throws InterruptedException {
		Optional<LockHandle> handle = context.getBean(LockClient.class)
			.tryAcquire(LockRequest.exclusive(key).owner(new Object()).timeout(Duration.ofSeconds(5)));
		assertThat(handle).isPresent();
		handle.get().release();
	}

	private static void assertBusy(ApplicationContext context, String key) throws InterruptedException {
		assertThat(context.getBean(LockClient.class)
			.tryAcquire(LockRequest.exclusive(key).owner(new Object()).timeout(Duration.ZERO))).isEmpty();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableAsync
	static class Application {

		@Bean
		Probe probe(LockClient client) {
			return new Probe(client);
		}

		@Bean
		Stock stock(JdbcClient jdbc, Probe probe) {
			jdbc.sql("create table stock (amount int)").update();
			jdbc.sql("insert into stock values (10)").update();
			return new Stock(jdbc, probe);
		}

		@Bean
		Jobs jobs() {
			return new Jobs();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(order = 0)
	static class TransactionOutside {

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, ZkLockAutoConfiguration.class,
			ZkLockAopAutoConfiguration.class })
	static class Locks {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync(order = Ordered.HIGHEST_PRECEDENCE)
	static class AsyncInside extends Locks {

	}

	static class WovenJob {

		@Async
		@DistributedLock
		public void run() {
		}

	}

	@Async
	static class WovenJobs {

		@DistributedLock
		public void run() {
		}

	}

	@DistributedLock
	static class InheritingWovenJob extends WovenJob {

	}

	static class OverridingWovenJob extends WovenJob {

		@Override
		@DistributedLock
		public void run() {
		}

	}

	@Async
	static class WovenValues {

		@DistributedLock
		public String run() {
			return "";
		}

	}

	@Validated
	static class Orders {

		@DistributedLock(key = "order-#{#id}", timeout = "0")
		public void place(@NotNull @Size(max = 3) String id) {
		}

	}

	static class FutureJobs {

		@Async
		@DistributedLock(key = "future-job")
		public CompletableFuture<String> future(CompletableFuture<String> work) {
			return work;
		}

		@DistributedLock(key = "plain-job")
		public void plain() {
		}

	}

	static class Probe {

		private final List<String> seen = new CopyOnWriteArrayList<>();

		private final LockClient client;

		Probe(LockClient client) {
			this.client = client;
		}

		public String key() {
			this.seen.add(TransactionSynchronizationManager.isActualTransactionActive()
					? "key evaluated in the transaction" : "key evaluated outside a transaction");
			return "stock";
		}

		void watchTransaction() {
			assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isTrue();
			this.seen.add("in the transaction");
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
				@Override
				public int getOrder() {
					return 0;
				}

				@Override
				public void afterCompletion(int status) {
					Probe.this.seen.add(((status == STATUS_COMMITTED) ? "committed" : "rolled back")
							+ (isBusy() ? " with the lock held" : " without the lock"));
				}
			});
		}

		private boolean isBusy() {
			try {
				Optional<LockHandle> handle = this.client
					.tryAcquire(LockRequest.exclusive("stock").owner(new Object()).timeout(Duration.ofSeconds(1)));
				handle.ifPresent(LockHandle::release);
				return handle.isEmpty();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	static class Stock {

		private final JdbcClient jdbc;

		private final Probe probe;

		Stock(JdbcClient jdbc, Probe probe) {
			this.jdbc = jdbc;
			this.probe = probe;
		}

		@Transactional
		@DistributedLock(key = "@probe.key()")
		public void sell(int amount) {
			this.probe.watchTransaction();
			this.jdbc.sql("update stock set amount = amount - ?").param(amount).update();
			if (current() < 0) {
				throw new IllegalStateException("sold out");
			}
		}

		@Transactional
		@DistributedLock(key = "stock", timeout = "20s")
		public boolean sellIfAvailable(int amount) {
			int current = current();
			if (current < amount) {
				return false;
			}
			this.jdbc.sql("update stock set amount = ?").param(current - amount).update();
			return true;
		}

		private int current() {
			return this.jdbc.sql("select amount from stock").query(Integer.class).single();
		}

	}

	static class Jobs {

		private final CountDownLatch done = new CountDownLatch(1);

		private final List<String> seen = new CopyOnWriteArrayList<>();

		CountDownLatch done() {
			return this.done;
		}

		List<String> seen() {
			return this.seen;
		}

		@Async
		@DistributedLock(key = "job", timeout = "10s")
		public void run() {
			this.seen.add(Thread.currentThread().getName() + " holds " + LockContext.current().isHeld());
			this.done.countDown();
		}

		@Async
		@DistributedLock(key = "job", timeout = "2s")
		public CompletableFuture<String> future(CompletableFuture<String> work) {
			this.done.countDown();
			return work;
		}

	}

}
