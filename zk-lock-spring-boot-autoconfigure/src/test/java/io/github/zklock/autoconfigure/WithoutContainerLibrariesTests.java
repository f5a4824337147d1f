package io.github.zklock.autoconfigure;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.springframework.core.io.support.SpringFactoriesLoader;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each factory of connection details is had without the library of the other one. Spring
 * Boot asks for them in the same way.
 */
class WithoutContainerLibrariesTests {

	private static final String FACTORY = "org.springframework.boot.autoconfigure.service.connection.ConnectionDetailsFactory";

	private static List<String> factories(String... missing) throws Exception {
		URL[] urls = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
			.map(File::new)
			.filter((file) -> Arrays.stream(missing).noneMatch((name) -> file.getName().startsWith(name)))
			.map(WithoutContainerLibrariesTests::url)
			.toArray(URL[]::new);
		try (URLClassLoader loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader())) {
			return SpringFactoriesLoader.forDefaultResourceLocation(loader)
				.load(loader.loadClass(FACTORY),
						SpringFactoriesLoader.FailureHandler.handleMessage((message, cause) -> {
						}))
				.stream()
				.map((factory) -> factory.getClass().getName())
				.filter((name) -> name.startsWith("io.github.zklock"))
				.map((name) -> name.substring("io.github.zklock.autoconfigure.".length()))
				.toList();
		}
	}

	private static URL url(File file) {
		try {
			return file.toURI().toURL();
		}
		catch (MalformedURLException ex) {
			throw new IllegalArgumentException(ex);
		}
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

}
