package io.github.zklock.autoconfigure;

import java.util.Arrays;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.inspect.LockInspector;
import io.github.zklock.testing.ClassPathWithout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is left when Micrometer and Spring Boot's health and actuator are not on the class
 * path: the locks. Everything runs in a class loader that does not have them.
 */
class WithoutSignalLibrariesTests {

	private static final String[] ALL = { "micrometer-", "spring-boot-micrometer", "spring-boot-health",
			"spring-boot-actuator" };

	private static String run(String... missing) throws Exception {
		return (String) ClassPathWithout.jars(missing).call(InsideOfTheLoader.class, "lock");
	}

	@Test
	void nothingIsMissingOtherwise() throws Exception {
		assertThat(run())
			.isEqualTo("held [zkLockInspector, zkLockMetrics, zkLockObservations, zklockHealthContributor]");
	}

	@Test
	void locksWorkWithoutAnyOfThem() throws Exception {
		assertThat(run(ALL)).isEqualTo("held [zkLockInspector]");
	}

	@Test
	void locksWorkWithMicrometerAlone() throws Exception {
		assertThat(run("spring-boot-health", "spring-boot-actuator"))
			.isEqualTo("held [zkLockInspector, zkLockMetrics, zkLockObservations]");
	}

	@Test
	void locksWorkWithHealthAlone() throws Exception {
		assertThat(run("micrometer-", "spring-boot-micrometer", "spring-boot-actuator"))
			.isEqualTo("held [zkLockInspector, zklockHealthContributor]");
	}

	/**
	 * What is tested, in a class loader of its own.
	 */
	@SuppressWarnings("UnusedMethod") // by name
	static final class InsideOfTheLoader {

		private InsideOfTheLoader() {
		}

		static String lock() throws Exception {
			try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
				.properties("zk-lock.embedded.enabled=true", "spring.main.banner-mode=off")
				.run(); LockHandle handle = context.getBean(LockClient.class).acquire(LockRequest.exclusive("k"))) {
				boolean shown = !context.getBean(LockInspector.class).line("k").contenders().isEmpty();
				return ((handle.isHeld() && shown) ? "held " : "not held ")
						+ Arrays.stream(context.getBeanDefinitionNames())
							.filter((name) -> name.startsWith("zkLock") || name.startsWith("zklock"))
							.filter((name) -> name.endsWith("Metrics") || name.endsWith("Observations")
									|| name.endsWith("HealthContributor") || name.endsWith("Endpoint")
									|| name.endsWith("Inspector"))
							.sorted()
							.toList();
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
