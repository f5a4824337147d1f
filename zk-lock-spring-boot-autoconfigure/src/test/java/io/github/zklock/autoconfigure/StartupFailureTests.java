package io.github.zklock.autoconfigure;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;

import org.apache.curator.ensemble.EnsembleProvider;
import org.apache.curator.ensemble.fixed.FixedEnsembleProvider;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.github.zklock.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What a user reads when the application does not start.
 */
@ExtendWith(OutputCaptureExtension.class)
class StartupFailureTests extends StartupFixture {

	@Test
	void missingConnectStringIsExplained(CapturedOutput output) {
		fails(Application.class);
		assertThat(report(output)).contains("Locks need a ZooKeeper server, but zk-lock.connect-string is not set")
			.contains("zk-lock.connect-string=localhost:2181")
			.contains("zk-lock.embedded.enabled=true starts a server inside the application")
			.contains("zk-lock.enabled=false");
	}

	@Test
	void anInterruptEndsTheWaitForAServerAndIsKept() {
		try (CuratorFramework curator = CuratorFrameworkFactory.newClient("127.0.0.1:1", new RetryOneTime(100))) {
			curator.start();
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(ZkLockStartupException.class)
				.isThrownBy(() -> StartupConnection.await(curator, Duration.ofSeconds(20), false))
				.withMessageContaining("Interrupted");
			assertThat(Thread.interrupted()).isTrue();
		}
	}

	@Test
	void serverThatDoesNotAnswerIsExplained(CapturedOutput output) throws Exception {
		String address;
		try (ServerSocket unused = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			address = "127.0.0.1:" + unused.getLocalPort();
		}
		fails(Application.class, "--zk-lock.connect-string=" + address, "--zk-lock.connection-timeout=300ms");
		assertThat(report(output)).contains("No ZooKeeper server at '%s' answered within 300ms.".formatted(address))
			.contains("Check that a server runs there")
			.contains("A test has a server of its own with @AutoConfigureZkLockTest")
			.contains("zk-lock.fail-fast=false");
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = "localhost:port")
	void aConnectStringThatNobodyCanReadIsExplained(String connectString) {
		EnsembleProvider users = new FixedEnsembleProvider("localhost:1") {

			@Override
			public String getConnectionString() {
				return connectString;
			}

		};
		try (CuratorFramework curator = CuratorFrameworkFactory.builder()
			.ensembleProvider(users)
			.retryPolicy(new RetryOneTime(1))
			.build()) {
			assertThatExceptionOfType(ZkLockStartupException.class)
				.isThrownBy(() -> StartupConnection.await(curator, Duration.ZERO, false))
				.withMessage("No ZooKeeper server at '%s' answered within 0s.".formatted(connectString));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "localhost:2181/bad//path", "localhost:port", ",", "localhost:2181/path/" })
	void malformedConnectStringIsExplained(String connectString, CapturedOutput output) {
		fails(Application.class, "--zk-lock.connect-string=" + connectString);
		assertThat(report(output))
			.contains("The connect string '%s' of the ZooKeeper servers is malformed.".formatted(connectString))
			.contains("Write host:port pairs with commas between them");
	}

	@Test
	void chrootThatDoesNotExistIsExplained(CapturedOutput output) throws Exception {
		try (TestingServer server = new TestingServer()) {
			String servers = server.getConnectString() + "/apps/shop";
			fails(Application.class, "--zk-lock.connect-string=" + servers);
			assertThat(report(output))
				.contains("The path '/apps/shop' at the end of the connect string '" + servers
						+ "' does not exist in ZooKeeper")
				.contains("zkCli.sh: create /apps/shop")
				.contains("remove it from the connect string");
		}
	}

	@Test
	void withoutFailFastWhatWouldStopTheStartIsLogged(CapturedOutput output) throws Exception {
		try (TestingServer server = new TestingServer();
				ConfigurableApplicationContext context = run(Application.class,
						"--zk-lock.connect-string=" + server.getConnectString() + "/apps",
						"--zk-lock.fail-fast=false")) {
			await().untilAsserted(() -> assertThat(output).contains("ERROR")
				.contains("The path '/apps' at the end of the connect string")
				.contains("zkCli.sh: create /apps"));
		}
	}

	@Test
	void unknownStrategyIsExplained(CapturedOutput output) throws Exception {
		try (TestingServer server = new TestingServer()) {
			fails(Application.class, "--zk-lock.connect-string=" + server.getConnectString(),
					"--zk-lock.strategy=nave");
		}
		assertThat(report(output)).contains("zk-lock.strategy is 'nave', but there is no lock strategy of that name.")
			.contains("Use one of naive, naiveLockStrategy, sequential, sequentialLockStrategy");
	}

	@Test
	void patternsThatContradictEachOtherAreExplained(CapturedOutput output) {
		fails(Application.class, "--zk-lock.embedded.enabled=true", "--zk-lock.keys[orders/*].strategy=naive",
				"--zk-lock.keys[*/items].strategy=sequential");
		assertThat(report(output)).containsPattern(
				"keys contradict each other. The key patterns '(orders/\\*|\\*/items)' and '(orders/\\*|\\*/items)' set the same differently")
			.contains("Write patterns of which one has all the keys of the other");
	}

	@Test
	void boundsOfPatternsWithCommonKeysAreExplainedAlsoIfTheNumbersAreTheSame(CapturedOutput output) {
		fails(Application.class, "--zk-lock.embedded.enabled=true", "--zk-lock.keys[a*].max-held=2",
				"--zk-lock.keys[*b].max-held=2");
		assertThat(report(output))
			.containsPattern("The key patterns '(a\\*|\\*b)' and '(a\\*|\\*b)' both set max-held, a key may match both")
			.contains("Or give both the same value, except for max-held.")
			.doesNotContain("differently");
	}

	@Test
	void unknownStrategyOfAPatternIsExplained(CapturedOutput output) {
		fails(Application.class, "--zk-lock.embedded.enabled=true", "--zk-lock.keys[orders/*].strategy=nave");
		assertThat(report(output))
			.contains("zk-lock.keys[orders/*].strategy is 'nave', but there is no lock strategy of that name.")
			.contains("Use one of naive, naiveLockStrategy, sequential");
	}

	@Test
	void mistakeInAnAnnotationIsExplained(CapturedOutput output) {
		fails(WithMistake.class, "--zk-lock.embedded.enabled=true");
		assertThat(report(output)).contains("timeout = \"5\" has no unit")
			.contains("Write a duration with its unit, such as 500ms, 2s or PT2S.");
	}

	@Test
	void unknownStrategyOfAMethodIsExplained(CapturedOutput output) {
		fails(WithUnknownStrategy.class, "--zk-lock.embedded.enabled=true");
		assertThat(report(output)).contains("strategy = \"nave\" names no lock strategy.")
			.contains("Use one of naive, naiveLockStrategy, sequential, sequentialLockStrategy, or define");
	}

	@Test
	void serverIsNotWaitedForWhenThereIsAMistake(CapturedOutput output) {
		fails(WithMistake.class, "--zk-lock.connect-string=127.0.0.1:1", "--zk-lock.fail-fast=false");
		assertThat(report(output)).contains("timeout = \"5\" has no unit");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class WithMistake {

		@Bean
		Mistaken mistaken() {
			return new Mistaken();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class WithUnknownStrategy {

		@Bean
		UnknownStrategy unknownStrategy() {
			return new UnknownStrategy();
		}

	}

	static class Mistaken {

		@DistributedLock(timeout = "5")
		public void run() {
		}

	}

	static class UnknownStrategy {

		@DistributedLock(strategy = "nave")
		public void run() {
		}

	}

}
