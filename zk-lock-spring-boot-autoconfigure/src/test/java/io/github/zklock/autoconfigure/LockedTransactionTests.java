package io.github.zklock.autoconfigure;

import java.util.List;

import javax.sql.DataSource;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.annotation.TransactionManagementConfigurer;
import org.springframework.transaction.support.TransactionTemplate;

import io.github.zklock.LockContext;
import io.github.zklock.LockHandle;
import io.github.zklock.LockLostException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Transactions of a real database inside of locks of a real server.
 */
class LockedTransactionTests extends JournalFixture {

	@Test
	void transactionIsCommittedWhenTheLockIsHeld() {
		this.runner.run((context) -> {
			context.getBean(Journal.class).write("a", JournalFixture::nothing);
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
				journal.write("a", JournalFixture::nothing);
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

}
