package io.github.zklock.autoconfigure;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
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
import org.springframework.boot.ssl.SslBundleKey;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.ssl.jks.JksSslStoreBundle;
import org.springframework.boot.ssl.jks.JksSslStoreDetails;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.test.util.ReflectionTestUtils;
import org.springframework.util.FileSystemUtils;

import io.github.zklock.LockClient;
import io.github.zklock.LockHandle;
import io.github.zklock.LockRequest;
import io.github.zklock.testing.EverythingLogged;
import io.github.zklock.testing.KeyStores;
import io.github.zklock.zookeeper.CuratorBlueprint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

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
	void aConnectionIsMadeAgainAfterItsFilesWereDeleted() {
		this.runner.withPropertyValues(TlsServer.bundle(server.clientKeys(), server.serverTrusted())).run((context) -> {
			LockClient client = context.getBean(LockClient.class);
			client.acquire(LockRequest.exclusive("before")).release();
			Path written = deleteFiles(context.getBean(ClientTls.class));
			context.getBean(CuratorFramework.class).getZookeeperClient().getZooKeeper().getTestable().closeSocket();
			client.acquire(LockRequest.exclusive("after").timeout(Duration.ofSeconds(10))).release();
			assertThat(Files.getPosixFilePermissions(written)).hasSize(3);
		});
	}

	@Test
	void anotherConnectionIsMadeAfterTheFilesWereDeleted() {
		this.runner.withPropertyValues(TlsServer.bundle(server.clientKeys(), server.serverTrusted())).run((context) -> {
			Path written = deleteFiles(context.getBean(ClientTls.class));
			try (CuratorFramework another = context.getBean(CuratorBlueprint.class).build()) {
				another.start();
				assertThat(another.blockUntilConnected(10, TimeUnit.SECONDS)).isTrue();
			}
			assertThat(written).exists();
		});
	}

	@Test
	void aBundleThatChangesAfterItsFilesWereDeletedApplies() throws Exception {
		try (ClientTls tls = new ClientTls(SslBundle.of(stores(server.clientKeys(), server.serverTrusted())))) {
			deleteFiles(tls);
			tls.update(SslBundle.of(stores(server.strangersKeys(), server.serverTrusted())));
			assertThat(entries(tls, "keys.p12")).singleElement().asString().contains("stranger");
			assertThat(entries(tls, "trusted.p12")).hasSize(1);
		}
	}

	@Test
	void nothingIsWrittenWhereAnotherHasTakenTheNameOfTheDirectory(@TempDir Path elsewhere) throws Exception {
		try (ClientTls tls = new ClientTls(SslBundle.of(stores(server.clientKeys(), server.serverTrusted())))) {
			Files.createSymbolicLink(deleteFiles(tls), elsewhere);
			tls.update(SslBundle.of(stores(server.clientKeys(), server.serverTrusted())));
			assertThat(elsewhere).isEmptyDirectory();
		}
	}

	private static Path deleteFiles(ClientTls tls) throws IOException {
		Path written = (Path) ReflectionTestUtils.getField(tls, "directory");
		assertThat(FileSystemUtils.deleteRecursively(written)).isTrue();
		return written;
	}

	@Test
	void aBundleThatChangesWhenTheContextIsClosedIsNoMatterOfIts(CapturedOutput output) {
		DefaultSslBundleRegistry bundles = new DefaultSslBundleRegistry("zk",
				SslBundle.of(stores(server.clientKeys(), server.serverTrusted())));
		new ApplicationContextRunner().withBean(SslBundles.class, () -> bundles).run((parent) -> {
			new ApplicationContextRunner().withParent(parent)
				.withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class))
				.withPropertyValues("zk-lock.connect-string=" + server.connectString(), "zk-lock.ssl.bundle=zk")
				.run((child) -> assertThat(child).hasNotFailed());
			bundles.updateBundle("zk", SslBundle.of(stores(server.clientKeys(), server.serverTrusted())));
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
				return SslBundle.of(stores(server.clientKeys(), server.serverTrusted()));
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

	@ParameterizedTest
	@ValueSource(strings = { "RSA", "DSA", "EdDSA", "RSASSA-PSS" })
	void aKeyOfAnyAlgorithmIsGivenToTheClient(String algorithm) throws Exception {
		Path keys = new KeyStores(directory).keys(algorithm, algorithm);
		try (ClientTls tls = new ClientTls(SslBundle.of(stores(keys, server.serverTrusted())))) {
			assertThat(entries(tls, "keys.p12")).hasSize(1);
		}
	}

	@Test
	void onlyTheKeyThatTheBundleNamesIsGivenToTheClient() throws Exception {
		KeyStore both = KeyStore.getInstance("PKCS12");
		both.load(null, null);
		char[] password = KeyStores.PASSWORD.toCharArray();
		for (String name : List.of("server", "stranger")) {
			KeyStore one = KeyStore.getInstance(directory.resolve(name + "-keys.p12").toFile(), password);
			both.setKeyEntry(name, one.getKey(name, password), password, one.getCertificateChain(name));
		}
		SslStoreBundle stores = SslStoreBundle.of(both, KeyStores.PASSWORD, null);
		try (ClientTls tls = new ClientTls(SslBundle.of(stores, SslBundleKey.of(KeyStores.PASSWORD, "stranger")))) {
			assertThat(entries(tls, "keys.p12")).containsExactly("stranger");
		}
	}

	@Test
	void allCertificatesOfTheBundleAreTrusted() throws Exception {
		KeyStores stores = new KeyStores(directory);
		Path both = Files.writeString(directory.resolve("both.pem"),
				Files.readString(stores.pem("server")) + Files.readString(stores.pem("stranger")));
		PemSslStoreDetails trusted = PemSslStoreDetails.forCertificate("file:" + both);
		try (ClientTls tls = new ClientTls(SslBundle.of(new PemSslStoreBundle(null, trusted)))) {
			assertThat(entries(tls, "trusted.p12")).hasSize(2);
		}
	}

	private static List<String> entries(ClientTls tls, String file) throws IOException, GeneralSecurityException {
		KeyStore store = KeyStore.getInstance("PKCS12");
		Path written = (Path) ReflectionTestUtils.getField(tls, "directory");
		String password = (String) ReflectionTestUtils.getField(tls, "password");
		try (InputStream in = Files.newInputStream(written.resolve(file))) {
			store.load(in, password.toCharArray());
		}
		return Collections.list(store.aliases());
	}

	@Test
	void aChangedBundleThatCannotBeUsedIsLoggedAndTheFormerOneGoesOn(CapturedOutput output) throws Exception {
		try (ClientTls tls = new ClientTls(SslBundle.of(stores(server.clientKeys(), server.serverTrusted())))) {
			SslBundle unreadable = SslBundle.of(stores(server.clientKeys(), server.serverTrusted()),
					SslBundleKey.of("wrong"));
			tls.update(unreadable);
			assertThat(output).contains("ERROR",
					"The changed SSL bundle cannot be used; connections to ZooKeeper go on with the former one");
			assertThat(entries(tls, "keys.p12")).hasSize(1);
			assertThat(entries(tls, "trusted.p12")).hasSize(1);
		}
	}

	@Test
	void aChangedBundleOfWhichOneStoreCannotBeUsedReplacesNeither(CapturedOutput output) throws Exception {
		try (ClientTls tls = new ClientTls(SslBundle.of(stores(server.clientKeys(), server.serverTrusted())))) {
			tls.update(SslBundle.of(stores(server.strangersKeys(), directory.resolve("missing.p12"))));
			assertThat(output).contains("The changed SSL bundle cannot be used");
			assertThat(entries(tls, "keys.p12")).singleElement().asString().contains("client");
		}
	}

	@Test
	void aBundleThatCannotBeUsedLeavesNoDirectory() {
		Set<String> before = emptyDirectories();
		SslBundle unreadable = SslBundle.of(stores(server.clientKeys(), server.serverTrusted()),
				SslBundleKey.of("wrong"));
		assertThatExceptionOfType(ZkLockStartupException.class).isThrownBy(() -> new ClientTls(unreadable));
		await().untilAsserted(() -> assertThat(before).containsAll(emptyDirectories()));
	}

	// Those of clients in other JVMs are not empty for long
	private static Set<String> emptyDirectories() {
		File[] found = new File(System.getProperty("java.io.tmpdir")).listFiles((file) -> {
			String[] inside = file.getName().startsWith("zk-lock-tls") ? file.list() : null;
			return inside != null && inside.length == 0;
		});
		return Arrays.stream(Objects.requireNonNull(found)).map(File::getName).collect(Collectors.toSet());
	}

	private static SslStoreBundle stores(Path keys, Path trusted) {
		return new JksSslStoreBundle(details(keys), details(trusted));
	}

	private static JksSslStoreDetails details(Path store) {
		return new JksSslStoreDetails("PKCS12", null, "file:" + store, KeyStores.PASSWORD);
	}

}
