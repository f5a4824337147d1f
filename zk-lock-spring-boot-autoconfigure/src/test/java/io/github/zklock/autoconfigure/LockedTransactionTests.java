package io.github.zklock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooKeeper;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.TransactionManagementConfigurer;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockClient;
import io.github.zklock.LockContext;
import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;
import io.github.zklock.LockRequest;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.OnLost;
import io.github.zklock.testing.Repeat;
import io.github.zklock.testing.TestServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Transactions of a real database inside of locks of a real server, and around them.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockedTransactionTests {

	private static final AtomicInteger ROOTS = new AtomicInteger();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withUserConfiguration(Application.class)
		.withPropertyValues("zk-lock.connect-string=" + TestServers.one().connectString(),
				"zk-lock.root=/transactions-" + ROOTS.incrementAndGet(), "spring.datasource.generate-unique-name=true",
				"journal.timeout=5");

	private final ApplicationContextRunner keeping = this.runner
		.withPropertyValues("zk-lock.aop.release-after-completion=true");

	private static List<String> rows(ApplicationContext context) {
		return context.getBean(JdbcClient.class).sql("select text from log order by text").query(String.class).list();
	}

	private static void loseSession(ApplicationContext context) {
		LockHandle held = LockContext.current();
		try {
			ZooKeeper ours = context.getBean(CuratorFramework.class).getZookeeperClient().getZooKeeper();
			TestServers.one().expire(ours.getSessionId());
			// The client would wait for up to a second before it asks the server again
			ours.getTestable().injectSessionExpiration();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
		Awaitility.await().until(() -> !held.isHeld());
	}

	private static boolean isFree(ApplicationContext context, String key) {
		LockRequest request = LockRequest.exclusive(key).owner(new Object()).timeout(Duration.ofMillis(500));
		// Without an answer, or a session, yet it is not known
		Optional<LockHandle> handle = Repeat.after(LockUnavailableException.class,
				() -> context.getBean(LockClient.class).tryAcquire(request));
		handle.ifPresent(LockHandle::release);
		return handle.isPresent();
	}

	private static void nothing() {
	}

	private static TransactionTemplate transaction(ApplicationContext context) {
		return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
	}

	@Test
	void transactionIsCommittedWhenTheLockIsHeld() {
		this.runner.run((context) -> {
			context.getBean(Journal.class).write("a", LockedTransactionTests::nothing);
			assertThat(rows(context)).containsExactly("a");
		});
	}

	@Test
	void transactionIsRolledBackWhenTheLockIsLost() {
		assertRolledBack(this.runner);
	}

	@Test
	void transactionOfAManagerThatIsMadeWithThePostProcessorsIsRolledBack() {
		assertRolledBack(this.runner.withUserConfiguration(ChosenManager.class));
	}

	@Test
	void transactionOfAManagerWhoseListenersAreImmutableIsRolledBack() {
		assertRolledBack(this.runner.withUserConfiguration(ManagerWithListeners.class));
	}

	@Test
	void transactionOfAManagerWhoseListenersAPostProcessorReplacesIsRolledBack() {
		assertRolledBack(this.runner.withUserConfiguration(ReplacedListeners.class));
	}

	@ParameterizedTest
	@ValueSource(classes = { Database.class, LazyDatabase.class })
	void transactionOfAManagerOfAParentContextIsRolledBack(Class<?> database) {
		new ApplicationContextRunner().withUserConfiguration(database)
			.run((parent) -> assertRolledBack(this.runner.withParent(parent)));
	}

	@ParameterizedTest
	@ValueSource(classes = { Database.class, LazyDatabase.class })
	void managerOfAParentContextIsGuardedOnceForAllChildren(Class<?> database) {
		new ApplicationContextRunner().withUserConfiguration(database).run((parent) -> {
			DefaultListableBeanFactory beans = (DefaultListableBeanFactory) parent.getAutowireCapableBeanFactory();
			boolean made = beans.containsSingleton("transactionManager");
			int before = beans.getBeanPostProcessorCount();
			ApplicationContextRunner child = new ApplicationContextRunner().withParent(parent)
				.withConfiguration(
						AutoConfigurations.of(ZkLockAutoConfiguration.class, ZkLockAopAutoConfiguration.class))
				.withPropertyValues("zk-lock.in-memory=true");
			child.run((first) -> child.run((second) -> assertThat(second).hasNotFailed()));
			assertThat(beans.containsSingleton("transactionManager")).isEqualTo(made);
			assertThat(beans.getBeanPostProcessorCount()).isEqualTo(before + 1);
			assertThat(parent.getBean(JdbcTransactionManager.class).getTransactionExecutionListeners()).hasSize(1);
		});
	}

	private static void assertRolledBack(ApplicationContextRunner application) {
		application.run((context) -> {
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> context.getBean(Journal.class).write("a", () -> loseSession(context)))
				.withMessageContaining("Lock 'journal' of ")
				.withMessageContaining("Journal.write(String, Runnable) was lost, so its transaction is rolled back")
				.satisfies((ex) -> assertThat(ex.getSuppressed()).isEmpty());
			assertThat(rows(context)).isEmpty();
			assertThat(isFree(context, "journal")).isTrue();
		});
	}

	@Test
	void transactionOfATemplateIsRolledBackWhenTheLockIsLost() {
		this.runner.run((context) -> {
			Journal journal = context.getBean(Journal.class);
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> journal.locked(() -> transaction(context).executeWithoutResult((status) -> {
					journal.insert("a");
					loseSession(context);
				})));
			assertThat(rows(context)).isEmpty();
		});
	}

	@Test
	void newTransactionInsideOfAnotherIsRolledBackWhenTheLockIsLost() {
		this.runner.run((context) -> {
			Journal journal = context.getBean(Journal.class);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> journal.write("a", () -> {
				TransactionTemplate inner = transaction(context);
				inner.setPropagationBehavior(TransactionTemplate.PROPAGATION_REQUIRES_NEW);
				inner.executeWithoutResult((status) -> journal.insert("committed in time"));
				assertThatExceptionOfType(LockLostException.class)
					.isThrownBy(() -> inner.executeWithoutResult((status) -> {
						journal.insert("too late");
						loseSession(context);
					}));
			}));
			assertThat(rows(context)).containsExactly("committed in time");
		});
	}

	@Test
	void lossInANestedTransactionRollsTheWholeTransactionBack() {
		this.runner.run((context) -> {
			Journal journal = context.getBean(Journal.class);
			assertThatExceptionOfType(UnexpectedRollbackException.class)
				.isThrownBy(() -> journal.writeAndIgnoreFailure("a", () -> {
					TransactionTemplate nested = transaction(context);
					nested.setPropagationBehavior(TransactionTemplate.PROPAGATION_NESTED);
					nested.executeWithoutResult((status) -> {
						journal.insert("too late");
						loseSession(context);
					});
				}))
				.satisfies(
						(ex) -> assertThat(ex.getSuppressed()).singleElement().isInstanceOf(LockLostException.class));
			assertThat(journal.ignored()).isInstanceOf(LockLostException.class);
			assertThat(rows(context)).isEmpty();
		});
	}

	@Test
	void lossOfAnOuterLockPreventsTheCommitToo() {
		this.runner.run((context) -> {
			Journal journal = context.getBean(Journal.class);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> journal.bounded(() -> {
				LockHandle outer = LockContext.current();
				Awaitility.await().until(() -> !outer.isHeld());
				journal.write("a", LockedTransactionTests::nothing);
			})).withMessageContaining("Lock 'bounded' of ");
			assertThat(rows(context)).isEmpty();
		});
	}

	@Test
	void ignoredLossPreventsNothing() {
		this.runner.run((context) -> {
			context.getBean(Journal.class).writeAnyway("a", () -> loseSession(context));
			assertThat(rows(context)).containsExactly("a");
		});
	}

	@Test
	void earlyReleaseByTheMethodIsNoLoss() {
		this.runner.run((context) -> {
			context.getBean(Journal.class).write("a", () -> LockContext.current().release());
			assertThat(rows(context)).containsExactly("a");
		});
	}

	@Test
	void exceptionOfTheMethodStaysWhatItIsAndCarriesTheLoss() {
		this.runner.run((context) -> {
			assertThatIllegalStateException().isThrownBy(() -> context.getBean(Journal.class).write("a", () -> {
				loseSession(context);
				throw new IllegalStateException("of the method");
			}))
				.withMessage("of the method")
				.satisfies(
						(ex) -> assertThat(ex.getSuppressed()).singleElement().isInstanceOf(LockLostException.class));
			assertThat(rows(context)).isEmpty();
		});
	}

	@Test
	void transactionManagerOfTheUserIsGuardedToo() {
		this.runner.withUserConfiguration(OwnTransactionManager.class).run((context) -> {
			assertThat(context).hasSingleBean(PlatformTransactionManager.class).hasBean("own");
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> context.getBean(Journal.class).write("a", () -> loseSession(context)));
			assertThat(rows(context)).isEmpty();
		});
	}

	@Test
	void openTransactionIsWarnedOfOnceForEachMethod(CapturedOutput output) {
		this.runner.run((context) -> {
			Journal journal = context.getBean(Journal.class);
			transaction(context).executeWithoutResult((status) -> {
				journal.write("a", LockedTransactionTests::nothing);
				assertThat(isFree(context, "journal")).as("released before the commit").isTrue();
				journal.write("b", LockedTransactionTests::nothing);
				journal.locked(LockedTransactionTests::nothing);
			});
			assertThat(output.getOut().lines().filter((line) -> line.contains("inside an open transaction"))).hasSize(2)
				.anySatisfy((line) -> assertThat(line).contains("WARN",
						"Journal.write(String, Runnable) was called inside an open transaction, so lock 'journal' is released before that transaction commits",
						"zk-lock.aop.release-after-completion=true"))
				.anySatisfy((line) -> assertThat(line).contains("Journal.locked(Runnable)"));
		});
	}

	@Test
	void transactionThatDoesNotConcernTheMethodIsNotWarnedOf(CapturedOutput output) {
		this.runner.run((context) -> {
			Journal journal = context.getBean(Journal.class);
			transaction(context).executeWithoutResult((status) -> journal.writeInNewTransaction("own transaction"));
			journal.write("lock around the transaction", () -> journal.locked(LockedTransactionTests::nothing));
			assertThat(rows(context)).hasSize(2);
			assertThat(output).doesNotContain("inside an open transaction");
		});
	}

	private static void afterCommit(ApplicationContext context, Runnable work) {
		transaction(context).executeWithoutResult(
				(status) -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
					@Override
					public void afterCommit() {
						work.run();
					}
				}));
	}

	@Test
	void transactionThatIsCommittedIsNotWarnedOf(CapturedOutput output) {
		this.runner.run((context) -> {
			Journal journal = context.getBean(Journal.class);
			Runnable call = () -> journal.locked(LockedTransactionTests::nothing);
			afterCommit(context, call);
			assertThat(output).doesNotContain("inside an open transaction");
			transaction(context).executeWithoutResult((status) -> call.run());
			assertThat(output).contains("Journal.locked(Runnable) was called inside an open transaction");
		});
	}

	@Test
	void transactionThatIsOpenedAfterTheCommitOfAnotherIsWarnedOf(CapturedOutput output) {
		this.runner.run((context) -> {
			TransactionTemplate inner = transaction(context);
			inner.setPropagationBehavior(TransactionTemplate.PROPAGATION_REQUIRES_NEW);
			Journal journal = context.getBean(Journal.class);
			afterCommit(context, () -> {
				inner.executeWithoutResult((status) -> journal.locked(LockedTransactionTests::nothing));
				journal.bounded(LockedTransactionTests::nothing);
			});
			assertThat(output).contains("Journal.locked(Runnable) was called inside an open transaction")
				.doesNotContain("Journal.bounded(Runnable) was called");
		});
	}

	@Test
	void transactionWhoseNestedOneIsCommittedIsWarnedOf(CapturedOutput output) {
		this.runner.run((context) -> transaction(context).executeWithoutResult((status) -> {
			TransactionTemplate nested = transaction(context);
			nested.setPropagationBehavior(TransactionTemplate.PROPAGATION_NESTED);
			nested.executeWithoutResult((inner) -> context.getBean(Journal.class).insert("a"));
			context.getBean(Journal.class).locked(LockedTransactionTests::nothing);
			assertThat(output).contains("Journal.locked(Runnable) was called inside an open transaction");
		}));
	}

	@Test
	void lockIsNotKeptByATransactionThatIsCommitted() {
		this.keeping.run((context) -> afterCommit(context, () -> {
			context.getBean(Journal.class).locked(LockedTransactionTests::nothing);
			assertThat(isFree(context, "journal")).isTrue();
		}));
	}

	@Test
	void annotationOfASubclassIsNoneOfAMethodThatItInherits(CapturedOutput output) {
		this.runner.withUserConfiguration(Inherited.class).run((context) -> {
			InNewTransaction journal = context.getBean(InNewTransaction.class);
			transaction(context).executeWithoutResult((status) -> journal.ownTransaction("a"));
			assertThat(output).doesNotContain("inside an open transaction");
			transaction(context).executeWithoutResult((status) -> journal.locked(LockedTransactionTests::nothing));
			assertThat(output)
				.contains("InNewTransaction.locked(Runnable) was called inside an open transaction, so lock 'journal'");
		});
	}

	@Test
	void lockIsKeptUntilTheOpenTransactionIsCommitted(CapturedOutput output) {
		this.keeping.run((context) -> {
			transaction(context).executeWithoutResult((status) -> {
				context.getBean(Journal.class).write("a", LockedTransactionTests::nothing);
				context.getBean(Journal.class).write("b", LockedTransactionTests::nothing);
				assertThat(LockContext.find()).isEmpty();
				TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
					@Override
					public void afterCommit() {
						assertThat(rows(context)).containsExactly("a", "b");
						assertThat(isFree(context, "journal")).as("held until it is committed").isFalse();
					}
				});
			});
			assertThat(rows(context)).containsExactly("a", "b");
			assertThat(isFree(context, "journal")).isTrue();
			assertThat(output).doesNotContain("inside an open transaction");
		});
	}

	@Test
	void lockIsKeptUntilTheOpenTransactionIsRolledBack() {
		this.keeping.run((context) -> {
			transaction(context).executeWithoutResult((status) -> {
				assertThatIllegalStateException().isThrownBy(() -> context.getBean(Journal.class).locked(() -> {
					throw new IllegalStateException("of the method");
				}));
				status.setRollbackOnly();
				assertThat(isFree(context, "journal")).isFalse();
			});
			assertThat(isFree(context, "journal")).isTrue();
		});
	}

	@Test
	void openTransactionIsRolledBackWhenTheKeptLockIsLostAfterTheMethod() {
		this.keeping.run((context) -> {
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> transaction(context).executeWithoutResult((status) -> writeAndLoseLater(context)))
				.withMessageContaining("so its transaction is rolled back");
			assertThat(rows(context)).isEmpty();
			assertThat(isFree(context, "journal")).isTrue();
		});
	}

	private static void writeAndLoseLater(ApplicationContext context) {
		LockHandle[] kept = new LockHandle[1];
		context.getBean(Journal.class).write("a", () -> kept[0] = LockContext.current());
		try (LockContext.Scope scope = LockContext.open(kept[0])) {
			loseSession(context);
		}
	}

	@Test
	void openTransactionIsRolledBackWhenALockIsLostThatWasTakenRightBeforeTheCommit() {
		this.keeping.withUserConfiguration(Late.class).run((context) -> {
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> transaction(context).executeWithoutResult(
						(status) -> context.publishEvent((Runnable) () -> writeAndLoseLater(context))))
				.withMessageContaining("so its transaction is rolled back");
			assertThat(rows(context)).isEmpty();
			assertThat(isFree(context, "journal")).isTrue();
		});
	}

	@Test
	void lockThatIsTakenRightBeforeTheCommitIsKept() {
		this.keeping.withUserConfiguration(Late.class).run((context) -> {
			transaction(context).executeWithoutResult((status) -> context.publishEvent((Runnable) () -> {
				context.getBean(Journal.class).write("a", LockedTransactionTests::nothing);
				assertThat(isFree(context, "journal")).as("held until it is committed").isFalse();
			}));
			assertThat(rows(context)).containsExactly("a");
			assertThat(isFree(context, "journal")).isTrue();
		});
	}

	@Test
	void openTransactionIsRolledBackAlsoWhenItIgnoresTheLossInTheMethod() {
		this.keeping.run((context) -> {
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> transaction(context).executeWithoutResult((status) -> {
					context.getBean(Journal.class).insert("a");
					assertThatExceptionOfType(LockLostException.class)
						.isThrownBy(() -> context.getBean(Journal.class).locked(() -> loseSession(context)));
				}));
			assertThat(rows(context)).isEmpty();
		});
	}

	@Test
	void timeOutOfTheMethodsOwnTransactionMayBeConfigured() {
		this.keeping.run((context) -> transaction(context).executeWithoutResult((status) -> {
			context.getBean(Journal.class).writeInTime("a");
			assertThat(isFree(context, "journal")).as("held until it is committed").isFalse();
		}));
	}

	@Test
	void lockOfTheClientAroundTheMethodIsNoReasonNotToKeepIt() {
		this.keeping.run((context) -> {
			PlatformTransactionManager transactions = context.getBean(PlatformTransactionManager.class);
			TransactionStatus open = transactions.getTransaction(null);
			context.getBean(LockClient.class)
				.run(LockRequest.exclusive("journal"),
						() -> context.getBean(Journal.class).write("a", LockedTransactionTests::nothing));
			assertThat(isFree(context, "journal")).as("held until it is committed").isFalse();
			transactions.commit(open);
			assertThat(isFree(context, "journal")).isTrue();
		});
	}

	@Test
	void lockOfTheClientAroundTheTransactionIsNotWarnedOf(CapturedOutput output) {
		this.runner.run((context) -> {
			context.getBean(LockClient.class)
				.run(LockRequest.exclusive("journal"), () -> transaction(context).executeWithoutResult(
						(status) -> context.getBean(Journal.class).write("a", LockedTransactionTests::nothing)));
			assertThat(output).doesNotContain("inside an open transaction");
		});
	}

	@Test
	void lockThatTheMethodAroundHasReleasedIsNoReasonNotToKeepIt() {
		this.keeping.run((context) -> {
			Journal journal = context.getBean(Journal.class);
			journal.locked(() -> transaction(context).executeWithoutResult((status) -> {
				LockContext.current().release();
				journal.write("a", LockedTransactionTests::nothing);
				assertThat(isFree(context, "journal")).as("held until it is committed").isFalse();
			}));
			assertThat(isFree(context, "journal")).isTrue();
		});
	}

	@Test
	void allKeysAreNamed(CapturedOutput output) {
		this.runner.run((context) -> {
			Journal journal = context.getBean(Journal.class);
			transaction(context)
				.executeWithoutResult((status) -> journal.writeUnderTwo(LockedTransactionTests::nothing));
			assertThat(output).contains("so locks [journal, ledger] are released before that transaction commits");
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> journal.writeUnderTwo(() -> loseSession(context)))
				.withMessageContaining("A hold of locks [journal, ledger] of ")
				.withMessageContaining(" was lost, so its transaction is rolled back");
		});
	}

	@Test
	void futureThatIsDeclaredAsAnObjectIsRefusedAndKept() {
		this.keeping.run((context) -> {
			CompletableFuture<String> work = new CompletableFuture<>();
			assertThatIllegalStateException().isThrownBy(() -> transaction(context)
				.executeWithoutResult((status) -> context.getBean(Journal.class).undeclared(work)));
			assertThat(isFree(context, "journal")).as("held until the work is done").isFalse();
			work.complete("done");
			assertThat(isFree(context, "journal")).isTrue();
		});
	}

	@Test
	void futureIsNotKeptAndWarnedOf(CapturedOutput output) {
		this.keeping.run((context) -> {
			CompletableFuture<String> work = new CompletableFuture<>();
			CompletableFuture<String> result = transaction(context)
				.execute((status) -> context.getBean(Journal.class).future(work));
			assertThat(isFree(context, "journal")).isFalse();
			work.complete("done");
			assertThat(result.get(10, TimeUnit.SECONDS)).isEqualTo("done");
			assertThat(isFree(context, "journal")).isTrue();
			assertThat(output).contains("Journal.future(CompletableFuture) was called inside an open transaction")
				.doesNotContain("release-after-completion=true");
		});
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		Journal journal(JdbcClient jdbc) {
			jdbc.sql("create table log (text varchar(100))").update();
			return new Journal(jdbc);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnTransactionManager {

		@Bean
		PlatformTransactionManager own(DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Database {

		@Bean
		DataSource dataSource() {
			return new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2).generateUniqueName(true).build();
		}

		@Bean
		JdbcTransactionManager transactionManager(DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

	}

	@Lazy
	@Configuration(proxyBeanMethods = false)
	static class LazyDatabase extends Database {

	}

	@Configuration(proxyBeanMethods = false)
	static class Late {

		@TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
		void run(Runnable work) {
			work.run();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Inherited {

		@Bean
		InNewTransaction inNewTransaction(JdbcClient jdbc) {
			return new InNewTransaction(jdbc);
		}

	}

	@Transactional(propagation = Propagation.REQUIRES_NEW)
	static class InNewTransaction extends Journal {

		InNewTransaction(JdbcClient jdbc) {
			super(jdbc);
		}

		@DistributedLock(key = "own")
		public void ownTransaction(String text) {
			insert(text);
		}

	}

	static class ChosenManager implements TransactionManagementConfigurer {

		private final ObjectProvider<PlatformTransactionManager> manager;

		ChosenManager(ObjectProvider<PlatformTransactionManager> manager) {
			this.manager = manager;
		}

		@Override
		public TransactionManager annotationDrivenTransactionManager() {
			return this.manager.getObject();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ManagerWithListeners {

		@Bean
		JdbcTransactionManager transactionManager(DataSource dataSource) {
			JdbcTransactionManager manager = new JdbcTransactionManager(dataSource);
			manager.setTransactionExecutionListeners(List.of(new TransactionExecutionListener() {
			}));
			return manager;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ReplacedListeners implements BeanPostProcessor {

		@Override
		public Object postProcessAfterInitialization(Object bean, String name) {
			if (bean instanceof ConfigurableTransactionManager manager) {
				manager.setTransactionExecutionListeners(List.of(new TransactionExecutionListener() {
				}));
			}
			return bean;
		}

	}

	static class Journal {

		private final JdbcClient jdbc;

		private RuntimeException ignored;

		Journal(JdbcClient jdbc) {
			this.jdbc = jdbc;
		}

		RuntimeException ignored() {
			return this.ignored;
		}

		void insert(String text) {
			this.jdbc.sql("insert into log values (?)").param(text).update();
		}

		@Transactional
		@DistributedLock(key = "journal")
		public void write(String text, Runnable then) {
			insert(text);
			then.run();
		}

		@Transactional
		@DistributedLock(key = { "journal", "ledger" })
		public void writeUnderTwo(Runnable then) {
			insert("two");
			then.run();
		}

		@Transactional
		@DistributedLock(key = "journal", onLost = OnLost.IGNORE)
		public void writeAnyway(String text, Runnable then) {
			insert(text);
			then.run();
		}

		@Transactional
		@DistributedLock(key = "journal")
		public void writeAndIgnoreFailure(String text, Runnable then) {
			insert(text);
			try {
				then.run();
			}
			catch (RuntimeException ex) {
				this.ignored = ex;
			}
		}

		@Transactional(timeoutString = "${journal.timeout}")
		@DistributedLock(key = "journal")
		public void writeInTime(String text) {
			insert(text);
		}

		@DistributedLock(key = "journal")
		public Object undeclared(Object result) {
			return result;
		}

		@Transactional(propagation = Propagation.REQUIRES_NEW)
		@DistributedLock(key = "other")
		public void writeInNewTransaction(String text) {
			insert(text);
		}

		@DistributedLock(key = "journal")
		public void locked(Runnable work) {
			work.run();
		}

		@DistributedLock(key = "bounded", maxHold = "200ms")
		public void bounded(Runnable work) {
			work.run();
		}

		@DistributedLock(key = "journal")
		public CompletableFuture<String> future(CompletableFuture<String> work) {
			return work;
		}

	}

}
