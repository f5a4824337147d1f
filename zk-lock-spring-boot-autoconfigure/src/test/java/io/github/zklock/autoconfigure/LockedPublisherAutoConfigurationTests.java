package io.github.zklock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.test.InstanceSpec;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.LockRequest;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.aop.ReactiveLockContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Locked publishers in an application.
 */
class LockedPublisherAutoConfigurationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private final ApplicationContextRunner bare = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class, ZkLockAopAutoConfiguration.class,
				AopAutoConfiguration.class))
		.withBean(Shop.class);

	private final ApplicationContextRunner runner = this.bare.withPropertyValues("zk-lock.embedded.enabled=true");

	@Test
	void publishersOfTwoApplicationsExcludeEachOther() {
		this.runner.run((first) -> this.bare
			.withPropertyValues(
					"zk-lock.connect-string=" + first.getBean(ZkLockConnectionDetails.class).connectString())
			.run((second) -> {
				Flux<Long> held = first.getBean(Shop.class).tokens();
				StepVerifier.create(held)
					.expectNextCount(1)
					.then(() -> StepVerifier.create(second.getBean(Shop.class).token())
						.expectErrorSatisfies((failure) -> assertThat(failure).isInstanceOf(LockTimeoutException.class)
							.hasMessageContaining("held by"))
						.verify(PATIENCE))
					.thenCancel()
					.verify(PATIENCE);
				StepVerifier.create(second.getBean(Shop.class).token().retry())
					.expectNextCount(1)
					.expectComplete()
					.verify(PATIENCE);
			}));
	}

	@Test
	void workThatTakesTooLongHasLostItsLock() {
		this.runner.run((context) -> StepVerifier.create(context.getBean(Shop.class).tooLong())
			.expectError(LockLostException.class)
			.verify(PATIENCE));
	}

	@Test
	@Tag("slow")
	void outageIsASignal() {
		this.bare
			.withPropertyValues("zk-lock.connect-string=127.0.0.1:" + InstanceSpec.getRandomPort(),
					"zk-lock.fail-fast=false")
			.run((context) -> StepVerifier.create(context.getBean(Shop.class).token())
				.expectError(LockUnavailableException.class)
				.verify(PATIENCE));
	}

	@Test
	void lockIsReleasedAfterTheCommit() {
		this.runner.withUserConfiguration(Transactions.class).run((context) -> {
			List<String> events = context.getBean(Transactions.class).events;
			StepVerifier.create(context.getBean(Shop.class).transactional(Mono.just("value")))
				.expectNext("value")
				.expectComplete()
				.verify(PATIENCE);
			assertThat(events).containsExactly("begin with the lock held", "commit with the lock held");
			events.clear();
			StepVerifier.create(context.getBean(Shop.class).transactional(Mono.error(new IllegalStateException("no"))))
				.expectErrorMessage("no")
				.verify(PATIENCE);
			assertThat(events).containsExactly("begin with the lock held", "rollback with the lock held");
			assertThat(
					context.getBean(LockClient.class).acquire(LockRequest.exclusive("stock").owner("another")).isHeld())
				.isTrue();
		});
	}

	@Test
	void transactionIsRolledBackWhenTheLockIsLostBeforeTheCommit() {
		this.runner.withUserConfiguration(Transactions.class).run((context) -> {
			List<String> events = context.getBean(Transactions.class).events;
			StepVerifier.create(context.getBean(Shop.class).transactional(Mono.never()))
				.expectSubscription()
				.then(() -> await().until(() -> events.size() == 1))
				.then(() -> expireSession(context.getBean(CuratorFramework.class)))
				.expectError(LockLostException.class)
				.verify(PATIENCE);
			await().untilAsserted(
					() -> assertThat(events).containsExactly("begin with the lock held", "rollback without the lock"));
		});
	}

	private static void expireSession(CuratorFramework curator) {
		try {
			curator.getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	static class Shop {

		@DistributedLock(key = "stock")
		public Flux<Long> tokens() {
			return ReactiveLockContext.current().map(LockHandle::fencingToken).concatWith(Mono.never());
		}

		@DistributedLock(key = "stock", timeout = "2s")
		public Mono<Long> token() {
			return ReactiveLockContext.current().map(LockHandle::fencingToken);
		}

		@DistributedLock(key = "stock", maxHold = "100ms")
		public Mono<String> tooLong() {
			return Mono.never();
		}

		@DistributedLock(key = "stock")
		@Transactional
		public Mono<String> transactional(Mono<String> work) {
			return work;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class Transactions {

		private final List<String> events = new CopyOnWriteArrayList<>();

		@Bean
		ReactiveTransactionManager transactionManager() {
			return new RecordingTransactionManager(this.events);
		}

	}

	private static final class RecordingTransactionManager extends AbstractReactiveTransactionManager {

		private static final long serialVersionUID = 1L;

		private final transient List<String> events;

		RecordingTransactionManager(List<String> events) {
			this.events = events;
		}

		private Mono<Void> record(String event) {
			return Mono.deferContextual((context) -> {
				boolean held = ReactiveLockContext.find(context).map(LockHandle::isHeld).orElse(false);
				this.events.add(event + (held ? " with the lock held" : " without the lock"));
				return Mono.empty();
			});
		}

		@Override
		protected Object doGetTransaction(TransactionSynchronizationManager synchronizationManager) {
			return new Object();
		}

		@Override
		protected Mono<Void> doBegin(TransactionSynchronizationManager synchronizationManager, Object transaction,
				TransactionDefinition definition) {
			return record("begin");
		}

		@Override
		protected Mono<Void> doCommit(TransactionSynchronizationManager synchronizationManager,
				GenericReactiveTransaction status) {
			return record("commit");
		}

		@Override
		protected Mono<Void> doRollback(TransactionSynchronizationManager synchronizationManager,
				GenericReactiveTransaction status) {
			return record("rollback");
		}

	}

}
