package io.github.zklock.autoconfigure;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetailsFactory;
import org.springframework.core.io.support.SpringFactoriesLoader;

import io.github.zklock.testing.ClassPathWithout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each factory of connection details is had without the library of the other one. Spring
 * Boot asks for them in the same way.
 */
class WithoutContainerLibrariesTests {

	private static String[] factories(String... missing) throws Exception {
		return (String[]) ClassPathWithout.jars(missing).call(InsideOfTheLoader.class, "factories");
	}

	@Test
	void bothAreThereWithBothLibraries() throws Exception {
		assertThat(factories()).hasSize(2);
	}

	@Test
	void withoutTestcontainersThereIsDockerCompose() throws Exception {
		assertThat(factories("spring-boot-testcontainers", "testcontainers"))
			.containsExactly("dockercompose.ZkLockDockerComposeConnectionDetailsFactory");
	}

	@Test
	void withoutDockerComposeThereIsTestcontainers() throws Exception {
		assertThat(factories("spring-boot-docker-compose"))
			.containsExactly("testcontainers.ZkLockContainerConnectionDetailsFactory");
	}

	@Test
	void withoutBothThereIsNeither() throws Exception {
		assertThat(factories("spring-boot-docker-compose", "spring-boot-testcontainers", "testcontainers")).isEmpty();
	}

	/**
	 * What is tested, in a class loader of its own.
	 */
	@SuppressWarnings("UnusedMethod") // by name
	static final class InsideOfTheLoader {

		private InsideOfTheLoader() {
		}

		static String[] factories() {
			return SpringFactoriesLoader.forDefaultResourceLocation(InsideOfTheLoader.class.getClassLoader())
				.load(ConnectionDetailsFactory.class,
						SpringFactoriesLoader.FailureHandler.handleMessage((message, cause) -> {
						}))
				.stream()
				.map((factory) -> factory.getClass().getName())
				.filter((name) -> name.startsWith("io.github.zklock"))
				.map((name) -> name.substring("io.github.zklock.autoconfigure.".length()))
				.toArray(String[]::new);
		}

	}

}
