package io.github.zklock.aop;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.github.zklock.DistributedLock;
import io.github.zklock.LockClient;
import io.github.zklock.autoconfigure.ZkLockAopAutoConfiguration;
import io.github.zklock.testing.ClassPathWithout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What is left when spring-tx is not on the class path.
 */
class WithoutTransactionsTests {

	private static final ClassPathWithout CLASS_PATH = ClassPathWithout.jars("spring-tx-");

	@Test
	void transactionsAreReallyMissing() {
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> CLASS_PATH.call(InsideOfTheLoader.class, "useTransactions"))
			.withRootCauseInstanceOf(ClassNotFoundException.class);
	}

	@Test
	void methodsAreLocked() throws Exception {
		assertThat(CLASS_PATH.call(InsideOfTheLoader.class, "lock")).isEqualTo("ran guards 0");
	}

	/**
	 * What is tested. Each method is called in a class loader of its own.
	 */
	@SuppressWarnings("UnusedMethod") // by name
	static final class InsideOfTheLoader {

		private InsideOfTheLoader() {
		}

		static void useTransactions() {
			TransactionSynchronizationManager.isActualTransactionActive();
		}

		static String lock() {
			StringBuilder seen = new StringBuilder();
			new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ZkLockAopAutoConfiguration.class))
				.withBean(LockClient.class, InMemoryLockClient::new)
				.withBean(Locked.class)
				.run((context) -> seen.append(context.getBean(Locked.class).run())
					.append(" guards ")
					.append(context.containsBean("zkLockTransactionGuard") ? 1 : 0));
			return seen.toString();
		}

	}

	static class Locked {

		@DistributedLock(key = "k", timeout = "0")
		public String run() {
			return "ran";
		}

	}

}
