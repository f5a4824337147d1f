package io.github.zklock.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.logging.LoggingInitializationContext;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.StandardEnvironment;

import io.github.zklock.DistributedLock;
import io.github.zklock.testing.KeyStores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * What an operator reads, with the levels that an application has that sets none.
 */
@ExtendWith(OutputCaptureExtension.class)
class ConnectionLogTests {

	private TestingServer server;

	// The levels of these tests also, before the server logs that it starts: another
	// class may have left those of an application
	@BeforeEach
	void start() throws Exception {
		restoreLogging();
		this.server = new TestingServer();
	}

	@AfterEach
	void stop() throws Exception {
		this.server.close();
	}

	@AfterAll
	static void restoreLogging() {
		LoggingSystem system = LoggingSystem.get(ConnectionLogTests.class.getClassLoader());
		system.cleanUp();
		system.beforeInitialize();
		system.initialize(new LoggingInitializationContext(new StandardEnvironment()), null, null);
		system.cleanUp();
	}

	@Test
	void oneLineAtTheStartSaysWhereTheLocksAre(CapturedOutput output) {
		try (ConfigurableApplicationContext context = run()) {
			assertThat(context.isRunning()).isTrue();
			assertThat(lines(output)).containsExactly("INFO  Locks at %s below /zk-lock, session 15 s, 2 locked methods"
				.formatted(this.server.getConnectString()));
		}
	}

	@Test
	@Tag("slow")
	void anOutageIsALineWhenItBeginsAndALineWhenItEnds(CapturedOutput output) throws Exception {
		try (ConfigurableApplicationContext context = run()) {
			this.server.stop();
			await().until(() -> lines(output).size() == 2);
			CuratorFramework curator = context.getBean(CuratorFramework.class);
			await("some attempts to connect").pollDelay(Duration.ofSeconds(3)).until(() -> true);
			this.server.restart();
			await().until(() -> curator.getZookeeperClient().isConnected());
			await().until(() -> lines(output).size() == 3);
		}
		assertThat(lines(output).get(1))
			.startsWith("WARN  ZooKeeper at %s does not answer: ".formatted(this.server.getConnectString()));
		assertThat(lines(output).get(2)).matches("INFO  ZooKeeper at \\S+ answers again, after [0-9.]{1,4} s");
	}

	@Test
	void aServerThatCanOnlyBeReadIsNoAnswer(CapturedOutput output) {
		try (ConfigurableApplicationContext context = run()) {
			CuratorFramework curator = context.getBean(CuratorFramework.class);
			ConnectionLog log = context.getBean(ConnectionLog.class);
			log.stateChanged(curator, ConnectionState.SUSPENDED);
			log.stateChanged(curator, ConnectionState.READ_ONLY);
			assertThat(lines(output)).hasSize(2);
			log.stateChanged(curator, ConnectionState.RECONNECTED);
			assertThat(lines(output)).hasSize(3);
			log.stateChanged(curator, ConnectionState.READ_ONLY);
			assertThat(lines(output)).hasSize(4);
		}
		assertThat(lines(output).get(1)).contains(" does not answer: ");
		assertThat(lines(output).get(2)).contains(" answers again, after ");
		assertThat(lines(output).get(3)).contains(" does not answer: ");
	}

	@Test
	@Tag("slow")
	void aWrongServerIsTheAnalysisAlone(CapturedOutput output) throws Exception {
		this.server.stop();
		assertThatThrownBy(() -> run("--zk-lock.connection-timeout=2s")).isNotNull();
		assertThat(lines(output)).isEmpty();
		assertThat(output).contains("No ZooKeeper server at").doesNotContain("ConnectException");
	}

	@Test
	void aHostNameThatDoesNotResolveIsInTheAnalysisAlone(CapturedOutput output) {
		// One that the JVM refuses without a name server
		assertThatThrownBy(() -> run("--zk-lock.connect-string=[::nowhere]:2181", "--zk-lock.connection-timeout=1s"))
			.isNotNull();
		assertThat(lines(output)).isEmpty();
		assertThat(output).contains(
				"No ZooKeeper server at '[::nowhere]:2181' answered within 1s. The host name '::nowhere' does not resolve.")
			.doesNotContain("Unable to resolve", "UnknownHostException");
	}

	// One that runs speaks no TLS
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aWrongServerIsTheAnalysisAloneAlsoWithTls(boolean runs, CapturedOutput output, @TempDir Path directory)
			throws Exception {
		if (!runs) {
			this.server.stop();
		}
		String keys = "--spring.ssl.bundle.jks.zk.keystore.";
		assertThatThrownBy(() -> run("--zk-lock.connection-timeout=1s", "--zk-lock.ssl.bundle=zk",
				keys + "location=file:" + new KeyStores(directory).keys("client"),
				keys + "password=" + KeyStores.PASSWORD))
			.isNotNull();
		assertThat(lines(output)).singleElement().asString().startsWith("The connection is to use TLS");
		assertThat(output).contains("No ZooKeeper server at")
			.doesNotContain("does not resolve", "future isn't success", "Unexpected throwable", "not specified");
	}

	@Test
	void withoutAServerTheStartSaysSo(CapturedOutput output) throws Exception {
		this.server.stop();
		try (ConfigurableApplicationContext context = run("--zk-lock.fail-fast=false")) {
			assertThat(context.isRunning()).isTrue();
			this.server.restart();
			await().until(() -> lines(output).size() == 2);
		}
		assertThat(lines(output).get(0)).startsWith("WARN  Locks at %s below /zk-lock, 2 locked methods: no server has"
			.formatted(this.server.getConnectString()));
		assertThat(lines(output).get(1)).startsWith("INFO  ZooKeeper at ").contains(" answers again, after ");
	}

	// Name servers that are slow, or away, may take a minute to say so
	@Test
	void anOutageNamesTheHostThatDoesNotResolve(CapturedOutput output) {
		try (ConfigurableApplicationContext context = run("--zk-lock.fail-fast=false",
				"--zk-lock.connect-string=[::nowhere]:2181")) {
			assertThat(context.isRunning()).isTrue();
			await().until(() -> lines(output).size() == 2);
		}
		assertThat(lines(output).get(1))
			.isEqualTo("WARN  Why ZooKeeper at [::nowhere]:2181 may not answer: The host name '::nowhere'"
					+ " does not resolve.");
	}

	@Test
	void anOutageWithTlsNamesWhatToCheck(CapturedOutput output, @TempDir Path directory) {
		String keys = "--spring.ssl.bundle.jks.zk.keystore.";
		try (ConfigurableApplicationContext context = run("--zk-lock.fail-fast=false", "--zk-lock.ssl.bundle=zk",
				keys + "location=file:" + new KeyStores(directory).keys("client"),
				keys + "password=" + KeyStores.PASSWORD)) {
			assertThat(context.isRunning()).isTrue();
			await().until(() -> lines(output).size() == 2);
		}
		assertThat(lines(output).get(1)).contains(" may not answer: The connection is to use TLS: check ")
			.endsWith("says more.");
	}

	@Test
	void whoWantsDetailsHasThem(CapturedOutput output) {
		try (ConfigurableApplicationContext context = run("--logging.level.org.apache.zookeeper=debug")) {
			assertThat(context.isRunning()).isTrue();
		}
		assertThat(output).contains("Session establishment complete");
	}

	@ParameterizedTest
	@ValueSource(strings = { "zk-lock.connect-string=127.0.0.1:1", "zk-lock.embedded.enabled=true" })
	void whatAFileSaysOfTheConnectionMakesTheClientQuiet(String property, @TempDir Path directory) throws IOException {
		Files.writeString(directory.resolve("application.properties"), property);
		assertThat(levels("--spring.config.location=" + directory.toUri(), "--logging.level.org.apache.curator=info",
				"--logging.level.org.apache.zookeeper=TRACE"))
			.containsExactly("TRACE", null, "info", "off");
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "--zk-lock.in-memory=true", "--zk-lock.connect-string=127.0.0.1:1 --zk-lock.enabled=false" })
	void whoHasNoConnectionOfOursKeepsItsLevels(String arguments) {
		assertThat(levels(arguments.split(" "))).containsOnlyNulls();
	}

	@Test
	void aPlaceholderThatNothingResolvesDoesNotMatterHere() {
		assertThat(levels("--zk-lock.connect-string=${not.set}")).contains("off");
	}

	private static List<String> levels(String... arguments) {
		SpringApplication application = new SpringApplication(Object.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		application.setRegisterShutdownHook(false);
		List<String> all = new ArrayList<>(List.of(arguments));
		all.add("--logging.config=classpath:logback-of-boot.xml");
		try (ConfigurableApplicationContext context = application.run(all.toArray(String[]::new))) {
			return Stream.of("zookeeper", "zookeeper.ClientCnxn", "curator", "curator.ConnectionState")
				.map((logger) -> context.getEnvironment().getProperty("logging.level.org.apache." + logger))
				.toList();
		}
	}

	@Test
	void theThreadsOfTheClientAreNamedAfterIt() {
		String caller = Thread.currentThread().getName();
		try (ConfigurableApplicationContext context = run()) {
			assertThat(Thread.currentThread().getName()).as("who connects").isEqualTo(caller);
			assertThat(context.isRunning()).isTrue();
			assertThat(threads()).filteredOn((name) -> name.contains("SendThread") || name.contains("EventThread"))
				.isNotEmpty()
				.allMatch((name) -> name.startsWith("zk-lock-"));
		}
	}

	private static List<String> threads() {
		Thread[] threads = new Thread[2 * Thread.activeCount()];
		Thread.enumerate(threads);
		return Arrays.stream(threads).filter((thread) -> thread != null).map(Thread::getName).toList();
	}

	private ConfigurableApplicationContext run(String... arguments) {
		SpringApplication application = new SpringApplication(Shop.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		application.setRegisterShutdownHook(false);
		application.setDefaultProperties(Map.of("zk-lock.connect-string", this.server.getConnectString()));
		List<String> all = new ArrayList<>(List.of("--logging.config=classpath:logback-of-boot.xml"));
		all.addAll(List.of(arguments));
		return application.run(all.toArray(String[]::new));
	}

	// Without what the server in this JVM logs, which may end in a thread of its own
	// while the levels are set anew
	private static List<String> lines(CapturedOutput output) {
		return output.getAll()
			.lines()
			.filter((line) -> line.contains("ConnectionLog ") || line.contains("apache"))
			.filter((line) -> !line.contains("zookeeper.server."))
			.map((line) -> line.replaceAll(".*? (INFO|WARN|ERROR) .* : ", "$1  "))
			.toList();
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ SslAutoConfiguration.class, ZkLockAutoConfiguration.class,
			ZkLockAopAutoConfiguration.class })
	static class Shop {

		@Bean
		Orders orders() {
			return new Orders();
		}

	}

	static class Orders {

		@DistributedLock(key = "orders")
		void ship() {
		}

		@DistributedLock(key = "bills")
		void bill() {
		}

	}

}
