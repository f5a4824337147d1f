package io.github.zklock.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.test.util.ReflectionTestUtils;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.testing.EverythingLogged;
import io.github.zklock.testing.KeyStores;
import io.github.zklock.zookeeper.CuratorBlueprint;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A server that speaks TLS only and wants a certificate of its clients.
 */
@ExtendWith(OutputCaptureExtension.class)
class TlsTests {

	@TempDir
	private static Path directory;

	private static TlsServer server;

	private final ApplicationContextRunner plain = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, ZkLockAutoConfiguration.class))
		.withPropertyValues("zk-lock.connect-string=" + server.connectString());

	private final ApplicationContextRunner runner = this.plain.withPropertyValues("zk-lock.ssl.bundle=zk");

	@BeforeAll
	static void startServer() {
		server = TlsServer.start(directory);
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@Test
	void aClientWithACertificateLocks(CapturedOutput output) {
		List<Path> files = new ArrayList<>();
		EverythingLogged logs = new EverythingLogged();
		this.runner.withPropertyValues(TlsServer.bundle(server.clientKeys(), server.serverTrusted())).run((context) -> {
			try (LockHandle held = context.getBean(LockClient.class).acquire(LockRequest.exclusive("k"))) {
				assertThat(held.isHeld()).isTrue();
			}
			Path written = (Path) ReflectionTestUtils.getField(context.getBean(ClientTls.class), "directory");
			files.add(written);
			assertThat(Files.getPosixFilePermissions(written)).hasSize(3);
			try (Stream<Path> stores = Files.list(written)) {
				assertThat(stores).hasSize(2);
			}
			assertThat(output).contains("SSL handler added")
				.doesNotContain((String) ReflectionTestUtils.getField(context.getBean(ClientTls.class), "password"));
		});
		logs.close();
		assertThat(files).singleElement().satisfies((file) -> assertThat(file).doesNotExist());
		assertThat(output).doesNotContain(KeyStores.PASSWORD);
	}

	@Test
	void theCertificateIsACreatorThatNodesCanBeKeptTo() {
		this.runner.withPropertyValues(TlsServer.bundle(server.clientKeys(), server.serverTrusted()))
			.withPropertyValues("zk-lock.root=/mine", "zk-lock.acl=creator")
			.run((context) -> {
				context.getBean(LockClient.class).acquire(LockRequest.exclusive("k")).release();
				List<ACL> acl = context.getBean(CuratorFramework.class).getACL().forPath("/mine");
				assertThat(acl).singleElement()
					.satisfies((one) -> assertThat(one.getId().getScheme() + " " + one.getId().getId())
						.isEqualTo("x509 CN=client"));
			});
	}

	@Test
	void aBundleMayBeOfTexts() {
		KeyStores stores = new KeyStores(directory);
		Path client = stores.pem("client");
		this.runner
			.withPropertyValues("spring.ssl.bundle.pem.zk.keystore.certificate=file:" + client,
					"spring.ssl.bundle.pem.zk.keystore.private-key=file:" + client,
					"spring.ssl.bundle.pem.zk.truststore.certificate=file:" + stores.pem("server"))
			.run((context) -> context.getBean(LockClient.class).acquire(LockRequest.exclusive("k")).release());
	}

	@Test
	void aBundleThatDoesNotExistIsRefused() {
		this.runner.run((context) -> assertThat(context).getFailure()
			.rootCause()
			.isInstanceOfSatisfying(ZkLockStartupException.class, (failure) -> {
				assertThat(failure).hasMessage("zk-lock.ssl.bundle is 'zk', but there is no SSL bundle of that name.");
				assertThat(failure.action()).contains("spring.ssl.bundle.jks.zk");
			}));
	}

	@Test
	void aBundleThatCannotBeReadIsRefused() {
		this.runner.withPropertyValues(TlsServer.bundle(directory.resolve("missing.p12"), server.serverTrusted()))
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.rootCause()
				.hasMessageContaining("missing.p12"));
		this.runner.withPropertyValues(TlsServer.bundle(server.clientKeys(), server.serverTrusted()))
			.withPropertyValues("spring.ssl.bundle.jks.zk.keystore.password=wrong")
			.run((context) -> assertThat(context).getFailure()
				.satisfies((failure) -> assertThat(failure.toString())
					.contains("The SSL bundle of zk-lock.ssl.bundle cannot be used")));
	}

	@Test
	void bundlesAreMissingAltogether() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class))
			.withPropertyValues("zk-lock.connect-string=" + server.connectString(), "zk-lock.ssl.bundle=zk")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("but there are no SSL bundles"));
	}

	@Test
	void theEmbeddedServerHasNoTls() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, ZkLockAutoConfiguration.class))
			.withPropertyValues("zk-lock.embedded.enabled=true", "zk-lock.ssl.bundle=zk")
			.withPropertyValues(TlsServer.bundle(server.clientKeys(), server.serverTrusted()))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("the embedded ZooKeeper server has no TLS"));
	}

	@Test
	void aBundleThatChangesAppliesFromTheNextConnectionOn() {
		DefaultSslBundleRegistry bundles = new DefaultSslBundleRegistry("zk",
				SslBundle.of(ClientTlsTests.stores(server.strangersKeys(), server.serverTrusted())));
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class))
			.withBean(SslBundles.class, () -> bundles)
			.withPropertyValues("zk-lock.connect-string=" + server.connectString(), "zk-lock.ssl.bundle=zk",
					"zk-lock.fail-fast=false")
			.run((context) -> {
				LockClient client = context.getBean(LockClient.class);
				bundles.updateBundle("zk",
						SslBundle.of(ClientTlsTests.stores(server.clientKeys(), server.serverTrusted())));
				client.acquire(LockRequest.exclusive("k")).release();
			});
	}

	@Test
	void aConnectionIsMadeAgainAfterItsFilesWereDeleted() {
		this.runner.withPropertyValues(TlsServer.bundle(server.clientKeys(), server.serverTrusted())).run((context) -> {
			LockClient client = context.getBean(LockClient.class);
			client.acquire(LockRequest.exclusive("before")).release();
			Path written = ClientTlsTests.deleteFiles(context.getBean(ClientTls.class));
			context.getBean(CuratorFramework.class).getZookeeperClient().getZooKeeper().getTestable().closeSocket();
			client.acquire(LockRequest.exclusive("after").timeout(Duration.ofSeconds(10))).release();
			assertThat(Files.getPosixFilePermissions(written)).hasSize(3);
		});
	}

	@Test
	void anotherConnectionIsMadeAfterTheFilesWereDeleted() {
		this.runner.withPropertyValues(TlsServer.bundle(server.clientKeys(), server.serverTrusted())).run((context) -> {
			Path written = ClientTlsTests.deleteFiles(context.getBean(ClientTls.class));
			try (CuratorFramework another = context.getBean(CuratorBlueprint.class).build()) {
				another.start();
				assertThat(another.blockUntilConnected(10, TimeUnit.SECONDS)).isTrue();
			}
			assertThat(written).exists();
		});
	}

	@Test
	void aBundleThatChangesWhenTheContextIsClosedIsNoMatterOfIts(CapturedOutput output) {
		DefaultSslBundleRegistry bundles = new DefaultSslBundleRegistry("zk",
				SslBundle.of(ClientTlsTests.stores(server.clientKeys(), server.serverTrusted())));
		new ApplicationContextRunner().withBean(SslBundles.class, () -> bundles).run((parent) -> {
			new ApplicationContextRunner().withParent(parent)
				.withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class))
				.withPropertyValues("zk-lock.connect-string=" + server.connectString(), "zk-lock.ssl.bundle=zk")
				.run((child) -> assertThat(child).hasNotFailed());
			bundles.updateBundle("zk",
					SslBundle.of(ClientTlsTests.stores(server.clientKeys(), server.serverTrusted())));
			assertThat(output).doesNotContain("The changed SSL bundle cannot be used");
		});
	}

	@Test
	void connectionDetailsBringABundleOfTheirOwn() {
		this.plain.withBean(ZkLockConnectionDetails.class, () -> new ZkLockConnectionDetails() {
			@Override
			public String connectString() {
				return server.connectString();
			}

			@Override
			public SslBundle sslBundle() {
				return SslBundle.of(ClientTlsTests.stores(server.clientKeys(), server.serverTrusted()));
			}
		}).run((context) -> context.getBean(LockClient.class).acquire(LockRequest.exclusive("k")).release());
	}

	@Test
	void protocolsAndCiphersOfTheBundleApply() {
		this.runner.withPropertyValues(TlsServer.bundle(server.clientKeys(), server.serverTrusted()))
			.withPropertyValues("spring.ssl.bundle.jks.zk.protocol=TLSv1.3",
					"spring.ssl.bundle.jks.zk.options.enabled-protocols=TLSv1.3,TLSv1.2",
					"spring.ssl.bundle.jks.zk.options.ciphers=TLS_AES_256_GCM_SHA384,TLS_AES_128_GCM_SHA256")
			.run((context) -> {
				context.getBean(LockClient.class).acquire(LockRequest.exclusive("k")).release();
				ZKClientConfig config = context.getBean(CuratorFramework.class)
					.getZookeeperClient()
					.getZooKeeper()
					.getClientConfig();
				assertThat(config.getProperty("zookeeper.ssl.protocol")).isEqualTo("TLSv1.3");
				assertThat(config.getProperty("zookeeper.ssl.enabledProtocols")).isEqualTo("TLSv1.3,TLSv1.2");
				assertThat(config.getProperty("zookeeper.ssl.ciphersuites"))
					.isEqualTo("TLS_AES_256_GCM_SHA384,TLS_AES_128_GCM_SHA256");
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "keyStore.passwordPath", "trustStore.passwordPath" })
	void aPasswordOfTheWholeJvmIsNotThatOfTheBundle(String property) throws IOException {
		Path password = Files.writeString(directory.resolve("password.txt"), "of another store");
		this.runner.withPropertyValues(TlsServer.bundle(server.clientKeys(), server.serverTrusted()))
			.withPropertyValues("zk-lock.connection-timeout=5s")
			.withSystemProperties("zookeeper.ssl." + property + "=" + password)
			.run((context) -> context.getBean(LockClient.class).acquire(LockRequest.exclusive("k")).release());
	}

	@Test
	void whomTheWholeJvmTrustsABundleWithoutATrustStoreDoesNot() {
		String keys = "spring.ssl.bundle.jks.zk.keystore.";
		this.runner
			.withPropertyValues(keys + "location=file:" + server.clientKeys(), keys + "password=" + KeyStores.PASSWORD,
					"zk-lock.connection-timeout=2s")
			.withSystemProperties("zookeeper.ssl.trustStore.location=" + server.serverTrusted(),
					"zookeeper.ssl.trustStore.password=" + KeyStores.PASSWORD)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageStartingWith("No ZooKeeper server"));
	}

}
