package io.github.zklock.autoconfigure;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.integration.support.locks.DefaultLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;

import io.github.zklock.LockClient;
import io.github.zklock.aop.InMemoryLockClient;
import io.github.zklock.autoconfigure.integration.ZkLockIntegrationAutoConfiguration;
import io.github.zklock.autoconfigure.shedlock.ZkLockShedLockAutoConfiguration;
import io.github.zklock.integration.ZkLockRegistry;
import io.github.zklock.shedlock.ZkLockProvider;
import io.github.zklock.testing.ClassPathWithout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class AdapterAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class,
				ZkLockIntegrationAutoConfiguration.class, ZkLockShedLockAutoConfiguration.class));

	private final ApplicationContextRunner locking = this.runner.withBean(LockClient.class, InMemoryLockClient::new);

	@Test
	void makesTheAdapters() {
		this.locking.run((context) -> {
			assertThat(context).hasSingleBean(ZkLockRegistry.class).hasSingleBean(ZkLockProvider.class);
			LockConfiguration job = new LockConfiguration(Instant.now(), "job", Duration.ofMinutes(1), Duration.ZERO);
			assertThat(context.getBean(LockProvider.class).lock(job)).isPresent();
			assertThat(context.getBean(ZkLockRegistry.class).obtain("job").tryLock()).isFalse();
		});
	}

	@Test
	void backsOffForTheUsersBeans() {
		this.locking.withBean(LockRegistry.class, DefaultLockRegistry::new)
			.withBean(LockProvider.class, () -> (configuration) -> Optional.empty())
			.run((context) -> assertThat(context).hasSingleBean(LockRegistry.class)
				.hasSingleBean(LockProvider.class)
				.doesNotHaveBean(ZkLockRegistry.class)
				.doesNotHaveBean(ZkLockProvider.class));
	}

	@Test
	void makesNothingWithoutALockClient() {
		this.runner.withPropertyValues("zk-lock.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(LockRegistry.class)
				.doesNotHaveBean(LockProvider.class));
	}

	@Test
	void makesNothingOfSeveralLockClientsOfWhichNoneIsPrimary() {
		this.locking.withBean("other", LockClient.class, InMemoryLockClient::new)
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(LockRegistry.class)
				.doesNotHaveBean(LockProvider.class));
	}

	@Test
	void adaptersAreFoundByTheirImports() {
		this.locking.withPropertyValues("zk-lock.embedded.enabled=true")
			.withUserConfiguration(AutoConfigured.class)
			.run((context) -> assertThat(context).hasSingleBean(ZkLockRegistry.class)
				.hasSingleBean(ZkLockProvider.class));
	}

	@Test
	void librariesAreReallyMissing() {
		ClassPathWithout classPath = ClassPathWithout.jars("spring-integration-core", "shedlock-");
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> classPath.call(InsideOfTheLoader.class, "useIntegration"))
			.withRootCauseInstanceOf(ClassNotFoundException.class);
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> classPath.call(InsideOfTheLoader.class, "useShedLock"))
			.withRootCauseInstanceOf(ClassNotFoundException.class);
	}

	@Test
	void applicationStartsWithoutTheLibraries() throws Exception {
		assertThat(ClassPathWithout.jars("spring-integration-core", "shedlock-").call(InsideOfTheLoader.class, "start"))
			.isEqualTo("[]");
		assertThat(ClassPathWithout.jars("spring-integration-core").call(InsideOfTheLoader.class, "start"))
			.isEqualTo("[zkLockProvider]");
		assertThat(ClassPathWithout.jars("shedlock-").call(InsideOfTheLoader.class, "start"))
			.isEqualTo("[zkLockRegistry]");
	}

	@EnableAutoConfiguration
	static class AutoConfigured {

	}

	/**
	 * What is tested. Each method is called in a class loader of its own.
	 */
	@SuppressWarnings("UnusedMethod") // by name
	static final class InsideOfTheLoader {

		private InsideOfTheLoader() {
		}

		static String useIntegration() {
			return new DefaultLockRegistry().obtain("key").toString();
		}

		static String useShedLock() {
			return new LockConfiguration(Instant.now(), "job", Duration.ofMinutes(1), Duration.ZERO).toString();
		}

		static String start() {
			StringBuilder found = new StringBuilder();
			new ApplicationContextRunner().withUserConfiguration(AutoConfigured.class)
				.withBean(LockClient.class, InMemoryLockClient::new)
				.run((context) -> found.append(adapters(context)));
			return found.toString();
		}

		private static String adapters(ApplicationContext context) {
			return Stream.of("zkLockProvider", "zkLockRegistry").filter(context::containsBean).toList().toString();
		}

	}

}
