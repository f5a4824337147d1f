package io.github.zklock.autoconfigure;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.test.util.ReflectionTestUtils;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.testing.EverythingLogged;
import io.github.zklock.testing.KeyStores;
import io.github.zklock.testing.SecuredServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A server that speaks TLS only and wants a certificate of its clients.
 */
@ExtendWith(OutputCaptureExtension.class)
class TlsTests {

	@TempDir
	private static Path directory;

	private static SecuredServer server;

	private static Path clientKeys;

	private static Path strangersKeys;

	private static Path serverTrusted;

	private static Path strangerTrusted;

	private final ApplicationContextRunner plain = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, ZkLockAutoConfiguration.class))
		.withPropertyValues("zk-lock.connect-string=" + server.connectString());

	private final ApplicationContextRunner runner = this.plain.withPropertyValues("zk-lock.ssl.bundle=zk");

	@BeforeAll
	static void startServer() {
		KeyStores stores = new KeyStores(directory);
		Path serverKeys = stores.keys("server");
		clientKeys = stores.keys("client");
		strangersKeys = stores.keys("stranger");
		serverTrusted = stores.trusting("server");
		strangerTrusted = stores.trusting("stranger");
		server = SecuredServer.startWithTls(directory.resolve("server"),
				Map.of("serverCnxnFactory", "org.apache.zookeeper.server.NettyServerCnxnFactory",
						"ssl.keyStore.location", serverKeys.toString(), "ssl.keyStore.password", KeyStores.PASSWORD,
						"ssl.trustStore.location", stores.trusting("client").toString(), "ssl.trustStore.password",
						KeyStores.PASSWORD, "ssl.clientAuth", "need", "authProvider.x509",
						"org.apache.zookeeper.server.auth.X509AuthenticationProvider"));
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	private static String[] bundle(Path keys, Path trusted) {
		List<String> properties = new ArrayList<>();
		if (keys != null) {
			properties.add("spring.ssl.bundle.jks.zk.keystore.location=file:" + keys);
			properties.add("spring.ssl.bundle.jks.zk.keystore.password=" + KeyStores.PASSWORD);
		}
		properties.add("spring.ssl.bundle.jks.zk.truststore.location=file:" + trusted);
		properties.add("spring.ssl.bundle.jks.zk.truststore.password=" + KeyStores.PASSWORD);
		return properties.toArray(String[]::new);
	}

	private static void isRefused(AssertableApplicationContext context) {
		assertThat(context).getFailure().rootCause().isInstanceOfSatisfying(ZkLockStartupException.class, (failure) -> {
			assertThat(failure).hasMessageContaining("No ZooKeeper server at '%s' answered", server.connectString());
			assertThat(failure.action()).contains("The connection is to use TLS", "trusts their certificate");
		});
	}

	@Test
	void aClientWithACertificateLocks(CapturedOutput output) {
		List<Path> files = new ArrayList<>();
		EverythingLogged logs = new EverythingLogged();
		this.runner.withPropertyValues(bundle(clientKeys, serverTrusted)).run((context) -> {
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
		this.runner.withPropertyValues(bundle(clientKeys, serverTrusted))
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
	void aClientWithoutACertificateIsRefused() {
		this.runner.withPropertyValues(bundle(null, serverTrusted))
			.withPropertyValues("zk-lock.connection-timeout=2s")
			.run(TlsTests::isRefused);
	}

	@Test
	void aClientWithACertificateThatTheServerDoesNotTrustIsRefused() {
		this.runner.withPropertyValues(bundle(strangersKeys, serverTrusted))
			.withPropertyValues("zk-lock.connection-timeout=2s")
			.run(TlsTests::isRefused);
	}

	@Test
	void aServerThatTheBundleDoesNotTrustIsRefused() {
		this.runner.withPropertyValues(bundle(clientKeys, strangerTrusted))
			.withPropertyValues("zk-lock.connection-timeout=2s")
			.run(TlsTests::isRefused);
	}

	@Test
	void aServerWithAnotherNameIsRefused() {
		this.runner.withPropertyValues(bundle(clientKeys, serverTrusted))
			.withPropertyValues("zk-lock.connection-timeout=2s",
					"zk-lock.connect-string=" + server.connectString().replace("127.0.0.1", "127.0.0.2"))
			.run((context) -> assertThat(context).hasFailed());
	}

	@Test
	void aClientWithoutTlsIsRefused() {
		this.plain.withPropertyValues("zk-lock.connection-timeout=2s")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(ZkLockStartupException.class,
						(failure) -> assertThat(failure.action()).doesNotContain("TLS")));
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
		this.runner.withPropertyValues(bundle(directory.resolve("missing.p12"), serverTrusted))
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.rootCause()
				.hasMessageContaining("missing.p12"));
		this.runner.withPropertyValues(bundle(clientKeys, serverTrusted))
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
			.withPropertyValues(bundle(clientKeys, serverTrusted))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("the embedded ZooKeeper server has no TLS"));
	}

	@Test
	void aBundleThatChangesCountsFromTheNextConnectionOn() {
		DefaultSslBundleRegistry bundles = new DefaultSslBundleRegistry("zk",
				SslBundle.of(stores(strangersKeys, serverTrusted)));
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class))
			.withBean(SslBundles.class, () -> bundles)
			.withPropertyValues("zk-lock.connect-string=" + server.connectString(), "zk-lock.ssl.bundle=zk",
					"zk-lock.fail-fast=false")
			.run((context) -> {
				LockClient client = context.getBean(LockClient.class);
				bundles.updateBundle("zk", SslBundle.of(stores(clientKeys, serverTrusted)));
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
				return SslBundle.of(stores(clientKeys, serverTrusted));
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
