package io.github.zklock.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import javax.security.auth.login.Configuration;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.server.auth.DigestLoginModule;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.github.zklock.LockClient;
import io.github.zklock.LockRequest;
import io.github.zklock.LockSessionStatus;
import io.github.zklock.testing.EverythingLogged;
import io.github.zklock.testing.SecuredServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A server that knows its clients by SASL.
 */
@ExtendWith(OutputCaptureExtension.class)
class SaslTests {

	private static final String SECRET = "s4-very-secret";

	@TempDir
	private static Path directory;

	private static SecuredServer server;

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class))
		.withPropertyValues("zk-lock.connect-string=" + server.connectString())
		.withBean(ZkLockCuratorCustomizer.class,
				() -> (builder) -> builder.getZkClientConfig().setProperty("zookeeper.fips-mode", "false"));

	@BeforeAll
	static void startServer() throws IOException {
		Path jaas = Files.writeString(directory.resolve("jaas.conf"), """
				Server {
					org.apache.zookeeper.server.auth.DigestLoginModule required user_shop="%s";
				};
				""".formatted(SECRET));
		server = SecuredServer.start(directory.resolve("server"),
				Map.of("authProvider.sasl", "org.apache.zookeeper.server.auth.SASLAuthenticationProvider",
						"-Djava.security.auth.login.config", jaas.toString()));
		Configuration.setConfiguration(new Sections());
	}

	@AfterAll
	static void stopServer() {
		Configuration.setConfiguration(null);
		server.close();
	}

	@Test
	void aClientLogsInAndHasItsNodesForItself(CapturedOutput output) {
		EverythingLogged logs = new EverythingLogged();
		this.runner.withPropertyValues("zk-lock.sasl.login-context=ShopLogin").run((context) -> {
			context.getBean(LockClient.class).acquire(LockRequest.exclusive("k")).release();
			assertThat(context.getBean(CuratorFramework.class).getACL().forPath("/zk-lock")).singleElement()
				.satisfies((one) -> assertThat(one.getId().getScheme() + " " + one.getId().getId())
					.isEqualTo("sasl shop"));
		});
		logs.close();
		assertThat(output).contains("Initiating client connection").doesNotContain(SECRET);
	}

	@Test
	void aCustomizerMayReplaceTheConfigurationWhereTheDefaultsAreTheSame() {
		replacing(new ZKClientConfig()).withPropertyValues("zk-lock.sasl.login-context=Client")
			.run((context) -> context.getBean(LockClient.class).acquire(LockRequest.exclusive("k")).release());
	}

	@Test
	void aCustomizerThatDropsTheLoginIsRefused() {
		ZKClientConfig without = new ZKClientConfig();
		without.setProperty(ZKClientConfig.ENABLE_CLIENT_SASL_KEY, "false");
		assertDropped(replacing(without).withPropertyValues("zk-lock.sasl.login-context=Client"));
		assertDropped(replacing(new ZKClientConfig()).withPropertyValues("zk-lock.sasl.login-context=ShopLogin"));
	}

	private ApplicationContextRunner replacing(ZKClientConfig config) {
		config.setProperty("zookeeper.fips-mode", "false");
		return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class))
			.withPropertyValues("zk-lock.connect-string=" + server.connectString())
			.withBean(ZkLockCuratorCustomizer.class, () -> (builder) -> builder.zkClientConfig(config));
	}

	private static void assertDropped(ApplicationContextRunner runner) {
		runner.run((context) -> assertThat(context).getFailure()
			.rootCause()
			.hasMessage(
					"The login of zk-lock.sasl.login-context is not used: a ZkLockCuratorCustomizer has changed or replaced the ZKClientConfig."));
	}

	@Test
	void aSectionThatDoesNotExistIsRefused() {
		this.runner.withPropertyValues("zk-lock.sasl.login-context=Nope")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessage(
						"zk-lock.sasl.login-context is 'Nope', but the JAAS configuration has no section of that name."));
	}

	@Test
	void aConfigurationThatDoesNotExistIsRefused() {
		Configuration.setConfiguration(null);
		try {
			this.runner.withPropertyValues("zk-lock.sasl.login-context=ShopLogin")
				.withSystemProperties("java.security.auth.login.config=" + directory.resolve("missing.conf"))
				.run((context) -> assertThat(context).getFailure()
					.hasStackTraceContaining(
							"zk-lock.sasl.login-context is 'ShopLogin', but the JAAS configuration has no section of that name."));
		}
		finally {
			Configuration.setConfiguration(new Sections());
		}
	}

	@Test
	void credentialsThatTheServersRefuseAreNamed() {
		this.runner
			.withPropertyValues("zk-lock.sasl.login-context=WrongLogin", "zk-lock.connection-timeout=5s",
					"zk-lock.warm-up=false")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("refused the credentials of zk-lock.sasl.login-context"));
	}

	@Test
	void credentialsThatTheServersRefuseAreKnownToTheSession() {
		this.runner
			.withPropertyValues("zk-lock.sasl.login-context=WrongLogin", "zk-lock.fail-fast=false",
					"zk-lock.warm-up=false")
			.run((context) -> Awaitility.await()
				.untilAsserted(() -> assertThat(context.getBean(LockSessionStatus.class).problem())
					.contains("refused the credentials of zk-lock.sasl.login-context")
					.contains("Check the username and the password")));
	}

	private static final class Sections extends Configuration {

		@Override
		public AppConfigurationEntry[] getAppConfigurationEntry(String name) {
			if (!Set.of("Client", "ShopLogin", "WrongLogin").contains(name)) {
				return null;
			}
			String password = name.equals("WrongLogin") ? "wrong" : SECRET;
			Map<String, String> options = new HashMap<>(Map.of("username", "shop", "password", password));
			return new AppConfigurationEntry[] { new AppConfigurationEntry(DigestLoginModule.class.getName(),
					LoginModuleControlFlag.REQUIRED, options) };
		}

	}

}
