package io.github.zklock.autoconfigure;

import java.lang.reflect.Constructor;
import java.util.List;
import java.util.Map;

import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetailsFactories;
import org.springframework.boot.docker.compose.core.ConnectionPorts;
import org.springframework.boot.docker.compose.core.ImageReference;
import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.testcontainers.context.ImportTestcontainers;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.boot.testcontainers.service.connection.ServiceConnectionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.mock.env.MockEnvironment;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;

import io.github.zklock.LockClient;
import io.github.zklock.LockRequest;
import io.github.zklock.testing.TestServers;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Containers that are not really there: what Docker would say of them leads to a server
 * of the test's own.
 */
class ServiceConnectionTests {

	@AutoClose
	private static final TestServers server = TestServers.startOne();

	private static final int PORT = Integer.parseInt(server.connectString().replaceAll(".*:", ""));

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class));

	@Test
	void locksAreHadFromAContainerWithServiceConnection() {
		this.runner.withConfiguration(AutoConfigurations.of(ServiceConnectionAutoConfiguration.class))
			.withUserConfiguration(WithContainer.class)
			.run((context) -> {
				assertThat(context.getBean(ZkLockConnectionDetails.class).connectString())
					.isEqualTo("127.0.0.1:" + PORT);
				assertThat(context.getBean(ZkLockConnectionDetails.class).sslBundle()).isNull();
				assertThat(context.getBean(ZkLockConnectionDetails.class).credentials()).isEmpty();
				context.getBean(LockClient.class).acquire(LockRequest.exclusive("k")).release();
			});
	}

	@ParameterizedTest
	@ValueSource(classes = { Bitnami.class, BitnamiLegacy.class, Confluent.class })
	void aContainerIsKnownByItsImage(Class<?> containers) {
		this.runner.withConfiguration(AutoConfigurations.of(ServiceConnectionAutoConfiguration.class))
			.withUserConfiguration(containers)
			.run((context) -> context.getBean(LockClient.class).acquire(LockRequest.exclusive("k")).release());
	}

	@Test
	void aContainerBeanIsNamedByItsConnection() {
		this.runner.withConfiguration(AutoConfigurations.of(ServiceConnectionAutoConfiguration.class))
			.withUserConfiguration(WithNamedContainer.class)
			.run((context) -> context.getBean(LockClient.class).acquire(LockRequest.exclusive("k")).release());
	}

	@Test
	void credentialsOfThePropertiesCountIfTheServiceHasNone() {
		this.runner
			.withPropertyValues("zk-lock.auth[0].username=shop", "zk-lock.auth[0].password=secret",
					"zk-lock.root=/secured")
			.withBean(ZkLockConnectionDetails.class, () -> composed("zookeeper", Map.of()))
			.run((context) -> assertThat(ownerOf(context, "/secured")).startsWith("shop:"));
	}

	@Test
	void credentialsOfTheConnectionDetailsWin() {
		this.runner
			.withPropertyValues("zk-lock.auth[0].username=shop", "zk-lock.auth[0].password=secret",
					"zk-lock.root=/details")
			.withBean(ZkLockConnectionDetails.class, () -> new ZkLockConnectionDetails() {
				@Override
				public String connectString() {
					return server.connectString();
				}

				@Override
				public List<Credentials> credentials() {
					return List.of(Credentials.digest("stock", "secret"));
				}
			})
			.run((context) -> assertThat(ownerOf(context, "/details")).startsWith("stock:"));
	}

	private static String ownerOf(ApplicationContext context, String root) throws Exception {
		context.getBean(LockClient.class).acquire(LockRequest.exclusive("k")).release();
		return context.getBean(CuratorFramework.class).getACL().forPath(root).get(0).getId().getId();
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "zookeeper", "zookeeper:3.9.5", "docker.io/library/zookeeper:3.9", "bitnami/zookeeper:latest",
					"bitnamilegacy/zookeeper:3.9", "registry.example.com/confluentinc/cp-zookeeper:7.9.0" })
	void locksAreHadFromAServiceOfDockerCompose(String image) {
		this.runner.withBean(ZkLockConnectionDetails.class, () -> composed(image, Map.of()))
			.run((context) -> context.getBean(LockClient.class).acquire(LockRequest.exclusive("k")).release());
	}

	@Test
	void aServiceOfAnotherImageIsNamedByItsLabel() {
		assertThat(composed("example/keeper:1", Map.of("org.springframework.boot.service-connection", "zookeeper"))
			.connectString()).isEqualTo("127.0.0.1:" + PORT);
	}

	@Test
	void otherServicesAreNoConcernOfOurs() {
		assertThat(composed("example/other:8", Map.of())).isNull();
	}

	private static ZkLockConnectionDetails composed(String image, Map<String, String> labels) {
		Map<Class<?>, ConnectionDetails> details = new ConnectionDetailsFactories(null)
			.getConnectionDetails(source(new ComposedService(ImageReference.of(image), labels)), false);
		return (ZkLockConnectionDetails) details.get(ZkLockConnectionDetails.class);
	}

	private static DockerComposeConnectionSource source(RunningService service) {
		try {
			Constructor<DockerComposeConnectionSource> constructor = DockerComposeConnectionSource.class
				.getDeclaredConstructor(RunningService.class, Environment.class);
			constructor.setAccessible(true);
			return constructor.newInstance(service, new MockEnvironment());
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private record ComposedService(ImageReference image, Map<String, String> labels) implements RunningService {

		@Override
		public String name() {
			return "keeper";
		}

		@Override
		public String host() {
			return "127.0.0.1";
		}

		@Override
		public ConnectionPorts ports() {
			return new ConnectionPorts() {

				@Override
				public int get(int containerPort) {
					assertThat(containerPort).isEqualTo(2181);
					return PORT;
				}

				@Override
				public List<Integer> getAll() {
					return List.of(PORT);
				}

				@Override
				public List<Integer> getAll(String protocol) {
					return getAll();
				}
			};
		}

		@Override
		public Map<String, String> env() {
			return Map.of();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportTestcontainers(Containers.class)
	static class WithContainer {

	}

	static final class Containers {

		@ServiceConnection
		static final ImaginaryContainer ZOOKEEPER = new ImaginaryContainer("zookeeper:3.9.5");

		private Containers() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportTestcontainers
	static class Bitnami {

		@ServiceConnection
		static final ImaginaryContainer ZOOKEEPER = new ImaginaryContainer("bitnami/zookeeper:3.9");

	}

	@Configuration(proxyBeanMethods = false)
	@ImportTestcontainers
	static class BitnamiLegacy {

		@ServiceConnection
		static final ImaginaryContainer ZOOKEEPER = new ImaginaryContainer("bitnamilegacy/zookeeper:3.9");

	}

	@Configuration(proxyBeanMethods = false)
	@ImportTestcontainers
	static class Confluent {

		@ServiceConnection
		static final ImaginaryContainer ZOOKEEPER = new ImaginaryContainer("confluentinc/cp-zookeeper:7.9.0");

	}

	@Configuration(proxyBeanMethods = false)
	static class WithNamedContainer {

		@Bean
		@ServiceConnection("zookeeper")
		ImaginaryContainer keeper() {
			return new ImaginaryContainer("example/keeper:1");
		}

	}

	static final class ImaginaryContainer extends GenericContainer<ImaginaryContainer> {

		private final String image;

		ImaginaryContainer(String image) {
			super(DockerImageName.parse(image));
			this.image = image;
		}

		@Override
		public String getDockerImageName() {
			return this.image;
		}

		@Override
		public void start() {
			// There is no Docker
		}

		@Override
		public void stop() {
			// There is no Docker
		}

		@Override
		public String getHost() {
			return "127.0.0.1";
		}

		@Override
		public Integer getMappedPort(int originalPort) {
			assertThat(originalPort).isEqualTo(2181);
			return PORT;
		}

	}

}
