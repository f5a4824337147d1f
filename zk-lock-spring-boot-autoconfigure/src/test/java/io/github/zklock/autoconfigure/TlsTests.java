package io.github.zklock.autoconfigure;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.ssl.jks.JksSslStoreBundle;
import org.springframework.boot.ssl.jks.JksSslStoreDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.test.util.ReflectionTestUtils;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.testing.EverythingLogged;
import io.github.zklock.testing.KeyStores;

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
				SslBundle.of(stores(server.strangersKeys(), server.serverTrusted())));
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class))
			.withBean(SslBundles.class, () -> bundles)
			.withPropertyValues("zk-lock.connect-string=" + server.connectString(), "zk-lock.ssl.bundle=zk",
					"zk-lock.fail-fast=false")
			.run((context) -> {
				LockClient client = context.getBean(LockClient.class);
				bundles.updateBundle("zk", SslBundle.of(stores(server.clientKeys(), server.serverTrusted())));
				client.acquire(LockRequest.exclusive("k")).release();
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
				return SslBundle.of(stores(server.clientKeys(), server.serverTrusted()));
			}
		}).run((context) -> context.getBean(LockClient.class).acquire(LockRequest.exclusive("k")).release());
	}

	private static SslStoreBundle stores(Path keys, Path trusted) {
		return new JksSslStoreBundle(details(keys), details(trusted));
	}

	private static JksSslStoreDetails details(Path store) {
		return new JksSslStoreDetails("PKCS12", null, "file:" + store, KeyStores.PASSWORD);
	}

}
