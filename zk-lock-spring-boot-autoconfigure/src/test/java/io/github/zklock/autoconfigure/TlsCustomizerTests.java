package io.github.zklock.autoconfigure;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.apache.zookeeper.client.ZKClientConfig;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.github.zklock.testing.KeyStores;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Customizers that keep the bundle, or drop it. Which it is, is known before there is a
 * connection.
 */
class TlsCustomizerTests {

	private static final List<String> OF_BUNDLE = List.of(ZKClientConfig.SECURE_CLIENT,
			ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, "zookeeper.ssl.keyStore.location",
			"zookeeper.ssl.keyStore.password", "zookeeper.ssl.keyStore.type", "zookeeper.ssl.trustStore.location",
			"zookeeper.ssl.trustStore.password", "zookeeper.ssl.trustStore.type");

	@TempDir
	private static Path directory;

	private static Path keys;

	private static Path trusted;

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, ZkLockAutoConfiguration.class))
		.withPropertyValues("zk-lock.connect-string=127.0.0.1:1", "zk-lock.fail-fast=false", "zk-lock.warm-up=false",
				"zk-lock.ssl.bundle=zk")
		.withPropertyValues(TlsServer.bundle(keys, trusted));

	@BeforeAll
	static void makeStores() {
		KeyStores stores = new KeyStores(directory);
		keys = stores.keys("client");
		trusted = stores.trusting("client");
	}

	private static ZkLockCuratorCustomizer replacing(ZKClientConfig config) {
		return (builder) -> builder.zkClientConfig(config);
	}

	private static ZkLockCuratorCustomizer changing(String name, String value) {
		return (builder) -> builder.getZkClientConfig().setProperty(name, value);
	}

	// The second one has the trust store of the JDK
	static Stream<ZkLockCuratorCustomizer> dropping() {
		ZKClientConfig secure = new ZKClientConfig();
		secure.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
		secure.setProperty(ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, "org.apache.zookeeper.ClientCnxnSocketNetty");
		return Stream.of(replacing(new ZKClientConfig()), replacing(secure), replacing(null),
				changing(ZKClientConfig.SECURE_CLIENT, "false"),
				changing(ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, "org.apache.zookeeper.ClientCnxnSocketNIO"));
	}

	@ParameterizedTest
	@MethodSource("dropping")
	void oneThatDropsTheBundleIsRefused(ZkLockCuratorCustomizer customizer) {
		this.runner.withBean(ZkLockCuratorCustomizer.class, () -> customizer)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(ZkLockStartupException.class)
				.hasMessageStartingWith("TLS of zk-lock.ssl.bundle")
				.hasMessageEndingWith(
						"is not used: a ZkLockCuratorCustomizer has changed or replaced the ZKClientConfig."));
	}

	@Test
	void oneMayChangeTheProtocol() {
		this.runner.withBean(ZkLockCuratorCustomizer.class, () -> changing("zookeeper.ssl.protocol", "TLSv1.3"))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void oneMayReplaceTheConfigurationByAnotherThatHasTheBundle() {
		this.runner.withBean(ZkLockCuratorCustomizer.class, () -> (builder) -> {
			ZKClientConfig copy = new ZKClientConfig();
			OF_BUNDLE.forEach((name) -> copy.setProperty(name, builder.getZkClientConfig().getProperty(name)));
			builder.zkClientConfig(copy);
		}).run((context) -> assertThat(context).hasNotFailed());
	}

}
